package run

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger"
)

// startRules are the rules of these tests: 3 free runs a day, a fee of 50, 16 tiers.
func startRules() *chain.Rules {
	r := &chain.Rules{BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FreePerDay: 3, StartingBalance: 1000}
	for k := range int64(16) {
		r.Tiers = append(r.Tiers, chain.Tier{Material: string(rune('a' + k)), Value: 48 << (k + 1)})
	}
	return r
}

var (
	starter  = chain.Address{1}
	stranger = chain.Address{2}
)

const today = int64(20574) // the UTC day of noon

// burning returns a start that burns a token of an owner.
func burning(owner chain.Address, tier int64) startRows {
	return startRows{token: burnable{Token: chain.Token{Tier: tier, Owner: owner}, id: 7}}
}

// played returns a start of an account that has used its entries of a day.
func played(day, free, daily int64) (before startRows) {
	before.actor.Account = chain.Account{FreeDay: day, Free: free, DailyDay: day, Daily: daily}
	return before
}

// TestDecideStart checks which entry a start takes, or why it is refused.
func TestDecideStart(t *testing.T) {
	t.Parallel()
	if noon.UnixMilli()/(24*60*60*1000) != today {
		t.Fatal("noon is on another day")
	}
	id := int64(7)
	named := &id
	playing := played(today, 0, 0)
	playing.actor.Account.Playing = chain.EntryFree
	for name, c := range map[string]struct {
		before startRows
		entry  chain.Entry
		id     *int64
		at     time.Duration // after noon
		want   chain.Entry
		err    error
	}{
		"during another run":             {before: playing, entry: chain.EntryFee, err: ErrRunActive},
		"free by default":                {before: played(today, 2, 1), want: chain.EntryFree},
		"for a fee once free is used up": {before: played(today, 3, 0), want: chain.EntryFee},
		"free again at midnight":         {before: played(today, 3, 1), at: 12 * time.Hour, want: chain.EntryFree},
		"free, used up":                  {before: played(today, 3, 0), entry: chain.EntryFree, err: ErrEntryUsed},
		"free, a millisecond before": {before: played(today, 3, 0), entry: chain.EntryFree, at: 12*time.Hour - 1,
			err: ErrEntryUsed},
		"free, by a clock that went back": {before: played(today+1, 3, 0), entry: chain.EntryFree, err: ErrEntryUsed},
		"daily":                           {before: played(today, 3, 0), entry: chain.EntryDaily, want: chain.EntryDaily},
		"daily, used up":                  {before: played(today, 0, 1), entry: chain.EntryDaily, err: ErrEntryUsed},
		"daily, the day after":            {before: played(today-1, 0, 1), entry: chain.EntryDaily, want: chain.EntryDaily},
		"a fee":                           {entry: chain.EntryFee, want: chain.EntryFee},
		"the cheapest token":              {before: burning(starter, 15), entry: chain.EntryBurn, want: chain.EntryBurn},
		"the cheapest is of the top tier": {before: burning(starter, 16), entry: chain.EntryBurn, err: ErrNoToken},
		"no token":                        {entry: chain.EntryBurn, err: ErrNoToken},
		"a named token": {before: burning(starter, 1), entry: chain.EntryBurn, id: named,
			want: chain.EntryBurn},
		"a named token of the top tier": {before: burning(starter, 16), entry: chain.EntryBurn, id: named,
			err: ErrNoToken},
		"a named token of another account": {before: burning(stranger, 1), entry: chain.EntryBurn, id: named,
			err: chain.ErrNotOwner},
		"another's token of the top tier": {before: burning(stranger, 16), entry: chain.EntryBurn, id: named,
			err: chain.ErrNotOwner},
		"a named token that does not exist": {entry: chain.EntryBurn, id: named, err: chain.ErrNotOwner},
	} {
		c.before.account = starter
		now := noon.Add(c.at)
		r, price, err := decideStart(startRules(), c.before, StartOptions{Entry: c.entry, TokenID: c.id}, now)
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: error %v, want %v", name, err, c.err)
			continue
		}
		if err != nil {
			continue
		}
		token := c.before.token
		if r.Entry != c.want || r.Status != Active || !r.StartedAt.Equal(now) || r.FirstTier != r.Cleared ||
			(r.Entry == chain.EntryBurn) != (r.FirstTier > 0) || r.FirstTier != token.Tier {
			t.Errorf("%s: %+v, want entry %s", name, r, c.want)
		}
		want := chain.Transfer{}
		switch r.Entry {
		case chain.EntryFee:
			want = chain.Transfer{Amount: 50, From: starter}
		case chain.EntryBurn:
			want = chain.Transfer{Token: true, TokenID: token.id, From: starter}
		}
		if (want == chain.Transfer{}) != (len(price) == 0) || len(price) > 0 && price[0] != want {
			t.Errorf("%s: pays %v", name, price)
		}
	}
}

// TestEntries checks the list of ways to start a run: one that is available is one that decideStart
// accepts, or that the chain accepts for its fee.
func TestEntries(t *testing.T) {
	t.Parallel()
	rules := startRules()
	for free := range int64(5) {
		for daily := range int64(3) {
			for tier := range int64(17) { // of the cheapest token, 0 for none
				before := played(today, free, daily)
				before.account, before.actor.Account.Balance = starter, 25*tier // with 2 just the fee
				h := ledger.Holding{Account: before.actor.Account}
				if tier > 0 {
					before.token = burning(starter, tier).token
					h.Cheapest = &ledger.OwnedToken{ID: 7, Tier: tier}
				}
				list := entries(rules, h, noon)
				for _, e := range list {
					_, _, err := decideStart(rules, before, StartOptions{Entry: e.Entry}, noon)
					accepted := err == nil && before.actor.Account.Balance >= e.Cost
					if e.Available != accepted || e.Available != (e.Reason == "") || (e.Cost != 0) != (e.Entry == chain.EntryFee) ||
						(e.TokenID != nil) != (e.Entry == chain.EntryBurn && e.Available) {
						t.Errorf("%d free, %d daily, tier %d: %+v, a start: %v", free, daily, tier, e, err)
					}
				}
				if *list[0].Left != max(0, 3-free) || *list[3].Left != max(0, 1-daily) {
					t.Errorf("%d free and %d daily runs: %d and %d are left", free, daily, *list[0].Left, *list[3].Left)
				}
			}
		}
	}
}

// TestFreeWin checks that a network's wins of free tokens are counted by starts that could win one,
// and by no other: not by one that is refused, pays a fee, burns a token, or wins a bound token.
func TestFreeWin(t *testing.T) {
	t.Parallel()
	bound := played(0, 0, 0)
	bound.actor.Account.BoundStart = true
	for name, c := range map[string]struct {
		before    startRows
		entry     chain.Entry
		counted   int
		boundWith map[bool]bool // whether the run is bound, by whether the network may win
	}{
		"free":                   {entry: chain.EntryFree, counted: 1, boundWith: map[bool]bool{true: false, false: true}},
		"daily":                  {entry: chain.EntryDaily, counted: 1, boundWith: map[bool]bool{true: false, false: true}},
		"fee":                    {entry: chain.EntryFee, boundWith: map[bool]bool{}},
		"burn":                   {before: burning(starter, 3), entry: chain.EntryBurn, boundWith: map[bool]bool{}},
		"an account still bound": {before: bound, entry: chain.EntryFree, boundWith: map[bool]bool{true: true, false: true}},
		"refused":                {before: played(today, 3, 1), entry: chain.EntryFree},
	} {
		for _, may := range []bool{true, false} {
			counted := 0
			c.before.account = starter
			r, _, err := decideStart(startRules(), c.before, StartOptions{Entry: c.entry, FreeWin: func() bool {
				counted++
				return may
			}}, noon)
			if counted != c.counted || (err == nil) != (c.boundWith != nil) || err == nil && r.Bound != c.boundWith[may] {
				t.Errorf("%s, may win %v: counted %d times, run %+v, error %v", name, may, counted, r, err)
			}
		}
	}
}

// TestRanked checks that the daily runs of a network that a day's board shows are counted by daily starts
// alone, and not by one that is refused.
func TestRanked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before  startRows
		entry   chain.Entry
		counted int
	}{
		"daily":   {entry: chain.EntryDaily, counted: 1},
		"free":    {entry: chain.EntryFree},
		"fee":     {entry: chain.EntryFee},
		"burn":    {before: burning(starter, 3), entry: chain.EntryBurn},
		"refused": {before: played(today, 0, 1), entry: chain.EntryDaily},
	} {
		for _, may := range []bool{true, false} {
			counted := 0
			c.before.account = starter
			r, _, err := decideStart(startRules(), c.before, StartOptions{Entry: c.entry, Ranked: func() bool {
				counted++
				return may
			}}, noon)
			if counted != c.counted || err == nil && r.Unranked != (c.counted == 1 && !may) {
				t.Errorf("%s, may be ranked %v: counted %d times, run %+v, error %v", name, may, counted, r, err)
			}
		}
	}
}

// TestChainTakesEveryStart checks, for random accounts, that the chain accepts a start that was
// decided, unless coins are missing, and refuses every start that was refused.
func TestChainTakesEveryStart(t *testing.T) {
	t.Parallel()
	rules := startRules()
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.Int64Range(today-1, today+1)
		before := startRows{account: starter, seeds: sealedChain{commitment: chain.Hash{9}}}
		before.actor.Account = chain.Account{
			Kind: chain.Guest, Balance: rapid.Int64Range(0, 120).Draw(t, "balance"), Commitment: chain.Hash{9},
			BoundStart: rapid.Bool().Draw(t, "bound start"),
			FreeDay:    day.Draw(t, "free day"), Free: rapid.Int64Range(0, 3).Draw(t, "free"),
			DailyDay: day.Draw(t, "daily day"), Daily: rapid.Int64Range(0, 1).Draw(t, "daily"),
		}
		a := &before.actor.Account
		if rapid.IntRange(0, 5).Draw(t, "playing") == 0 {
			a.Playing = chain.EntryFree
		}
		a.Bound = rapid.Int64Range(0, a.Balance).Draw(t, "bound")
		if rapid.Bool().Draw(t, "secured") {
			a.SecuredAt = noon.UnixMilli() - rapid.Int64Range(0, 2*chain.SecureFor).Draw(t, "secured ago")
		}
		entry := rapid.SampledFrom([]chain.Entry{chain.EntryFree, chain.EntryFee, chain.EntryDaily}).Draw(t, "entry")
		may := rapid.Bool().Draw(t, "free win")
		r, price, err := decideStart(rules, before, StartOptions{Entry: entry, FreeWin: func() bool { return may }}, noon)
		start := &chain.RunStart{
			Commitment: chain.Hash{9}, ClientSeedHash: chain.HashText(""), Entry: entry, NextCommitment: chain.Hash{8},
			RunID: "r",
		}
		if err != nil { // as the chain would be asked
			start.Bound = a.WinsBound(entry, noon.UnixMilli(), rules.EntryFee)
			if entry == chain.EntryFee {
				price = []chain.Transfer{{Amount: rules.EntryFee, From: starter}}
			}
		} else {
			start.Bound = r.Bound
		}
		effects, refused := rules.Effects(&chain.Tx{Actor: starter, Time: noon.UnixMilli(), Transfers: price, Data: start})
		if refused != nil {
			t.Fatal(refused)
		}
		refused = a.Apply(&effects.Accounts[0])
		_, poor := errors.AsType[*chain.InsufficientFundsError](refused)
		if err == nil && refused != nil && !poor || err != nil && refused == nil {
			t.Fatalf("decided with error %v, the chain says %v", err, refused)
		}
	})
}

package run

import (
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/ledger"
)

// This file holds the rules of runs. A rule makes or changes a run, or returns an error and leaves
// the run unchanged. No rule accesses the database: Service loads what a rule needs and stores its
// result.

// decideStart returns the run that an account starts, still without an id, and the transfers that pay
// for it. Errors: ErrRunActive, ErrEntryUsed, ErrNoToken, chain.ErrNotOwner.
func decideStart(
	rules *chain.Rules, before startRows, o StartOptions, now time.Time,
) (*Run, []chain.Transfer, error) {
	account := &before.actor.Account
	if account.Playing != "" {
		return nil, nil, ErrRunActive
	}
	r := &Run{
		Account: before.account, Status: Active, Entry: chooseEntry(rules, account, o.Entry, now), ClientSeed: o.ClientSeed,
		Commitment: before.seeds.commitment, // the ledger refuses any other than the outstanding one
		CommitTx:   before.actor.CommitmentTx, sealed: before.seeds.sealed,
		Transcript: []byte(chain.EmptyTranscript), StartedAt: now, ActedAt: now,
	}
	if o.First == nil && now.Before(before.seeds.thrownAt.Add(ThrowInterval)) {
		r.ThrownAt = before.seeds.thrownAt
	}
	var price []chain.Transfer
	switch free, daily := account.Used(now.UnixMilli()); r.Entry {
	case chain.EntryFree:
		if free >= rules.FreePerDay {
			return nil, nil, ErrEntryUsed
		}
	case chain.EntryDaily:
		if daily >= dailyPerDay {
			return nil, nil, ErrEntryUsed
		}
	case chain.EntryFee:
		price = []chain.Transfer{{Amount: rules.EntryFee, From: r.Account}}
	case chain.EntryBurn:
		token := before.token
		if err := token.check(r.Account, o.TokenID != nil, rules.Top()); err != nil {
			return nil, nil, err
		}
		r.FirstTier, r.Cleared, r.Bound = token.Tier, token.Tier, token.Bound
		return r, []chain.Transfer{{Token: true, TokenID: token.id, From: r.Account}}, nil
	}
	r.Bound = account.WinsBound(r.Entry, now.UnixMilli(), rules.EntryFee)
	if r.Entry != chain.EntryFee && !r.Bound && o.FreeWin != nil {
		r.Bound = !o.FreeWin() // counted last: a refused start uses up nothing
	}
	if r.Entry == chain.EntryDaily && o.Ranked != nil {
		r.Unranked = !o.Ranked()
	}
	return r, price, nil
}

// entries returns the ways to start a run for an account with holding h, in the order in which auto
// tries them.
func entries(rules *chain.Rules, h ledger.Holding, now time.Time) []Entry {
	free, daily := h.Account.Used(now.UnixMilli())
	free, daily = max(0, rules.FreePerDay-free), max(0, dailyPerDay-daily)
	list := []Entry{
		{Entry: chain.EntryFree, Available: free > 0, Left: &free, Reason: "used up for today; the day ends at midnight UTC"},
		{
			Entry: chain.EntryFee, Available: h.Account.Balance >= rules.EntryFee, Cost: rules.EntryFee,
			Reason: "the balance is too low",
		},
		{Entry: chain.EntryBurn, Reason: "there is no token to burn"},
		{Entry: chain.EntryDaily, Available: daily > 0, Left: &daily, Reason: "played today; the day ends at midnight UTC"},
	}
	if token := h.Cheapest; token != nil && token.Tier < rules.Top() {
		list[2].Available, list[2].TokenID = true, &token.ID
	}
	for i := range list {
		if list[i].Available {
			list[i].Reason = ""
		}
	}
	return list
}

// chooseEntry returns the wanted entry. "" stands for free while it is available, then for fee.
func chooseEntry(rules *chain.Rules, account *chain.Account, wanted chain.Entry, now time.Time) chain.Entry {
	if wanted != "" {
		return wanted
	}
	if free, _ := account.Used(now.UnixMilli()); free >= rules.FreePerDay {
		return chain.EntryFee
	}
	return chain.EntryFree
}

// check returns nil if an account may burn the token, which it has named or left to the service.
// Errors: chain.ErrNotOwner, ErrNoToken if there is none, or no tier above it to win.
func (b *burnable) check(account chain.Address, named bool, top int64) error {
	switch {
	case named && b.Owner != account:
		return chain.ErrNotOwner
	case b.Tier == 0 || b.Tier >= top:
		return ErrNoToken
	}
	return nil
}

// throw plays the next throw. seed supplies the house's seeds, top is the highest tier.
// Errors: *StateError, *TooFastError, errNoSeed, and errors of seed.
func (r *Run) throw(now time.Time, play Play, seed seedSource, top int64) (chain.Throw, error) {
	if r.Status != Active {
		return chain.Throw{}, &StateError{Status: r.Status, Action: "throw in"}
	}
	if wait := r.NextThrowAt().Sub(now); wait > 0 {
		return chain.Throw{}, &TooFastError{Wait: wait}
	}
	if r.Throws >= fair.Length {
		return chain.Throw{}, errNoSeed
	}
	n := int(r.Throws) + 1
	t := chain.Throw{N: n, Move: play.Move, EntropyHash: chain.HashText(play.Entropy)}
	var err error
	if t.Seed, err = seed(n); err != nil {
		return chain.Throw{}, err
	}
	t.House = fair.HouseMove(t.Seed, n, chain.HashText(r.ClientSeed), t.EntropyHash)
	t.Outcome = t.Move.Against(t.House)

	r.Throws++
	r.Transcript = chain.AppendThrow(r.Transcript, t)
	// A new slice: copies of the run, in the cache and in a retry, share the old one.
	r.Entropy = append(slices.Clip(r.Entropy), play.Entropy)
	r.ThrownAt, r.ActedAt = now, now
	switch t.Outcome {
	case game.Win:
		r.Cleared++
		r.Status = Deciding
		if r.Cleared == top {
			r.end(Claimed, now)
		}
	case game.Loss:
		r.end(Lost, now)
	case game.Tie:
	}
	if r.Throws == fair.Length && !r.Status.Over() {
		r.endOutOfSeeds(now)
	}
	return t, nil
}

// proceed risks the reached tier. Errors: *StateError.
func (r *Run) proceed(now time.Time) error {
	if r.Status != Deciding {
		return &StateError{Status: r.Status, Action: "continue"}
	}
	r.Status, r.ActedAt = Active, now
	return nil
}

// claim ends the run with the token of the reached tier. Errors: ErrClaimed, *StateError.
func (r *Run) claim(now time.Time) error {
	switch r.Status {
	case Deciding:
		r.ActedAt = now
		r.end(Claimed, now)
		return nil
	case Claimed:
		return ErrClaimed
	default:
		return &StateError{Status: r.Status, Action: "claim"}
	}
}

// abandon ends the run without a prize. Errors: *StateError.
func (r *Run) abandon(now time.Time) error {
	if r.Status.Over() {
		return &StateError{Status: r.Status, Action: "abandon"}
	}
	r.ActedAt = now
	r.end(Abandoned, now)
	return nil
}

// expire ends a run that has been idle for IdleTimeout and reports whether it did. A run in
// the state deciding claims its tier; any other is abandoned.
func (r *Run) expire(now time.Time) bool {
	if r.Status.Over() || now.Sub(r.ActedAt) < IdleTimeout {
		return false
	}
	if r.Status == Deciding {
		r.end(Claimed, now)
	} else {
		r.end(Abandoned, now)
	}
	return true
}

// recover ends a run that is in play at a recovery. One whose last throw won is claimed: a won tier is
// not lost. Any other is void. The error reports a damaged transcript.
func (r *Run) recover(now time.Time) error {
	throws, err := chain.ParseTranscript(r.Transcript)
	if err != nil {
		return err
	}
	if n := len(throws); n > 0 && throws[n-1].Outcome == game.Win {
		r.end(Claimed, now)
	} else {
		r.end(Void, now)
	}
	return nil
}

// endOutOfSeeds ends a run that has used all its seeds: it claims the reached tier, or is
// abandoned if none was reached in fair.Length throws.
func (r *Run) endOutOfSeeds(now time.Time) {
	if r.Cleared > 0 {
		r.end(Claimed, now)
	} else {
		r.end(Abandoned, now)
	}
}

// end puts the run into a final state.
func (r *Run) end(s Status, now time.Time) {
	r.Status = s
	r.EndedAt = &now
}

// ending returns the transaction that ends a run. A claimed run has its token's id.
func (r *Run) ending() ledger.Draft {
	d := ledger.Draft{Actor: r.Account, Transcript: r.Transcript, Data: &chain.RunEnd{
		Bound: r.Bound, Cleared: r.Cleared, RunID: r.ID, Status: chain.RunStatus(r.Status), Throws: r.Throws,
		TranscriptHash: chain.HashTranscript(r.Transcript),
	}}
	if r.Status == Claimed {
		d.Transfers = []chain.Transfer{{Token: true, TokenID: *r.TokenID, Tier: r.Cleared, To: r.Account}}
	}
	return d
}

package replay

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roshambo/chain"
)

// TestEconomy draws random actions, allowed or not, and compares package chain with the model after
// each. At the end it replays the chain and compares the final state with the model's.
func TestEconomy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := &economy{ledger: newLedger(t), model: newModel(testRules()),
			secured: map[chain.Address]bool{}}
		e.open(t)
		actions := []func(*rapid.T){e.create, e.secure, e.faucet, e.start, e.start, e.end, e.end, e.stake, e.settle, e.sale,
			e.buyback,
			e.changeRules, e.closeSeason, func(*rapid.T) { e.ledger.seal() }}
		for range rapid.IntRange(0, 100).Draw(t, "actions") {
			rapid.SampledFrom(actions).Draw(t, "action")(t)
			e.invariants(t)
		}
		e.replay(t)
	})
}

// economy is a chain and the model that it is compared with.
type economy struct {
	commitments int // made by fresh
	ledger      *testLedger
	model       *model
	secured     map[chain.Address]bool // accounts with an account.secure, or opened as secured
	refused     *chain.Tx              // the last transaction, if it was refused
}

// do tries a transaction, which the chain must allow exactly when the model does. It drops transfers
// of 0 coins.
func (e *economy) do(t *rapid.T, may bool, tx chain.Tx) {
	e.ledger.time++
	tx.Time = e.ledger.time
	tx.Transfers = slices.DeleteFunc(tx.Transfers, func(t chain.Transfer) bool { return !t.Token && t.Amount == 0 })
	err := e.ledger.try(&tx)
	if (err == nil) != may {
		t.Fatalf("%s: the chain returns %v, the model allows it: %v", tx.Raw(), err, may)
	}
	e.refused = nil
	if err != nil {
		e.refused = &tx
	}
}

// by returns a transaction.
func by(actor chain.Address, nonce int64, data chain.Data, transfers ...chain.Transfer) chain.Tx {
	return chain.Tx{Actor: actor, Nonce: nonce, Data: data, Transfers: transfers}
}

// open gives two of the players an account and a token each.
func (e *economy) open(t *rapid.T) {
	for i, who := range []chain.Address{alice, bob} {
		first, id := hashOf(byte(i)), fmt.Sprint("first ", i)
		start := &chain.RunStart{RunID: id, Entry: chain.EntryFree, Commitment: first, NextCommitment: hashOf(byte(i), 1)}
		end := &chain.RunEnd{RunID: id, Status: chain.RunClaimed, Cleared: 2, Throws: 2, TranscriptHash: hashOf(7)}
		create := &chain.AccountCreate{Commitment: first, AccountKind: chain.Guest}
		e.do(t, e.model.create(who, 0, 1000, create), by(who, 0, create, coins(none, who, 1000)))
		e.do(t, e.model.start(who, 1, -1, start, 0), by(who, 1, start))
		e.do(t, e.model.end(who, 2, int64(i), end), by(who, 2, end, move(int64(i), 2, none, who)))
	}
}

// The generators draw from few values, so that actions meet the same accounts, tokens and games.

func (e *economy) player(t *rapid.T, label string) chain.Address {
	return rapid.SampledFrom([]chain.Address{alice, alice, alice, bob, bob, bob, carol, carol, {4, 4}}).Draw(t, label)
}

// rarely returns true once in 16 draws.
func (e *economy) rarely(t *rapid.T, label string) bool {
	return rapid.IntRange(0, 15).Draw(t, label) == 15
}

// offByOne is usually 0, rarely -1 or 1.
func (e *economy) offByOne(t *rapid.T, label string) int64 {
	if e.rarely(t, label+" is wrong") {
		return rapid.SampledFrom([]int64{-1, 1}).Draw(t, label+" error")
	}
	return 0
}

// nonce is usually the next nonce of the account.
func (e *economy) nonce(t *rapid.T, who chain.Address) int64 {
	return max(0, e.ledger.accounts[who].Nonce+e.offByOne(t, "nonce"))
}

// owned is usually an owned token with its owner.
func (e *economy) owned(t *rapid.T) (int64, chain.Address) {
	ids := slices.Sorted(maps.Keys(e.model.owners))
	if len(ids) == 0 || e.rarely(t, "any token") {
		return rapid.Int64Range(0, 12).Draw(t, "token"), e.player(t, "owner")
	}
	id := rapid.SampledFrom(ids).Draw(t, "owned token")
	return id, e.model.owners[id]
}

// fresh returns a commitment that was not published before: only a replay knows of all.
func (e *economy) fresh() chain.Hash {
	e.commitments++
	return hashOf(byte(e.commitments>>8), byte(e.commitments), 3)
}

func (e *economy) duelID(t *rapid.T) string {
	return rapid.SampledFrom([]string{"d0", "d1", "d2", "d3"}).Draw(t, "duel")
}

func (e *economy) create(t *rapid.T) {
	who, commitment := e.player(t, "who"), e.fresh()
	nonce, amount := max(0, e.offByOne(t, "nonce")), max(1, e.model.rules.StartingBalance+e.offByOne(t, "amount"))
	d := &chain.AccountCreate{
		Bound: rapid.Bool().Draw(t, "bound"), Commitment: commitment,
		AccountKind: rapid.SampledFrom([]chain.AccountKind{chain.Guest, chain.Full}).Draw(t, "kind"),
	}
	may := e.model.create(who, nonce, amount, d)
	if may && d.AccountKind == chain.Full {
		e.secured[who] = true
	}
	e.do(t, may, by(who, nonce, d, coins(none, who, amount)))
}

// secure records that an account has a password. A second record of one account is refused.
func (e *economy) secure(t *rapid.T) {
	who := e.player(t, "who")
	nonce := e.nonce(t, who)
	e.do(t, e.model.secure(who, nonce, e.secured), by(who, nonce, &chain.AccountSecure{}))
}

func (e *economy) faucet(t *rapid.T) {
	who := e.player(t, "who")
	nonce, amount := e.nonce(t, who), max(1, e.model.rules.FaucetAmount+e.offByOne(t, "amount"))
	e.do(t, e.model.faucet(who, nonce, amount), by(who, nonce, &chain.Faucet{}, coins(none, who, amount)))
}

func (e *economy) start(t *rapid.T) {
	who := e.player(t, "who")
	entries := []chain.Entry{chain.EntryFee, chain.EntryFree, chain.EntryBurn, chain.EntryDaily}
	d := &chain.RunStart{
		RunID:      fmt.Sprint("r", rapid.IntRange(0, 30).Draw(t, "run")),
		Commitment: e.ledger.accounts[who].Commitment, NextCommitment: e.fresh(),
		Entry: rapid.SampledFrom(entries).Draw(t, "entry"),
	}
	if e.rarely(t, "another commitment") || d.Commitment == (chain.Hash{}) {
		d.Commitment = hashOf(255, 2) // of no account
	}
	nonce, token, fee := e.nonce(t, who), int64(-1), int64(0)
	var transfers []chain.Transfer
	switch d.Entry {
	case chain.EntryFee:
		fee = max(1, e.model.rules.EntryFee+e.offByOne(t, "fee"))
		transfers = append(transfers, coins(who, none, fee))
	case chain.EntryBurn:
		var owner chain.Address
		if token, owner = e.owned(t); !e.rarely(t, "another's token") {
			who, nonce, d.Commitment = owner, e.nonce(t, owner), e.ledger.accounts[owner].Commitment
		}
		d.FirstTier = max(0, e.ledger.tokens[token].Tier+e.offByOne(t, "first tier"))
		transfers = append(transfers, move(token, 0, who, none))
	default:
		d.FirstTier = max(0, e.offByOne(t, "first tier"))
	}
	d.Bound = e.bound(t, who, d.Entry, token)
	e.do(t, e.model.start(who, nonce, token, d, fee), by(who, nonce, d, transfers...))
}

// bound is usually whether a run must win a bound token.
func (e *economy) bound(t *rapid.T, who chain.Address, entry chain.Entry, token int64) bool {
	p := e.model.players[who]
	if p == nil || e.rarely(t, "any mark") {
		return rapid.Bool().Draw(t, "mark")
	}
	switch entry {
	case chain.EntryFee:
		return p.bound > 0
	case chain.EntryBurn:
		return e.model.bound[token]
	}
	return p.marked
}

func (e *economy) end(t *rapid.T) {
	d := &chain.RunEnd{
		Throws: rapid.SampledFrom([]int64{0, 1, 1, 2, 2, 3, 256, 257}).Draw(t, "throws"), TranscriptHash: hashOf(7),
		Status: rapid.SampledFrom([]chain.RunStatus{chain.RunClaimed, chain.RunClaimed, chain.RunLost,
			chain.RunAbandoned}).Draw(t, "status"),
	}
	var open []string
	for id, run := range e.model.runs {
		if !run.over {
			open = append(open, id)
		}
	}
	slices.Sort(open)
	who := e.player(t, "who")
	if len(open) == 0 || e.rarely(t, "any run") {
		d.RunID = fmt.Sprint("r", rapid.IntRange(0, 30).Draw(t, "run"))
	} else {
		d.RunID = rapid.SampledFrom(open).Draw(t, "open run")
	}
	if run := e.model.runs[d.RunID]; run != nil && !e.rarely(t, "another's run") {
		who, d.Cleared, d.Bound = run.playedAccount, run.first, run.bound != e.rarely(t, "another mark")
	}
	d.Cleared += rapid.SampledFrom([]int64{0, 1, 1, 1, 2, 3}).Draw(t, "wins")
	token := rapid.Int64Range(0, 12).Draw(t, "token")
	var transfers []chain.Transfer
	if d.Status == chain.RunClaimed {
		d.Cleared = max(1, d.Cleared)
		transfers = append(transfers, move(token, d.Cleared, none, who))
	}
	nonce := e.nonce(t, who)
	e.do(t, e.model.end(who, nonce, token, d), by(who, nonce, d, transfers...))
}

func (e *economy) stake(t *rapid.T) {
	who, id := e.player(t, "who"), e.duelID(t)
	amounts := []int64{0, 10, 10, 10, 20, e.ledger.accounts[who].Balance + 1, e.free(who), e.free(who) + 1}
	nonce, amount := e.nonce(t, who), rapid.SampledFrom(amounts).Draw(t, "stake")
	e.do(t, e.model.stake(who, nonce, id, amount),
		by(who, nonce, &chain.DuelStake{DuelID: id}, coins(who, chain.Escrow(id), amount)))
}

// free is the number of free coins of an account.
func (e *economy) free(who chain.Address) int64 {
	a := e.ledger.accounts[who]
	return a.FreeCoins()
}

func (e *economy) settle(t *rapid.T) {
	d := &chain.DuelSettle{A: e.player(t, "a"), DuelID: e.duelID(t), Rated: rapid.Bool().Draw(t, "rated"),
		TranscriptHash: hashOf(7),
		Winner:         rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "winner")}
	if rapid.Bool().Draw(t, "with an opponent") {
		d.B = e.player(t, "b")
	}
	stake := int64(0)
	if duel := e.model.duels[d.DuelID]; duel != nil && !e.rarely(t, "other sides") {
		sides := append(slices.Clone(duel.sides), none, none)
		if len(duel.sides) == 2 && rapid.Bool().Draw(t, "b staked first") {
			slices.Reverse(sides[:2])
		}
		d.A, d.B, stake = sides[0], sides[1], duel.stake
		if d.B == none {
			d.Winner, d.Rated = "", false
		}
	}
	stake = max(0, stake+e.offByOne(t, "stake"))
	toA, toB := stake, stake
	switch {
	case d.Winner == "a":
		toA, toB = 2*stake, 0
	case d.Winner == "b":
		toA, toB = 0, 2*stake
	case d.B == none:
		toB = 0
	}
	if d.A == none {
		return // such data has no raw
	}
	escrow := chain.Escrow(d.DuelID)
	e.do(t, e.model.settle(d, toA, toB), by(none, 0, d, coins(escrow, d.A, toA), coins(escrow, d.B, toB)))
}

func (e *economy) sale(t *rapid.T) {
	buyer := e.player(t, "buyer")
	token, seller := e.owned(t)
	if e.rarely(t, "another's token") {
		seller = e.player(t, "seller")
	}
	price := rapid.SampledFrom([]int64{1, 39, 40, 100, 500, max(1, e.free(buyer)),
		e.free(buyer) + 1}).Draw(t, "price")
	fee := max(0, price*e.model.rules.MarketFeeBPS/10_000+e.offByOne(t, "fee"))
	nonce, toSeller := e.nonce(t, buyer), max(0, price-fee)
	d := &chain.MarketSale{ListingID: e.unused(t, e.model.sold)}
	may := e.model.sale(buyer, nonce, modelSale{seller, token, toSeller, fee, d.ListingID})
	e.do(t, may,
		by(buyer, nonce, d, coins(buyer, seller, toSeller), coins(buyer, none, fee),
			move(token, 0, seller, buyer)))
}

func (e *economy) buyback(t *rapid.T) {
	token, who := e.owned(t)
	if e.rarely(t, "another's token") {
		who = e.player(t, "who")
	}
	price := int64(76)
	if tier := e.ledger.tokens[token].Tier; tier > 0 && tier <= e.model.rules.Top() {
		price = e.model.rules.BuybackPrice(tier)
	}
	nonce, price := e.nonce(t, who), max(0, price+e.offByOne(t, "price"))
	d := &chain.Buyback{Bound: e.model.bound[token] != e.rarely(t, "another mark"), OfferID: e.unused(t, e.model.accepted)}
	e.do(t, e.model.buyback(who, nonce, token, price, d),
		by(who, nonce, d, move(token, 0, who, none), coins(none, who, price)))
}

// unused is usually an id that was not used before.
func (e *economy) unused(t *rapid.T, used map[int64]bool) int64 {
	id := int64(len(used))
	if id > 0 && e.rarely(t, "a used id") {
		id--
	}
	return id
}

func (e *economy) changeRules(t *rapid.T) {
	rules := testRules()
	rules.EntryFee = rapid.Int64Range(1, 3).Draw(t, "entry fee")
	rules.MarketFeeBPS = rapid.SampledFrom([]int64{0, 250, 10_000}).Draw(t, "market fee")
	rules.Tiers = rules.Tiers[:rapid.SampledFrom([]int{3, 3, 3, 3, 3, 2, 1, 0}).Draw(t, "tiers")]
	number := max(0, e.model.number+1+e.offByOne(t, "number"))
	// That numbers are consecutive is not a rule of one transaction: the replay checks it, and
	// the ledger that posts must.
	numbered := number == e.model.number+1
	if may := e.model.changeRules(number, rules); may || numbered {
		e.do(t, may, by(none, 0, &chain.RulesChange{Number: number, Rules: rules}))
		if e.ledger.rules.From == 0 {
			return
		}
		// The model knows no announcements: the rules begin as soon as they can.
		e.ledger.seal()
		if e.ledger.rules.From > e.ledger.time {
			e.ledger.time = e.ledger.rules.From
			e.model.day()
		}
		e.do(t, true, by(none, 0, &chain.RulesBegin{Number: number}))
	}
}

func (e *economy) closeSeason(t *rapid.T) {
	// The ledger of the test would accept any season at any time, as the one of the service would.
	// Order and time are rules of the whole chain, like the numbers of rules.
	e.ledger.time = chain.SeasonEnd(genesisTime, e.model.season+1)
	e.model.closeSeason(e.secured)
	e.do(t, true, by(none, 0, &chain.SeasonClose{Season: e.model.season, TableHash: hashOf(8)}))
}

// invariants compares the ledger with the model after every action.
func (e *economy) invariants(t *rapid.T) {
	for who, p := range e.model.players {
		if got := e.ledger.accounts[who]; got.Balance != p.coins || got.Bound != p.bound || got.Nonce != p.nonce ||
			got.Commitment != p.commitment {
			t.Fatalf("account %v: the chain has %+v, the model %+v", who, got, *p)
		}
	}
	sum, players := int64(0), 0
	for address, account := range e.ledger.accounts {
		if sum += account.Balance; account.Balance < 0 {
			t.Fatalf("account %v: balance %d", address, account.Balance)
		}
		if account.Kind != "" {
			players++
		}
	}
	if sum != e.model.created-e.model.destroyed || players != len(e.model.players) ||
		len(e.ledger.tokens) != len(e.model.tiers) {
		t.Fatalf("%d coins, %d players and %d tokens are there, the model has %+v", sum, players, len(e.ledger.tokens),
			e.model)
	}
	for id := range e.ledger.tokens {
		if got := e.ledger.tokens[id]; got.Owner != e.model.owners[id] || got.Tier != e.model.tiers[id] ||
			got.Bound != e.model.bound[id] {
			t.Fatalf("token %d: the chain has %+v, the model %v of tier %d", id, got, e.model.owners[id], e.model.tiers[id])
		}
	}
	for id, duel := range e.model.duels {
		if left := e.ledger.accounts[chain.Escrow(id)].Balance; duel.over && left != 0 {
			t.Fatalf("duel %s is settled, and %d coins are left in its escrow", id, left)
		}
	}
}

// replay verifies the chain against the model, and then with the refused transaction appended.
func (e *economy) replay(t *rapid.T) {
	parts := rapid.IntRange(1, 4).Draw(t, "parts")
	report := e.ledger.verify(t, inMemory(parts))
	if !report.Valid() || report.Addresses != int64(len(e.model.players)) || report.Tokens != int64(len(e.model.owners)) ||
		report.Created != e.model.created || report.Destroyed != e.model.destroyed {
		t.Fatalf("got %+v, the model has %+v", report, e.model)
	}
	if e.refused == nil {
		return
	}
	e.ledger.pendingTxs = append(e.ledger.pendingTxs, e.refused.Raw())
	report = e.ledger.verify(t, inMemory(parts))
	if report.ProblemCount == 0 || report.Problems[0].Hash != chain.HashTx(e.refused.Raw()).String() {
		t.Fatalf("%s was refused, the replay finds %+v", e.refused.Raw(), report.Problems)
	}
}

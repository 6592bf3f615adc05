package replay

import (
	"slices"
	"testing"

	"roshambo/chain"
)

// model is an independent implementation of the rules: balances, token owners, runs and duels. It
// does not use package chain's effects. Each method applies an action and returns true, or returns
// false when the rules forbid it.
type model struct {
	rules   chain.Rules
	number  int64 // of the rules
	players map[chain.Address]*modelPlayer
	owners  map[int64]chain.Address // of tokens that are not destroyed
	tiers   map[int64]int64         // of every token ever created
	bound   map[int64]bool          // of every token ever created
	runs    map[string]*modelRun
	duels   map[string]*modelDuel
	// The ids of listings that were sold, and of offers that were accepted.
	sold, accepted map[int64]bool
	// A season ends all entries of the day before, and is long enough to end the wait after securing.
	season    int64 // the last one that was closed
	created   int64
	destroyed int64
}

type modelPlayer struct {
	coins, nonce int64
	bound        int64 // of the coins
	commitment   chain.Hash
	marked       bool // has a bound start, and is a guest
	playing      bool
	daily        bool // today's daily entry is used: a day ends with each season
}

type modelRun struct {
	playedAccount chain.Address
	first         int64
	over, bound   bool
}

type modelDuel struct {
	sides []chain.Address // in the order of their stakes
	stake int64           // of each
	over  bool
}

func newModel(rules chain.Rules) *model {
	return &model{
		rules: rules, players: map[chain.Address]*modelPlayer{}, owners: map[int64]chain.Address{}, tiers: map[int64]int64{},
		bound: map[int64]bool{}, sold: map[int64]bool{}, accepted: map[int64]bool{},
		runs: map[string]*modelRun{}, duels: map[string]*modelDuel{},
	}
}

// acts reports whether the account exists, has this nonce and at least so many free coins.
func (m *model) acts(who chain.Address, nonce, coins int64) bool {
	p := m.players[who]
	return p != nil && p.nonce == nonce && p.coins-p.bound >= coins
}

func (m *model) create(who chain.Address, nonce, coins int64, d *chain.AccountCreate) bool {
	if m.players[who] != nil || nonce != 0 || coins != m.rules.StartingBalance {
		return false
	}
	m.players[who] = &modelPlayer{coins: coins, nonce: 1, commitment: d.Commitment, marked: d.Bound}
	if d.Bound {
		m.players[who].bound = coins
	}
	m.created += coins
	return true
}

func (m *model) faucet(who chain.Address, nonce, coins int64) bool {
	if !m.acts(who, nonce, 0) || coins != m.rules.FaucetAmount {
		return false
	}
	m.players[who].nonce++
	m.players[who].coins += coins
	m.players[who].bound += coins
	m.created += coins
	return true
}

// secure never makes a free win possible here: 3 days do not pass.
func (m *model) secure(who chain.Address, nonce int64, secured map[chain.Address]bool) bool {
	if !m.acts(who, nonce, 0) || secured[who] {
		return false
	}
	secured[who] = true
	m.players[who].nonce++
	return true
}

// start starts a run for a fee, or for a token when token is 0 or more.
func (m *model) start(who chain.Address, nonce, token int64, d *chain.RunStart, fee int64) bool {
	switch {
	case !m.acts(who, nonce, 0) || m.players[who].coins < fee || m.runs[d.RunID] != nil || m.players[who].playing:
		return false
	case d.Entry == chain.EntryDaily && m.players[who].daily:
		return false
	case fee > 0 && d.Bound != (m.players[who].bound > 0):
		return false
	case (d.Entry == chain.EntryFree || d.Entry == chain.EntryDaily) && m.players[who].marked && !d.Bound:
		return false
	case d.Entry == chain.EntryBurn && d.Bound != m.bound[token]:
		return false
	case d.Commitment != m.players[who].commitment || d.NextCommitment == d.Commitment:
		return false
	case (d.Entry == chain.EntryFee) != (fee > 0) || fee > 0 && fee != m.rules.EntryFee:
		return false
	case d.Entry == chain.EntryBurn && (m.owners[token] != who || m.tiers[token] != d.FirstTier || d.FirstTier > 62):
		return false
	case d.Entry != chain.EntryBurn && d.FirstTier != 0:
		return false
	}
	if d.Entry == chain.EntryBurn {
		delete(m.owners, token)
	}
	p := m.players[who]
	p.nonce++
	p.coins -= fee
	p.bound = max(0, p.bound-fee)
	p.playing, p.daily = true, p.daily || d.Entry == chain.EntryDaily
	p.commitment = d.NextCommitment
	m.destroyed += fee
	m.runs[d.RunID] = &modelRun{playedAccount: who, first: d.FirstTier, bound: d.Bound}
	return true
}

func (m *model) end(who chain.Address, nonce, token int64, d *chain.RunEnd) bool {
	run := m.runs[d.RunID]
	_, used := m.tiers[token]
	claims := d.Status == chain.RunClaimed
	switch {
	case !m.acts(who, nonce, 0) || run == nil || run.over || run.playedAccount != who || run.bound != d.Bound:
		return false
	case d.Cleared < run.first || d.Cleared > run.first+d.Throws || d.Cleared > 63 || d.Throws > 256:
		return false
	case claims && (used || d.Cleared == 0), d.Status == chain.RunLost && d.Throws == 0:
		return false
	}
	m.players[who].nonce++
	m.players[who].playing = false
	run.over = true
	if claims {
		m.owners[token], m.tiers[token], m.bound[token] = who, d.Cleared, d.Bound
	}
	return true
}

func (m *model) stake(who chain.Address, nonce int64, id string, coins int64) bool {
	duel := m.duels[id]
	switch {
	case coins < 1 || !m.acts(who, nonce, coins):
		return false
	case duel == nil:
		duel = &modelDuel{stake: coins}
		m.duels[id] = duel
	case duel.over || len(duel.sides) != 1 || duel.sides[0] == who || duel.stake != coins:
		return false
	}
	duel.sides = append(duel.sides, who)
	m.players[who].nonce++
	m.players[who].coins -= coins
	return true
}

// settle settles a duel that pays toA and toB coins to its sides.
func (m *model) settle(d *chain.DuelSettle, toA, toB int64) bool {
	duel := m.duels[d.DuelID]
	if duel == nil {
		duel = &modelDuel{}
	}
	alone := d.B == chain.Address{}
	if duel.over || m.players[d.A] == nil || d.A == d.B || !alone && m.players[d.B] == nil {
		return false
	}
	if alone && (d.Winner != "" || d.Rated || duel.stake == 0) {
		return false
	}
	sides := []chain.Address{d.A, d.B}[:map[bool]int{true: 1, false: 2}[alone]]
	swapped := slices.Clone(sides)
	slices.Reverse(swapped)
	if len(duel.sides) > 0 && !slices.Equal(duel.sides, sides) && !slices.Equal(duel.sides, swapped) {
		return false
	}
	wantA, wantB := duel.stake, duel.stake
	switch {
	case d.Winner == "a":
		wantA, wantB = 2*duel.stake, 0
	case d.Winner == "b":
		wantA, wantB = 0, 2*duel.stake
	case alone:
		wantB = 0
	}
	if toA != wantA || toB != wantB {
		return false
	}
	m.players[d.A].coins += toA
	if !alone {
		m.players[d.B].coins += toB
	}
	duel.over = true
	m.duels[d.DuelID] = duel
	return true
}

// modelSale describes a sale: the token, the coins for its seller and the fee destroyed.
type modelSale struct {
	seller               chain.Address
	token, toSeller, fee int64
	listing              int64
}

func (m *model) sale(buyer chain.Address, nonce int64, s modelSale) bool {
	price := s.toSeller + s.fee
	switch {
	case !m.acts(buyer, nonce, price) || m.players[s.seller] == nil || buyer == s.seller || m.sold[s.listing]:
		return false
	case m.owners[s.token] != s.seller || m.bound[s.token] || price < 1 || s.fee != price*m.rules.MarketFeeBPS/10_000:
		return false
	}
	m.players[buyer].nonce++
	m.players[buyer].coins -= price
	m.players[s.seller].coins += s.toSeller
	m.destroyed += s.fee
	m.owners[s.token], m.sold[s.listing] = buyer, true
	return true
}

func (m *model) buyback(who chain.Address, nonce, token, price int64, d *chain.Buyback) bool {
	tier, bound := m.tiers[token], d.Bound
	if m.accepted[d.OfferID] || !m.acts(who, nonce, 0) || m.owners[token] != who || tier > m.rules.Top() ||
		m.bound[token] != bound {
		return false
	}
	if price != m.rules.Tiers[tier-1].Value*m.rules.BuybackBPS/10_000 {
		return false
	}
	m.players[who].nonce++
	m.players[who].coins += price
	if bound {
		m.players[who].bound += price
	}
	m.created += price
	delete(m.owners, token)
	m.accepted[d.OfferID] = true
	return true
}

func (m *model) changeRules(number int64, rules chain.Rules) bool {
	if number != m.number+1 || len(rules.Tiers) == 0 {
		return false
	}
	m.number, m.rules = number, rules
	return true
}

// closeSeason closes the next season, 28 days after the last one: entries are new, and secured
// players have been secured for 3 days.
func (m *model) closeSeason(secured map[chain.Address]bool) {
	m.season++
	m.day()
	for who, p := range m.players {
		p.marked = p.marked && !secured[who]
	}
}

// day begins another day: entries are new.
func (m *model) day() {
	for _, p := range m.players {
		p.daily = false
	}
}

// TestModel plays the sampleChain of the other tests through the model: one that refuses
// everything would agree with a chain that does.
func TestModel(t *testing.T) {
	t.Parallel()
	m := newModel(testRules())
	for i, allowed := range []bool{
		m.create(alice, 0, 1000, &chain.AccountCreate{Commitment: hashOf(1)}),
		m.create(bob, 0, 1000, &chain.AccountCreate{Commitment: hashOf(2)}),
		m.start(alice, 1, -1,
			&chain.RunStart{RunID: "r1", Entry: chain.EntryFee, Commitment: hashOf(1), NextCommitment: hashOf(3)}, 50),
		m.faucet(alice, 2, 200),
		m.end(alice, 3, 1, &chain.RunEnd{RunID: "r1", Status: chain.RunClaimed, Cleared: 2, Throws: 2}),
		m.sale(bob, 1, modelSale{alice, 1, 98, 2, 1}),
		m.start(bob, 2, 1,
			&chain.RunStart{RunID: "r2", Entry: chain.EntryBurn, FirstTier: 2, Commitment: hashOf(2),
				NextCommitment: hashOf(4)}, 0),
		m.end(bob, 3, 2, &chain.RunEnd{RunID: "r2", Status: chain.RunClaimed, Cleared: 3, Throws: 1}),
		m.buyback(bob, 4, 2, 307, &chain.Buyback{OfferID: 1}), m.stake(alice, 4, "d1", 30), m.stake(bob, 5, "d1", 30),
		m.settle(&chain.DuelSettle{A: alice, B: bob, DuelID: "d1", Winner: "b"}, 0, 60),
		m.changeRules(1, testRules()),
	} {
		if !allowed {
			t.Errorf("step %d was refused", i)
		}
	}
	if m.created != 2507 || m.destroyed != 52 || m.players[alice].coins != 1218 || m.players[bob].coins != 1237 {
		t.Errorf("got %+v, alice %+v, bob %+v", m, m.players[alice], m.players[bob])
	}
}

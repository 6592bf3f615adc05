package longchain

import (
	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/internal/ledger"
)

// Actions of players. If a player lacks the means, a simpler action takes its place. The
// last action may be cut short, and leaves open what it began.

// join adds a player.
func (m *generator) join() error {
	h := m.hash()
	p := &player{address: chain.Address(h[:20]), seeds: m.newSeeds()}
	kind := []chain.AccountKind{chain.Guest, chain.Guest, chain.Full}[m.random.IntN(3)]
	if len(m.players) < bots {
		kind = chain.Bot
	}
	m.players = append(m.players, p)
	return m.post(ledger.Draft{Actor: p.address, Data: &chain.AccountCreate{Commitment: chain.Hash(p.seeds.Commitment()),
		AccountKind: kind},
		Transfers: coins(chain.Address{}, p.address, m.rules.StartingBalance)})
}

// coins returns one transfer, or none if the amount is 0.
func coins(from, to chain.Address, amount int64) []chain.Transfer {
	if amount == 0 {
		return nil
	}
	return []chain.Transfer{{From: from, To: to, Amount: amount}}
}

// faucet posts a claim of coins; while the faucet pauses for the player, a duel without stakes.
func (m *generator) faucet(p *player) error {
	last := m.load.Account(p.address).FaucetAt
	if last != 0 && m.ms < last+m.rules.FaucetPause {
		if len(m.players) < 2 {
			return m.join()
		}
		other := m.players[0]
		if other == p {
			other = m.players[1]
		}
		return m.settle(p, other, m.id(), 0)
	}
	return m.post(ledger.Draft{Actor: p.address, Data: &chain.Faucet{},
		Transfers: coins(chain.Address{}, p.address, m.rules.FaucetAmount)})
}

// run posts a run against the house. Each throw is lost with probability one half.
func (m *generator) run(p *player) error {
	state := m.load.Account(p.address)
	if state.Balance < m.rules.EntryFee {
		return m.faucet(p)
	}
	id, seeds := m.id(), p.seeds
	p.seeds = m.newSeeds()
	start := &chain.RunStart{
		Bound: state.Bound > 0, ClientSeedHash: chain.HashText(id[:12]), Commitment: chain.Hash(seeds.Commitment()),
		Entry: chain.EntryFee, NextCommitment: chain.Hash(p.seeds.Commitment()), RunID: id,
	}
	if err := m.post(ledger.Draft{Actor: p.address, Data: start,
		Transfers: coins(p.address, chain.Address{}, m.rules.EntryFee)}); err != nil {
		return err
	}
	cleared, throws := int64(0), int64(1+m.random.IntN(3))
	for m.random.IntN(2) == 0 && cleared < m.rules.Top()-1 {
		cleared++
		throws++
	}
	end := &chain.RunEnd{Bound: start.Bound, Cleared: cleared, RunID: id, Status: chain.RunLost, Throws: throws}
	d := ledger.Draft{Actor: p.address, Data: end}
	pin := func() {
		d.Transcript = gamestest.Run(seeds, start.ClientSeedHash, 0, end)
		end.TranscriptHash = chain.HashTranscript(d.Transcript)
	}
	if cleared == 0 || m.random.IntN(2) == 0 || m.made >= m.options.Transactions {
		pin()
		return m.post(d)
	}
	end.Status = chain.RunClaimed
	pin()
	token := m.number()
	d.Transfers = []chain.Transfer{{Token: true, TokenID: token, Tier: cleared, To: p.address}}
	m.owners[token] = owned{p, cleared, len(m.tokens), end.Bound}
	m.tokens = append(m.tokens, token)
	return m.post(d)
}

// duel posts one duel with or without stakes.
func (m *generator) duel(a, b *player) error {
	stake := int64(10 * m.random.IntN(6))
	if a == b {
		return m.faucet(a)
	}
	if m.free(a) < stake || m.free(b) < stake {
		stake = 0
	}
	id := m.id()
	escrow := chain.Escrow(id)
	if stake == 0 {
		return m.settle(a, b, id, 0)
	}
	if m.made+3 > m.options.Transactions {
		return m.faucet(a)
	}
	for _, p := range []*player{a, b} {
		if err := m.post(ledger.Draft{Actor: p.address, Data: &chain.DuelStake{DuelID: id},
			Transfers: coins(p.address, escrow, stake)}); err != nil {
			return err
		}
	}
	return m.settle(a, b, id, stake)
}

// settle posts the end of a duel that a wins, with its transcript.
func (m *generator) settle(a, b *player, id string, stake int64) error {
	settle := &chain.DuelSettle{A: a.address, B: b.address, DuelID: id, Rated: true, Winner: "a"}
	d := ledger.Draft{Data: settle, Transcript: gamestest.Duel(settle, stake)}
	settle.TranscriptHash = chain.HashTranscript(d.Transcript)
	if stake > 0 {
		d.Transfers = coins(chain.Escrow(id), a.address, 2*stake)
	}
	return m.post(d)
}

// someToken draws a token that is in a wallet.
func (m *generator) someToken() (id int64, o owned, ok bool) {
	if len(m.tokens) == 0 || m.made >= m.options.Transactions {
		return 0, owned{}, false
	}
	id = m.tokens[m.random.IntN(len(m.tokens))]
	return id, m.owners[id], true
}

// sale posts the sale of a random token.
func (m *generator) sale(buyer *player) error {
	id, o, ok := m.someToken()
	price := int64(1 + m.random.IntN(300))
	if !ok || o.owner == buyer || o.bound || m.free(buyer) < price {
		return m.faucet(buyer)
	}
	fee := m.rules.MarketFee(price)
	transfers := coins(buyer.address, o.owner.address, price-fee)
	transfers = append(transfers, coins(buyer.address, chain.Address{}, fee)...)
	transfers = append(transfers, chain.Transfer{Token: true, TokenID: id, From: o.owner.address, To: buyer.address})
	o.owner = buyer
	m.owners[id] = o
	return m.post(ledger.Draft{Actor: buyer.address, Data: &chain.MarketSale{ListingID: m.number()}, Transfers: transfers})
}

// buyback posts the buyback of a random token, and removes it from the wallets.
func (m *generator) buyback() error {
	id, o, ok := m.someToken()
	if !ok {
		return m.faucet(m.player())
	}
	last := m.tokens[len(m.tokens)-1]
	moved := m.owners[last]
	moved.at = o.at
	m.tokens[o.at], m.owners[last] = last, moved
	m.tokens = m.tokens[:len(m.tokens)-1]
	delete(m.owners, id)
	transfers := append([]chain.Transfer{{Token: true, TokenID: id, From: o.owner.address}},
		coins(chain.Address{}, o.owner.address, m.rules.BuybackPrice(o.tier))...)
	return m.post(ledger.Draft{Actor: o.owner.address, Data: &chain.Buyback{Bound: o.bound, OfferID: m.number()},
		Transfers: transfers})
}

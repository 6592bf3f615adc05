package ledger_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// economy is a ledger with players in it, who do what the rules allow.
type economy struct {
	*ledgertest.Ledger
	made uint64 // hashes and ids so far
}

// player is somebody with an account.
type player struct {
	address chain.Address
	next    chain.Hash // the outstanding commitment
}

func newEconomy(t testing.TB, o ledgertest.Options) *economy {
	t.Helper()
	return &economy{Ledger: ledgertest.Open(t, o)}
}

// hash returns another hash with every call.
func (e *economy) hash() chain.Hash {
	e.made++
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, e.made))
}

func (e *economy) id() string {
	e.made++
	return fmt.Sprint("id-", e.made)
}

// newPlayer makes up somebody who has no account so far.
func (e *economy) newPlayer() player {
	h := e.hash()
	return player{chain.Address(h[:20]), e.hash()}
}

// The drafts of every kind.

func create(p player) ledger.Draft {
	return ledger.Draft{
		Actor: p.address, Data: &chain.AccountCreate{Commitment: p.next, AccountKind: chain.Guest},
		Transfers: []chain.Transfer{{Amount: 1000, To: p.address}},
	}
}

func faucet(p player) ledger.Draft {
	return ledger.Draft{Actor: p.address, Data: &chain.Faucet{}, Transfers: []chain.Transfer{{Amount: 200, To: p.address}}}
}

func start(p player, run string, entry chain.Entry, next chain.Hash) ledger.Draft {
	d := ledger.Draft{Actor: p.address, Data: &chain.RunStart{
		ClientSeed: "mine", Commitment: p.next, Entry: entry, NextCommitment: next, RunID: run}}
	if entry == chain.EntryFee {
		d.Transfers = []chain.Transfer{{Amount: 50, From: p.address}}
	}
	return d
}

// burn is start with a token of that tier.
func burn(p player, run string, next chain.Hash, token ledger.OwnedToken) ledger.Draft {
	d := start(p, run, chain.EntryBurn, next)
	d.Data.(*chain.RunStart).FirstTier = token.Tier
	d.Transfers = []chain.Transfer{{Token: true, TokenID: token.ID, From: p.address}}
	return d
}

func lose(p player, run string, tier int64) ledger.Draft {
	return ledger.Draft{Actor: p.address, Data: &chain.RunEnd{
		Cleared: tier, RunID: run, Status: chain.RunLost, Throws: tier + 1, TranscriptHash: sha256.Sum256([]byte(run))}}
}

// claim wins a token, whose id was reserved.
func claim(p player, run string, token ledger.OwnedToken) ledger.Draft {
	return ledger.Draft{
		Actor: p.address, Data: &chain.RunEnd{Cleared: token.Tier, RunID: run, Status: chain.RunClaimed,
			Throws: token.Tier, TranscriptHash: sha256.Sum256([]byte(run))},
		Transfers: []chain.Transfer{{Token: true, TokenID: token.ID, Tier: token.Tier, To: p.address}},
	}
}

func stake(p player, duel string, coins int64) ledger.Draft {
	return ledger.Draft{Actor: p.address, Data: &chain.DuelStake{DuelID: duel},
		Transfers: []chain.Transfer{{Amount: coins, From: p.address, To: chain.Escrow(duel)}}}
}

// settle ends a duel that a won.
func settle(a, b player, duel string, coins int64) ledger.Draft {
	d := ledger.Draft{Data: &chain.DuelSettle{A: a.address, B: b.address, DuelID: duel, Rated: true,
		TranscriptHash: sha256.Sum256([]byte(duel)), Winner: "a"}}
	if coins > 0 {
		d.Transfers = []chain.Transfer{{Amount: 2 * coins, From: chain.Escrow(duel), To: a.address}}
	}
	return d
}

// sale sells a token for 100 coins.
func sale(buyer, seller player, token int64) ledger.Draft {
	return ledger.Draft{Actor: buyer.address, Data: &chain.MarketSale{ListingID: token}, Transfers: []chain.Transfer{
		{Amount: 98, From: buyer.address, To: seller.address},
		{Amount: 2, From: buyer.address},
		{Token: true, TokenID: token, From: seller.address, To: buyer.address},
	}}
}

func buyback(p player, token ledger.OwnedToken) ledger.Draft {
	rules := ledgertest.Rules()
	return ledger.Draft{Actor: p.address, Data: &chain.Buyback{OfferID: token.ID}, Transfers: []chain.Transfer{
		{Token: true, TokenID: token.ID, From: p.address},
		{Amount: rules.BuybackPrice(token.Tier), To: p.address},
	}}
}

func closeSeason(n int64) ledger.Draft {
	return ledger.Draft{Data: &chain.SeasonClose{Season: n, TableHash: sha256.Sum256([]byte{byte(n)})}}
}

// join opens an account.
func (e *economy) join(t testing.TB) player {
	t.Helper()
	p := e.newPlayer()
	e.MustPost(t, create(p))
	return p
}

// win plays a run that ends with a token of a tier.
func (e *economy) win(t testing.TB, p *player, tier int64) (token ledger.OwnedToken) {
	t.Helper()
	run, next := e.id(), e.hash()
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		if _, err := e.Post(ctx, tx, start(*p, run, chain.EntryFree, next)); err != nil {
			return err
		}
		id, err := e.NewTokenID(ctx, tx)
		if err != nil {
			return err
		}
		token = ledger.OwnedToken{ID: id, Tier: tier}
		_, err = e.Post(ctx, tx, claim(*p, run, token))
		return err
	})
	p.next = next
	return token
}

// scene is what everything leaves behind.
type scene struct {
	ann, bob player
	burnt    ledger.OwnedToken // ann's, once
	token    ledger.OwnedToken // bob's
	run      string            // ann's, open
	settled  string            // a duel for 10 coins, over
	staked   string            // a duel for 25 coins, where only bob has staked
	duel     string            // a duel for 30 coins, where both have
}

// everything has each kind of transaction happen, some more than once.
func (e *economy) everything(t testing.TB) scene {
	t.Helper()
	s := scene{ann: e.join(t), bob: e.join(t), run: "open run", settled: "settled", staked: "staked", duel: "open duel"}
	s.burnt = e.win(t, &s.ann, 1)
	sold := e.win(t, &s.ann, 2)
	s.token = e.win(t, &s.bob, 3)
	e.MustPost(t, faucet(s.bob))
	e.MustPost(t, sale(s.bob, s.ann, sold.ID))
	e.MustPost(t, buyback(s.bob, sold))

	next := e.hash()
	e.MustPost(t, burn(s.ann, "burning", next, s.burnt))
	s.ann.next = next
	e.MustPost(t, lose(s.ann, "burning", 1))
	next = e.hash()
	e.MustPost(t, start(s.ann, s.run, chain.EntryFee, next))
	s.ann.next = next

	e.MustPost(t, stake(s.ann, s.settled, 10))
	e.MustPost(t, stake(s.bob, s.settled, 10))
	e.MustPost(t, settle(s.ann, s.bob, s.settled, 10))
	e.MustPost(t, settle(s.bob, s.ann, "for honour", 0))
	e.MustPost(t, stake(s.bob, s.staked, 25))
	e.MustPost(t, stake(s.bob, s.duel, 30))
	e.MustPost(t, stake(s.ann, s.duel, 30))
	e.MustPost(t, closeSeason(1))
	return s
}

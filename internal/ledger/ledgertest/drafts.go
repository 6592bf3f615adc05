package ledgertest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// Create returns the draft that opens an account with the starting balance.
func Create(p Player) ledger.Draft {
	return ledger.Draft{
		Actor: p.Address, Data: &chain.AccountCreate{Commitment: p.Next, AccountKind: chain.Guest},
		Transfers: []chain.Transfer{{Amount: 1000, To: p.Address}},
	}
}

// Faucet returns the draft of one faucet payment.
func Faucet(p Player) ledger.Draft {
	return ledger.Draft{
		Actor: p.Address, Data: &chain.Faucet{}, Transfers: []chain.Transfer{{Amount: 200, To: p.Address}},
	}
}

// Start returns the draft that begins a run; next is its next commitment.
func Start(p Player, run string, entry chain.Entry, next chain.Hash) ledger.Draft {
	d := ledger.Draft{Actor: p.Address, Data: &chain.RunStart{
		ClientSeedHash: chain.HashText("mine"), Commitment: p.Next, Entry: entry, NextCommitment: next, RunID: run}}
	if entry == chain.EntryFee {
		d.Transfers = []chain.Transfer{{Amount: 50, From: p.Address}}
	}
	return d
}

// Burn returns the draft that begins a run with a token as its entry.
func Burn(p Player, run string, next chain.Hash, token ledger.OwnedToken) ledger.Draft {
	d := Start(p, run, chain.EntryBurn, next)
	d.Data.(*chain.RunStart).FirstTier = token.Tier
	d.Transfers = []chain.Transfer{{Token: true, TokenID: token.ID, From: p.Address}}
	return d
}

// Lose returns the draft that ends a run as lost after tier cleared tiers.
func Lose(p Player, run string, tier int64) ledger.Draft {
	return ledger.Draft{Actor: p.Address, Data: &chain.RunEnd{
		Cleared: tier, RunID: run, Status: chain.RunLost, Throws: tier + 1, TranscriptHash: sha256.Sum256([]byte(run))}}
}

// Claim returns the draft that ends a run with a token, whose id is reserved.
func Claim(p Player, run string, token ledger.OwnedToken) ledger.Draft {
	return ledger.Draft{
		Actor: p.Address, Data: &chain.RunEnd{Cleared: token.Tier, RunID: run, Status: chain.RunClaimed,
			Throws: token.Tier, TranscriptHash: sha256.Sum256([]byte(run))},
		Transfers: []chain.Transfer{{Token: true, TokenID: token.ID, Tier: token.Tier, To: p.Address}},
	}
}

// Stake returns the draft that moves coins to the escrow of a duel.
func Stake(p Player, duel string, coins int64) ledger.Draft {
	return ledger.Draft{Actor: p.Address, Data: &chain.DuelStake{DuelID: duel},
		Transfers: []chain.Transfer{{Amount: coins, From: p.Address, To: chain.Escrow(duel)}}}
}

// Settle returns the draft that ends a duel which a has won, with coins staked by each side.
func Settle(a, b Player, duel string, coins int64) ledger.Draft {
	d := ledger.Draft{Data: &chain.DuelSettle{A: a.Address, B: b.Address, DuelID: duel, Rated: true,
		TranscriptHash: sha256.Sum256([]byte(duel)), Winner: "a"}}
	if coins > 0 {
		d.Transfers = []chain.Transfer{{Amount: 2 * coins, From: chain.Escrow(duel), To: a.Address}}
	}
	return d
}

// Sale returns the draft that sells a token for 100 coins, 2 of them the fee.
func Sale(buyer, seller Player, token int64) ledger.Draft {
	return ledger.Draft{Actor: buyer.Address, Data: &chain.MarketSale{ListingID: token}, Transfers: []chain.Transfer{
		{Amount: 98, From: buyer.Address, To: seller.Address},
		{Amount: 2, From: buyer.Address},
		{Token: true, TokenID: token, From: seller.Address, To: buyer.Address},
	}}
}

// Buyback returns the draft that sells a token back to the house.
func Buyback(p Player, token ledger.OwnedToken) ledger.Draft {
	rules := Rules()
	return ledger.Draft{Actor: p.Address, Data: &chain.Buyback{OfferID: token.ID}, Transfers: []chain.Transfer{
		{Token: true, TokenID: token.ID, From: p.Address},
		{Amount: rules.BuybackPrice(token.Tier), To: p.Address},
	}}
}

// CloseSeason returns the draft that closes season n without players. Its table fits a chain that began at the time
// of a new clock.
func CloseSeason(n int64) ledger.Draft {
	table := gamestest.Season(n, NewClock().Now().UnixMilli())
	return ledger.Draft{Data: &chain.SeasonClose{Season: n, TableHash: chain.HashPinned(table)}, Transcript: table}
}

// CloseCup settles the duel of a cup of two players and closes the cup. The hash of block 0 is its seed, so the
// cup is valid in every block behind that.
func (l *Ledger) CloseCup(t testing.TB, n int64, players [2]chain.Address) {
	t.Helper()
	l.Update(t, func(ctx context.Context, tx *store.Tx) error {
		genesis, err := l.Block(ctx, tx, 0)
		if err != nil {
			return err
		}
		settle, transcript, table := gamestest.Cup(n, fmt.Sprint("cup-", n), genesis.Hash, 0, players)
		if _, err := l.Post(ctx, tx, ledger.Draft{Data: settle, Transcript: transcript}); err != nil {
			return err
		}
		_, err = l.Post(ctx, tx, ledger.Draft{Data: &chain.CupClose{Cup: n, TableHash: chain.HashPinned(table)},
			Transcript: table})
		return err
	})
}

// EndSeason moves the clock to the end of season n, unless it is later.
func (l *Ledger) EndSeason(t testing.TB, n int64) {
	t.Helper()
	l.View(t, func(ctx context.Context, tx *store.Tx) error {
		genesis, err := l.Block(ctx, tx, 0)
		if err != nil {
			return err
		}
		if end := time.UnixMilli(chain.SeasonEnd(genesis.Header.Time, n)); l.Clock.Now().Before(end) {
			l.Clock.Set(end)
		}
		return nil
	})
}

// Scene is the state that Everything leaves behind.
type Scene struct {
	Ann, Bob Player
	Burnt    ledger.OwnedToken // Ann's; burnt
	Token    ledger.OwnedToken // Bob's
	Run      string            // Ann's, open
	Settled  string            // a settled duel for 10 coins
	Staked   string            // a duel for 25 coins, where only Bob has staked
	Duel     string            // a duel for 30 coins, where both have
}

// Everything posts each kind of transaction at least once.
func (l *Ledger) Everything(t testing.TB) Scene {
	t.Helper()
	s := Scene{
		Ann: *l.Join(t), Bob: *l.Join(t), Run: "open run", Settled: "settled", Staked: "staked",
		Duel: "open duel",
	}
	s.Burnt = l.Win(t, &s.Ann, 1)
	sold := l.Win(t, &s.Ann, 2)
	s.Token = l.Win(t, &s.Bob, 3)
	l.MustPost(t, Faucet(s.Bob))
	l.MustPost(t, Sale(s.Bob, s.Ann, sold.ID))
	l.MustPost(t, Buyback(s.Bob, sold))

	next := l.NewHash()
	l.MustPost(t, Burn(s.Ann, "burning", next, s.Burnt))
	s.Ann.Next = next
	l.MustPost(t, Lose(s.Ann, "burning", 1))
	next = l.NewHash()
	l.MustPost(t, Start(s.Ann, s.Run, chain.EntryFee, next))
	s.Ann.Next = next

	l.MustPost(t, Stake(s.Ann, s.Settled, 10))
	l.MustPost(t, Stake(s.Bob, s.Settled, 10))
	l.MustPost(t, Settle(s.Ann, s.Bob, s.Settled, 10))
	l.MustPost(t, Settle(s.Bob, s.Ann, "for honour", 0))
	l.MustPost(t, Stake(s.Bob, s.Staked, 25))
	l.MustPost(t, Stake(s.Bob, s.Duel, 30))
	l.MustPost(t, Stake(s.Ann, s.Duel, 30))
	l.MustPost(t, ledger.Draft{Actor: s.Bob.Address, Data: &chain.AccountSecure{}})
	l.EndSeason(t, 1)
	l.MustPost(t, CloseSeason(1))
	l.CloseCup(t, 3, [2]chain.Address{s.Ann.Address, s.Bob.Address})
	return s
}

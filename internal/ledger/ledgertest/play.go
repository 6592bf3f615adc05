package ledgertest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// Player is the owner of an account.
type Player struct {
	Address chain.Address
	Next    chain.Hash // the outstanding commitment
}

// NewHash returns a hash that no other call returns. It is a commitment too: Post knows the seed chain
// behind it.
func (l *Ledger) NewHash() chain.Hash {
	return l.played.commit(sha256.Sum256(binary.BigEndian.AppendUint64(nil, l.made.Add(1))))
}

// NewID returns an id that no other call returns.
func (l *Ledger) NewID() string { return fmt.Sprint("id-", l.made.Add(1)) }

// NewPlayer returns a player whose account is not open yet.
func (l *Ledger) NewPlayer() Player {
	h := l.NewHash()
	return Player{chain.Address(h[:20]), l.NewHash()}
}

// Join opens an account with the starting balance.
func (l *Ledger) Join(t testing.TB) *Player {
	t.Helper()
	p := l.NewPlayer()
	l.MustPost(t, ledger.Draft{
		Actor: p.Address, Data: &chain.AccountCreate{Commitment: p.Next, AccountKind: chain.Guest},
		Transfers: []chain.Transfer{{Amount: l.Rules().StartingBalance, To: p.Address}},
	})
	return &p
}

// Drip posts a faucet payment to p. It makes none of the faucet's own checks: the balance and the
// time since the last payment.
func (l *Ledger) Drip(t testing.TB, p *Player) {
	t.Helper()
	l.MustPost(t, ledger.Draft{Actor: p.Address, Data: &chain.Faucet{}, Transfers: []chain.Transfer{
		{Amount: l.Rules().FaucetAmount, To: p.Address},
	}})
}

// Faucets posts n faucet payments to p in one database transaction, and returns their hashes.
func (l *Ledger) Faucets(t testing.TB, p Player, n int) (hashes []chain.Hash) {
	t.Helper()
	l.Update(t, func(ctx context.Context, tx *store.Tx) error {
		hashes = nil
		for range n {
			posted, err := l.Post(ctx, tx, Faucet(p))
			if err != nil {
				return err
			}
			hashes = append(hashes, posted.Hash)
		}
		return nil
	})
	return hashes
}

// Newest returns the newest block.
func (l *Ledger) Newest(t testing.TB) (h ledger.Head) {
	t.Helper()
	l.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		h, err = l.Head(ctx, tx)
		return err
	})
	return h
}

// Win plays a free run that ends with a token of a tier, and returns the token. Start and end are
// posted in one database transaction.
func (l *Ledger) Win(t testing.TB, p *Player, tier int64) (token ledger.OwnedToken) {
	t.Helper()
	l.Update(t, func(ctx context.Context, tx *store.Tx) error {
		start, err := l.start(ctx, tx, p, &chain.RunStart{Entry: chain.EntryFree}, nil)
		if err != nil {
			return err
		}
		id, err := l.NewTokenID(ctx, tx)
		if err != nil {
			return err
		}
		token = ledger.OwnedToken{ID: id, Tier: tier}
		return l.PostGame(ctx, tx, start, ledger.Draft{
			Actor: p.Address,
			Data: &chain.RunEnd{
				Cleared: tier, RunID: start.Data.(*chain.RunStart).RunID, Status: chain.RunClaimed, Throws: tier,
				TranscriptHash: l.NewHash(),
			},
			Transfers: []chain.Transfer{{Token: true, TokenID: id, Tier: tier, To: p.Address}},
		})
	})
	return token
}

// Burn starts a run with a token, which burns it, and loses the run.
func (l *Ledger) Burn(t testing.TB, p *Player, token ledger.OwnedToken) error {
	t.Helper()
	return l.lose(t, p, &chain.RunStart{Entry: chain.EntryBurn, FirstTier: token.Tier},
		chain.Transfer{Token: true, TokenID: token.ID, From: p.Address})
}

// Pay starts a run for the entry fee, and loses the run.
func (l *Ledger) Pay(t testing.TB, p *Player) error {
	t.Helper()
	return l.lose(
		t, p, &chain.RunStart{Entry: chain.EntryFee},
		chain.Transfer{Amount: l.Rules().EntryFee, From: p.Address},
	)
}

// lose starts a run with an entry, and loses it, in one database transaction.
func (l *Ledger) lose(t testing.TB, p *Player, start *chain.RunStart, entry chain.Transfer) error {
	t.Helper()
	before := *p
	err := l.DB.UpdateAt(t.Context(), store.Snapshot, func(ctx context.Context, tx *store.Tx) error { // as runs are
		*p = before
		account, _, err := l.Account(ctx, tx, p.Address)
		if err != nil {
			return err
		}
		// A fee takes bound coins first, and a single one makes the run win a bound token.
		if start.Entry == chain.EntryFee {
			start.Bound = account.Bound > 0
		}
		draft, err := l.start(ctx, tx, p, start, []chain.Transfer{entry})
		if err != nil {
			return err
		}
		return l.PostGame(ctx, tx, draft, ledger.Draft{Actor: p.Address, Data: &chain.RunEnd{
			Bound: start.Bound, Cleared: start.FirstTier, RunID: start.RunID, Status: chain.RunLost, Throws: 1,
			TranscriptHash: l.NewHash(),
		}})
	})
	if err != nil {
		*p = before
	}
	return err
}

// start returns the draft of the start of a run.
func (l *Ledger) start(
	ctx context.Context, tx *store.Tx, p *Player, start *chain.RunStart, entry []chain.Transfer,
) (ledger.Draft, error) {
	start.RunID, start.Commitment, start.NextCommitment = l.NewID(), p.Next, l.NewHash()
	p.Next = start.NextCommitment
	state, err := l.LoadActor(ctx, tx, p.Address)
	return ledger.Draft{Actor: p.Address, State: &state, Data: start, Transfers: entry}, err
}

package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestClockOff checks that a node whose clock is off posts nothing, and dates the blocks that it seals
// by their transactions: dated by its clock, an hour ahead, they would make those of all other nodes
// invalid.
func TestClockOff(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.SealAll(t)
	posted := e.Faucets(t, ann, 1)
	at := e.Clock.Now()

	fault := errors.New("off")
	off, err := ledger.Open(t.Context(), ledger.Config{
		DB: e.DB, Rules: *e.Rules(), Signer: e.Key.Signer, VerifierKey: e.Key.Verifier,
		Now:        func() time.Time { return e.Clock.Now().Add(time.Hour) },
		CheckClock: func() error { return fault },
	})
	if err != nil {
		t.Fatal(err)
	}
	err = e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := off.Post(ctx, tx, ledgertest.Faucet(ann))
		return err
	})
	if !errors.Is(err, fault) {
		t.Errorf("a node whose clock is off posts: %v", err)
	}
	err = e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		state, err := off.LoadActor(ctx, tx, ann.Address)
		if err != nil {
			return err
		}
		start := ledgertest.Start(ann, "a run", chain.EntryFree, e.NewHash())
		start.State = &state
		right := e.Ledger.Ledger
		e.Ledger.Ledger = off
		err = e.PostGame(ctx, tx, start, ledgertest.Lose(ann, "a run", 0))
		e.Ledger.Ledger = right
		return err
	})
	if !errors.Is(err, fault) {
		t.Errorf("a node whose clock is off posts a whole game: %v", err)
	}
	if n, err := off.SealBlock(t.Context()); n != len(posted) || err != nil {
		t.Errorf("sealed %d, %v", n, err)
	}
	if got := time.UnixMilli(e.Newest(t).Block.Header.Time); !got.Equal(at.Truncate(time.Millisecond)) {
		t.Errorf("the block is of %v, its transaction of %v", got, at)
	}
	e.Faucets(t, ann, 1) // by a node whose clock is right
	e.SealAll(t)
	e.WantValid(t)
}

// TestClockSetBack checks that the chain stays valid when the clock goes back by more than a replay
// allows: between two posts of which a block has the first alone, and while the node is down with a
// transaction that waits for its block.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.Clock.Add(time.Hour)
	e.Faucets(t, ann, 1)
	e.Clock.Add(-10 * time.Minute)
	dated := func() time.Time {
		list := e.sealed(t)
		return time.UnixMilli(list[len(list)-1].Parsed.Time)
	}
	e.Faucets(t, ann, 1)
	e.SealAll(t)
	if at, now := dated(), e.Clock.Now(); !at.Equal(now.Add(10 * time.Minute).Truncate(time.Millisecond)) {
		t.Errorf("dated %v by a clock that says %v and said ten minutes more", at, now)
	}
	e.Clock.Add(time.Hour)
	e.Faucets(t, ann, 1) // waits
	e.Clock.Add(-10 * time.Minute)
	again, err := e.reopen(t, ledgertest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again.Faucets(t, ann, 1)
	again.SealAll(t)
	list := again.sealed(t)
	if a, b := list[len(list)-2].Parsed.Time, list[len(list)-1].Parsed.Time; a != b {
		t.Errorf("a transaction after the start is of %d, the one that waited of %d", b, a)
	}
	again.WantValid(t)
}

// TestClockSetBackWhileDown checks that a start learns the time of the newest block, where no transaction
// waits, and refuses a transaction that waits and cannot be read.
func TestClockSetBackWhileDown(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.Clock.Add(time.Hour)
	e.SealAll(t)
	e.Clock.Add(-10 * time.Minute)
	e, err := e.reopen(t, ledgertest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e.Faucets(t, ann, 1)
	e.SealAll(t)
	list := e.sealed(t)
	at, sealed := time.UnixMilli(list[len(list)-1].Parsed.Time), e.Clock.Now().Add(10*time.Minute)
	if !at.Equal(sealed.Truncate(time.Millisecond)) {
		t.Errorf("a transaction after the start is of %v, the block before it of %v", at, sealed)
	}
	e.WantValid(t)
	damaged := []byte("no transaction")
	hash := chain.HashTx(damaged)
	e.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO chain_pending (hash, raw) VALUES ($1, $2)", hash[:], damaged)
		return err
	})
	if _, err := e.reopen(t, ledgertest.Options{}); err == nil || !strings.Contains(err.Error(), "pending transaction") {
		t.Errorf("a transaction that waits and is damaged: error %v", err)
	}
}

package run_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// otherNode returns a service of another node on the same database: it shares nothing that h remembers.
func (h *fixture) otherNode(t *testing.T) *fixture {
	t.Helper()
	rules := *h.Rules()
	l, err := ledger.Open(t.Context(), ledger.Config{DB: h.Ledger.DB, Rules: rules, Signer: h.Key.Signer,
		VerifierKey: h.Key.Verifier, Now: h.Clock.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	other := *h
	ledgers := ledgertest.Ledger{Ledger: l, DB: h.Ledger.DB, Clock: h.Clock, Key: h.Key}
	other.Ledger = &ledgers
	other.restart(t)
	return &other
}

// faucet posts a faucet claim of an account.
func (h *fixture) faucet(t *testing.T, who chain.Address) {
	t.Helper()
	err := h.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := h.Ledger.Ledger.Post(ctx, tx, ledger.Draft{Actor: who, Data: &chain.Faucet{},
			Transfers: []chain.Transfer{{Amount: h.Rules().FaucetAmount, To: who}}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// giveUp ends an account's run without a prize.
func (h *fixture) giveUp(t *testing.T, who chain.Address, id string) {
	t.Helper()
	err := h.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, _, err := h.Abandon(ctx, tx, who, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRememberedStart counts the statements of starts: where a read is a round trip, a node does not read what
// it has stored of the account, except after ClearCache.
func TestRememberedStart(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	who := h.join(t)
	cost := func() (n int) {
		t.Helper()
		id := ""
		err := h.do(t, func(ctx context.Context, tx *store.Tx) error {
			started, err := h.Start(ctx, tx, who, run.StartOptions{Entry: chain.EntryFee})
			if err == nil {
				n, id = tx.Statements(), started.Run.ID
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.giveUp(t, who, id)
		return n
	}
	first, second := cost(), cost()
	h.ClearCache()
	cleared, again := cost(), cost()
	if first != second || (cleared > second) == h.Ledger.DB.Exclusive() || again != second {
		t.Errorf("%d and %d statements from memory, %d after ClearCache, then %d; want more after ClearCache alone",
			first, second, cleared, again)
	}
}

// TestOutdatedNode starts runs on a node whose memory of the account is outdated, because another node
// has acted: each start is decided by the stored rows.
func TestOutdatedNode(t *testing.T) {
	t.Parallel()
	rules := ledgertest.Rules()
	rules.FreePerDay, rules.EntryFee, rules.FaucetAmount = 0, rules.StartingBalance/2, rules.StartingBalance/2
	a := newFixture(t, ledgertest.Options{Rules: &rules})
	b := a.otherNode(t)
	fee := run.StartOptions{Entry: chain.EntryFee}

	who := a.join(t) // a remembers the account with two fees
	id := b.begin(t, who, fee)
	if _, err := a.start(t, who, fee); !errors.Is(err, run.ErrRunActive) {
		t.Errorf("during a run of the other node: error %v, want ErrRunActive", err)
	}
	b.giveUp(t, who, id)
	a.giveUp(t, who, a.begin(t, who, fee)) // with the commitment that b published
	var poor *chain.InsufficientFundsError
	for i, node := range []*fixture{a, b} { // b remembers one fee
		if _, err := node.start(t, who, fee); !errors.As(err, &poor) || poor.Balance != 0 {
			t.Errorf("node %d, without coins: error %v, want insufficient funds and a balance of 0", i, err)
		}
	}
	b.faucet(t, who)
	// a remembers no coins, and a run that is over.
	a.giveUp(t, who, a.begin(t, who, fee))
	if _, err := a.start(t, who, run.StartOptions{Entry: chain.EntryFree}); !errors.Is(err, run.ErrEntryUsed) {
		t.Errorf("a free entry: error %v, want ErrEntryUsed", err)
	}
	a.SealAll(t)
	a.WantValid(t)
}

// TestNodesTakeTurns lets an account act on two nodes in a random order. Every start succeeds, as one
// by the stored rows would, and the chain is valid.
func TestNodesTakeTurns(t *testing.T) {
	t.Parallel()
	a := newFixture(t, ledgertest.Options{})
	nodes := []*fixture{a, a.otherNode(t)}
	random := testseed.Rand(t)
	who := a.join(t)
	played := 0
	for range 60 {
		node := nodes[random.IntN(len(nodes))]
		switch random.IntN(4) {
		case 0:
			node.faucet(t, who)
		case 1:
			node.giveUp(t, who, node.begin(t, who, run.StartOptions{}))
		default:
			o := run.StartOptions{First: &run.Play{Move: game.Move(random.IntN(3)), Then: run.ThenClaim}}
			started, err := node.start(t, who, o)
			if err != nil {
				t.Fatal(err)
			}
			played++
			if !started.Run.Status.Over() {
				nodes[random.IntN(len(nodes))].giveUp(t, who, started.Run.ID)
			}
		}
	}
	if played == 0 {
		t.Error("no game was played")
	}
	a.SealAll(t)
	a.WantValid(t)
}

// TestLostCommit lets a node remember an account's securing that the database loses, as with a standby
// that lags. The account is secured again, later: a start on that node does not bring the first time
// back.
func TestLostCommit(t *testing.T) {
	t.Parallel()
	a := newFixture(t, ledgertest.Options{})
	b := a.otherNode(t)
	who := a.join(t)
	secure := func(node *fixture) error {
		return node.do(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := node.Ledger.Ledger.Post(ctx, tx, ledger.Draft{Actor: who, Data: &chain.AccountSecure{}})
			return err
		})
	}
	if err := secure(a); err != nil {
		t.Fatal(err)
	}
	err := a.do(t, func(ctx context.Context, tx *store.Tx) error {
		for _, lose := range []string{
			"UPDATE ledger_account SET nonce = nonce - 1, secured_at = 0 WHERE address = $1 AND secured_at > 0",
			"DELETE FROM chain_pending WHERE actor = $1 AND seq = (SELECT max(seq) FROM chain_pending)",
		} {
			if result, err := tx.ExecContext(ctx, lose, who[:]); err != nil {
				return err
			} else if n, err := result.RowsAffected(); err != nil || n != 1 {
				t.Errorf("%d rows lost, want 1: %s", n, lose)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Clock.Add(time.Hour)
	if err := secure(b); err != nil {
		t.Fatal(err)
	}
	a.giveUp(t, who, a.begin(t, who, run.StartOptions{}))
	a.SealAll(t)
	a.WantValid(t)
}

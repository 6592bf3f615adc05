package audit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/chain/replay"
	"roshambo/chain/tables"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/audit"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestVerifyReports checks the report of a sound chain, for several numbers of parts.
func TestVerifyReports(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	s := e.Everything(t)
	e.SealAll(t)
	e.Faucets(t, s.Ann, 2)
	head := e.Newest(t)
	for _, parts := range []int{1, 2, 7} {
		v, err := e.Auditor.VerifyParts(t.Context(), parts)
		if err != nil {
			t.Fatal(err)
		}
		if v.Record.Runs != 4 || v.Record.Duels != 3 || v.Record.Throws != 8 {
			t.Errorf("%d parts: record %+v", parts, v.Record)
		}
		want := audit.Verification{Checkpoint: head.Checkpoint, Record: v.Record, Report: &replay.Report{
			Height: 1, Blocks: 2, Transactions: head.Transactions, Addresses: 2, Tokens: 1,
			// The season is over in block 1.
			Gaps: v.Gaps, GapCount: 1, GapTime: head.Block.Header.Time - ledgertest.NewClock().Now().UnixMilli(),
			Created: 2*1000 + 200 + 153 + 2*200, Destroyed: 50 + 2,
			Head: head.Block.Hash, HeaderRaw: head.Block.Raw, Rules: ledgertest.Rules(), Name: "roshambo-test"}}
		if diff := cmp.Diff(want, v); diff != "" {
			t.Errorf("%d parts:\n%s", parts, diff)
		}
	}
}

// TestVerifyAlone checks that an audit with one transaction has the report of an audit with two.
func TestVerifyAlone(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	e.Everything(t)
	e.SealAll(t)
	got, err := e.Auditor.VerifyAlone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := e.WantValid(t)
	got.Took, got.At = want.Took, want.At
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestVerifyWhileBusy checks that an audit sees one snapshot while transactions are posted and
// sealed.
func TestVerifyWhileBusy(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	var busy sync.WaitGroup
	var done atomic.Bool
	busy.Go(func() {
		for !done.Load() {
			e.Faucets(t, ann, 3)
			e.SealAll(t)
		}
	})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 10 {
				e.WantValid(t)
			}
		})
	}
	all.Wait()
	done.Store(true)
	busy.Wait()
}

// slowEconomy returns an economy whose clock stop blocks until resume: an audit reads the clock at
// its start.
func slowEconomy(t *testing.T) (e *economy, stop func() (resume func())) {
	t.Helper()
	var gate atomic.Pointer[chan struct{}]
	clock := ledgertest.NewClock()
	e = newEconomy(t, ledgertest.Options{Now: func() time.Time {
		if wait := gate.Load(); wait != nil {
			<-*wait
		}
		return clock.Now()
	}})
	return e, func() func() {
		wait := make(chan struct{})
		gate.Store(&wait)
		return func() { gate.Store(nil); close(wait) }
	}
}

// until waits for a condition.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for !ok() {
		if t.Context().Err() != nil {
			t.Fatal("the condition never became true")
		}
	}
}

// TestVerifyIsShared checks that concurrent callers share one pass, and that a caller's end does
// not cancel it for the others.
func TestVerifyIsShared(t *testing.T) {
	t.Parallel()
	e, stop := slowEconomy(t)
	e.join(t)
	resume := stop()
	var callers sync.WaitGroup
	reports := make([]*replay.Report, 5)
	for i := range reports {
		callers.Go(func() { reports[i] = e.WantValid(t).Report })
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := e.Verify(ctx)
		left <- err
	}()
	until(t, func() bool { return e.Auditor.Waiting() == len(reports)+1 })
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that gave up got %v", err)
	}
	resume()
	callers.Wait()
	for _, r := range reports {
		if r == nil || r != reports[0] {
			t.Errorf("verified more than once: %v", reports)
		}
	}
	if again := e.WantValid(t).Report; again == reports[0] {
		t.Error("an earlier answer was trusted")
	}
}

// TestVerifyIsGivenUp checks that a pass ends when its last caller gives up, and that a later
// caller begins another.
func TestVerifyIsGivenUp(t *testing.T) {
	t.Parallel()
	e, stop := slowEconomy(t)
	e.join(t)
	resume := stop()
	ctx, leave := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() {
			if _, err := e.Verify(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller that gave up got %v", err)
			}
		})
	}
	until(t, func() bool { return e.Auditor.Waiting() == 3 })
	leave()
	callers.Wait()
	if n := e.Auditor.Waiting(); n != -1 {
		t.Errorf("the pass without callers goes on, with %d", n)
	}
	resume()
	e.WantValid(t)
}

// TestLastCallerStays checks that a pass continues for the last of two callers.
func TestLastCallerStays(t *testing.T) {
	t.Parallel()
	e, stop := slowEconomy(t)
	e.join(t)
	resume := stop()
	var stays sync.WaitGroup
	stays.Go(func() { e.WantValid(t) })
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := e.Verify(ctx)
		left <- err
	}()
	until(t, func() bool { return e.Auditor.Waiting() == 2 })
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that gave up got %v", err)
	}
	resume()
	stays.Wait()
}

// TestVerifyOfRuins checks that tables which are empty, mixed up or full of garbage are reported
// within bounded time, without an error and with a bounded number of problems, for several numbers
// of parts.
func TestVerifyOfRuins(t *testing.T) {
	t.Parallel()
	for damage, what := range map[string]string{
		"DELETE FROM chain_block":                                           "chain",
		"DELETE FROM chain_chunk":                                           "merkle root",
		"DELETE FROM chain_pending":                                         "account",
		"DELETE FROM chain_head":                                            "chain_head",
		"DELETE FROM chain_index":                                           "chain_index",
		"DELETE FROM chain_address":                                         "chain_address",
		"DELETE FROM chain_token":                                           "chain_token",
		"DELETE FROM log_hash":                                              "log_hash",
		"DELETE FROM ledger_account":                                        "account",
		"DELETE FROM ledger_token":                                          "token",
		"DELETE FROM ledger_game":                                           "game",
		"DELETE FROM meta":                                                  "meta",
		"DELETE FROM chain_period":                                          "chain_period",
		"UPDATE chain_period SET supply = -supply":                          "chain_period",
		"UPDATE chain_block SET height = height * 1000000000000000":         "chain_block height",
		"UPDATE chain_block SET height = -height":                           "chain_block height",
		"UPDATE chain_head SET height = -5, next_pos = 9223372036854775807": "chain_head next_pos",
		"UPDATE chain_chunk SET body = cast(body || body AS BLOB)":          "chain_block tx_count",
		"UPDATE chain_chunk SET body = zeroblob(3000)":                      "transaction",
		"UPDATE chain_pending SET raw = x''":                                "transaction",
		"UPDATE ledger_token SET token_id = -token_id":                      "token -",
		"UPDATE ledger_game SET step = step + 256":                          "step",
		"UPDATE ledger_account SET balance = 9223372036854775807":           "balance",
		"INSERT INTO chain_block SELECT height - 9, zeroblob(32 - height), x'7b', 0, 0 FROM chain_block": "chain_block",
		"INSERT INTO chain_chunk SELECT first_pos + 100, height + 100, body, NULL FROM chain_chunk":      "chain_chunk",
		"UPDATE chain_chunk SET transcripts = NULL":                                                      "run ",
		"UPDATE chain_chunk SET transcripts = x'ff'":                                                     "chain_chunk",
		"UPDATE chain_chunk SET transcripts = x'00000000'":                                               "transcripts",
		"UPDATE chain_pending SET transcript = x'5b5d'":                                                  "transcripts",
		"INSERT INTO log_hash SELECT -idx - 1, hash FROM log_hash":                                       "log_hash -",
		"INSERT INTO chain_pending (seq, hash, actor, raw) VALUES (-9, x'', x'', x'')":                   "chain_pending -9",
		"INSERT INTO ledger_game SELECT id || char(0), step, a, b, tier, stake, bound FROM ledger_game":  "game",
	} {
		t.Run(damage, func(t *testing.T) {
			t.Parallel()
			e := newEconomy(t, ledgertest.Options{})
			s := e.Everything(t)
			e.SealAll(t)
			e.Faucets(t, s.Ann, 1)
			e.SealAll(t)
			e.Faucets(t, s.Bob, 2)
			e.Update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, storetest.SQL(damage))
				return err
			})
			for _, parts := range []int{1, 3} {
				v, err := e.Auditor.VerifyParts(t.Context(), parts)
				if err != nil {
					t.Fatal(err)
				}
				named := false
				for _, p := range v.Problems {
					named = named || strings.Contains(p.What, what)
				}
				if v.Valid() || !named || len(v.Problems) > 20 {
					t.Errorf("%d parts: %d problems, want one of %q in %+v", parts, v.ProblemCount, what, v.Problems)
				}
			}
		})
	}
}

// TestVerifySeasons checks that an audit compares the points of a final table with the games of its season, for several
// numbers of parts.
func TestVerifySeasons(t *testing.T) {
	t.Parallel()
	e := newEconomy(t, ledgertest.Options{})
	ann := e.join(t)
	e.EndSeason(t, 1)
	began := ledgertest.NewClock().Now().UnixMilli()
	table := (&tables.Season{Number: 1, StartsAt: chain.SeasonEnd(began, 0),
		EndsAt: chain.SeasonEnd(began, 1), Players: 1,
		Rows: []tables.Standing{{Rank: 1, Account: ann.Address, Points: 8}}}).Raw()
	e.MustPost(t, ledger.Draft{Data: &chain.SeasonClose{Season: 1, TableHash: chain.HashPinned(table)},
		Transcript: table})
	e.SealAll(t)
	for _, parts := range []int{1, 2, 7} {
		v, err := e.Auditor.VerifyParts(t.Context(), parts)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Problems) != 1 || !strings.HasPrefix(v.Problems[0].What, "points of ") {
			t.Errorf("%d parts: %+v, want points that no game gives", parts, v.Problems)
		}
	}
}

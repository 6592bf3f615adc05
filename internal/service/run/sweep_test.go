package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

func (h *fixture) sweep(t testing.TB, want int) {
	t.Helper()
	if n, err := h.Sweep(t.Context()); n != want || err != nil {
		t.Errorf("swept %d, error %v, want %d", n, err, want)
	}
}

// TestSweep checks that a run that has been idle for 24 hours is claimed if it is deciding,
// and abandoned otherwise; that every action of its player restarts the period.
func TestSweep(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	ann, bob, eve := h.join(t), h.join(t), h.join(t)
	deciding := h.begin(t, ann, run.StartOptions{})
	active := h.begin(t, bob, run.StartOptions{})
	busy := h.begin(t, eve, run.StartOptions{})
	h.climb(t, ann, deciding, 2)
	h.Clock.Add(run.IdleTimeout - 2*run.ThrowInterval - time.Millisecond) // a millisecond short for idle players
	h.sweep(t, 0)
	if _, err := h.throw(t, eve, busy, game.Win); err != nil {
		t.Fatal(err)
	}
	h.Clock.Add(time.Millisecond)
	h.sweep(t, 1)
	if r := h.get(t, active); r.Status != run.Abandoned || !r.EndedAt.Equal(h.Clock.Now()) {
		t.Errorf("active: %+v", r)
	}
	if r := h.get(t, deciding); r.Status != run.Deciding {
		t.Errorf("acted later: %+v", r)
	}
	h.Clock.Add(2 * run.ThrowInterval)
	h.sweep(t, 1)
	h.sweep(t, 0)
	if r := h.get(t, deciding); r.Status != run.Claimed || len(h.tokens(t, ann)) != 1 {
		t.Errorf("deciding: %+v, tokens %v", r, h.tokens(t, ann))
	}
	if r := h.get(t, busy); r.Status != run.Deciding {
		t.Errorf("acted in between: %+v", r)
	}
	h.SealAll(t)
	for _, id := range []string{deciding, active, busy} {
		h.wantProven(t, id)
	}
	h.WantValid(t)
}

// TestSweepMany checks that runs beyond sweepSize are ended by later sweeps.
func TestSweepMany(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	for range 130 {
		h.begin(t, h.join(t), run.StartOptions{})
	}
	h.Clock.Add(run.IdleTimeout)
	h.sweep(t, 100)
	h.sweep(t, 30)
	h.sweep(t, 0)
	h.SealAll(t)
	h.WantValid(t)
}

// TestSweepGoesOn checks that the error names a run that cannot be ended, and that the sweep
// ends the others.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	h := newFixture(t, ledgertest.Options{})
	var ids []string
	for range 3 {
		ids = append(ids, h.begin(t, h.join(t), run.StartOptions{}))
		h.Clock.Add(time.Second)
	}
	h.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, storetest.SQL("UPDATE run SET account = zeroblob(20) WHERE id = $1"), ids[0])
		return err
	})
	h.Clock.Add(run.IdleTimeout)
	if n, err := h.Sweep(t.Context()); n != 2 || err == nil || !strings.Contains(err.Error(), ids[0]) {
		t.Errorf("swept %d, error %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := h.Sweep(ctx); n != 0 || err == nil {
		t.Errorf("cancelled: swept %d, error %v", n, err)
	}
}

// TestUnderFaults checks that a use case takes effect once or not at all, whatever happens
// to its commit, and that it can be repeated.
func TestUnderFaults(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		wins int // before
		do   func(t *testing.T, h *fixture, ann chain.Address, id string) error
		// done reports whether the use case has taken effect.
		done func(r *run.Run) bool
	}{
		"win":  {0, toss(game.Win), func(r *run.Run) bool { return r.Throws == 1 }},
		"tie":  {0, toss(game.Tie), func(r *run.Run) bool { return r.Throws == 1 }},
		"lose": {0, toss(game.Loss), func(r *run.Run) bool { return r.Status == run.Lost }},
		"continue": {1, func(t *testing.T, h *fixture, ann chain.Address, id string) error {
			_, err := h.proceed(t, ann, id)
			return err
		},
			func(r *run.Run) bool { return r.Status == run.Active }},
		"claim": {1, func(t *testing.T, h *fixture, ann chain.Address, id string) error {
			_, err := h.claim(t, ann, id)
			return err
		},
			func(r *run.Run) bool { return r.Status == run.Claimed }},
		"abandon": {1, func(t *testing.T, h *fixture, ann chain.Address, id string) error {
			_, err := h.abandon(t, ann, id)
			return err
		},
			func(r *run.Run) bool { return r.Status == run.Abandoned }},
		"sweep": {1, func(t *testing.T, h *fixture, _ chain.Address, _ string) error {
			h.Clock.Add(run.IdleTimeout)
			_, err := h.Sweep(t.Context())
			return err
		}, func(r *run.Run) bool { return r.Status == run.Claimed }},
	}
	for name, tt := range cases {
		for _, m := range ledgertest.Mishaps {
			t.Run(name+", "+m.Name, func(t *testing.T) {
				t.Parallel()
				faults := new(ledgertest.Faults)
				h := newFixture(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
				ann := h.join(t)
				id := h.begin(t, ann, run.StartOptions{})
				h.climb(t, ann, id, tt.wins)
				h.Clock.Add(run.ThrowInterval)
				faults.Play(m)
				if err := tt.do(t, h, ann, id); (err != nil) != m.Unavailable {
					t.Errorf("error %v, want unavailable: %v", err, m.Unavailable)
				}
				if r := h.get(t, id); tt.done(r) != m.Stored {
					t.Errorf("want stored: %v, run %+v", m.Stored, r)
				}
				h.restart(t) // the recorded seeds may come from a rolled-back transaction
				if !m.Stored {
					if err := tt.do(t, h, ann, id); err != nil || !tt.done(h.get(t, id)) {
						t.Errorf("repeated: error %v, run %+v", err, h.get(t, id))
					}
				}
				h.SealAll(t)
				h.wantProven(t, id)
				h.WantValid(t)
			})
		}
	}
}

func toss(want game.Outcome) func(*testing.T, *fixture, chain.Address, string) error {
	return func(t *testing.T, h *fixture, ann chain.Address, id string) error {
		_, err := h.throw(t, ann, id, want)
		return err
	}
}

// TestStartUnderFaults checks that an account has one outstanding commitment, whatever
// happens to the commit of a start, and that the next run uses it.
func TestStartUnderFaults(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			h := newFixture(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			ann := h.join(t)
			faults.Play(m)
			if _, err := h.start(t, ann, run.StartOptions{}); (err != nil) != m.Unavailable {
				t.Errorf("error %v, want unavailable: %v", err, m.Unavailable)
			}
			id := h.unfinished(t, ann)
			if (id != "") != m.Stored {
				t.Errorf("run %q, want stored: %v", id, m.Stored)
			}
			for range 2 {
				if id == "" {
					id = h.begin(t, ann, run.StartOptions{})
				}
				h.Clock.Add(run.ThrowInterval)
				if _, err := h.throw(t, ann, id, game.Loss); err != nil {
					t.Fatal(err)
				}
				h.SealAll(t)
				h.wantProven(t, id)
				id = ""
			}
			h.WantValid(t)
		})
	}
}

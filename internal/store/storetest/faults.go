package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/store"
)

// Script injects a list of faults, one per commit, and no fault afterwards. The zero value injects
// none.
type Script struct {
	mu    sync.Mutex    // guards next and twice
	next  []store.Fault // of the following commits, in order
	twice bool          // every closure runs twice
}

// Config returns the faults for store.Config.
func (s *Script) Config() *store.Faults {
	return &store.Faults{
		Commit: func() store.Fault {
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.next) == 0 {
				return store.NoFault
			}
			f := s.next[0]
			s.next = s.next[1:]
			return f
		},
		Twice: func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.twice
		},
	}
}

// Play sets the faults of the following commits, and whether each closure runs twice.
func (s *Script) Play(twice bool, faults ...store.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.twice = faults, twice
}

// trial is the outcome of an Update that adds 1 to entry 1: its error, the runs of its closure
// and the runs of its callback.
type trial struct {
	err         error
	runs, after int // of the closure and of its AfterCommit callback
}

// try runs such an Update.
func try(t *testing.T, d *store.DB) (got trial) {
	t.Helper()
	got.err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		got.runs++
		tx.AfterCommit(func() { got.after++ })
		_, err := add(ctx, tx, 1, 1)
		return err
	})
	return got
}

// testNotStored checks that a commit that failed without storing is retried once, and that a
// second failure is reported as unknown.
func testNotStored(t *testing.T, open Opener) {
	var s Script
	d := fresh(t, open, store.Config{Faults: s.Config()})
	put(t, d, 1, "counter", 0)

	// One failure: the engine retries, and the caller does not notice.
	s.Play(false, store.NotStored)
	got := try(t, d)
	if got.err != nil || got.runs != 2 || got.after != 1 || stored(t, d)[1] != 1 {
		t.Errorf("once: %+v and %d stored, want 2 runs, 1 callback, 1 stored", got, stored(t, d)[1])
	}
	// Two failures: the engine gives up, and the effect is absent.
	s.Play(false, store.NotStored, store.NotStored)
	got = try(t, d)
	if !errors.Is(got.err, store.ErrUnavailable) || got.runs != 2 || got.after != 0 || stored(t, d)[1] != 1 {
		t.Errorf("twice: %+v and %d stored, want ErrUnavailable after 2 runs, no callback, 1 stored", got, stored(t, d)[1])
	}
	// The database stays usable.
	if got = try(t, d); got.err != nil || got.runs != 1 || stored(t, d)[1] != 2 {
		t.Errorf("afterwards: %+v and %d stored, want 1 run, 2 stored", got, stored(t, d)[1])
	}
}

// testStored checks that a commit that failed after storing is not retried.
func testStored(t *testing.T, open Opener) {
	var s Script
	d := fresh(t, open, store.Config{Faults: s.Config()})
	put(t, d, 1, "counter", 0)

	// The engine cannot tell this failure from a lost response, so it must not retry.
	s.Play(false, store.Stored)
	got := try(t, d)
	if !errors.Is(got.err, store.ErrUnavailable) || got.runs != 1 || got.after != 0 || stored(t, d)[1] != 1 {
		t.Errorf("once: %+v and %d stored, want ErrUnavailable after 1 run, no callback, 1 stored", got, stored(t, d)[1])
	}
	// A retry whose commit fails after storing is final as well.
	s.Play(false, store.NotStored, store.Stored)
	got = try(t, d)
	if !errors.Is(got.err, store.ErrUnavailable) || got.runs != 2 || got.after != 0 || stored(t, d)[1] != 2 {
		t.Errorf("after one not stored: %+v and %d stored, want ErrUnavailable after 2 runs, 2 stored", got, stored(t, d)[1])
	}
	if got = try(t, d); got.err != nil || got.runs != 1 || stored(t, d)[1] != 3 {
		t.Errorf("afterwards: %+v and %d stored, want 1 run, 3 stored", got, stored(t, d)[1])
	}
	if n := d.Stats().Unavailable; n != 2 {
		t.Errorf("stats count %d unavailable, want 2", n)
	}
}

// testTwice checks that each closure runs twice, or more often after conflicts, and that only
// the last run counts.
func testTwice(t *testing.T, open Opener) {
	var s Script
	d := fresh(t, open, store.Config{Faults: s.Config(), Writers: fewWriters.Writers})
	put(t, d, 1, "counter", 0)
	// Without contention each closure runs exactly twice.
	s.Play(true)
	got := try(t, d)
	if got.err != nil || got.runs != 2 || got.after != 1 || stored(t, d)[1] != 1 {
		t.Errorf("%+v and %d stored, want 2 runs, 1 callback, 1 stored", got, stored(t, d)[1])
	}
	var wg sync.WaitGroup
	// Under contention it runs at least twice; every fifth use case refuses in its last run.
	for id := range int64(50) {
		wg.Go(func() {
			runs := 0
			err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				runs++
				if _, err := add(ctx, tx, 1, 1); err != nil {
					return err
				}
				if id%5 == 0 && runs >= 2 {
					return errRefused
				}
				return insert(ctx, tx, 100+id, fmt.Sprint(id), 1)
			})
			if id%5 == 0 && !errors.Is(err, errRefused) || id%5 != 0 && err != nil || runs < 2 {
				t.Errorf("use case %d: %d runs, error %v", id, runs, err)
			}
		})
	}
	wg.Wait()
	if got := stored(t, d); got[1] != 41 || len(got) != 41 {
		t.Errorf("counted %d in %d entries, want 41 in 41", got[1], len(got))
	}
}

// testFaultsUnderLoad checks that each caller's result is correct when commits that many use
// cases share fail at random.
func testFaultsUnderLoad(t *testing.T, open Opener) {
	random := rand.New(rand.NewPCG(1, 2)) // used by the writer alone
	commits := 0
	d := fresh(t, open, store.Config{Faults: &store.Faults{
		Commit: func() store.Fault {
			// The number of commits depends on the machine, and few random draws may miss a
			// kind. So of every eight commits two fail without storing and one fails after
			// storing.
			switch commits++; commits % 8 {
			case 5, 6:
				return store.NotStored
			case 7:
				return store.Stored
			}
			return store.Fault(max(0, random.IntN(6)-3))
		},
		Twice: func() bool { return random.IntN(10) == 0 },
	}})
	var mu sync.Mutex // guards the maps
	// Results by use case id; every fourth use case of a caller refuses.
	answers, callbacks := map[int64]error{}, map[int64]int{}
	var wg sync.WaitGroup
	for caller := range int64(16) {
		wg.Go(func() {
			for n := range int64(40) {
				id := caller*1000 + n
				err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					tx.AfterCommit(func() {
						mu.Lock()
						defer mu.Unlock()
						callbacks[id]++
					})
					if err := insert(ctx, tx, id, fmt.Sprint(id), 1); err != nil || n%4 != 0 {
						return err
					}
					return errRefused
				})
				mu.Lock()
				answers[id] = err
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	actual := stored(t, d)
	outcomes := map[string]int{}
	for id, err := range answers {
		_, there := actual[id]
		//	  nil: stored once, with its callback
		//	  errRefused: not stored
		//	  ErrUnavailable: either, without its callback
		switch {
		case err == nil && there && callbacks[id] == 1 && id%1000%4 != 0:
			outcomes["stored"]++
		case errors.Is(err, errRefused) && !there && callbacks[id] == 0 && id%1000%4 == 0:
			outcomes["refused"]++
		case errors.Is(err, store.ErrUnavailable) && callbacks[id] == 0:
			outcomes[fmt.Sprint("unavailable, stored ", there)]++
		default:
			t.Errorf("use case %d: error %v, stored %v, %d callbacks", id, err, there, callbacks[id])
		}
	}
	// Stored, refused, and unavailable in both variants.
	if len(outcomes) != 4 {
		t.Errorf("outcomes %v, want 4 kinds", outcomes)
	}
	if diff := cmp.Diff(len(answers), 16*40); diff != "" {
		t.Error(diff)
	}
}

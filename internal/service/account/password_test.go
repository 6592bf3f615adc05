package account

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
	"roshambo/internal/store/storetest"
)

// stuck returns a hasher whose turns the test gives out one by one: who wants a turn
// waits for a receiver of slots, and gives it back to a sender.
func stuck(t *testing.T) *Hasher {
	t.Helper()
	h, err := NewHasher(Recommended, 1)
	if err != nil {
		t.Fatal(err)
	}
	h.slots = make(chan struct{})
	return h
}

// turns gives out turns until work is done, and returns how many it took.
func (h *Hasher) turns(work func()) (n int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	for {
		select {
		case <-h.slots:
			n++
		case <-done:
			for range n {
				h.slots <- struct{}{} // taken back when the slot has rested
			}
			return n
		}
	}
}

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	h, err := NewHasher(Recommended, 1)
	if err != nil {
		t.Fatal(err)
	}
	phc, err := h.Hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(phc, "correct") {
		t.Fatalf("got %q, %v", phc, err)
	}
	for _, tt := range []struct {
		password, phc string
		want          bool
	}{{"correct horse", phc, true}, {"Correct horse", phc, false}, {"", phc, false}, {"nobody's password", "", false}} {
		if ok, err := h.Verify(t.Context(), tt.password, tt.phc); ok != tt.want || err != nil {
			t.Errorf("Verify(%q, %q): got %v, %v, want %v", tt.password, tt.phc, ok, err, tt.want)
		}
	}
	for _, broken := range []string{"x", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=18$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$!$AAAA"} {
		if ok, err := h.Verify(t.Context(), "x", broken); ok || err == nil || strings.Contains(err.Error(), broken) {
			t.Errorf("Verify of %q: got %v, %v, want an error that does not repeat it", broken, ok, err)
		}
	}
}

// TestQueue fills the queue for hashes: the next is refused, and those that wait go when
// their callers do.
func TestQueue(t *testing.T) {
	t.Parallel()
	h := stuck(t)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, maxQueue)
	var started sync.WaitGroup
	for range maxQueue {
		started.Add(1)
		go func() {
			started.Done()
			_, err := h.Hash(ctx, "a password")
			errs <- err
		}()
	}
	started.Wait()
	for h.waiting.Load() < maxQueue { // they are about to
		select {
		case err := <-errs:
			t.Fatalf("a call did not wait: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := h.Hash(t.Context(), "a password"); !errors.Is(err, ErrBusy) {
		t.Errorf("one more than may wait: got %v, want ErrBusy", err)
	}
	if _, err := h.Verify(t.Context(), "a password", ""); !errors.Is(err, ErrBusy) {
		t.Errorf("one more than may wait: got %v, want ErrBusy", err)
	}
	cancel()
	for range maxQueue {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("a call whose caller went: got %v, want context.Canceled", err)
		}
	}
	if n := h.waiting.Load(); n != 0 {
		t.Errorf("%d wait when nobody does", n)
	}
}

// TestAtOnce: never are more passwords hashed at the same time than may be, the giving back
// of their memory included.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	h, err := NewHasher(Recommended, 2)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	now, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		now += by
		most = max(most, now)
	}
	h.Freed = func() { count(-1) }
	var came atomic.Int64
	both := make(chan struct{})
	for range 40 {
		wait.Go(func() {
			err := h.inTurn(t.Context(), func() {
				count(1)
				if n := came.Add(1); n == 2 {
					close(both)
				} else if n == 1 {
					<-both // the second is let in meanwhile
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if most != 2 {
		t.Errorf("%d at once, want 2", most)
	}
}

// loginService is as much of the service as a login needs, with one account.
func loginService(t *testing.T) *Service {
	t.Helper()
	d, err := store.Open(t.Context(), storetest.At(storetest.New(t), store.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	h := stuck(t)
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := q.New(tx).InsertAccount(ctx, q.InsertAccountParams{
			Address: make([]byte, 20), Kind: "account", Username: "Somebody", UsernameKey: "somebody"})
		if err != nil {
			return err
		}
		// The password of nobody is somebody's, which must not help.
		_, err = q.New(tx).InsertCredential(ctx, q.InsertCredentialParams{Address: make([]byte, 20), Password: h.dummy})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	count := func() *counter { return &counter{taken: map[string]int{}} }
	return &Service{DB: d, Hasher: h, Failures: Failures{count(), count(), count()}}
}

// counter counts failures and refuses none.
type counter struct {
	mu    sync.Mutex // guards taken
	taken map[string]int
}

// Take counts one.
func (c *counter) Take(_ context.Context, key string) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken[key]++
	return 0, nil
}

// Refund takes one back, also for a caller who has gone.
func (c *counter) Refund(ctx context.Context, key string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken[key]--
	return ctx.Err()
}

// TestLoginHashesOnce: a login takes one turn of the hasher whether the name exists or
// not and whether the password is right or wrong, so that its time tells nothing.
func TestLoginHashesOnce(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	for _, tt := range []struct {
		name, password string
		want           error
	}{
		{"somebody", "nobody's password", nil},
		{"SOMEBODY", "nobody's password", nil},
		{"somebody", "wrong", ErrCredentials},
		{"nobody", "nobody's password", ErrCredentials},
		{"", "", ErrCredentials},
	} {
		var err error
		n := s.Hasher.turns(func() {
			_, err = s.CheckLogin(t.Context(), LoginOptions{tt.name, tt.password, "192.0.2.1"})
		})
		if n != 1 || !errors.Is(err, tt.want) {
			t.Errorf("%q with %q: %d hashes, %v, want one and %v", tt.name, tt.password, n, err, tt.want)
		}
	}
	failures, _ := s.Failures.ByClient.(*counter)
	if got := failures.taken["192.0.2.1"]; got != 3 {
		t.Errorf("%d failures counted, want 3: those who got in have not failed", got)
	}
}

// TestUntriedIsNoFailure: a password that was never tried, because too many were or
// because its caller went, does not count.
func TestUntriedIsNoFailure(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	gone, cancel := context.WithCancel(t.Context())
	go func() {
		for s.Hasher.waiting.Load() == 0 {
			<-time.After(time.Millisecond)
		}
		cancel()
	}()
	if _, err := s.CheckLogin(gone, LoginOptions{"somebody", "wrong", "192.0.2.1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	s.Hasher.waiting.Store(maxQueue)
	if _, err := s.CheckLogin(t.Context(), LoginOptions{"somebody", "wrong", "192.0.2.1"}); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	for _, throttle := range []Throttle{s.Failures.ByNameAndClient, s.Failures.ByName, s.Failures.ByClient} {
		failures, _ := throttle.(*counter)
		for key, n := range failures.taken {
			if n != 0 {
				t.Errorf("%d failures of %q counted, want none", n, key)
			}
		}
	}
}

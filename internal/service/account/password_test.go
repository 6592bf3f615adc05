package account

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
	"roshambo/internal/store/storetest"
)

// manualHasher returns a hasher whose slots the test grants one by one: a call acquires a
// slot when the test receives from slots, and releases it when the test sends.
func manualHasher(t *testing.T) *Hasher {
	t.Helper()
	h, err := NewHasher(Recommended, 1)
	if err != nil {
		t.Fatal(err)
	}
	h.queue.free = 0
	return h
}

// grantSlots grants a slot until work has returned and the slot has rested, and returns the
// number of hashes.
func (h *Hasher) grantSlots(work func()) (n int) {
	h.Freed = func() { n++ }
	h.queue.release()
	work()
	for {
		h.queue.mu.Lock()
		if h.queue.free == 1 {
			h.queue.free = 0
			h.queue.mu.Unlock()
			return n
		}
		h.queue.mu.Unlock()
		<-time.After(time.Millisecond)
	}
}

// length returns the number of calls that wait for a slot.
func (q *hashQueue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}

// clientAt returns the i-th address of a test.
func clientAt(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}) }

// TestNoSalt checks that no password is hashed with a salt that is known or is not random to its end: the
// error of the source of randomness is returned.
func TestNoSalt(t *testing.T) {
	t.Parallel()
	cheap := Cost{KiB: 8, Passes: 1, Lanes: 1}
	for n := range saltSize + 1 { // so many bytes are read
		got, err := cheap.hash("a password", bytes.NewReader(make([]byte, n)))
		want := io.ErrUnexpectedEOF
		switch n {
		case 0:
			want = io.EOF
		case saltSize:
			want = nil
		}
		if !errors.Is(err, want) || (got == "") != (want != nil) {
			t.Errorf("%d bytes of randomness: hash %q, error %v, want %v", n, got, err, want)
		}
	}
}

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	h, err := NewHasher(Recommended, 1)
	if err != nil {
		t.Fatal(err)
	}
	phc, err := h.Hash(t.Context(), netip.Addr{}, "correct horse")
	if err != nil || !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(phc, "correct") {
		t.Fatalf("got %q, %v", phc, err)
	}
	for _, tt := range []struct {
		password, phc string
		want          bool
	}{{"correct horse", phc, true}, {"Correct horse", phc, false}, {"", phc, false}, {dummyPassword, "", false}} {
		if ok, err := h.Verify(t.Context(), netip.Addr{}, false, tt.password, tt.phc); ok != tt.want || err != nil {
			t.Errorf("Verify(%q, %q): got %v, %v, want %v", tt.password, tt.phc, ok, err, tt.want)
		}
	}
	for _, broken := range []string{"x", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=18$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$!$AAAA"} {
		if ok, err := h.Verify(t.Context(), netip.Addr{}, false, "x", broken); ok || err == nil ||
			strings.Contains(err.Error(), broken) {
			t.Errorf("Verify of %q: got %v, %v, want an error that does not repeat it", broken, ok, err)
		}
	}
}

// TestQueue fills the queue for hashes: the next call is refused, and waiting calls return
// when their contexts end.
func TestQueue(t *testing.T) {
	t.Parallel()
	h := manualHasher(t)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, maxQueue)
	var started sync.WaitGroup
	for i := range maxQueue {
		started.Add(1)
		go func() {
			started.Done()
			_, err := h.Hash(ctx, clientAt(i), "a password")
			errs <- err
		}()
	}
	started.Wait()
	for h.queue.length() < maxQueue {
		select {
		case err := <-errs:
			t.Fatalf("a call did not wait: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := h.Hash(t.Context(), netip.Addr{}, "a password"); !errors.Is(err, ErrBusy) {
		t.Errorf("Hash with a full queue: got %v, want ErrBusy", err)
	}
	if _, err := h.Verify(t.Context(), netip.Addr{}, false, "a password", ""); !errors.Is(err, ErrBusy) {
		t.Errorf("Verify with a full queue: got %v, want ErrBusy", err)
	}
	cancel()
	for range maxQueue {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled call: got %v, want context.Canceled", err)
		}
	}
	if n := h.waiting.Load(); n != 0 {
		t.Errorf("waiting is %d after all calls have returned", n)
	}
}

// TestConcurrency checks that never more hashes run at a time than the hasher allows,
// including Freed.
func TestConcurrency(t *testing.T) {
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
	var begun atomic.Int64
	both := make(chan struct{})
	for range maxClientQueue { // more calls of one client would be refused
		wait.Go(func() {
			err := h.withSlot(t.Context(), netip.Addr{}, false, func() {
				count(1)
				if n := begun.Add(1); n == 2 {
					close(both)
				} else if n == 1 {
					<-both // until the second one runs, too
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if most != 2 {
		t.Errorf("%d hashes at a time, want 2", most)
	}
}

// TestSlotRests checks that a slot rests for a multiple of the time that its work has taken.
func TestSlotRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, err := NewHasher(Cost{KiB: 8, Passes: 1, Lanes: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for i := range 3 {
			err := h.withSlot(t.Context(), netip.Addr{}, false, func() {
				if want := time.Duration(i) * (1 + restFactor) * time.Second; time.Since(began) != want {
					t.Errorf("work %d begins after %v, want %v", i, time.Since(began), want)
				}
				<-time.After(time.Second)
			})
			if err != nil || h.waiting.Load() != 0 {
				t.Errorf("work %d: error %v, %d are waiting", i, err, h.waiting.Load())
			}
		}
		<-time.After((restFactor + 1) * time.Second) // the last slot rests
	})
}

// loginService returns a service with the parts that a login needs, and one account.
func loginService(t *testing.T) *Service {
	t.Helper()
	d, err := storetest.TryOpen(t.Context(), storetest.At(storetest.New(t), store.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	h := manualHasher(t)
	err = d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := q.New(tx).InsertAccount(ctx, q.InsertAccountParams{
			Address: make([]byte, 20), Kind: "account", Username: "Ann", UsernameKey: "ann", UsernameFold: "ann"})
		if err != nil {
			return err
		}
		// The account has the dummy password, which must not let other names in.
		_, err = q.New(tx).InsertCredential(ctx, q.InsertCredentialParams{Address: make([]byte, 20), Password: h.dummy})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	count := func() *counter { return &counter{taken: map[FailureKey]int{}} }
	return &Service{DB: d, Hasher: h, Failures: Failures{ByNameAndClient: count(), ByName: count(), ByClient: count()}}
}

// counter is a Throttle that counts failures and refuses none.
type counter struct {
	mu    sync.Mutex // guards taken
	taken map[FailureKey]int
}

// Take counts one failure.
func (c *counter) Take(_ context.Context, key FailureKey) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken[key]++
	return 0, nil
}

// Refund removes one failure. It fails if ctx is cancelled, as a database does.
func (c *counter) Refund(ctx context.Context, key FailureKey) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken[key]--
	return nil
}

// TestLoginHashesOnce checks that a login computes one hash whether or not the name exists
// and the password is right, so its duration reveals neither.
func TestLoginHashesOnce(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	for _, tt := range []struct {
		name, password string
		want           error
	}{
		{"ann", dummyPassword, nil},
		{"ANN", dummyPassword, nil},
		{"ann", "wrong", ErrCredentials},
		{"missing", dummyPassword, ErrCredentials},
		{"", "", ErrCredentials},
	} {
		var err error
		n := s.Hasher.grantSlots(func() {
			o := LoginOptions{Username: tt.name, Password: tt.password, Client: netip.MustParseAddr("192.0.2.1")}
			_, err = s.CheckLogin(t.Context(), o)
		})
		if n != 1 || !errors.Is(err, tt.want) {
			t.Errorf("%q with %q: %d hashes, error %v, want one and %v", tt.name, tt.password, n, err, tt.want)
		}
	}
	failures, _ := s.Failures.ByClient.(*counter)
	if got := failures.taken[FailureKey{Client: netip.MustParseAddr("192.0.2.1")}]; got != 3 {
		t.Errorf("%d failures counted, want 3: a successful login is no failure", got)
	}
}

// TestUnverifiedIsNoFailure checks that a password that was not verified, because the queue
// was full or the request was cancelled, does not count as a failure.
func TestUnverifiedIsNoFailure(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	wrong := LoginOptions{Username: "ann", Password: "wrong", Client: netip.MustParseAddr("192.0.2.1")}
	cancelled, cancel := context.WithCancel(t.Context())
	go func() {
		for s.Hasher.waiting.Load() == 0 {
			<-time.After(time.Millisecond)
		}
		cancel()
	}()
	if _, err := s.CheckLogin(cancelled, wrong); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	s.Hasher.queue.held = map[netip.Prefix]int{netip.PrefixFrom(wrong.Client, 32): maxClientQueue}
	if _, err := s.CheckLogin(t.Context(), wrong); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	for _, throttle := range []Throttle{s.Failures.ByNameAndClient, s.Failures.ByName, s.Failures.ByClient} {
		failures, _ := throttle.(*counter)
		for key, n := range failures.taken {
			if n != 0 {
				t.Errorf("%d failures of %v counted, want none", n, key)
			}
		}
	}
}

// Package testseed gives tests random numbers from a seed that repeats a run. The seed is 1 unless ROSHAMBO_SEED sets
// another: the gate (make test) always runs the same histories, and make nightly explores new
// ones. A failed test logs the seed that repeats it.
package testseed

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Env names the environment variable that holds the seed, a decimal uint64.
const Env = "ROSHAMBO_SEED"

// Seed returns the seed of this run. If t fails it logs how to repeat the run.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if text, ok := os.LookupEnv(Env); ok {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s=%q: %v", Env, text, err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with %s=%d", Env, seed)
		}
	})
	return seed
}

// Rand returns random numbers that follow from the seed of this run.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 1)) // tests must repeat, not be unpredictable
}

// Reader returns random bytes that follow from the seed of this run and the name of t. It is safe
// for concurrent use. Each further Reader of t returns other bytes.
func Reader(t testing.TB) io.Reader {
	t.Helper()
	readers.Lock()
	defer readers.Unlock()
	n := readers.of[t.Name()]
	if n == 0 {
		t.Cleanup(func() {
			readers.Lock()
			defer readers.Unlock()
			delete(readers.of, t.Name())
		})
	}
	readers.of[t.Name()] = n + 1
	key := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", Seed(t), n, t.Name()))
	return &reader{source: rand.NewChaCha8(key)}
}

// readers counts the readers of each running test.
var readers = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// reader is a source of random bytes with a lock.
type reader struct {
	mu     sync.Mutex // guards source
	source *rand.ChaCha8
}

// Read fills p.
func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}

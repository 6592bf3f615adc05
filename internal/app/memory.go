package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// trimEvery is how often the service checks whether it is idle.
	trimEvery = 500 * time.Millisecond
	// idleBytes is the most that an idle service allocates between two checks: a request allocates
	// about 15 kB, and the background loops 0.15 MB.
	idleBytes = 2 << 20
	// worthTrimming is how much must have been allocated since the last release for another garbage
	// collection to pay off.
	worthTrimming = 32 << 20
	// worthGoroutines is how many goroutines must have ended since the last release for the same. An
	// open stream has one or more, with stacks and buffers of 25 kB, and closing it allocates nothing.
	worthGoroutines = 256
)

// trimmer decides when to return memory to the system: as soon as the service is idle, and not
// under load, which would need it again at once. By itself Go collects an idle service's garbage
// only after up to two minutes.
type trimmer struct {
	last       uint64 // bytes allocated until the last check
	trimmed    uint64 // bytes allocated until memory was last released
	goroutines uint64 // the most since then
}

// due reports whether to release memory now. allocated is the number of bytes allocated since the
// start of the process, goroutines the number of goroutines now.
func (t *trimmer) due(allocated, goroutines uint64) bool {
	idle := allocated-t.last <= idleBytes
	t.last = allocated
	t.goroutines = max(t.goroutines, goroutines)
	if !idle || allocated-t.trimmed < worthTrimming && t.goroutines-goroutines < worthGoroutines {
		return false
	}
	t.trimmed, t.goroutines = allocated, goroutines
	return true
}

// trimMemory returns memory to the system whenever the service becomes idle, until ctx ends. forget
// drops the caches first.
func trimMemory(ctx context.Context, forget func()) {
	ticker := time.NewTicker(trimEvery)
	defer ticker.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/sched/goroutines:goroutines"}}
	for t := (trimmer{}); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		metrics.Read(sample)
		if t.due(sample[0].Value.Uint64(), sample[1].Value.Uint64()) {
			forget()
			debug.FreeOSMemory()
			metrics.Read(sample)
			t.last = sample[0].Value.Uint64()
		}
	}
}

// forget drops the caches of accounts, runs, sessions and keys, to return memory, or because changes by
// other nodes may have been missed. The next request of each caller costs a read or two more.
func (s *Service) forget() {
	s.Ledger.Forget()
	s.Runs.ClearCache()
	s.Accounts.ForgetAddresses()
}

package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// trimEvery is how often the service looks whether it has become idle.
	trimEvery = 500 * time.Millisecond
	// idleBytes is the most that is allocated between two looks of a service that is idle,
	// or all but so: a request takes some 15 kB, and the loops of the service 0.15 MB.
	idleBytes = 2 << 20
	// worthTrimming is how much must have been allocated since memory was given back for
	// that to be worth the collection of garbage that it takes.
	worthTrimming = 32 << 20
)

// trimmer decides when memory is given back to the system: not while there is work, when
// it would be needed again at once, but as soon as there is none. By itself Go collects
// garbage when enough has gathered, which in an idle service takes up to two minutes.
type trimmer struct {
	last    uint64 // bytes allocated up to the last look
	trimmed uint64 // and up to when memory was given back
}

// due is told how many bytes have been allocated since the start of the process.
func (t *trimmer) due(allocated uint64) bool {
	idle := allocated-t.last <= idleBytes
	t.last = allocated
	if !idle || allocated-t.trimmed < worthTrimming {
		return false
	}
	t.trimmed = allocated
	return true
}

// trimMemory gives memory back to the system whenever the service has become idle, until
// ctx ends: also what is remembered to be quick, which forget drops.
func trimMemory(ctx context.Context, forget func()) {
	ticker := time.NewTicker(trimEvery)
	defer ticker.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	for t := (trimmer{}); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		metrics.Read(sample)
		if t.due(sample[0].Value.Uint64()) {
			forget()
			debug.FreeOSMemory()
			metrics.Read(sample)
			t.last = sample[0].Value.Uint64()
		}
	}
}

// forget drops what is remembered of who was here lately: each who comes again costs a read
// or two.
func (s *Service) forget() {
	s.Runs.Forget()
	s.Accounts.Forget("")
}

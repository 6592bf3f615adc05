package replay

import (
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
)

// TestMemoryIsFlat compares the peak memory for a chain with the peak for one four times as
// long, in four times as many parts and in one part.
func TestMemoryIsFlat(t *testing.T) { //nolint:paralleltest // measures the heap of the whole process
	// On one processor parts are applied one after another: how far two of them overlap is chance.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	short := peak(t, 2_250, 3)
	long := peak(t, 9_000, 12)
	whole := peak(t, 9_000, 1)
	t.Logf("peak memory: %d KB; of a chain four times as long %d KB, in one part %d KB",
		short>>10, long>>10, whole>>10)
	const some = 1 << 20 // the write buffers of nine parts more take 9 * spillBuffer
	if long > short+some {
		t.Errorf("a chain four times as long needs %d bytes in place of %d", long, short)
	}
	if whole < long+some {
		t.Errorf("in one part it needs %d bytes, in 12 parts %d: the measurement misses the state", whole, long)
	}
}

// peak replays a chain of the given number of accounts and returns the peak of the live heap in
// bytes, sampled every few blocks and reads.
func peak(t *testing.T, accounts, parts int) (most uint64) {
	t.Helper()
	dir := t.TempDir()
	calls := 0
	var mu sync.Mutex // files are read concurrently
	sample := func() {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls%24 == 0 {
			most = max(most, inUse())
		}
	}
	before := inUse()
	opts := Options{Parts: parts, Spill: func() (io.ReadWriteCloser, error) {
		file, err := os.CreateTemp(dir, "spill-")
		return sampledFile{file, sample}, err
	}}
	report := run(t, opts, func(r *Replay) {
		manyRuns(accounts, 500, func(b Block) {
			r.Block(b)
			r.Drain() // otherwise the number of batches in flight, which are all kept, is chance
			sample()
		})
		r.Drain()
		most = max(most, inUse())
	})
	if !report.Valid() || report.Addresses != int64(accounts) {
		t.Fatalf("got %+v", report)
	}
	return most - before
}

// inUse returns the live heap in bytes.
func inUse() uint64 {
	runtime.GC()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// sampledFile is a file that calls beforeRead before each read.
type sampledFile struct {
	*os.File
	beforeRead func()
}

func (w sampledFile) Read(p []byte) (int, error) {
	w.beforeRead()
	return w.File.Read(p)
}

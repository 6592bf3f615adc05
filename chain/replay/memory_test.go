package replay

import (
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
)

// TestMemoryIsFlat replays a chain, and one four times as long in four times as
// many parts.
func TestMemoryIsFlat(t *testing.T) { //nolint:paralleltest // it looks at the heap of the whole process
	short := peak(t, 2_250, 3)
	long := peak(t, 9_000, 12)
	whole := peak(t, 9_000, 1)
	t.Logf("most memory in use: %d KB; with a chain four times as long %d KB, and in one part %d KB", short>>10, long>>10, whole>>10)
	const some = 2 << 20 // batches that are kept for their next use
	if long > short+some {
		t.Errorf("a chain four times as long needs %d bytes in place of %d", long, short)
	}
	if whole < long+some {
		t.Errorf("in one part it needs %d bytes, in 8 parts %d: the state does not show in what is measured", whole, long)
	}
}

// peak replays a chain of so many accounts and returns the most bytes that were in
// use meanwhile, looked at every few blocks and reads.
func peak(t *testing.T, accounts, parts int) (most uint64) {
	t.Helper()
	dir := t.TempDir()
	looks := 0
	var mu sync.Mutex // files are read side by side
	look := func(settle func()) {
		mu.Lock()
		defer mu.Unlock()
		if looks++; looks%24 == 0 {
			settle()
			most = max(most, inUse())
		}
	}
	before := inUse()
	opts := Options{Parts: parts, Spill: func() (io.ReadWriteCloser, error) {
		file, err := os.CreateTemp(dir, "spill-")
		return sampledFile{file, func() { look(func() {}) }}, err
	}}
	report := run(t, opts, func(r *Replay) {
		manyRuns(accounts, 500, func(b Block) {
			r.Block(b)
			look(r.Drain) // how much is on its way is chance
		})
		r.Drain()
		most = max(most, inUse())
	})
	if !report.Valid() || report.Addresses != int64(accounts) {
		t.Fatalf("got %+v", report)
	}
	return most - before
}

// inUse returns the bytes of the heap that are reachable.
func inUse() uint64 {
	runtime.GC()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// watched is a file that calls back before each read.
type sampledFile struct {
	*os.File
	look func()
}

func (w sampledFile) Read(p []byte) (int, error) {
	w.look()
	return w.File.Read(p)
}

package postgres

import (
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
)

// TestSuspect: a round trip that times out counts against the server only on a connection of the latest generation. No
// attempt to connect, which would find that the server answers again, follows on an older one.
func TestSuspect(t *testing.T) {
	t.Parallel()
	p := &pool{generation: new(atomic.Uint64), log: slog.New(slog.DiscardHandler)}
	p.suspect(&conn{link: link{}}, os.ErrDeadlineExceeded)
	if !p.down.Load() || p.generation.Load() != 1 {
		t.Errorf("a new connection: down %v, generation %d", p.down.Load(), p.generation.Load())
	}
	p.down.Store(false) // it has connected again
	p.suspect(&conn{link: link{}}, os.ErrDeadlineExceeded)
	if p.down.Load() || p.generation.Load() != 1 {
		t.Errorf("an old connection: down %v, generation %d", p.down.Load(), p.generation.Load())
	}
}

package witness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Log is the log whose checkpoints are to be cosigned.
type Log interface {
	// Checkpoint returns the newest checkpoint, signed by the log alone.
	Checkpoint(ctx context.Context) ([]byte, error)
	// Consistency proves that the tree of old entries is a prefix of that of size.
	Consistency(ctx context.Context, old, size int64) (tlog.TreeProof, error)
	// Keep stores signature lines of a checkpoint. who names the witness's key.
	Keep(ctx context.Context, who string, size int64, checkpoint []byte, lines string) error
	// Kept returns the size of the checkpoint whose lines of that witness were stored last; 0
	// for none.
	Kept(ctx context.Context, who string) (size int64, err error)
}

// Collector collects cosignatures of the newest checkpoint. Blocks do not wait for it:
// each witness is asked by a loop of its own, and what it has missed it is not asked for
// any more.
type Collector struct {
	Log       Log
	Witnesses []*Client
	// Watch returns a channel that something comes from when there may be another
	// checkpoint, and how to stop that.
	Watch  func() (woken <-chan struct{}, stop func())
	Logger *slog.Logger
	// The least time between two requests to a witness, and the bounds of the time to
	// wait after one that failed; when zero, a second, and 2 s to 5 minutes.
	Every, First, Most time.Duration
}

const (
	every       = time.Second
	firstPause  = 2 * time.Second
	longestWait = 5 * time.Minute
	// answerWithin is how long a witness may take.
	answerWithin = 20 * time.Second
)

// Run collects until ctx ends.
func (c *Collector) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, w := range c.Witnesses {
		all.Go(func() { c.follow(ctx, w) })
	}
	all.Wait()
}

// standing is what is known of a witness.
type standing struct {
	old  int64 // the size that it has cosigned, as far as is known
	done int64 // the size of the last checkpoint whose cosignature was kept
}

func (c *Collector) follow(ctx context.Context, w *Client) {
	woken, stop := c.Watch()
	defer stop()
	var s standing
	pause := time.Duration(0)
	for {
		err := c.ask(ctx, w, &s)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			pause = 0
			if !wait(ctx, cmp.Or(c.Every, every)) {
				return
			}
			select {
			case <-woken:
			case <-ctx.Done():
				return
			}
		default:
			pause = min(max(2*pause, cmp.Or(c.First, firstPause)), cmp.Or(c.Most, longestWait))
			c.Logger.Warn("a witness does not cosign", "witness", w.Verifier.Name(), "error", err, "again_in", pause)
			if !wait(ctx, pause) {
				return
			}
		}
	}
}

// ask gets the newest checkpoint cosigned, unless it is.
func (c *Collector) ask(ctx context.Context, w *Client, s *standing) error {
	checkpoint, err := c.Log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	now, err := parseTree(string(checkpoint[:bodyEnd(checkpoint)]))
	if err != nil || now.N == s.done {
		return err
	}
	lines, err := c.submit(ctx, w, s.old, now.N, checkpoint)
	// What the witness has seen last is asked for by trying; it may have changed since.
	if known, ok := errors.AsType[*conflictError](err); ok {
		if known.size > now.N {
			return fmt.Errorf("%w, and there are %d: another log has this name, or this one was put back from an old copy", err, now.N)
		}
		// What such a witness cosigns next says nothing of what it has cosigned before.
		if kept, err := c.Log.Kept(ctx, who(w)); err != nil || known.size < kept {
			return errors.Join(err, fmt.Errorf("%w, and a cosignature by it of %d is there: it has lost its memory, and needs a new key", known, kept))
		}
		s.old = known.size
		lines, err = c.submit(ctx, w, s.old, now.N, checkpoint)
	}
	if err != nil {
		return err
	}
	s.old = now.N
	if err := c.Log.Keep(ctx, who(w), now.N, checkpoint, lines); err != nil {
		return err
	}
	s.done = now.N
	return nil
}

// who names a witness's key.
func who(w *Client) string { return fmt.Sprintf("%s+%08x", w.Verifier.Name(), w.Verifier.KeyHash()) }

func (c *Collector) submit(ctx context.Context, w *Client, old, size int64, checkpoint []byte) (string, error) {
	r := &request{old: old, checkpoint: checkpoint}
	if 0 < old && old < size {
		var err error
		if r.proof, err = c.Log.Consistency(ctx, old, size); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return w.add(ctx, r)
}

// bodyEnd is where the text of a signed note ends.
func bodyEnd(signed []byte) int {
	for i := len(signed) - 1; i > 0; i-- {
		if signed[i] == '\n' && signed[i-1] == '\n' {
			return i
		}
	}
	return 0
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

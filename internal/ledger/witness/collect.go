package witness

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Log is the log whose checkpoints a Collector has cosigned.
type Log interface {
	// Checkpoint returns the newest checkpoint, signed by the log alone.
	Checkpoint(ctx context.Context) ([]byte, error)
	// Consistency returns the proof that the tree of old entries is a prefix of the tree of
	// size entries.
	Consistency(ctx context.Context, old, size int64) (tlog.TreeProof, error)
	// StoreCosignature stores signature lines of a checkpoint. witness names the witness's key.
	StoreCosignature(ctx context.Context, witness string, size int64, checkpoint []byte, lines string) error
	// CosignedSize returns the size of the checkpoint whose lines were stored last for a witness;
	// 0 for none.
	CosignedSize(ctx context.Context, witness string) (size int64, err error)
}

// Collector collects cosignatures of the newest checkpoint. Sealing does not wait for it: one loop
// per witness requests cosignatures, and skips checkpoints that a newer one has replaced.
type Collector struct {
	Log       Log
	Witnesses []*Client
	// Watch returns a channel that receives when there may be a new checkpoint, and a function
	// that ends it.
	Watch  func() (woken <-chan struct{}, stop func())
	Logger *slog.Logger
	// Every is the least time between two requests to a witness, one second when 0. First and Most
	// bound the pause after a failed request, 2 s and 5 minutes when 0; it doubles in between.
	Every, First, Most time.Duration
}

const (
	every       = time.Second
	firstPause  = 2 * time.Second
	longestWait = 5 * time.Minute
	// requestTimeout bounds one request.
	requestTimeout = 20 * time.Second
)

// Run collects until ctx ends.
func (c *Collector) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, w := range c.Witnesses {
		all.Go(func() { c.follow(ctx, w) })
	}
	all.Wait()
}

// progress is the state of the loop of one witness.
type progress struct {
	old  int64 // size that the witness has cosigned last, as far as is known
	done int64 // size of the last checkpoint whose cosignature was stored
}

// follow requests cosignatures from one witness until ctx ends.
func (c *Collector) follow(ctx context.Context, w *Client) {
	woken, stop := c.Watch()
	defer stop()
	var s progress
	pause := time.Duration(0)
	for {
		err := c.cosign(ctx, w, &s)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			pause = 0
		default:
			pause = min(max(2*pause, cmp.Or(c.First, firstPause)), cmp.Or(c.Most, longestWait))
			c.Logger.Warn("no cosignature from witness", "witness", w.Verifier.Name(), "error", err, "again_in", pause)
		}
		select {
		case <-time.After(cmp.Or(pause, c.Every, every)):
		case <-ctx.Done():
			return
		}
		if err != nil {
			continue
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return
		}
	}
}

// cosign requests and stores a cosignature of the newest checkpoint, unless it is stored already.
func (c *Collector) cosign(ctx context.Context, w *Client, s *progress) error {
	checkpoint, err := c.Log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	now, err := parseTree(textOf(checkpoint))
	if err != nil || now.N == s.done {
		return err
	}
	lines, err := c.submit(ctx, w, s.old, now.N, checkpoint)
	// The first request states the size known here, and the witness corrects it: its own state may
	// have changed.
	if known, ok := errors.AsType[*conflictError](err); ok {
		if known.size > now.N {
			return fmt.Errorf("%w, and this log has %d: another log has this name, or the database was restored from an old copy",
				err, now.N)
		}
		// A witness that lost its state would vouch for nothing it cosigned before.
		if kept, err := c.Log.CosignedSize(ctx, keyName(w)); err != nil || known.size < kept {
			return errors.Join(err, fmt.Errorf("%w, and its cosignature of %d is stored: it has lost its memory, and needs a new key",
				known, kept))
		}
		s.old = known.size
		lines, err = c.submit(ctx, w, s.old, now.N, checkpoint)
	}
	if err != nil {
		return err
	}
	s.old = now.N
	if err := c.Log.StoreCosignature(ctx, keyName(w), now.N, checkpoint, lines); err != nil {
		return err
	}
	s.done = now.N
	return nil
}

// keyName returns the name and hash of a witness's key.
func keyName(w *Client) string {
	return fmt.Sprintf("%s+%08x", w.Verifier.Name(), w.Verifier.KeyHash())
}

// submit sends a checkpoint with the proof that it extends the tree of old entries, and returns the
// signature lines.
func (c *Collector) submit(ctx context.Context, w *Client, old, size int64, checkpoint []byte) (string, error) {
	r := &request{old: old, checkpoint: checkpoint}
	if 0 < old && old < size {
		var err error
		if r.proof, err = c.Log.Consistency(ctx, old, size); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return w.add(ctx, r)
}

// textOf returns the text of a signed note: up to the last empty line.
func textOf(signed []byte) string {
	return string(signed[:bytes.LastIndex(signed, []byte("\n\n"))+1])
}

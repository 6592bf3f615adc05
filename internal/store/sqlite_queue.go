package store

import (
	"context"
	"fmt"
	"sync/atomic"
)

// queueLength is the number of Updates that may be queued; further callers wait to enqueue.
const queueLength = 1024

// job is one Update: queued, then lent the writer's connection, and answered once its outcome
// is certain.
type job struct {
	replies  chan reply  // capacity 1, so that the writer never waits for a caller
	claimed  atomic.Bool // by the writer, or by a caller that withdraws
	err      error       // the closure's, and the Update's once the batch is stored
	internal bool        // writes nothing and is not counted
}

// reply asks a caller to run its closure on tx or, when tx is nil, reports the result of its
// Update.
type reply struct {
	tx  *Tx
	err error
}

// outcome is the result of one run of a closure.
type outcome struct {
	err    error
	exited bool // it panicked or ended its goroutine: no caller awaits the result
	broken bool // the transaction was lost with all of its writes
}

// ok reports whether the closure succeeded in a transaction that is still intact.
func (o outcome) ok() bool { return o.err == nil && !o.exited && !o.broken }

// update queues fn, runs it on this goroutine once the writer lends the connection, and returns
// when its effect is durable or has failed for good.
func (w *sqliteWriter) update(ctx context.Context, fn func(*Tx) error) error {
	return w.queue(ctx, &job{replies: make(chan reply, 1)}, fn)
}

// runExclusive runs fn while no Update runs. It is not counted as an Update.
func (w *sqliteWriter) runExclusive(ctx context.Context, fn func(*Tx) error) error {
	return w.queue(ctx, &job{replies: make(chan reply, 1), internal: true}, fn)
}

// queue enqueues a job and runs fn for it as often as the writer asks.
func (w *sqliteWriter) queue(ctx context.Context, j *job, fn func(*Tx) error) error {
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	var after []func()
	for {
		t, err := w.await(ctx, j)
		if err != nil {
			return err
		}
		if t.tx != nil {
			after = w.run(t.tx, fn)
			continue
		}
		if t.err != nil {
			return t.err
		}
		for _, fn := range after {
			fn()
		}
		return nil
	}
}

// await waits for the next reply to j. The caller may withdraw only before the first one.
func (w *sqliteWriter) await(ctx context.Context, j *job) (reply, error) {
	blocked := *w.blocked.Load()
	for {
		select {
		case t := <-j.replies:
			return t, nil
		case <-blocked:
			if insideClosure() && j.withdraw() {
				panic(fmt.Sprintf(errNested, "Update"))
			}
			blocked = nil
		case <-ctx.Done():
			if j.withdraw() {
				return reply{}, ctx.Err()
			}
			return <-j.replies, nil
		}
	}
}

// withdraw removes the job from the queue unless the writer has claimed it.
func (j *job) withdraw() bool { return j.claimed.CompareAndSwap(false, true) }

// run runs fn on the lent connection and always returns it: after a panic, or a runtime.Goexit
// as in testing's FailNow, which continues in the caller with its own stack, the writer
// continues.
func (w *sqliteWriter) run(tx *Tx, fn func(*Tx) error) (after []func()) {
	o := outcome{exited: true}
	defer func() {
		tx.conn = nil
		w.returned <- o
	}()
	o.err = fn(tx)
	o.exited = false
	return tx.after
}

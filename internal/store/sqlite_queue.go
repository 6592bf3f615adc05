package store

import (
	"context"
	"fmt"
	"sync/atomic"
)

// queueLength is how many updates may wait; further callers wait to wait.
const queueLength = 1024

// job is one Update: queued, lent the writer's connection when its turn comes, and
// told how it ended when that is certain.
type job struct {
	replies  chan reply  // one slot, so that the writer never waits for a caller
	claimed  atomic.Bool // by the writer, or by the caller who leaves
	err      error       // the closure's; the Update's too once the batch is stored
	internal bool        // it writes nothing and is not counted
}

// turn tells a caller to run its closure on tx or, when tx is nil, how its Update
// ended.
type reply struct {
	tx  *Tx
	err error
}

// outcome is what became of one run of a closure.
type outcome struct {
	err    error
	exited bool // it panicked or ended its goroutine: nobody waits for a result
	broken bool // the transaction is no more, with all that was written in it
}

func (o outcome) ok() bool { return o.err == nil && !o.exited && !o.broken }

// update queues fn, runs it on this goroutine when its turn comes, and returns when
// its effect is durable or never will be.
func (w *sqliteWriter) update(ctx context.Context, fn func(*Tx) error) error {
	return w.queue(ctx, &job{replies: make(chan reply, 1)}, fn)
}

// still runs fn while nobody writes. That is no update, and is not counted as one.
func (w *sqliteWriter) runExclusive(ctx context.Context, fn func(*Tx) error) error {
	return w.queue(ctx, &job{replies: make(chan reply, 1), internal: true}, fn)
}

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

// await waits for the next turn of j. Its caller may leave only before the first.
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

// leave takes the job away from the writer, if that has not begun it.
func (j *job) withdraw() bool { return j.claimed.CompareAndSwap(false, true) }

// run runs fn on the borrowed connection and gives it back whatever happens: a
// panic, or a runtime.Goexit as in testing's FailNow, goes on in the caller with its
// own stack, and the writer lives on.
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

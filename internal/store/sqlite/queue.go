package sqlite

import (
	"cmp"
	"context"
	"sync/atomic"

	"roshambo/internal/store"
)

// queueLength is the number of Updates that may be queued; further callers wait to enqueue.
const queueLength = 1024

// queue takes Updates to the writer, which lends its connection to their callers, one at a time.
type queue struct {
	jobs     chan *job
	returned chan outcome                  // sent by the caller that was lent the connection
	blocked  atomic.Pointer[chan struct{}] // closed while a closure exceeds slowRun
}

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
	tx  *store.Tx
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
func (q *queue) update(ctx context.Context, fn func(*store.Tx) error) error {
	return q.do(ctx, &job{replies: make(chan reply, 1)}, fn)
}

// runExclusive runs fn while no Update runs. It is not counted as an Update.
func (q *queue) runExclusive(ctx context.Context, fn func(*store.Tx) error) error {
	return q.do(ctx, &job{replies: make(chan reply, 1), internal: true}, fn)
}

// do enqueues a job and runs fn for it as often as the writer asks.
func (q *queue) do(ctx context.Context, j *job, fn func(*store.Tx) error) error {
	select {
	case q.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		t, err := q.await(ctx, j)
		if err != nil || t.tx == nil {
			return cmp.Or(err, t.err)
		}
		q.run(t.tx, fn)
	}
}

// await waits for the next reply to j. The caller may withdraw only before the first one.
func (q *queue) await(ctx context.Context, j *job) (reply, error) {
	blocked := *q.blocked.Load()
	for {
		select {
		case t := <-j.replies:
			return t, nil
		case <-blocked:
			if message, nested := store.Nested("Update"); nested && j.withdraw() {
				panic(message)
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
func (q *queue) run(tx *store.Tx, fn func(*store.Tx) error) {
	o := outcome{exited: true}
	defer func() {
		tx.End()
		q.returned <- o
	}()
	o.err = fn(tx)
	o.exited = false
}

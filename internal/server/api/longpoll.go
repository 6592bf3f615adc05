package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/internal/server/stream"
)

// longPoll answers an operation that a caller would otherwise repeat. With Prefer: wait=20
// (RFC 7240) it delays the answer until poll reports a change, for at most that many seconds,
// and sets Preference-Applied. Without, it calls poll once and returns its result; so it does when the wait would be
// over at once, as the caller has to act: without Preference-Applied, callers do not ask again at once. Each poll
// authorises the caller in what it reads or writes.
//
// The Idempotency-Key of a delayed POST is ignored: it would store that nothing has happened
// yet. Only operations whose calls may be repeated, as in a queue, use longPoll.
func longPoll[Out any](ctx context.Context, a *call, topics []string, poll func(context.Context) (stream.Poll[Out],
	error)) (*Out, error) {
	a.w.Header().Add("Vary", "Prefer")
	wait := stream.PreferredWait(a.r.Header)
	if wait == 0 {
		s, err := poll(ctx)
		return s.Out, err
	}
	a.repeat = nil
	a.w.Waited = true
	again, held := false, true
	out, err := stream.Await(ctx, a.Streams, wait, topics, func(ctx context.Context) (s stream.Poll[Out], err error) {
		s, err = poll(ctx)
		held = again || s.Changed || !s.Over(a.Streams.Now())
		again = true
		return s, err
	})
	if err == nil && held {
		a.applied(wait)
	}
	return out, err
}

// applied says that the answer was delayed by the caller's preference.
func (a *call) applied(wait time.Duration) {
	a.w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", wait/time.Second))
}

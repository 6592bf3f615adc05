package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
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

// stepPoll is how often a wait for something else looks for a step that its caller owes: the other side of a duel may
// have moved since.
const stepPoll = 10 * time.Second

// stepMargin is how long before the deadline of the caller's own step a wait ends, so that the step is in time.
const stepMargin = 3 * time.Second

// inTime ends the wait of a poll stepMargin before the next step that an account owes in any of its duels, so that the
// caller acts in time although it waits for something else. The zero address has no duels.
func inTime[Out any](ctx context.Context, a *call, s *stream.Poll[Out], me chain.Address) error {
	if s.Changed || me == (chain.Address{}) || stream.PreferredWait(a.r.Header) == 0 {
		return nil
	}
	steps, err := store.Read(ctx, a.DB, func(ctx context.Context, tx *store.Tx) (duel.Steps, error) {
		return a.Duels.StepsOf(ctx, tx, me)
	})
	if err != nil || !steps.Playing {
		return err
	}
	if look := a.Now().Add(stepPoll); s.RetryAt.IsZero() || look.Before(s.RetryAt) {
		s.RetryAt = look
	}
	if !steps.Next.IsZero() {
		s.Until = steps.Next.Add(-stepMargin)
	}
	return nil
}

// remembered returns the address of the caller of an operation that asks for none. It is zero unless this node has
// looked the session or key up within the last minute, as it does for an authorised call once a minute.
func (a *call) remembered() chain.Address {
	c, err := a.presented(a.r)
	if err != nil {
		return chain.Address{}
	}
	address, _ := a.Accounts.Remembered(c.Credential)
	return address
}

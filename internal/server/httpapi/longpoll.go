package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roshambo/internal/store"
)

// maxLongPoll is the longest that an answer is delayed, whatever its caller prefers. Proxies
// close connections that are silent for 60 seconds.
const maxLongPoll = 30 * time.Second

// pollResult is the result of one poll.
type pollResult[Out any] struct {
	out *Out
	// changed reports that out differs from the state that the caller knows, so that it is
	// sent at once.
	changed bool
	// retryAt is when to poll again without a wake-up: when a deadline will have passed, or
	// when the caller's entry in a queue has to be renewed. Zero is never.
	retryAt time.Time
}

// longPoll answers an operation that a caller would otherwise repeat. With Prefer: wait=20
// (RFC 7240) it delays the answer until poll reports a change, for at most that many seconds,
// and sets Preference-Applied. Without, it calls poll once and returns its result.
//
//	known := in.Version // nil until the first poll, when the caller named none
//	return longPoll(ctx, a, []string{event.Duel(code)}, func(ctx context.Context) (pollResult[DuelOut], error) {
//		out, err := write(ctx, a, …) // or read
//		…
//		if known == nil {
//			known = &out.Duel.Version
//		}
//		return pollResult[DuelOut]{out: out, changed: out.Duel.Version != *known, retryAt: deadline}, nil
//	})
//
// poll runs once at first, and then after each wake-up of one of the topics. It opens and ends
// its own transaction, so a waiting request holds neither a transaction nor a connection of the
// database. An error of poll ends the wait and is the answer. The wait also ends, with the last
// result, when the service is about to stop; and, with the context's error, when the caller
// disconnects.
//
// The Idempotency-Key of a delayed POST is ignored: it would store that nothing has happened
// yet. Only operations whose calls may be repeated, as in a queue, use longPoll.
func longPoll[Out any](ctx context.Context, a *API, topics []string, poll func(context.Context) (pollResult[Out],
	error)) (*Out, error) {
	e := stateOf(ctx)
	e.w.Header().Add("Vary", "Prefer")
	wait := preferredWait(e.r.Header)
	if wait == 0 {
		s, err := poll(ctx)
		return s.out, err
	}
	e.repeat = nil
	defer a.countLongPoll(e.w)()
	// The watch begins before the first poll, so that no change falls in between.
	watch := a.Hub.Watch(topics...)
	defer watch.Close()
	over := time.NewTimer(wait)
	defer over.Stop()
	for again := false; ; again = true {
		if c := e.caller; again && c != nil && c.anonymous { // other polls authorise their caller themselves
			if err := a.authoriseAlone(ctx, c); err != nil {
				return nil, err
			}
		}
		s, err := poll(ctx)
		if err != nil {
			return nil, err
		}
		if !s.changed {
			more, err := a.awaitPoll(ctx, watch.C(), over.C, a.nextPoll(s.retryAt))
			if err != nil {
				return nil, err
			}
			if more {
				continue
			}
		}
		e.w.Header().Set("Preference-Applied", "wait="+seconds(wait))
		return s.out, nil
	}
}

// relayDownPoll is the interval of polls while this node does not receive the wake-ups of
// other nodes.
const relayDownPoll = time.Second

// nextPoll returns when to poll again without a wake-up, given the time that the last poll
// asked for; zero is never.
func (a *API) nextPoll(at time.Time) time.Time {
	if a.Relayed == nil || a.Relayed() {
		return at
	}
	if soon := a.Now().Add(relayDownPoll); at.IsZero() || soon.Before(at) {
		return soon
	}
	return at
}

// awaitPoll blocks until the next poll is due (more is true) or the wait is over (more is
// false). It returns the context's error when the caller disconnects.
func (a *API) awaitPoll(ctx context.Context, woken <-chan struct{}, over <-chan time.Time, next time.Time) (more bool,
	err error) {
	var due <-chan time.Time
	if !next.IsZero() {
		// The minimum prevents a busy loop when a passed deadline changes nothing.
		timer := time.NewTimer(max(next.Sub(a.Now()), 10*time.Millisecond))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-woken:
		return true, nil
	case <-due:
		return true, nil
	case <-over:
		return false, nil
	case <-a.draining:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// Drain ends all waiting: it answers long polls and ends streams, so that a stop of the
// service does not wait for them. Later requests are not delayed.
func (a *API) Drain() { a.drain() }

// untilDrain returns a context that also ends, with store.ErrClosed as its cause, when the
// service is about to stop: for long requests that the caller can repeat.
func (a *API) untilDrain(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-a.draining:
			cancel(store.ErrClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// preferredWait returns the N seconds of Prefer: wait=N, at most maxLongPoll. It returns 0
// when the header is absent or malformed: RFC 7240 has a server ignore what it does not
// understand. The first of several counts.
func preferredWait(h http.Header) time.Duration {
	for preference := range strings.SplitSeq(strings.Join(h.Values("Prefer"), ","), ",") {
		preference, _, _ = strings.Cut(preference, ";") // parameters; wait has none
		name, value, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if err != nil {
			return 0
		}
		return min(time.Duration(n)*time.Second, maxLongPoll)
	}
	return 0
}

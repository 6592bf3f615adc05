package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roshambo/internal/store"
)

// maxHold is the longest that an answer is held, whatever its caller prefers. Proxies
// give up on silent connections after 60 seconds.
const maxHold = 30 * time.Second

// sight is what a look at something has shown.
type sight[Out any] struct {
	out *Out
	// news says that this is worth an answer now: it is another state than the caller
	// knows.
	news bool
	// again is when to look again even if nobody wakes: when a deadline will have passed,
	// or when the caller's place in a queue has to be renewed. Zero is never.
	again time.Time
}

// hold answers for operations that a caller would otherwise poll. With Prefer: wait=20
// (RFC 7240) the answer is held until look sees news, for so many seconds at most, and
// carries Preference-Applied; without, look is asked once and what it sees is the answer.
//
//	known := in.Version // nil until the first look, when the caller named none
//	return hold(ctx, a, []string{event.Duel(code)}, func(ctx context.Context) (sight[DuelOut], error) {
//		out, err := write(ctx, a, …) // or read
//		…
//		if known == nil {
//			known = &out.Duel.Version
//		}
//		return sight[DuelOut]{out: out, news: out.Duel.Version != *known, again: deadline}, nil
//	})
//
// look runs once at first, and then each time that one of the topics was woken; it opens
// and ends its own transaction, so that who waits holds neither a transaction nor a
// connection of the database. An error of look ends the wait and is the answer. The wait
// also ends, with what was seen last, when the service is about to stop; and, with the
// context's error, when the caller goes.
//
// A POST that is held is not remembered under its Idempotency-Key: what it would store
// is that nothing has happened yet. So only use it where a call may be repeated, as in a
// queue.
func hold[Out any](ctx context.Context, a *API, topics []string, look func(context.Context) (sight[Out], error)) (*Out, error) {
	e := exchangeOf(ctx)
	e.w.Header().Add("Vary", "Prefer")
	wait := preferredWait(e.r.Header)
	if wait == 0 {
		s, err := look(ctx)
		return s.out, err
	}
	e.repeat = nil
	defer a.held(e.w)()
	// Watched first and looked at then, so that no change falls in between.
	watch := a.Hub.Watch(topics...)
	defer watch.Close()
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		s, err := look(ctx)
		if err != nil {
			return nil, err
		}
		if !s.news {
			more, err := a.waitFor(ctx, watch.C(), over.C, a.lookAgain(s.again))
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

// unheard is how often somebody who waits looks while this node does not hear of others.
const unheard = time.Second

// lookAgain returns when to look again, of a wait that has to look at a time, or never.
func (a *API) lookAgain(at time.Time) time.Time {
	if a.Relayed == nil || a.Relayed() {
		return at
	}
	if soon := a.Now().Add(unheard); at.IsZero() || soon.Before(at) {
		return soon
	}
	return at
}

// waitFor waits until there is a reason to look again, or none to wait any longer.
func (a *API) waitFor(ctx context.Context, woken <-chan struct{}, over <-chan time.Time, again time.Time) (more bool, err error) {
	var due <-chan time.Time
	if !again.IsZero() {
		// At once would be a busy loop if what is due does not change anything.
		timer := time.NewTimer(max(again.Sub(a.Now()), 10*time.Millisecond))
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

// Drain ends all waiting: held answers are given and streams are ended, so that a stop
// of the service need not wait for them. Requests that come later are not held.
func (a *API) Drain() { a.drain() }

// untilDrain returns a context that also ends, with store.ErrClosed as its cause, when the
// service is about to stop: for what takes long and can as well be asked again.
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

// preferredWait reads Prefer: wait=N, at most maxHold; 0 when the caller prefers no
// wait, or says nothing that could be understood, which is to be ignored. Of several
// the first one counts.
func preferredWait(h http.Header) time.Duration {
	for preference := range strings.SplitSeq(strings.Join(h.Values("Prefer"), ","), ",") {
		preference, _, _ = strings.Cut(preference, ";") // parameters, of which wait has none
		name, value, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if err != nil {
			return 0
		}
		return min(time.Duration(n)*time.Second, maxHold)
	}
	return 0
}

package stream

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxWait is the longest that an answer is delayed, whatever its caller prefers. Proxies
// close connections that are silent for 60 seconds.
const MaxWait = 30 * time.Second

// Poll is the result of one poll.
type Poll[Out any] struct {
	Out *Out
	// Changed reports that Out differs from the state that the caller knows, so that it is
	// sent at once.
	Changed bool
	// RetryAt is when to poll again without a wake-up: when a deadline will have passed, or
	// when the caller's entry in a queue has to be renewed. Zero is never.
	RetryAt time.Time
	// Until is when the wait ends without a change, so that the caller can act in time. Zero is never.
	Until time.Time
}

// Over reports whether a wait ends at now, whatever its caller prefers.
func (p *Poll[Out]) Over(now time.Time) bool { return !p.Until.IsZero() && !now.Before(p.Until) }

// next returns when to poll again without a wake-up; zero is never.
func (p *Poll[Out]) next() time.Time {
	if p.Until.IsZero() || !p.RetryAt.IsZero() && p.RetryAt.Before(p.Until) {
		return p.RetryAt
	}
	return p.Until
}

// Await polls until a result has changed, for at most so long, and returns the last result.
//
// poll runs once at first, and then after each wake-up of one of the topics. It opens and ends
// its own transaction, so a waiting request holds neither a transaction nor a connection of the
// database. An error of poll ends the wait and is the answer. The wait also ends, with the last
// result, when the service is about to stop; and, with the context's error, when the caller
// disconnects.
func Await[Out any](ctx context.Context, s *Streams, wait time.Duration, topics []string,
	poll func(ctx context.Context) (Poll[Out], error)) (*Out, error) {
	s.longPolls.Add(1)
	defer s.longPolls.Add(-1)
	// The watch begins before the first poll, so that no change falls in between.
	watch := s.Hub.Watch(topics...)
	defer watch.Close()
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		p, err := poll(ctx)
		if err != nil {
			return nil, err
		}
		if p.Changed || p.Over(s.Now()) {
			return p.Out, nil
		}
		more, err := s.awaitPoll(ctx, watch.C(), over.C, s.nextPoll(p.next()))
		if err != nil {
			return nil, err
		}
		if !more {
			return p.Out, nil
		}
	}
}

// relayDownPoll is the interval of polls while this node does not receive the wake-ups of
// other nodes.
const relayDownPoll = time.Second

// nextPoll returns when to poll again without a wake-up, given the time that the last poll
// asked for; zero is never.
func (s *Streams) nextPoll(at time.Time) time.Time {
	if s.Relayed == nil || s.Relayed() {
		return at
	}
	if soon := s.Now().Add(relayDownPoll); at.IsZero() || soon.Before(at) {
		return soon
	}
	return at
}

// awaitPoll blocks until the next poll is due (more is true) or the wait is over (more is
// false). It returns the context's error when the caller disconnects.
func (s *Streams) awaitPoll(ctx context.Context, woken <-chan struct{}, over <-chan time.Time,
	next time.Time) (more bool, err error) {
	var due <-chan time.Time
	if !next.IsZero() {
		// The minimum prevents a busy loop when a passed deadline changes nothing.
		timer := time.NewTimer(max(next.Sub(s.Now()), 10*time.Millisecond))
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
	case <-s.draining:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// PreferredWait returns the N seconds of Prefer: wait=N, at most MaxWait. It returns 0
// when the header is absent or malformed: RFC 7240 has a server ignore what it does not
// understand. The first of several counts.
func PreferredWait(h http.Header) time.Duration {
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
		return min(time.Duration(n)*time.Second, MaxWait)
	}
	return 0
}

package client

import (
	"net/http"
	"regexp"
	"sync"
	"time"
)

// pace spaces out requests when less than a quarter of the request limit is left, so that
// the service need not reject any. The header RateLimit (IETF draft ratelimit-headers)
// states that the service accepts r more requests in the next t seconds; RateLimit-Policy
// states the limit q of w seconds. So r includes what other clients of the same budget do, such as other bots at a
// network address. Steps of a duel are spaced out below half of the limit, see stepGap. The zero pace delays nothing.
type pace struct {
	// mu guards the fields below.
	mu sync.Mutex
	// gap is the minimum time between two requests; 0 while enough of the limit is left.
	gap time.Duration
	// next is the earliest time of the next request.
	next time.Time
	// stepGap and stepNext are the same for a step of a duel: while less than half of the limit is left, the rest is
	// spread over its whole window, as what several bots at one address have used in a moment comes back a window later.
	stepGap  time.Duration
	stepNext time.Time
	// left and most are the newest r, without the requests in flight, and q; 0 before the first response.
	left, most int
	// inFlight counts the requests without a response, which r may not include.
	inFlight int
}

// rateLimit and rateLimitPolicy find r, t, q and w in the two headers. The service sends one
// policy.
var (
	rateLimit       = regexp.MustCompile(`;r=(\d+);t=(\d+)`)
	rateLimitPolicy = regexp.MustCompile(`;q=(\d+);w=(\d+)`)
)

// reserve returns 0 if the caller may send a request now, which it must complete by
// calling done. Otherwise it returns the time to wait before the next call of reserve. A step of a duel has a
// deadline, until which it waits at most; other requests have the zero time.
func (p *pace) reserve(deadline time.Time) time.Duration {
	now := clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	wait := p.next.Sub(now)
	if !deadline.IsZero() {
		wait = min(max(wait, p.stepNext.Sub(now)), deadline.Sub(now))
	}
	if wait > 0 {
		return wait
	}
	p.next, p.stepNext = now.Add(p.gap), now.Add(p.stepGap)
	p.inFlight++
	return 0
}

// done completes a request, with or without a response.
func (p *pace) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight--
}

// covered reports whether enough is left of the limit to begin a duel: a third of it, as other clients may
// share it.
func (p *pace) covered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 3*p.left >= p.most
}

// clock returns the time by which requests are spaced.
func clock() time.Time { return time.Now() } //nolint:forbidigo // a client waits in real time

// observe updates both gaps from the headers of a response. Requests in flight count as
// used, since the service may have received them after it computed r.
func (p *pace) observe(h http.Header) {
	limit := readLimit(h)
	if limit == nil || limit.Reset > maxPace {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r, q := max(0, limit.Left-p.inFlight), limit.Limit
	p.left, p.most = r, q
	if p.stepGap = 0; 2*r < q {
		p.stepGap = limit.Window / time.Duration(r+1)
	}
	if next := clock().Add(p.stepGap); p.stepNext.Before(next) {
		p.stepNext = next
	}
	if 4*r >= q {
		p.gap = 0
		return
	}
	p.gap = limit.Reset / time.Duration(r+1) * 240 / steady
	if next := clock().Add(p.gap); p.next.Before(next) {
		p.next = next
	}
}

// steady is the requests of 240 that are used at a steady pace: at exactly the limit, the jitter of the
// network makes the service refuse one now and then.
const steady = 235

// maxPace is the longest window that is obeyed. A daily limit is left to the caller: to
// space requests over hours would look like a hang.
const maxPace = 5 * time.Minute

package client

import (
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// pace spreads requests over time when little of the service's request limit is left, so
// that the service need not refuse any: RateLimit says that r more requests are answered
// now, and that there are more of them in t seconds. While a quarter of the limit is left,
// requests wait for nothing.
type pace struct {
	mu     sync.Mutex // guards what follows
	gap    time.Duration
	next   time.Time // when the next request may be made
	flying int       // requests that are not answered yet: r may not include them
}

var (
	rateLimit       = regexp.MustCompile(`;r=(\d+);t=(\d+)`)
	rateLimitPolicy = regexp.MustCompile(`;q=(\d+)`)
)

// take returns 0 when the caller may make a request now, which it must end by done, and
// otherwise how long to wait before it asks again.
func (p *pace) take() time.Duration {
	now := clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.next.Sub(now); wait > 0 {
		return wait
	}
	p.next = now.Add(p.gap)
	p.flying++
	return 0
}

// done ends a request, answered or not.
func (p *pace) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying--
}

// clock is the time by which requests are paced.
func clock() time.Time { return time.Now() } //nolint:forbidigo // a client waits in real time

// learn reads what an answer says of the limit.
func (p *pace) learn(h http.Header) {
	limit := rateLimit.FindStringSubmatch(h.Get("RateLimit"))
	policy := rateLimitPolicy.FindStringSubmatch(h.Get("RateLimit-Policy"))
	if limit == nil || policy == nil {
		return
	}
	r, errR := strconv.Atoi(limit[1])
	t, errT := strconv.Atoi(limit[2])
	q, errQ := strconv.Atoi(policy[1])
	if errR != nil || errT != nil || errQ != nil || t > int(maxPace.Seconds()) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r = max(0, r-p.flying)
	if 4*r >= q {
		p.gap = 0
		return
	}
	p.gap = time.Duration(t) * time.Second / time.Duration(r+1)
	if next := clock().Add(p.gap); p.next.Before(next) {
		p.next = next
	}
}

// maxPace is the longest wait that is believed: a limit by the day is for the caller to deal
// with.
const maxPace = 5 * time.Minute

package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"roshambo/client/api"
)

// Meta holds what an answer states besides its body.
type Meta struct {
	// RequestID identifies the request in the service's log; "" for the answer of a proxy.
	RequestID string
	// RateLimit is the request limit after the call; nil if the answer does not state it.
	RateLimit *RateLimit
	// Held reports whether the service followed Wait: it held the answer, or there was news at once.
	Held bool
	// Replayed reports whether this is the stored answer to an earlier call with the same Idempotency-Key.
	Replayed bool
}

// RateLimit is a request limit, as the headers RateLimit and RateLimit-Policy state it (IETF draft ratelimit-headers):
// the service accepts Left requests now, and more of them after Reset; Limit of them within a Window.
type RateLimit struct {
	Left, Limit   int
	Reset, Window time.Duration
}

// MetaOf returns what an answer states besides its body, before or after Read.
func MetaOf[T any](answer *api.Answer[T]) Meta {
	h := answer.Header
	return Meta{
		RequestID: h.Get("X-Request-Id"), RateLimit: readLimit(h),
		Held:     strings.Contains(h.Get("Preference-Applied"), "wait="),
		Replayed: h.Get("Idempotent-Replayed") != "",
	}
}

// readLimit reads the request limit from the headers of an answer. It returns nil if they state none.
func readLimit(h http.Header) *RateLimit {
	limit := rateLimit.FindStringSubmatch(h.Get("RateLimit"))
	policy := rateLimitPolicy.FindStringSubmatch(h.Get("RateLimit-Policy"))
	if limit == nil || policy == nil {
		return nil
	}
	r, errR := strconv.Atoi(limit[1])
	t, errT := strconv.Atoi(limit[2])
	q, errQ := strconv.Atoi(policy[1])
	w, errW := strconv.Atoi(policy[2])
	if errR != nil || errT != nil || errQ != nil || errW != nil || t > maxSeconds || w > maxSeconds {
		return nil
	}
	return &RateLimit{Left: r, Limit: q, Reset: time.Duration(t) * time.Second, Window: time.Duration(w) * time.Second}
}

// maxSeconds is the longest time of a limit in seconds that is believed, a year: longer ones could overflow.
const maxSeconds = 365 * 24 * 3600

package client

import (
	"context"
	"net/http"
	"time"

	"roshambo/client/api"
)

// bounds are the longest times of the calls about a duel. A missed deadline costs a round, and a refused call nothing,
// so each is well below the time of a step.
type bounds struct {
	// hold is how long the bot asks the service to hold an answer, in whole seconds.
	hold time.Duration
	// attempt limits an attempt, in addition to hold: a connection that is lost in silence is given up with time for
	// another attempt.
	attempt time.Duration
	// pace is the longest delay of a step by pace; a read waits for twice as long at most.
	pace time.Duration
	// retry is the longest Retry-After that is obeyed, and backoff the longest delay after a failure that names none.
	retry, backoff time.Duration
}

// usualStep are the seconds of a step between bots, and shortestStep the fewest that the host of a cup or the creator
// of a duel may choose.
const usualStep, shortestStep = 15, 5

// usual are the bounds of a step of usualStep or more, and of calls that look for a duel.
var usual = bounds{hold: 5 * time.Second, attempt: 4 * time.Second, pace: 3 * time.Second, retry: 5 * time.Second,
	backoff: time.Second}

// boundsOf returns the bounds of the calls about a duel: shorter ones by the same factor as its steps.
func boundsOf(d *api.Duel) bounds {
	step := int64(usualStep)
	if d.MoveSeconds != nil {
		step = min(usualStep, max(shortestStep, *d.MoveSeconds))
	}
	part := func(of time.Duration) time.Duration { return of * time.Duration(step) / usualStep }
	return bounds{hold: part(usual.hold).Truncate(time.Second), attempt: part(usual.attempt), pace: part(usual.pace),
		retry: part(usual.retry), backoff: part(usual.backoff)}
}

// AsSteps returns a context whose calls belong to a duel, whose steps have deadlines: a call keeps to the request limit
// for seconds only, obeys a Retry-After for as long, and gives up an attempt whose connection is silent; nil stands for
// a duel that is not known yet, with steps of 15 seconds. PlayRound and the loops of a Bot do so themselves; it is for
// the calls before and between them.
func AsSteps(ctx context.Context, d *api.Duel) context.Context {
	if d == nil {
		return asSteps(ctx, usual)
	}
	return asSteps(ctx, boundsOf(d))
}

// stepKey is the key of asSteps in a context.
type stepKey struct{}

// asSteps returns a context whose requests are steps of a duel, or reads that wait for one: they keep to its bounds.
func asSteps(ctx context.Context, of bounds) context.Context {
	return withAttempts(context.WithValue(ctx, stepKey{}, of), of.attempt)
}

// stepBounds returns the bounds of a request whose context is one of asSteps.
func stepBounds(r *http.Request) (of bounds, isStep bool) {
	of, isStep = r.Context().Value(stepKey{}).(bounds)
	return of, isStep
}

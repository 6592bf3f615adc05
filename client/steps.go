package client

import "context"

// AsSteps returns a context whose calls belong to a duel, whose steps have deadlines: a call keeps to the request limit
// for seconds only, obeys a Retry-After for as long, and gives up an attempt whose connection is silent. PlayRound and
// the loops of a Bot do so themselves; it is for the calls before and between them.
func AsSteps(ctx context.Context) context.Context { return asSteps(withAttempts(ctx, stepTimeout)) }

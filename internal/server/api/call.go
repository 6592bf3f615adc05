package api

import (
	"context"
	"errors"
	"net/http"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// call is a call of an operation: the operations, and what they may use of the request beside its input.
type call struct {
	*API

	w       *Response
	r       *http.Request
	caller  *caller             // nil when not signed in
	repeat  *idempotency.Call   // nil for a call without Idempotency-Key
	charged func()              // returns what a budget has counted; nil for nothing
	device  account.DeviceToken // of the browser that has signed in; zero for none
	meets   string              // name or address of the other account that the use case locks; "" for none
}

// callKey is the key of the call in a request's context, where package contract carries it from before to
// the other hooks and to the handler that add registers.
type callKey struct{}

// callOf returns the call that ctx belongs to; nil before it, and outside of the contract.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// requestID returns the id of the request, which the client has as X-Request-Id.
func (a *call) requestID() string { return a.w.Header().Get("X-Request-Id") }

// add registers an operation, whose handler runs as a method of its call. Where an operation that also answers
// strangers finds that the session was over before, it runs again for a stranger.
func add[In, Out any](a *API, op contract.Operation, handler func(*call, context.Context, *In) (*Out, error)) {
	contract.Add(a.Contract, op, func(ctx context.Context, in *In) (*Out, error) {
		c := callOf(ctx)
		out, err := handler(c, ctx, in)
		if c.caller != nil && c.caller.estranged(err) {
			c.caller, c.w.Account = nil, chain.Address{}
			out, err = handler(c, ctx, in)
		}
		return out, err
	})
}

// addStream is add for an operation that streams.
func addStream[In any](a *API, op contract.Operation, kind string, handler func(*call, context.Context,
	*In) (contract.Stream, error)) {
	contract.AddStream(a.Contract, op, kind, func(ctx context.Context, in *In) (contract.Stream, error) {
		return handler(callOf(ctx), ctx, in)
	})
}

// none is the input of operations without parameters.
type none struct{}

// caller is the caller that a request names. Its scheme follows from the form of its credential; its
// address is a guess until it is authorised, which every use case does in its own transaction.
type caller struct {
	account.Credential

	scheme  string
	address chain.Address
	needed  account.Scopes // that it must have

	anonymous bool // the operation answers without a caller, too

	// Set by each authorisation.
	account account.Account
	scopes  account.Scopes
	tx      *store.Tx // in which the caller was authorised last; nil outside
	known   bool      // account and scopes are set
	settled bool      // it was authorised in this request, and not refused since
	met     bool      // it was authorised in this request, perhaps refused since
}

// estranged reports whether an error makes the caller a stranger of an operation that answers strangers: its session
// was over or suspended before. One that ends during a long poll is an error, of which its page learns, and so is a
// wrong key, whose bearer means to be known.
func (c *caller) estranged(err error) bool {
	return c.anonymous && !c.met && c.Key.None() &&
		(errors.Is(err, account.ErrNoSession) || errors.Is(err, account.ErrFrozen))
}

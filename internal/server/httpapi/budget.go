package httpapi

import (
	"context"
	"errors"

	"roshambo/contract"
	"roshambo/internal/platform/limit"
	"roshambo/internal/store"
)

// Budgets of costly operations by network address. An operation counts once its input is valid,
// before its transaction, as the limiter may wait for Redis; when the call fails, or repeats a
// stored answer, the count is returned. A crash in between leaves a count without an effect: the
// address may do one thing less until the window ends.

// charge is an action that a request has counted.
type charge struct{ refund func() }

// budgetOf returns the budget of an operation and the message when it is used up; nil for none.
func (a *API) budgetOf(operation string) (*limit.Budget, string) {
	switch operation {
	case "listToken":
		return a.ListingLimit, "Too many new listings from this network address."
	case "createDuel", "spar":
		return a.DuelLimit, "Too many new duels from this network address."
	case "createCup":
		return a.CupLimit, "Too many new cups from this network address."
	}
	return nil, ""
}

// countBudget counts a request against the budget of its operation. The house's bots have no
// budget. Errors: *rateLimitError.
func (a *API) countBudget(ctx context.Context, e *requestState, op *contract.Operation) error {
	budget, message := a.budgetOf(op.ID)
	if budget == nil || isInProcess(ctx) {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // a caller that disconnects must not prevent the refund
	address := a.clients.address(e.r)
	if d := budget.Take(ctx, "", address); !d.OK {
		return &rateLimitError{wait: d.Wait, message: message}
	}
	e.charged = &charge{func() { budget.Refund(ctx, "", address) }}
	return nil
}

// refundBudget returns what a failed request has counted. An unknown outcome stays counted.
func refundBudget(ctx context.Context, err error) {
	e := stateOf(ctx)
	if e == nil || e.charged == nil || errors.Is(err, store.ErrUnavailable) {
		return
	}
	e.charged.refund()
	e.charged = nil
}

// documentBudget adds the error of an operation's budget to the contract.
func documentBudget(op *contract.Operation) {
	switch op.ID {
	case "listToken", "createDuel", "spar", "createCup":
		op.Errors = append(op.Errors, contract.ErrorDoc{Status: 429, Code: "rate_limited",
			When: "Too many of this network address (GET /api/limits); see retry_after_ms."})
	}
}

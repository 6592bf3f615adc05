package api

import (
	"context"
	"errors"
	"net/http"

	"roshambo/contract"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/platform/limit"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// countAccount counts a new account against the budgets of the caller's network address, before the
// transaction that opens it: the budget of new accounts, and the one of free starts on the UTC day,
// beyond which the account has a bound start. The caller calls end once with the outcome of the
// transaction: when it opened no account, end returns the counts to the budgets. An unknown outcome
// stays counted. A crash before end leaves counts without an account: the address may open one
// account fewer, and one fewer with a free start, until the window ends. Errors: *RateLimitError.
func (a *call) countAccount(ctx context.Context) (start account.Start, end func(err error), err error) {
	d, refund := a.count(ctx, a.AccountLimit, "")
	if !d.OK {
		return false, nil, &RateLimitError{Wait: d.Wait, Message: "Too many new accounts from this network address."}
	}
	free, refundFree := a.count(ctx, a.FreeStarts, a.today())
	if !free.OK {
		start = account.BoundStart
	}
	return start, func(err error) {
		if err != nil && !errors.Is(err, store.ErrUnavailable) {
			refund()
			refundFree()
		}
	}, nil
}

// count counts what the caller does against a budget, nil for none, before the transaction that does it, as the
// limiter may wait for Redis. It returns a function that takes the count back. The house's bots have no budget.
func (a *call) count(ctx context.Context, budget *limit.Budget, action string) (d limit.Decision, refund func()) {
	if budget == nil || a.w.Client.Inside {
		return limit.Decision{OK: true}, func() {}
	}
	ctx = context.WithoutCancel(ctx) // a caller that disconnects must not prevent the refund
	address := a.w.Client.Charged
	if d = budget.Take(ctx, action, address); !d.OK {
		return d, func() {}
	}
	return d, func() { budget.Refund(ctx, action, address) }
}

// useOf returns what a client says about the use of networks: none for an address that is not charged.
func (a *API) useOf(client Client) account.Use {
	use := account.Use{Shown: client.Network()}
	if !a.charges(client) {
		return use
	}
	times := 1
	if client.Shared {
		times = limit.SharedTimes
	}
	for _, level := range limit.AppendLevels(nil, client.Charged, times) { // all unknown ones count as one
		use.Networks = append(use.Networks, account.Network{Prefix: level.Prefix, Times: int64(level.Max)})
	}
	return use
}

// charges reports whether what a client does is charged to its network.
func (a *API) charges(client Client) bool {
	return a.NetworkKey != nil && !client.Inside && (!a.PairPrivate || !limit.Private(client.Charged))
}

// origin returns the network that is charged with what a request begins to show; nil for addresses that many
// people share and for those that are not compared.
func (a *call) origin() *fairshare.Network {
	if !a.charges(a.w.Client) || a.w.Client.Shared {
		return nil
	}
	return &fairshare.Network{Key: a.NetworkKey, Address: a.w.Client.Charged}
}

// today names the current UTC day in budgets that begin anew with it.
func (a *API) today() string { return a.Now().UTC().Format(dateFormat) }

// share is a run's part of what a network address may have on a UTC day.
type share struct {
	counted bool // it is within the limit
	used    bool // the run has it
	refund  func()
}

// countShare counts a run against a budget, nil for none. It counts the start and not the end, because
// what a run can win is recorded at its start. The caller calls end once with the outcome. A crash before
// end leaves a count without a run: one less on that day.
func (a *call) countShare(ctx context.Context, budget *limit.Budget) *share {
	d, refund := a.count(ctx, budget, a.today())
	return &share{counted: d.OK, refund: refund}
}

// again begins another attempt of the transaction, which may start another run.
func (s *share) again() { s.used = false }

// take reports whether the run may have its share, and marks the count as used.
func (s *share) take() bool {
	s.used = s.counted
	return s.counted
}

// end returns an unused count to the budget, and the count of a run that was not started.
func (s *share) end(err error) {
	if !s.used || err != nil && !errors.Is(err, store.ErrUnavailable) {
		s.refund()
	}
}

// accountLimited documents the error of countAccount.
func accountLimited() contract.ErrorDoc {
	return contract.ErrorDoc{Status: http.StatusTooManyRequests, Code: "rate_limited",
		When: "Too many new accounts from this network address (GET /api/limits); see retry_after_ms."}
}

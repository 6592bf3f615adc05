package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"roshambo/contract"
	"roshambo/internal/platform/limit"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// Limits by network address are the service's defence against floods, so an address must not be
// easy to forge or to multiply: the header of a proxy counts only when the operator has named the
// proxy, and IPv6 addresses count by network. An address that many people share, a class or an office,
// is no flood: there calls count by their session or key, once the service has found it valid.

// clientIP finds the network address of a request's client. It trusts X-Forwarded-For only as far
// as the operator's own proxies wrote it: any client can send that header.
type clientIP struct{ proxies limit.Ranges }

// newClientIP returns a clientIP for the addresses and ranges of trusted proxies.
func newClientIP(proxies []string) (clientIP, error) {
	trusted, err := limit.ParseRanges(proxies)
	if err != nil {
		return clientIP{}, fmt.Errorf("httpapi: trusted proxies: %w", err)
	}
	return clientIP{trusted}, nil
}

// address returns the client's network address, or the zero Addr when it is unknown. Limits count
// it by the levels of package limit. A header of a connection that comes from no trusted proxy does
// not change it.
func (c clientIP) address(r *http.Request) netip.Addr {
	return c.proxies.ClientOf(r.RemoteAddr, r.Header.Values("X-Forwarded-For"))
}

// charged returns the address for limits that exempt private addresses. A private address that forwards
// requests is a proxy that the operator has not named: the clients behind it may come from anywhere. Their
// address is unknown, so all of them share one budget, and none is exempt as private.
func (c clientIP) charged(r *http.Request) netip.Addr {
	address := c.address(r)
	forwards := r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != ""
	if forwards && limit.Private(address) && address == (limit.Ranges{}).ClientOf(r.RemoteAddr, nil) &&
		!c.proxies.Contains(address) {
		return netip.Addr{}
	}
	return address
}

// rateLimitError reports that a client exceeded a limit.
type rateLimitError struct {
	wait    time.Duration
	message string // "" for those of a network address
}

func (e *rateLimitError) Error() string { return "httpapi: too many requests" }

// inProcessKey is the key of the mark of InProcess in a context.
type inProcessKey struct{}

// InProcess marks the context of connections within the process, those of the house's bots. They
// have no network address, so limits by address do not count them. The listener sets the mark; no
// header can.
func InProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, inProcessKey{}, true)
}

// isInProcess reports whether a request comes from within the process.
func isInProcess(ctx context.Context) bool { return ctx.Value(inProcessKey{}) != nil }

// isShared reports whether many people share the address of a request.
func (a *API) isShared(r *http.Request) bool {
	address := a.clients.charged(r)
	return a.SharedAddresses.Contains(address) || a.SharePrivate && limit.Private(address)
}

// useOf returns what a request says about the use of networks: none for an address that is not charged.
func (a *API) useOf(r *http.Request) account.Use {
	use := account.Use{Shown: shortNetwork(a.clients.address(r))}
	address := a.clients.charged(r) // all unknown ones count as one
	if a.NetworkKey == nil || isInProcess(r.Context()) || a.PairPrivate && limit.Private(address) {
		return use
	}
	times := 1
	if a.SharedAddresses.Contains(address) {
		times = limit.SharedTimes
	}
	for _, level := range limit.AppendLevels(nil, address, times) {
		use.Networks = append(use.Networks, account.Network{Prefix: level.Prefix, Times: int64(level.Max)})
	}
	return use
}

// countRequest counts a request against its client's limit, and reports the rest in the headers of
// every answer (draft-ietf-httpapi-ratelimit-headers-10): r more requests are answered now, and
// more are available in t seconds. Requests that arrive spread so are never refused. A file counts by the address; a
// call as well, or by its session or key at a shared address.
// Errors: *rateLimitError.
func (a *API) countRequest(w http.ResponseWriter, r *http.Request, call bool) error {
	l, budget := a.RateLimit, &budgetIP
	if !call {
		l, budget = a.FileLimit, &budgetFiles
	}
	if l == nil || isInProcess(r.Context()) {
		return nil
	}
	var d limit.Decision
	switch address := a.clients.address(r); {
	case !a.isShared(r):
		d = l.Take(r.Context(), address)
	case !call:
		budget = &budgetSharedFiles
		d = l.TakeOf(r.Context(), address, budget.times)
	default:
		credential := a.proven(r)
		if credential != "" {
			budget = &budgetCredential
		}
		d = l.TakeShared(r.Context(), address, credential)
	}
	h := w.Header()
	// Spelled as in the draft; Set would change the case.
	most, left := strconv.Itoa(budget.times*l.Max()), strconv.Itoa(d.Remaining)
	h["RateLimit-Policy"] = []string{budget.name + ";q=" + most + ";w=" + seconds(l.Window())}
	h["RateLimit"] = []string{budget.name + ";r=" + left + ";t=" + seconds(d.Reset)}
	if !d.OK {
		return &rateLimitError{wait: d.Wait}
	}
	return nil
}

// proven returns what identifies the session or key of a request from a shared address, if it was valid;
// otherwise "". A session or key that the node does not remember is looked up first, or a flood of calls
// without one would keep all who come after it out. Only look-ups that find nothing use up the budget of
// the address for them, so random secrets buy no more; beyond it a call counts by the address.
func (a *API) proven(r *http.Request) string {
	c, err := a.presented(r)
	if err != nil {
		return ""
	}
	if known := a.Accounts.RememberedHash(c.Credential); known != "" {
		return known
	}
	ctx, address := r.Context(), a.clients.address(r)
	if !a.RateLimit.TakeLookUp(ctx, address) {
		return ""
	}
	if _, err := a.Accounts.LookUp(ctx, c.Credential, a.useOf(r)); err != nil {
		return ""
	}
	a.RateLimit.RefundLookUp(context.WithoutCancel(ctx), address)
	return a.Accounts.RememberedHash(c.Credential)
}

// requestBudget is a budget of requests: its name in the headers, and the multiple of the limit that it is.
type requestBudget struct {
	name  string
	times int
}

// The budgets of requests.
var (
	budgetIP          = requestBudget{`"ip"`, 1}
	budgetCredential  = requestBudget{`"credential"`, 1}
	budgetFiles       = requestBudget{`"files"`, 1}
	budgetSharedFiles = requestBudget{`"files"`, limit.SharedTimes}
)

// countLogBytes counts the bytes of a file of the public log against the limit of the client's address,
// in KiB. Errors: *rateLimitError.
func (a *API) countLogBytes(r *http.Request, n int) error {
	if a.LogLimit == nil || isInProcess(r.Context()) {
		return nil
	}
	for _, level := range limit.AppendLevels(nil, a.clients.address(r), 1) {
		kib := max(1, n>>10/level.Max) // instead of a limit of level.Max times as many
		if d, err := a.LogLimit.Spend(r.Context(), level.Prefix.String(), kib); err != nil || !d.OK {
			return cmp.Or[error](err, &rateLimitError{wait: d.Wait})
		}
	}
	return nil
}

// countAccount counts a new account against the budgets of the caller's network address, before the
// transaction that opens it: that of new accounts, and that of free starts on the UTC day, beyond
// which the account has a bound start. The caller calls end once with the outcome of the transaction:
// when it opened no account, end returns the counts to the budgets. An unknown outcome stays counted.
// A crash before end leaves counts without an account: the address may open one account fewer, and
// one fewer with a free start, until the window ends. Errors: *rateLimitError.
func (a *API) countAccount(ctx context.Context) (start account.Start, end func(err error), err error) {
	if isInProcess(ctx) {
		return account.FreeStart, func(error) {}, nil
	}
	ctx = context.WithoutCancel(ctx) // a caller that disconnects must not prevent the refund
	address, day := a.clients.charged(stateOf(ctx).r), a.today()
	if a.AccountLimit != nil {
		if d := a.AccountLimit.Take(ctx, "", address); !d.OK {
			return false, nil, &rateLimitError{wait: d.Wait, message: "Too many new accounts from this network address."}
		}
	}
	if a.FreeStarts != nil && !a.FreeStarts.Take(ctx, day, address).OK {
		start = account.BoundStart
	}
	return start, func(err error) {
		if err == nil || errors.Is(err, store.ErrUnavailable) {
			return
		}
		if a.AccountLimit != nil {
			a.AccountLimit.Refund(ctx, "", address)
		}
		if a.FreeStarts != nil && start == account.FreeStart {
			a.FreeStarts.Refund(ctx, day, address)
		}
	}, nil
}

// today names the current UTC day in budgets that begin anew with it.
func (a *API) today() string { return a.Now().UTC().Format(dateFormat) }

// share is a run's part of what a network address may have on a UTC day.
type share struct {
	counted bool // it is within the limit
	used    bool // the run has it
	refund  func()
}

// countShare counts a run against a budget, nil for none, before the transaction that starts it, as
// the limiter may wait for Redis. It counts the start and not the end, because what a run can win is
// recorded at its start. The caller calls end once with the outcome. A crash before end leaves a
// count without a run: one less on that day.
func (a *API) countShare(ctx context.Context, budget *limit.Budget) *share {
	s := &share{counted: true, refund: func() {}}
	if budget == nil || isInProcess(ctx) {
		return s
	}
	ctx = context.WithoutCancel(ctx) // a caller that disconnects must not prevent the refund
	address, day := a.clients.charged(stateOf(ctx).r), a.today()
	if s.counted = budget.Take(ctx, day, address).OK; s.counted {
		s.refund = func() { budget.Refund(ctx, day, address) }
	}
	return s
}

// again begins another attempt of the transaction, which may start another run.
func (s *share) again() { s.used = false }

// take reports whether the run may have its share, and marks the count as used.
func (s *share) take() bool {
	s.used = s.counted
	return s.counted
}

// end returns an unused count to the budget, and that of a run that was not started.
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

// seconds rounds up, so that a caller that waits this long never comes early.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

package edge

import (
	"net/http"
	"strconv"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
)

// client returns the client of a request.
func (e *Edge) client(r *http.Request) api.Client {
	c := api.Client{Address: e.clients.address(r), Charged: e.clients.charged(r), Inside: isInProcess(r.Context())}
	c.Shared = e.SharedAddresses.Contains(c.Charged) || e.SharePrivate && limit.Private(c.Charged)
	return c
}

// countRequest counts a request against its client's limit, and reports the rest in the headers of
// every answer (draft-ietf-httpapi-ratelimit-headers-10): r more requests are answered now, and
// more are available in t seconds. Requests that arrive spread so are never refused. A file counts by the address; a
// call as well, or by its session or key at a shared address.
// Errors: *api.RateLimitError.
func (e *Edge) countRequest(w *api.Response, r *http.Request, call bool) error {
	l, budget := e.RateLimit, &budgetIP
	if !call {
		l, budget = e.FileLimit, &budgetFiles
	}
	if l == nil || w.Client.Inside {
		return nil
	}
	var d limit.Decision
	switch address := w.Client.Address; {
	case !w.Client.Shared:
		d = l.Take(r.Context(), address)
	case !call:
		budget = &budgetSharedFiles
		d = l.TakeOf(r.Context(), address, budget.times)
	default:
		credential := e.API.Proven(r, w.Client)
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
		return &api.RateLimitError{Wait: d.Wait}
	}
	return nil
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

// seconds rounds up, so that a caller that waits this long never comes early.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

package edge

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"roshambo/chain"
	"roshambo/internal/server/api"
)

// Operations of requests that reach no operation of the contract.
const (
	noOperation   = "none" // refused before routing
	pageOperation = "page"
	docsOperation = "docs"
	// documentOperation is a document at or below documentsPath.
	documentOperation = "document"
	// agentsOperation is a message at AgentsPath. The calls of its tool are operations of their own.
	agentsOperation = "mcp"
	// preflightOperation is a CORS preflight.
	preflightOperation = "preflight"
	logOperation       = "log"
	// pictureOperation is the picture of a link preview.
	pictureOperation = "picture"
	// embedOperation is a duel or cup for the page of another site.
	embedOperation = "embed"
)

// StatusGone is the status of a request whose client disconnected before the answer, 499 as in
// nginx.
const StatusGone = 499

// observe starts to record a request. The caller calls end.
func (e *Edge) observe(w http.ResponseWriter, r *http.Request) (*api.Response, *http.Request) {
	o := &api.Response{ResponseWriter: w, Client: e.client(r), Operation: noOperation}
	if len(e.Observers) == 0 {
		return o, r
	}
	arrival := Arrival{RequestID: w.Header().Get("X-Request-Id"), Method: r.Method, Header: r.Header}
	ctx := r.Context()
	for _, observer := range e.Observers {
		ctx = observer.Begin(ctx, &arrival)
	}
	if ctx != r.Context() {
		r = r.WithContext(ctx)
	}
	return o, r
}

// end reports the outcome to the observers and logs one line: at level error, with the cause, for a
// fault of the service, else at level debug. Neither holds anything that the client sent.
func (e *Edge) end(o *api.Response, r *http.Request, began time.Time) {
	ctx := r.Context()
	gone := ctx.Err() != nil
	status := o.Status
	switch {
	case gone && (status == 0 || status >= http.StatusInternalServerError):
		status = StatusGone // the client disconnected before the answer
	case status == 0:
		status = http.StatusOK // net/http's default
	}
	out := Outcome{
		Operation: o.Operation, Method: r.Method, RequestID: o.Header().Get("X-Request-Id"), Status: status, Code: o.Code,
		Took: time.Since(began), Waited: o.Waited, Reruns: o.Reruns, //nolint:forbidigo // as above
	}
	for _, observer := range e.Observers {
		observer.End(ctx, out)
	}
	e.logSecurity(ctx, o, &out)
	level := slog.LevelDebug
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	if !e.Logger.Enabled(ctx, level) {
		return
	}
	fields := []slog.Attr{
		slog.String("request_id", out.RequestID), slog.String("operation", out.Operation), slog.String("method", r.Method),
		slog.Int("status", status), slog.Duration("took", out.Took),
	}
	if out.Code != "" {
		fields = append(fields, slog.String("code", out.Code))
	}
	if level == slog.LevelError && o.Err != nil {
		fields = append(fields, slog.Any("error", o.Err))
	}
	e.Logger.LogAttrs(ctx, level, "request", fields...)
}

// logSecurity writes one line about an operation on access to an account, whether it succeeded or not. It
// names the caller by account and shortened network address, never by a name, a mailbox or a secret that
// the client sent.
func (e *Edge) logSecurity(ctx context.Context, o *api.Response, out *Outcome) {
	event, ok := api.SecurityEvents[out.Operation]
	if !ok {
		return
	}
	level := slog.LevelInfo
	if out.Status >= http.StatusBadRequest {
		level = slog.LevelWarn
	}
	fields := []slog.Attr{
		slog.String("event", event), slog.String("request_id", out.RequestID), slog.Int("status", out.Status),
		slog.String("network", o.Client.Network()),
	}
	if out.Code != "" {
		fields = append(fields, slog.String("code", out.Code))
	}
	if o.Mail != "" {
		fields = append(fields, slog.String("mail", o.Mail))
	}
	if o.Account != (chain.Address{}) {
		fields = append(fields, slog.String("account", o.Account.String()))
	}
	e.Logger.LogAttrs(ctx, level, "security", fields...)
}

package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"roshambo/chain"
)

// Observer sees every request, for metrics and traces. Its methods are called concurrently.
type Observer interface {
	// Begin is called when a request arrives. The context that it returns becomes the request's.
	Begin(ctx context.Context, a *Arrival) context.Context
	// End is called with the outcome of the request, and with its context.
	End(ctx context.Context, o Outcome)
}

// Arrival is a request that has arrived. Its headers are the client's.
type Arrival struct {
	RequestID string
	Method    string
	Header    http.Header
}

// Outcome is the result of a request.
type Outcome struct {
	// Operation is the id in the contract, or one of those below; never text of the client.
	Operation string
	Method    string
	RequestID string
	// Status is the status of the answer, or StatusGone when the client disconnected before.
	Status int
	// Code is the error code, see docs/errors.md; "" for none.
	Code string
	Took time.Duration
	// Waited reports that the request was a long poll or a stream: Took is then no measure of the
	// service.
	Waited bool
	// Reruns counts the retries of the use case after conflicts and commits that were not stored.
	Reruns int
}

// Operations of requests that reach no operation of the contract.
const (
	noOperation   = "none" // refused before routing
	pageOperation = "page"
	docsOperation = "docs"
	// preflightOperation is a CORS preflight.
	preflightOperation = "preflight"
	logOperation       = "log"
	// pictureOperation is the picture of a link preview.
	pictureOperation = "picture"
)

// StatusGone is the status of a request whose client disconnected before the answer, 499 as in
// nginx.
const StatusGone = 499

// response is an http.ResponseWriter that records what observers and the log need.
type response struct {
	http.ResponseWriter
	api       *API
	began     time.Time
	operation string
	status    int // 0 until written
	code      string
	err       error // the cause of an error answer
	waited    bool
	reruns    int
	account   chain.Address // of the caller, or signed in to; zero for none
	packs     bool          // a large answer is sent with gzip
	packing   bool          // the headers wait for the packed body
}

// observe starts to record a request. The caller calls end.
func (a *API) observe(w http.ResponseWriter, r *http.Request) (*response, *http.Request) {
	o := &response{ResponseWriter: w, api: a, began: time.Now(), operation: noOperation} //nolint:forbidigo // how long it takes is in real time
	if len(a.Observers) == 0 {
		return o, r
	}
	arrival := Arrival{RequestID: w.Header().Get("X-Request-Id"), Method: r.Method, Header: r.Header}
	ctx := r.Context()
	for _, observer := range a.Observers {
		ctx = observer.Begin(ctx, &arrival)
	}
	if ctx != r.Context() {
		r = r.WithContext(ctx)
	}
	return o, r
}

// responseOf returns the response behind w, for notes on it; an unused one when there is no
// request, as in tests.
func responseOf(w http.ResponseWriter) *response {
	if o, ok := w.(*response); ok {
		return o
	}
	return &response{ResponseWriter: w}
}

// WriteHeader records the status.
func (o *response) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.status = status
	}
	if o.packing = o.packable(status); o.packing {
		return // Write sends the headers
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write records that there is an answer.
func (o *response) Write(b []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	if o.packing {
		return o.writePacked(b)
	}
	return o.ResponseWriter.Write(b)
}

// Unwrap implements the protocol of http.ResponseController.
func (o *response) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// end reports the outcome to the observers and logs one line: at level error, with the cause, for a
// fault of the service, else at level debug. Neither holds anything that the client sent.
func (o *response) end(r *http.Request) {
	ctx := r.Context()
	gone := ctx.Err() != nil
	status := o.status
	switch {
	case gone && (status == 0 || status >= http.StatusInternalServerError):
		status = StatusGone // the client disconnected before the answer
	case status == 0:
		status = http.StatusOK // net/http's default
	}
	out := Outcome{
		Operation: o.operation, Method: r.Method, RequestID: o.Header().Get("X-Request-Id"), Status: status, Code: o.code,
		Took: time.Since(o.began), Waited: o.waited, Reruns: o.reruns, //nolint:forbidigo // as above
	}
	for _, observer := range o.api.Observers {
		observer.End(ctx, out)
	}
	o.logSecurity(ctx, r, &out)
	level := slog.LevelDebug
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	if !o.api.Logger.Enabled(ctx, level) {
		return
	}
	fields := []slog.Attr{
		slog.String("request_id", out.RequestID), slog.String("operation", out.Operation), slog.String("method", r.Method),
		slog.Int("status", status), slog.Duration("took", out.Took),
	}
	if out.Code != "" {
		fields = append(fields, slog.String("code", out.Code))
	}
	if level == slog.LevelError && o.err != nil {
		fields = append(fields, slog.Any("error", o.err))
	}
	o.api.Logger.LogAttrs(ctx, level, "request", fields...)
}

// Waiting counts the requests that wait for events.
type Waiting struct {
	Streams   int // open streams of events
	LongPolls int // long polls
}

// Waiting returns the number of waiting requests on this node.
func (a *API) Waiting() Waiting {
	return Waiting{Streams: a.quota.count(), LongPolls: int(a.longPolls.Load())}
}

// countLongPoll counts a long poll until release is called.
func (a *API) countLongPoll(w http.ResponseWriter) (release func()) {
	responseOf(w).waited = true
	a.longPolls.Add(1)
	return func() { a.longPolls.Add(-1) }
}

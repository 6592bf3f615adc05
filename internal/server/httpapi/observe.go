package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// Observer is told of every request: metrics, traces. Its methods are called by many
// goroutines at a time.
type Observer interface {
	// Begin is told that a request has come. The context that it returns becomes the
	// request's.
	Begin(ctx context.Context, a *Arrival) context.Context
	// End is told what became of it, with that context.
	End(ctx context.Context, o Outcome)
}

// Arrival is a request that has come. Its headers are as the client wrote them.
type Arrival struct {
	RequestID string
	Method    string
	Header    http.Header
}

// Outcome is what became of a request.
type Outcome struct {
	// Operation is its id in the contract, or one of OtherOperations: never what a
	// client wrote.
	Operation string
	Method    string
	RequestID string
	// Status is that of the answer; StatusGone when the client left before there was one.
	Status int
	// Code is that of docs/errors.md; "" for none.
	Code string
	Took time.Duration
	// Waited says that the answer was held because its caller asked for that, or was a
	// stream: Took then says nothing of the service.
	Waited bool
	// Reruns is how often its use case was run again, because others were in its way or its
	// commit was not stored.
	Reruns int
}

// What requests belong to that reach no operation of the contract.
const (
	noOperation   = "none" // refused before it was known which
	pageOperation = "page"
	docsOperation = "docs"
	// preflightOperation is a browser's question before a call from another site.
	preflightOperation = "preflight"
	logOperation       = "log"
)

// OtherOperations are the operations beside those of the contract.
func OtherOperations() []string {
	return []string{noOperation, pageOperation, docsOperation, logOperation, preflightOperation}
}

// StatusGone stands for the answer to a client that did not wait for it.
const StatusGone = 499

// response is the answer to a request, as it is written.
type response struct {
	http.ResponseWriter
	api       *API
	began     time.Time
	operation string
	status    int // 0 until it is written
	code      string
	err       error // behind the answer
	waited    bool
	reruns    int
}

// observe begins to watch over a request. The caller calls end.
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

// responseOf returns the answer that is written with w, for notes on it; one that
// nobody looks at when there is no request behind it.
func responseOf(w http.ResponseWriter) *response {
	if o, ok := w.(*response); ok {
		return o
	}
	return &response{ResponseWriter: w}
}

// WriteHeader notes the status.
func (o *response) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write notes that there is an answer.
func (o *response) Write(b []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	return o.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (o *response) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// end says what became of the request: to the observers, and in one line of the log. A
// fault of the service is an error there, with what is behind it; all else is for who
// wants to see each request. Neither shows what was sent.
func (o *response) end(r *http.Request) {
	ctx := r.Context()
	gone := ctx.Err() != nil
	status := o.status
	switch {
	case gone && (status == 0 || status >= http.StatusInternalServerError):
		status = StatusGone // nobody was there to be told
	case status == 0:
		status = http.StatusOK // as net/http answers for a handler that says nothing
	}
	out := Outcome{
		Operation: o.operation, Method: r.Method, RequestID: o.Header().Get("X-Request-Id"), Status: status, Code: o.code,
		Took: time.Since(o.began), Waited: o.waited, Reruns: o.reruns, //nolint:forbidigo // as above
	}
	for _, observer := range o.api.Observers {
		observer.End(ctx, out)
	}
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

// Waiting is who waits for something to happen.
type Waiting struct {
	Streams   int // of events that are open
	LongPolls int // answers that are held
}

// Waiting returns how many wait on this node.
func (a *API) Waiting() Waiting {
	return Waiting{Streams: a.quota.count(), LongPolls: int(a.longPolls.Load())}
}

// held counts an answer that is held until release is called.
func (a *API) countLongPoll(w http.ResponseWriter) (release func()) {
	responseOf(w).waited = true
	a.longPolls.Add(1)
	return func() { a.longPolls.Add(-1) }
}

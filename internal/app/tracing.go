package app

import (
	"context"
	"time"

	"roshambo/internal/platform/trace"
	"roshambo/internal/server/httpapi"
)

// openTrace begins to send traces, if they are wanted.
func (s *Service) openTrace(ctx context.Context) (err error) {
	c := trace.Config{Endpoint: s.config.OTLPEndpoint, Version: httpapi.Version, Logger: s.log}
	if c.Wanted() {
		s.tracer, err = trace.Open(ctx, c)
	}
	return err
}

// traceDatabase returns what has the database's transactions traced; nil for none.
func (s *Service) traceDatabase() func(context.Context, string) func(error) {
	if s.tracer == nil {
		return nil
	}
	return s.tracer.Database
}

// closeTraceTime is how long the last traces may take to be sent.
const closeTraceTime = 2 * time.Second

// closeTrace sends what is left. That it cannot be sent is no reason to say that the
// service has ended badly.
func (s *Service) closeTrace() {
	if s.tracer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTraceTime)
	defer cancel()
	if err := s.tracer.Close(ctx); err != nil {
		s.log.Warn("the last traces were not sent", "error", err)
	}
}

// traced has requests traced.
type traced struct{ *trace.Tracer }

// Begin implements httpapi.Observer.
func (t traced) Begin(ctx context.Context, a *httpapi.Arrival) context.Context {
	return t.Tracer.Begin(ctx, a.Method, a.Header)
}

// End implements httpapi.Observer.
func (t traced) End(ctx context.Context, o httpapi.Outcome) {
	t.Tracer.End(ctx, trace.Request{Operation: o.Operation, Method: o.Method, ID: o.RequestID, Status: o.Status, Code: o.Code})
}

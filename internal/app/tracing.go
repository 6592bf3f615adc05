package app

import (
	"context"
	"time"

	"roshambo/internal/platform/trace"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// openTrace starts the trace exporter, if one is configured.
func (s *Service) openTrace(ctx context.Context) (err error) {
	c := trace.Config{Endpoint: s.config.OTLPEndpoint, Version: api.Version, Logger: s.log}
	if c.Enabled() {
		s.tracer, err = trace.Open(ctx, c)
	}
	return err
}

// traceDatabase returns a function that traces the database's transactions; nil for none.
func (s *Service) traceDatabase() func(context.Context, string) func(error) {
	if s.tracer == nil {
		return nil
	}
	return s.tracer.Database
}

// closeTraceTimeout bounds the export of the last traces.
const closeTraceTimeout = 2 * time.Second

// closeTrace exports the remaining traces. A failure is logged and not returned: it is no failure
// of the service.
func (s *Service) closeTrace() {
	if s.tracer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTraceTimeout)
	defer cancel()
	if err := s.tracer.Close(ctx); err != nil {
		s.log.Warn("the last traces were not sent", "error", err)
	}
}

// traced is an Observer that traces requests.
type traced struct{ *trace.Tracer }

// Begin implements edge.Observer.
func (t traced) Begin(ctx context.Context, a *edge.Arrival) context.Context {
	return t.Tracer.Begin(ctx, a.Method, a.Header)
}

// End implements edge.Observer.
func (t traced) End(ctx context.Context, o edge.Outcome) {
	t.Tracer.End(ctx, trace.Request{Operation: o.Operation, Method: o.Method, ID: o.RequestID, Status: o.Status,
		Code: o.Code})
}

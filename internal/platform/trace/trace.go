// Package trace tells a collector of OpenTelemetry what requests did, over OTLP: one span
// for each request, under the name of its operation, and below it one for each
// transaction of the database.
//
// It is off unless an endpoint is given. What it shows is the operation, the status, the
// request id, and how long things took: nothing that a client has sent, but for the
// trace that the client says the request belongs to (W3C traceparent).
package trace

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config says where to send traces.
type Config struct {
	// Endpoint is the collector's URL, http://localhost:4318, below which v1/traces lies;
	// "" for what the environment says, OTEL_EXPORTER_OTLP_ENDPOINT. The other variables
	// of OpenTelemetry, as OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER, hold too.
	Endpoint string
	Version  string
	Logger   *slog.Logger // is told when traces cannot be sent
}

// Wanted says whether traces are to be sent.
func (c Config) Wanted() bool {
	return cmp.Or(c.Endpoint, os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")) != ""
}

// Tracer makes spans and sends them, some at a time, while the service goes on. When the
// collector is away they are lost. Its methods are safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Open returns a Tracer. It connects when there is something to send.
func Open(ctx context.Context, c Config) (*Tracer, error) {
	var options []otlptracehttp.Option
	if c.Endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(c.Endpoint+"/v1/traces"))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "roshambo"), attribute.String("service.version", c.Version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK(), resource.WithHost())
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { c.Logger.Warn("sending traces", "error", err) }))
	p := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &Tracer{provider: p, tracer: p.Tracer("roshambo")}, nil
}

// Close sends what is left, for as long as ctx lets it.
func (t *Tracer) Close(ctx context.Context) error {
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// Begin begins the span of a request, in the trace that its headers name.
func (t *Tracer) Begin(ctx context.Context, method string, h http.Header) context.Context {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
	ctx, _ = t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
	return ctx
}

// Request is a request that has ended.
type Request struct {
	Operation string // its name
	Method    string
	ID        string
	Status    int
	Code      string // of an error, "" for none
}

// End ends the span that Begin has put into the context.
func (*Tracer) End(ctx context.Context, r Request) {
	span := trace.SpanFromContext(ctx)
	span.SetName(r.Operation)
	span.SetAttributes(
		attribute.String("http.request.method", r.Method), attribute.Int("http.response.status_code", r.Status),
		attribute.String("roshambo.operation", r.Operation), attribute.String("roshambo.request_id", r.ID))
	if r.Code != "" {
		span.SetAttributes(attribute.String("error.type", r.Code))
	}
	if r.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, r.Code)
	}
	span.End()
}

// Database begins the span of a transaction, if it belongs to a request. What it returns
// ends it.
func (t *Tracer) Database(ctx context.Context, call string) (end func(error)) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return func(error) {}
	}
	_, span := t.tracer.Start(ctx, "db."+call, trace.WithSpanKind(trace.SpanKindClient))
	return func(err error) {
		if err != nil { // a use case's refusal, too: the request's status says which
			span.SetAttributes(attribute.Bool("roshambo.taken_back", true))
		}
		span.End()
	}
}

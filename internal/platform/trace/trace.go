// Package trace sends traces of requests to an OpenTelemetry collector over OTLP: one span for
// each request, named after its operation, and below it one for each database transaction.
//
// It is off unless an endpoint is configured. A span has the operation, the status, the request id
// and the durations. It has no data from the client except the trace id (W3C traceparent).
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

// Config configures a Tracer.
type Config struct {
	// Endpoint is the collector's URL without /v1/traces, for example http://localhost:4318; ""
	// for the environment variable OTEL_EXPORTER_OTLP_ENDPOINT. The other variables of
	// OpenTelemetry, such as OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER, apply as well.
	Endpoint string
	Version  string       // of the service
	Logger   *slog.Logger // for failures to send
}

// Enabled reports whether an endpoint is configured.
func (c Config) Enabled() bool {
	return cmp.Or(
		c.Endpoint, os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
	) != ""
}

// Tracer creates spans and sends them in batches in the background. It drops them when the
// collector is unavailable. Its methods are safe for concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Open returns a Tracer. It connects when it sends the first batch.
func Open(ctx context.Context, c Config) (*Tracer, error) {
	var options []otlptracehttp.Option
	if c.Endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(c.Endpoint+"/v1/traces"))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	about, err := resource.New(
		ctx,
		resource.WithAttributes(
			attribute.String("service.name", "roshambo"), attribute.String("service.version", c.Version),
		),
		resource.WithFromEnv(), resource.WithTelemetrySDK(), resource.WithHost(),
	)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { c.Logger.Warn("sending traces", "error", err) }))
	p := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &Tracer{provider: p, tracer: p.Tracer("roshambo")}, nil
}

// Close sends the remaining spans until ctx ends.
func (t *Tracer) Close(ctx context.Context) error {
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// Begin starts the span of a request, as a child of the span that its headers name.
func (t *Tracer) Begin(ctx context.Context, method string, h http.Header) context.Context {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
	ctx, _ = t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
	return ctx
}

// Request describes a finished request.
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

// Database starts the span of a database transaction, if it belongs to a request. end ends it with
// the transaction's error.
func (t *Tracer) Database(ctx context.Context, call string) (end func(error)) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return func(error) {}
	}
	_, span := t.tracer.Start(ctx, "db."+call, trace.WithSpanKind(trace.SpanKindClient))
	return func(err error) {
		if err != nil { // also for a refusal by a use case, which the request's status shows
			span.SetAttributes(attribute.Bool("roshambo.taken_back", true))
		}
		span.End()
	}
}

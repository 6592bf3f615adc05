package app

import (
	"context"
	"errors"
	"log/slog"

	"roshambo/internal/store"
)

// withoutFullErrors is a log handler that drops errors of a full disk: every write and every loop would log
// one, many times a second, possibly onto the same disk. Package store logs it once a minute.
type withoutFullErrors struct{ slog.Handler }

// Handle implements slog.Handler.
func (h withoutFullErrors) Handle(ctx context.Context, r slog.Record) error {
	full := false
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		full = ok && errors.Is(err, store.ErrFull)
		return !full
	})
	if full {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h withoutFullErrors) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withoutFullErrors{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h withoutFullErrors) WithGroup(name string) slog.Handler {
	return withoutFullErrors{h.Handler.WithGroup(name)}
}

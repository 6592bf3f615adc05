package app

import (
	"context"
	"errors"
	"log/slog"

	"roshambo/internal/store"
)

// fullOnce is a log without what fails because the disk of the database is full: each request
// that writes and each loop would say so, many times a second, and the log may be on the same
// disk. Package db says it once a minute.
type fullOnce struct{ slog.Handler }

// Handle implements slog.Handler.
func (h fullOnce) Handle(ctx context.Context, r slog.Record) error {
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
func (h fullOnce) WithAttrs(attrs []slog.Attr) slog.Handler {
	return fullOnce{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h fullOnce) WithGroup(name string) slog.Handler { return fullOnce{h.Handler.WithGroup(name)} }

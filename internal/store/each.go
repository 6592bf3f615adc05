package store

import (
	"context"
	"errors"
)

// Each calls fn, which runs use cases of its own, for one item after the other. The error of an item does not stop
// the others; all are joined. When ctx ends, or when the database is unavailable for two items in a row, the
// remaining items wait for the next call: a stopped database would make every item wait for it.
func Each[T any](ctx context.Context, items []T, fn func(context.Context, T) error) error {
	var failed []error
	down := 0
	for _, item := range items {
		err := fn(ctx, item)
		if err != nil {
			failed = append(failed, err)
		}
		if down++; !errors.Is(err, ErrUnavailable) {
			down = 0
		}
		if down == 2 || ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

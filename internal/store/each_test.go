package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"roshambo/internal/store"
)

// TestEach checks which items are tried, given the errors of each.
func TestEach(t *testing.T) {
	t.Parallel()
	bad, down := errors.New("bad item"), fmt.Errorf("commit: %w", store.ErrUnavailable)
	for _, c := range []struct {
		name  string
		errs  []error
		tried int
	}{
		{"all succeed", []error{nil, nil, nil}, 3},
		{"bad items", []error{bad, bad, bad, nil}, 4},
		{"one commit fails", []error{nil, down, nil, down, bad, down}, 6},
		{"the database is down", []error{nil, down, down, nil, nil}, 3},
		{"bad items do not hide it", []error{bad, down, down, bad}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var tried int
			err := store.Each(t.Context(), c.errs, func(_ context.Context, err error) error {
				tried++
				return err
			})
			if tried != c.tried {
				t.Errorf("%d items tried, want %d", tried, c.tried)
			}
			if want := errors.Join(c.errs[:c.tried]...); (want == nil) != (err == nil) {
				t.Errorf("error %v, want %v", err, want)
			}
			for _, want := range c.errs[:c.tried] {
				if want != nil && !errors.Is(err, want) {
					t.Errorf("%v lacks %v", err, want)
				}
			}
		})
	}
}

// TestEachEnds checks that no item is tried once the context has ended.
func TestEachEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tried := 0
	err := store.Each(ctx, []int{1, 2, 3}, func(context.Context, int) error {
		if tried++; tried == 2 {
			cancel()
		}
		return nil
	})
	if tried != 2 || err != nil {
		t.Errorf("%d items tried, error %v", tried, err)
	}
}

package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestTransient checks the errors of this package that are transient; each engine has a test of its own.
func TestTransient(t *testing.T) {
	t.Parallel()
	own := errors.New("a closure's own")
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{own, false},
		{ErrNUL, false},
		{fmt.Errorf("%w: %w", ErrUnavailable, own), true},
		{errors.Join(own, ErrClosed), true},
		{ErrReadOnly, true},
		{context.Canceled, true},
	} {
		if got := IsTransient(c.err); got != c.want {
			t.Errorf("%v: transient %v, want %v", c.err, got, c.want)
		}
	}
}

package column_test

import (
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/store/column"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.November, 20, 12, 0, 0, 1e6, time.FixedZone("east", 3600))
	if got := column.OptionalTime(column.Millis(&at)); got == nil || !got.Equal(at) || got.Location() != time.UTC {
		t.Errorf("got %v, want %v in UTC", got, at)
	}
	h := chain.Hash{1, 31: 2}
	if got := column.OptionalHash(column.Hash(&h)); got == nil || *got != h {
		t.Errorf("got %v, want %v", got, h)
	}
	a := chain.Address{3, 19: 4}
	if got := column.OptionalAddress(a[:]); got == nil || *got != a {
		t.Errorf("got %v, want %v", got, a)
	}
	if column.Millis(nil) != nil || column.OptionalTime(nil) != nil || column.Hash(nil) != nil ||
		column.OptionalHash(nil) != nil || column.OptionalAddress(nil) != nil {
		t.Error("nil was not converted to nil")
	}
	for at, want := range map[time.Time]int64{{}: 0, time.UnixMilli(1).UTC(): 1} {
		if got := column.MillisOrZero(at); got != want || !column.TimeOrZero(got).Equal(at) {
			t.Errorf("%v is stored as %d and read as %v, want %d", at, got, column.TimeOrZero(got), want)
		}
	}
	if column.Bool(true) != 1 || column.Bool(false) != 0 {
		t.Error("true is not 1, or false is not 0")
	}
}

// TestDamaged checks that a hash column of another length panics.
func TestDamaged(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a hash of 3 bytes was accepted")
		}
	}()
	column.OptionalHash([]byte{1, 2, 3})
}

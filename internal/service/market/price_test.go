package market

import (
	"testing"
	"time"

	"roshambo/internal/store/column"
)

func TestReference(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)
	old := now.Add(-Month - time.Millisecond)
	sales := func(at time.Time, prices ...int64) (list []Trade) {
		for _, p := range prices {
			list = append(list, Trade{p, at})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		recent []Trade
		want   Reference
	}{
		{"no sales", nil, Reference{96, ByRules, 0}},
		{"too few sales", sales(now, 1, 2, 3, 4), Reference{96, ByRules, 4}},
		{"five", sales(now, 500, 1, 30, 20, 10), Reference{20, BySales, 5}},
		{"six, the mean of two rounded down", sales(now, 1, 2, 10, 15, 100, 100), Reference{12, BySales, 6}},
		{
			"old sales excluded",
			append(sales(old, 1, 1, 1, 1), sales(now, 7, 8, 9, 10, 11)...),
			Reference{9, BySales, 5},
		},
		{"too few recent sales", append(sales(old, 1, 1, 1, 1), sales(now, 7)...), Reference{96, ByRules, 1}},
		{"30 days ago", sales(now.Add(-Month), 1, 2, 3, 4, 5), Reference{3, BySales, 5}},
	} {
		if got := reference(c.recent, now.Add(-Month), 96); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestTrades checks that a row holds the last maxReferenceSales sales.
func TestTrades(t *testing.T) {
	t.Parallel()
	var row []byte
	for i := range int64(25) {
		row = addTrade(row, Trade{Price: i, At: column.Time(1000 * i)})
		list := trades(row)
		if want := int(min(i+1, maxReferenceSales)); len(list) != want {
			t.Fatalf("after %d: %d sales, want %d", i+1, len(list), want)
		}
		if last := list[len(list)-1]; last.Price != i || !last.At.Equal(column.Time(1000*i)) {
			t.Errorf("the last sale is %+v, want price %d", last, i)
		}
	}
	if first := trades(row)[0]; first.Price != 5 {
		t.Errorf("the first sale is %+v, want price 5", first)
	}
}

// TestStateOrder checks which of two states of the market is the later one.
func TestStateOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name        string
		state       state
		later, same bool
	}{
		{"the same", state{5, 16, now}, false, true},
		{"a change", state{6, 16, now}, true, false},
		{"a change, read by a clock that is behind", state{6, 16, now.Add(-time.Hour)}, true, false},
		{"before a change", state{4, 17, now.Add(time.Hour)}, false, false},
		{"a new tier", state{5, 17, now}, true, false},
		{"a minute later", state{5, 16, now.Add(time.Minute)}, true, false},
		{"a minute earlier", state{5, 16, now.Add(-time.Minute)}, false, false},
	} {
		cached := state{5, 16, now}
		if got := c.state.after(cached); got != c.later {
			t.Errorf("%s: later %v, want %v", c.name, got, c.later)
		}
		if got := cached.after(c.state); got != (!c.later && !c.same) {
			t.Errorf("%s: earlier %v, want %v", c.name, got, !c.later && !c.same)
		}
	}
}

// TestPageCacheSize checks that the cache holds at most maxPages pages of one state.
func TestPageCacheSize(t *testing.T) {
	t.Parallel()
	var c pageCache
	now := state{1, 16, time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)}
	for i := range maxPages + 10 {
		got, err := cached(&c, now, i, func() (int, error) { return i, nil })
		if want := min(i+1, maxPages); got != i || err != nil || len(c.pages) != want {
			t.Fatalf("page %d: got %d, error %v, %d pages, want %d", i, got, err, len(c.pages), want)
		}
	}
}

// TestSaleTransfers checks that a sale has no transfer of zero coins.
func TestSaleTransfers(t *testing.T) {
	t.Parallel()
	for fee, want := range map[int64]int{0: 2, 1: 3, 4: 3, 5: 2} {
		l := &Listing{Price: 5}
		if d := l.sale([20]byte{1}, fee); len(d.Transfers) != want {
			t.Errorf("a fee of %d: %d transfers, want %d", fee, len(d.Transfers), want)
		}
	}
}

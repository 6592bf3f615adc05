package store

import "testing"

func TestChunk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, columns, want int }{
		{1, 1, 1},
		{3, 1, 2},
		{64, 8, 64},
		{1_000_000, 1, bindLimit},
		{1_000_000, 3, 128},
		{1_000_000, bindLimit, 1},
		{1_000_000, bindLimit/2 + 1, 1},
	} {
		if got := chunk(c.rows, c.columns); got != c.want {
			t.Errorf("%d rows of %d columns: %d in the first statement, want %d", c.rows, c.columns, got, c.want)
		}
	}
	if got, want := insertText("t", []string{"a", "b"}, 2), "INSERT INTO t (a, b) VALUES ($1,$2),($3,$4)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

package tile

import (
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const size = 2<<16 + 3<<8 + 5 // level 2 has 2 hashes, level 1 has 515, level 0 the rest
	tile := func(level int, n int64, width int) tlog.Tile { return tlog.Tile{H: Height, L: level, N: n, W: width} }
	for path, want := range map[string]tlog.Tile{
		"tile/0/000":            tile(0, 0, Width),
		"tile/0/514":            tile(0, 514, Width),
		"tile/0/515.p/5":        tile(0, 515, 5),
		"tile/0/515.p/1":        tile(0, 515, 1),
		"tile/1/001":            tile(1, 1, Width),
		"tile/1/002.p/3":        tile(1, 2, 3),
		"tile/2/000.p/2":        tile(2, 0, 2),
		"tile/entries/514":      tile(0, 514, Width),
		"tile/entries/515.p/5":  tile(0, 515, 5),
		"tile/0/515":            {}, // not full yet
		"tile/0/515.p/6":        {},
		"tile/0/516.p/1":        {},
		"tile/0/x001/000.p/1":   {},
		"tile/2/000.p/3":        {},
		"tile/3/000.p/1":        {},
		"tile/8/000.p/1":        {}, // no such level
		"tile/-1/000.p/1":       {},
		"tile/0/0":              {},
		"tile/0/000.p/256":      {},
		"tile/8/0/000":          {}, // the older format
		"tile/entries/0/000":    {},
		"tile/entries/":         {},
		"tile/data/000":         {},
		"tile/":                 {},
		"entries/000":           {},
		"tile/0/999/999.p/1":    {},
		"tile/0/x999/x999/999x": {},
	} {
		got, entries, ok := Parse(path, size)
		if ok != (want != tlog.Tile{}) || ok && (got != want || entries != strings.Contains(path, "entries")) {
			t.Errorf("Parse(%q): %+v, entries %t, %t; want %+v", path, got, entries, ok, want)
		}
	}
	if _, _, ok := Parse("tile/0/x9223372036854775/807.p/1", 1<<62); ok {
		t.Error("Parse accepts a number beyond the log")
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "000", 7: "007", 999: "999", 1000: "x001/000", 1_234_067: "x001/x234/067",
	} {
		if got := Name(n); got != want {
			t.Errorf("Name(%d): %s, want %s", n, got, want)
		}
		full, entries, ok := Parse("tile/entries/"+Name(n), 1<<40)
		if !ok || !entries || full.N != n {
			t.Errorf("Parse of Name(%d): %+v, %t, %t", n, full, entries, ok)
		}
	}
}

func TestAppendEntry(t *testing.T) {
	t.Parallel()
	got := AppendEntry(AppendEntry(nil, []byte("ab")), []byte(strings.Repeat("c", 256)))
	if want := "\x00\x02ab\x01\x00" + strings.Repeat("c", 256); string(got) != want {
		t.Errorf("AppendEntry: %q, want %q", got, want)
	}
}

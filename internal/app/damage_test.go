package app

import (
	"bytes"
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/ledger/audit"
)

// TestDamagedPages destroys the first page of every table and index, one at a time: doctor names
// the table, or reports that the database cannot be read.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DB.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n, err := Doctor(t.Context(), c.store(), time.Now, &out); n != 0 || err != nil {
		t.Fatalf("undamaged: %d, %v\n%s", n, err, &out)
	}
	path := filepath.Join(c.Data, databaseFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size, roots := rootPages(t, path)
	for name, page := range roots {
		text := bytes.Clone(whole)
		text[(page-1)*size] ^= 0x20 // the type of the page
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		n, err := Doctor(t.Context(), c.store(), time.Now, &out)
		if n == 0 && err == nil {
			t.Errorf("%s: nothing is named\n%s", name, &out)
		}
	}
	if len(roots) < 60 {
		t.Errorf("only %d tables and indexes", len(roots))
	}
}

// rootPages returns the size of a page, and the first page of each table and index.
func rootPages(t *testing.T, path string) (size int, pages map[string]int) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := raw.QueryRowContext(t.Context(), "PRAGMA page_size").Scan(&size); err != nil {
		t.Fatal(err)
	}
	rows, err := raw.QueryContext(t.Context(), "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	pages = map[string]int{}
	for rows.Next() {
		var name string
		var page int
		if err := rows.Scan(&name, &page); err != nil {
			t.Fatal(err)
		}
		pages[name] = page
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return size, pages
}

// TestDocumentedCover: docs/operations.md states for every table whether doctor finds a changed
// value in it.
func TestDocumentedCover(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### What doctor cannot see\n")
	section, _, _ = strings.Cut(section, "\n#")
	for begins, want := range map[string][]string{
		"- In full": audit.Tables(), "- In part": examined, "- Not at all": slices.Collect(maps.Keys(original)),
	} {
		_, list, _ := strings.Cut(section, begins)
		list, _, _ = strings.Cut(list, "\n-")
		list, _, _ = strings.Cut(list, "\n\n")
		var named []string
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(list, -1) {
			named = append(named, m[1])
		}
		slices.Sort(named)
		if want := slices.Sorted(slices.Values(want)); !slices.Equal(named, want) {
			t.Errorf("%s:\n%v, want\n%v", begins, named, want)
		}
	}
}

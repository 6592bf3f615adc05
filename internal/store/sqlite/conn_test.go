package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// TestStatementCache prepares more texts than the cache holds: it drops the least recently used
// ones, and keeps the one in use and the one used repeatedly.
func TestStatementCache(t *testing.T) {
	t.Parallel()
	k, err := openConnector(filepath.Join(t.TempDir(), "test.db"), "rwc", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c, err := k.connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	open, err := c.QueryContext(ctx, "SELECT 'in use'", nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 * maxStatements {
		for _, text := range []string{"SELECT 'again'", fmt.Sprintf("SELECT %d", n)} {
			if _, err := c.ExecContext(ctx, text, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(c.stmts) != maxStatements {
		t.Errorf("%d cached statements, want %d", len(c.stmts), maxStatements)
	}
	for _, text := range []string{"SELECT 'in use'", "SELECT 'again'", fmt.Sprintf("SELECT %d", 3*maxStatements-1)} {
		if c.stmts[text] == nil {
			t.Errorf("%s is not cached", text)
		}
	}
	if err := open.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

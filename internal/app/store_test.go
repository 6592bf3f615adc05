package app

import (
	"strings"
	"testing"
)

// TestFolderOfOneNode: of two services with one data folder, on PostgreSQL and on SQLite, the second is refused, until
// the first one has ended.
func TestFolderOfOneNode(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := &Service{config: Config{Data: folder, Database: "postgres://db/roshambo"}}
	second := &Service{config: Config{Data: folder}}
	if err := first.lockFolder(); err != nil {
		t.Fatal(err)
	}
	err := second.lockFolder()
	if err == nil || !strings.Contains(err.Error(), "another node uses "+folder) {
		t.Errorf("a second node gets %v", err)
	}
	if err := first.unlockFolder(); err != nil {
		t.Fatal(err)
	}
	if err := second.lockFolder(); err != nil {
		t.Errorf("after the end of the first, the second node gets %v", err)
	}
	if err := second.unlockFolder(); err != nil {
		t.Error(err)
	}
}

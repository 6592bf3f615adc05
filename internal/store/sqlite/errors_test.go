package sqlite

import (
	"fmt"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// TestTransient checks that errors about the file are transient and errors about values are not.
func TestTransient(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]bool{
		sqlite3.SQLITE_FULL:              true,
		sqlite3.SQLITE_IOERR_FSYNC:       true,
		sqlite3.SQLITE_BUSY_SNAPSHOT:     true,
		sqlite3.SQLITE_NOMEM:             true,
		sqlite3.SQLITE_READONLY_DBMOVED:  true,
		sqlite3.SQLITE_CANTOPEN:          true,
		sqlite3.SQLITE_CORRUPT_INDEX:     true,
		sqlite3.SQLITE_INTERRUPT:         true,
		sqlite3.SQLITE_CONSTRAINT_UNIQUE: false,
		sqlite3.SQLITE_CONSTRAINT_CHECK:  false,
		sqlite3.SQLITE_TOOBIG:            false,
		sqlite3.SQLITE_MISMATCH:          false,
		sqlite3.SQLITE_ERROR:             false,
	} {
		err := fmt.Errorf("wrapped: %w", &codeError{engine.ErrInjected, code})
		if got := store.IsTransient(err); got != want {
			t.Errorf("code %d: transient %v, want %v", code, got, want)
		}
	}
}

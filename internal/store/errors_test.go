package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"
)

// TestTransient checks that errors about a database's state are transient and errors about
// values are not.
func TestTransient(t *testing.T) {
	t.Parallel()
	server := func(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }
	file := func(code int) error { return fmt.Errorf("wrapped: %w", &sqliteCodeError{code: code}) }
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("a closure's own"), false},
		{errInjected, false},
		{ErrNUL, false},
		{unavailable(errInjected), true},
		{errors.Join(errInjected, ErrClosed), true},
		{ErrReadOnly, true},
		{context.Canceled, true},
		{server("08006"), true},
		{server("25006"), true}, // the host is no longer the primary
		{server("40001"), true},
		{server("42501"), true}, // an operator can restore a privilege
		{server("53100"), true}, // disk full
		{server("53200"), true}, // out of memory
		{server("55P03"), true},
		{server("57014"), true}, // statement_timeout
		{server("57P01"), true},
		{server("58030"), true}, // I/O
		{server("XX000"), true},
		{server("XX001"), true}, // damaged
		{server("21000"), false},
		{server("22003"), false},
		{server("23505"), false},
		{server("23514"), false},
		{server("54000"), false},
		{server("P0001"), false},
		{&pgconn.ConnectError{}, true},
		{&net.OpError{Err: errInjected}, true},
		{io.ErrUnexpectedEOF, true},
		{file(sqlite3.SQLITE_FULL), true},
		{file(sqlite3.SQLITE_IOERR_FSYNC), true},
		{file(sqlite3.SQLITE_BUSY_SNAPSHOT), true},
		{file(sqlite3.SQLITE_NOMEM), true},
		{file(sqlite3.SQLITE_READONLY_DBMOVED), true},
		{file(sqlite3.SQLITE_CANTOPEN), true},
		{file(sqlite3.SQLITE_CORRUPT_INDEX), true},
		{file(sqlite3.SQLITE_INTERRUPT), true},
		{file(sqlite3.SQLITE_CONSTRAINT_UNIQUE), false},
		{file(sqlite3.SQLITE_CONSTRAINT_CHECK), false},
		{file(sqlite3.SQLITE_TOOBIG), false},
		{file(sqlite3.SQLITE_MISMATCH), false},
		{file(sqlite3.SQLITE_ERROR), false},
	} {
		if got := IsTransient(c.err); got != c.want {
			t.Errorf("%v: transient %v, want %v", c.err, got, c.want)
		}
	}
}

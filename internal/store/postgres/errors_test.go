package postgres

import (
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// TestTransient checks that errors about a database's state are transient and errors about
// values are not.
func TestTransient(t *testing.T) {
	t.Parallel()
	server := func(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }
	for _, c := range []struct {
		err  error
		want bool
	}{
		{engine.ErrInjected, false},
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
		{&net.OpError{Err: engine.ErrInjected}, true},
		{io.ErrUnexpectedEOF, true},
	} {
		if got := store.IsTransient(classify(c.err)); got != c.want {
			t.Errorf("%v: transient %v, want %v", c.err, got, c.want)
		}
	}
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned by View and Update after Close.
	ErrClosed = errors.New("store: closed")

	// ErrReadOnly is returned by Update of a database opened with Config.ReadOnly.
	ErrReadOnly = errors.New("store: opened for reading alone")

	// ErrNUL is returned by a statement with a text argument that contains the character NUL.
	// PostgreSQL can neither store nor compare such a text, so no engine accepts it: code that
	// reads text from outside must reject it first.
	ErrNUL = errors.New("store: text contains NUL")

	// ErrUnavailable is wrapped by the error of an Update whose commit failed with an unknown
	// outcome, and of one that could not begin because the database is unreachable. The caller
	// may retry if its use case is idempotent.
	ErrUnavailable = errors.New("store: unavailable")

	// ErrNotStored is wrapped beside ErrUnavailable when the outcome is certain: no commit was
	// attempted, so nothing was stored.
	ErrNotStored = errors.New("store: nothing was stored")

	// ErrFull is wrapped by the error of an Update that stored nothing because the disk of the
	// database is full. The caller may retry once there is space.
	ErrFull = errors.New("store: the disk is full")

	// ErrTime is wrapped by the error of a closure to which Tx.Now contradicts stored times. The closure
	// is retried once with a new estimate of the server's clock.
	ErrTime = errors.New("store: the time contradicts the times that are stored")

	// ErrLocked is wrapped by Open when another process serves the same database.
	ErrLocked = errors.New("another process has the database open")

	// ErrNewer is wrapped by Open when a newer program has migrated the database.
	ErrNewer = errors.New("the database was made by a newer program")

	// ErrOlder is wrapped by Open when an older program made the schema and ReadOnly prevents
	// the migration.
	ErrOlder = errors.New("the database was made by an older program")

	// ErrOther is wrapped by Open when the database's migrations had other texts than this program's.
	ErrOther = errors.New("the database was made by another version of the schema")

	// ErrNotDatabase is wrapped by Open when the file is damaged or of another kind, and by the error of a
	// statement that reads a page of SQLite's file which does not fit its checksum.
	ErrNotDatabase = errors.New("not a database, or damaged")
)

// EngineError is an error of a database system, which its engine classifies.
type EngineError interface {
	error
	Unique() bool    // violates a unique index or primary key
	Transient() bool // describes the state of the database rather than the request
}

// Absent returns the error of a query for one row: instead when there is none, otherwise err with a text,
// formatted as by fmt.Sprintf, before it.
func Absent(err, instead error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return instead
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// IsUnique reports whether err is the violation of a unique index or primary key. PostgreSQL
// ends the transaction on such a violation, so a use case must not continue after one: write ON
// CONFLICT, and return this error when it occurs nevertheless.
func IsUnique(err error) bool {
	e, ok := errors.AsType[EngineError](err)
	return ok && e.Unique()
}

// transientErrors are the errors of this package that IsTransient accepts.
var transientErrors = []error{
	ErrUnavailable, ErrFull, ErrClosed, ErrReadOnly, context.Canceled, context.DeadlineExceeded,
}

// IsTransient reports whether err describes the state of the database rather than the request:
// unreachable, full, broken, shutting down, or changed by an operator. A retry may succeed.
// Errors about values or stored rows alone (a constraint, a number out of range), and errors
// of closures, are not transient.
func IsTransient(err error) bool {
	for _, known := range transientErrors {
		if errors.Is(err, known) {
			return true
		}
	}
	e, ok := errors.AsType[EngineError](err)
	return ok && e.Transient()
}

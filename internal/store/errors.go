package store

import (
	"context"
	"errors"
	"fmt"
)

var (
	// ErrClosed is returned by View and Update after Close.
	ErrClosed = errors.New("store: closed")

	// ErrReadOnly is returned by Update of a database opened with Config.ReadOnly.
	ErrReadOnly = errors.New("store: opened for reading alone")

	// ErrNUL is returned by a statement that was given a text with the character NUL.
	// PostgreSQL neither stores nor compares with such a text, so no engine does: what
	// reads texts from outside has to refuse it, or to look for what cannot be there.
	ErrNUL = errors.New("store: a text with the character NUL")

	// ErrUnavailable is wrapped by the errors of an Update whose commit failed and
	// whose outcome is unknown, and of one that could not begin because the
	// database is away. The caller may try again if its use case is idempotent.
	ErrUnavailable = errors.New("store: unavailable")

	// ErrNotStored is wrapped beside ErrUnavailable where the outcome is certain: nothing
	// was stored, as no commit was tried.
	ErrNotStored = errors.New("store: nothing was stored")

	// ErrFull is wrapped by the errors of an Update of which nothing was stored because the
	// disk of the database is full. The caller may try again once there is room.
	ErrFull = errors.New("store: the disk is full")

	// ErrLocked is wrapped by Open when another process serves the same database.
	ErrLocked = errors.New("another process has the database open")

	// ErrNewer is wrapped by Open when a newer program has migrated the database.
	ErrNewer = errors.New("the database was made by a newer program")

	// ErrOlder says that the schema is that of an older program, where it cannot be migrated.
	ErrOlder = errors.New("the database was made by an older program")

	// ErrNotDatabase is wrapped by Open when the file holds something else, or is
	// damaged.
	ErrNotDatabase = errors.New("not a database, or damaged")
)

// IsUnique reports whether err is the violation of a unique index or primary key.
// A use case that goes on after one must not rely on its transaction (PostgreSQL
// ends it): write ON CONFLICT, and return this error when it comes all the same.
func IsUnique(err error) bool { return sqliteUnique(err) || postgresUnique(err) }

// IsTransient reports whether err is no word on what was asked, but on a database that
// cannot do it now: it is away, full, broken, being stopped, or changed by an operator. The
// same may succeed later. Errors that are about the values or the stored rows alone
// (a constraint, a number out of range), and those of closures, are not.
func IsTransient(err error) bool {
	for _, known := range []error{ErrUnavailable, ErrFull, ErrClosed, ErrReadOnly, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return true
		}
	}
	return sqliteTransient(err) || postgresTransient(err)
}

// also adds what went wrong while dealing with err. Unlike errors.Join it leaves err
// as it is when nothing did.
func joinErrors(err, more error) error {
	switch {
	case more == nil:
		return err
	case err == nil:
		return more
	}
	return errors.Join(err, more)
}

// unavailable wraps err, unless it is nil.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// notStored wraps err, after which nothing was stored for certain, unless it is nil.
func notStored(err error) error {
	switch {
	case err == nil || errors.Is(err, ErrFull):
		return err
	case isFull(err):
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w: %w", ErrUnavailable, ErrNotStored, err)
}

// isFull reports whether an engine says that its disk is full.
func isFull(err error) bool { return sqliteFull(err) || postgresCode(err) == codeDiskFull }

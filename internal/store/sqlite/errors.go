package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// codeError is an error of SQLite with its extended result code. It implements store.EngineError.
type codeError struct {
	error
	code int
}

func (e *codeError) Unwrap() error { return e.error }

// Unique implements store.EngineError.
func (e *codeError) Unique() bool {
	switch e.code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// Transient implements store.EngineError: the error concerns the file, its disk or its locks rather
// than a statement and its values.
func (e *codeError) Transient() bool {
	switch e.code & 0xff {
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_ABORT, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_AUTH:
		return true
	}
	return fatal(e)
}

// classify returns an error of the driver as a codeError, and any other unchanged.
func classify(err error) error {
	if _, ok := errors.AsType[*codeError](err); ok {
		return err
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return newCodeError(err, e.Code())
	}
	return err
}

// newCodeError returns an error with its code. SQLite has no words for a checksum that does not fit.
func newCodeError(err error, code int) *codeError {
	if code == sqlite3.SQLITE_IOERR_DATA {
		err = fmt.Errorf("%w: a page does not fit its checksum, as the disk or another program has changed it: %w",
			store.ErrNotDatabase, err)
	}
	return &codeError{err, code}
}

// codeOf returns the extended result code of an error, or 0. See https://www.sqlite.org/rescode.html.
func codeOf(err error) int {
	if e, ok := errors.AsType[*codeError](classify(err)); ok {
		return e.code
	}
	return 0
}

// full reports whether the disk was full.
func full(err error) bool { return codeOf(err)&0xff == sqlite3.SQLITE_FULL }

// notStored wraps an err after which nothing was stored for certain; nil stays nil.
func notStored(err error) error { return engine.NotStored(err, full(err)) }

// fatal reports whether SQLite may have ended the transaction because of err:
// https://www.sqlite.org/lang_transaction.html, section 3.1.
func fatal(err error) bool {
	switch codeOf(err) & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}

// unsynced reports whether syncing a file failed.
func unsynced(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_IOERR_FSYNC || code == sqlite3.SQLITE_IOERR_DIR_FSYNC
}

// explainFileError wraps the errors of a file that is no database with ErrNotDatabase.
func explainFileError(err error) error {
	err = classify(err)
	switch codeOf(err) & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: %w", store.ErrNotDatabase, err)
	}
	return err
}

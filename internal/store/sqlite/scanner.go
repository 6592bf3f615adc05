package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"roshambo/internal/store"
	"roshambo/internal/store/engine"
)

// ctxCheckRows is the number of rows that a scan reads between two checks of its context.
const ctxCheckRows = 1 << 10

// scanner is a connection for Scan through SQLite's C interface. The driver locks a mutex
// several times per column, copies each text and blob, and returns values that database/sql
// then converts, which dominates the time of reading millions of short rows. The scanner reads
// each row in SQLite's own memory.
type scanner struct {
	tls   *libc.TLS
	db    uintptr            // sqlite3*
	stmts map[string]uintptr // prepared statements by their text
}

// openScanner opens the database at path for reading.
func openScanner(path string) (_ *scanner, err error) {
	name, err := libc.CString(fileURI(path, url.Values{"mode": {"ro"}}))
	if err != nil {
		return nil, err
	}
	s := &scanner{tls: libc.NewTLS(), stmts: map[string]uintptr{}}
	defer func() {
		libc.Xfree(s.tls, name)
		if err != nil {
			err = engine.Join(err, s.close())
		}
	}()
	err = s.withOut(func(handle uintptr) int32 {
		// No mutex: a transaction is used by one goroutine at a time.
		return sqlite3.Xsqlite3_open_v2(s.tls, name, handle,
			sqlite3.SQLITE_OPEN_READONLY|sqlite3.SQLITE_OPEN_URI|sqlite3.SQLITE_OPEN_NOMUTEX, 0)
	}, &s.db)
	if err != nil {
		return nil, err
	}
	sqlite3.Xsqlite3_extended_result_codes(s.tls, s.db, 1)
	for _, pragma := range readPragmas {
		if err := s.do("PRAGMA " + pragma); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// withOut calls fn with the address of an out parameter and stores its value in *to, even when
// fn fails.
func (s *scanner) withOut(fn func(ptr uintptr) int32, to *uintptr) error {
	ptr := libc.Xcalloc(s.tls, 1, 8)
	if ptr == 0 {
		return errors.New("store: out of memory")
	}
	defer libc.Xfree(s.tls, ptr)
	code := fn(ptr)
	*to = libc.AtomicLoadPUintptr(ptr)
	return s.check(code)
}

// check converts a result code into an error, nil for success.
func (s *scanner) check(code int32) error {
	switch code {
	case sqlite3.SQLITE_OK, sqlite3.SQLITE_ROW, sqlite3.SQLITE_DONE:
		return nil
	}
	message := libc.GoString(sqlite3.Xsqlite3_errstr(s.tls, code))
	if s.db != 0 {
		message = libc.GoString(sqlite3.Xsqlite3_errmsg(s.tls, s.db))
	}
	return newCodeError(fmt.Errorf("%s (%d)", message, code), int(code))
}

// do runs a statement to its end.
func (s *scanner) do(query string) error {
	return s.scan(context.Background(), query, nil, func(store.Row) {})
}

// dataVersion returns a number that changes with every commit of another connection.
func (s *scanner) dataVersion() (version int64, err error) {
	err = s.scan(context.Background(), "PRAGMA data_version", nil, func(r store.Row) { version = r.Int(0) })
	return version, err
}

// prepare returns the cached sqlite3_stmt of a query, or prepares it.
func (s *scanner) prepare(query string) (uintptr, error) {
	if statement, ok := s.stmts[query]; ok {
		return statement, nil
	}
	text, err := libc.CString(stablePlan(query))
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(s.tls, text)
	var statement uintptr
	err = s.withOut(func(ptr uintptr) int32 {
		return sqlite3.Xsqlite3_prepare_v2(s.tls, s.db, text, -1, ptr, 0)
	}, &statement)
	if err != nil {
		return 0, err
	}
	s.stmts[query] = statement
	return statement, nil
}

// scan implements store.Lent.Scan.
func (s *scanner) scan(ctx context.Context, query string, args []any, fn func(store.Row)) error {
	statement, err := s.prepare(query)
	if err != nil {
		return err
	}
	defer func() {
		sqlite3.Xsqlite3_reset(s.tls, statement) // repeats the error that the step has returned
		sqlite3.Xsqlite3_clear_bindings(s.tls, statement)
	}()
	if err := s.bind(statement, args); err != nil {
		return err
	}
	row := &scanRow{scanner: s, statement: statement}
	for n := 0; ; n++ {
		if n%ctxCheckRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch code := sqlite3.Xsqlite3_step(s.tls, statement); code {
		case sqlite3.SQLITE_ROW:
			if fn(row); row.err != nil {
				return row.err
			}
		case sqlite3.SQLITE_DONE:
			return nil
		default:
			return s.check(code)
		}
	}
}

// bind binds the arguments of a statement to $1, $2 and so on.
func (s *scanner) bind(statement uintptr, args []any) error {
	count := sqlite3.Xsqlite3_bind_parameter_count(s.tls, statement)
	for i := int32(1); i <= count; i++ {
		name := libc.GoString(sqlite3.Xsqlite3_bind_parameter_name(s.tls, statement, i))
		n, err := strconv.Atoi(strings.TrimPrefix(name, "$"))
		if err != nil || n < 1 || n > len(args) {
			return fmt.Errorf("store: no argument for parameter %q", name)
		}
		if err := s.bindOne(statement, i, args[n-1]); err != nil {
			return err
		}
	}
	return nil
}

// bindOne binds an integer, a text or a blob to parameter i, counted from 1.
func (s *scanner) bindOne(statement uintptr, i int32, arg any) error {
	switch v := arg.(type) {
	case int64:
		return s.check(sqlite3.Xsqlite3_bind_int64(s.tls, statement, i, v))
	case string:
		text, err := libc.CString(v)
		if err != nil {
			return err
		}
		defer libc.Xfree(s.tls, text)
		return s.check(sqlite3.Xsqlite3_bind_text(s.tls, statement, i, text, int32(len(v)), sqlite3.SQLITE_TRANSIENT))
	case []byte:
		if len(v) == 0 {
			return s.check(sqlite3.Xsqlite3_bind_zeroblob(s.tls, statement, i, 0))
		}
		blob, err := libc.CString(string(v))
		if err != nil {
			return err
		}
		defer libc.Xfree(s.tls, blob)
		return s.check(sqlite3.Xsqlite3_bind_blob(s.tls, statement, i, blob, int32(len(v)), sqlite3.SQLITE_TRANSIENT))
	}
	return fmt.Errorf("store: a scan does not take an argument of type %T", arg)
}

// close ends the transaction and closes the connection.
func (s *scanner) close() error {
	for _, statement := range s.stmts {
		sqlite3.Xsqlite3_finalize(s.tls, statement)
	}
	code := sqlite3.Xsqlite3_close_v2(s.tls, s.db) // a null pointer is allowed
	s.db = 0
	err := s.check(code)
	s.tls.Close()
	return err
}

// scanRow is the current row of a statement.
type scanRow struct {
	scanner   *scanner
	statement uintptr
	err       error
}

// value returns the sqlite3_value of a column and its type.
func (r *scanRow) value(column int) (value uintptr, kind int32) {
	value = sqlite3.Xsqlite3_column_value(r.scanner.tls, r.statement, int32(column))
	return value, sqlite3.Xsqlite3_value_type(r.scanner.tls, value)
}

func (r *scanRow) Int(column int) int64 {
	switch value, kind := r.value(column); kind {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_value_int64(r.scanner.tls, value)
	case sqlite3.SQLITE_NULL:
		return 0
	}
	r.err = errors.Join(r.err, store.WrongType(column))
	return 0
}

// noBytes is the empty text or blob, as distinct from NULL.
var noBytes = []byte{}

func (r *scanRow) Bytes(column int) []byte {
	value, kind := r.value(column)
	switch kind {
	case sqlite3.SQLITE_BLOB, sqlite3.SQLITE_TEXT:
		// Texts are in UTF-8 already: the engine uses no other encoding.
		at := sqlite3.Xsqlite3_value_blob(r.scanner.tls, value)
		if n := sqlite3.Xsqlite3_value_bytes(r.scanner.tls, value); at != 0 && n > 0 {
			return libc.GoBytes(at, int(n))
		}
		return noBytes
	case sqlite3.SQLITE_NULL:
		return nil
	}
	r.err = errors.Join(r.err, store.WrongType(column))
	return nil
}

func (r *scanRow) Null(column int) bool {
	_, kind := r.value(column)
	return kind == sqlite3.SQLITE_NULL
}

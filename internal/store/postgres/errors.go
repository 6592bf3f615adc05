package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"roshambo/internal/store/engine"
)

// Error codes, https://www.postgresql.org/docs/current/errcodes-appendix.html.
const (
	codeUnique        = "23505"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeLockTimeout   = "55P03"
	codeDiskFull      = "53100"
	codeNotOne        = "22012" // division_by_zero, raised by assertion; no other statement divides
	codeDated         = "2201F" // root of a negative number, raised by checkDates
	codeAdminShutdown = "57P01"
	codeIdleSession   = "57P05"
	codeReadOnly      = "25006" // the host is no longer the primary
	codeCachedPlan    = "0A000" // a cached plan whose table has changed; also an unsupported feature
)

// serverError is an error of the server or of the connection to it. It implements store.EngineError.
type serverError struct{ error }

func (e *serverError) Unwrap() error { return e.error }

// Unique implements store.EngineError.
func (e *serverError) Unique() bool { return unique(e.error) }

// Transient implements store.EngineError: the error concerns the server rather than the values of a
// statement. Statements are constant, so only errors about values (classes 21 to 23, checks of views
// and triggers, row limits) are permanent.
func (e *serverError) Transient() bool {
	if code := codeOf(e.error); len(code) >= 2 {
		switch code[:2] {
		case "21", "22", "23", "44", "54", "P0":
			return false
		}
		return true
	}
	_, connect := errors.AsType[*pgconn.ConnectError](e.error)
	_, network := errors.AsType[net.Error](e.error)
	return connect || network || errors.Is(e.error, io.EOF) || errors.Is(e.error, io.ErrUnexpectedEOF)
}

// classify returns an error of a statement or a connection as a serverError.
func classify(err error) error {
	if _, ok := errors.AsType[*serverError](err); ok || err == nil {
		return err
	}
	return &serverError{err}
}

// codeOf returns the SQLSTATE of a server error, or "".
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func unique(err error) bool { return codeOf(err) == codeUnique }

// dated reports whether COMMIT refused the times of an Update.
func dated(err error) bool { return codeOf(err) == codeDated }

// full reports whether the disk of the server is full.
func full(err error) bool { return codeOf(err) == codeDiskFull }

// notStored wraps an err after which nothing was stored for certain; nil stays nil.
func notStored(err error) error { return engine.NotStored(err, full(err)) }

// conflicted reports whether the server rolled a transaction back because of concurrent
// ones, so that a retry may succeed.
func conflicted(err error) bool {
	switch codeOf(err) {
	case codeSerialization, codeDeadlock, codeLockTimeout, codeNotOne:
		return true
	}
	return outdated(err)
}

// contended reports whether concurrent writes or locks caused the conflict, rather than
// a wrong assumption of the transaction.
func contended(err error) bool {
	switch codeOf(err) {
	case codeSerialization, codeDeadlock, codeLockTimeout:
		return true
	}
	return false
}

// outdated reports whether a table has changed since the statement was prepared, as by
// a migration of another node: the statement must be prepared again.
func outdated(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == codeCachedPlan && e.Routine == "RevalidateCachedQuery"
}

// lost reports whether the connection is unusable after err.
func lost(err error) bool {
	code := codeOf(err)
	switch {
	case code == codeReadOnly, strings.HasPrefix(code, "08"), strings.HasPrefix(code, "57P"):
		return true
	}
	return false
}

// timedOut reports whether the server did not answer, or accept a connection, in time.
func timedOut(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

// shutDown reports whether the server itself announced that it ends the connection.
// Errors of class 08 may come from a pooler, which does not know what the server has executed.
func shutDown(err error) bool {
	code := codeOf(err)
	return code == codeAdminShutdown || code == codeIdleSession
}

// refused reports whether the server stated that it executed neither the failing
// statement nor those after it.
func refused(err error) bool {
	code := codeOf(err)
	return code == codeReadOnly || code != "" && !lost(err)
}

// final reports whether a retry of a failed attempt to connect is pointless.
func final(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	code := codeOf(err)
	return certificate || strings.HasPrefix(code, "28") || strings.HasPrefix(code, "3D") || strings.HasPrefix(code, "42")
}

// explainConnectError adds a remedy to errors of authentication and of a missing database.
func explainConnectError(err error) error {
	switch code := codeOf(err); {
	case strings.HasPrefix(code, "28"):
		return fmt.Errorf("the server refuses the user or the password: %w", err)
	case code == "3D000":
		return fmt.Errorf("there is no such database: create it with createdb: %w", err)
	}
	return err
}

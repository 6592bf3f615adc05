package store

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
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

// postgresCode returns the SQLSTATE of a server error, or "".
func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func postgresUnique(err error) bool { return postgresCode(err) == codeUnique }

// postgresDated reports whether COMMIT refused the times of an Update.
func postgresDated(err error) bool { return postgresCode(err) == codeDated }

// postgresFull reports whether the disk of the server is full.
func postgresFull(err error) bool { return postgresCode(err) == codeDiskFull }

// postgresConflict reports whether the server rolled a transaction back because of concurrent
// ones, so that a retry may succeed.
func postgresConflict(err error) bool {
	switch postgresCode(err) {
	case codeSerialization, codeDeadlock, codeLockTimeout, codeNotOne:
		return true
	}
	return postgresOutdated(err)
}

// postgresContended reports whether concurrent writes or locks caused the conflict, rather than
// a wrong assumption of the transaction.
func postgresContended(err error) bool {
	switch postgresCode(err) {
	case codeSerialization, codeDeadlock, codeLockTimeout:
		return true
	}
	return false
}

// postgresOutdated reports whether a table has changed since the statement was prepared, as by
// a migration of another node: the statement must be prepared again.
func postgresOutdated(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == codeCachedPlan && e.Routine == "RevalidateCachedQuery"
}

// postgresLost reports whether the connection is unusable after err.
func postgresLost(err error) bool {
	code := postgresCode(err)
	switch {
	case code == codeReadOnly, strings.HasPrefix(code, "08"), strings.HasPrefix(code, "57P"):
		return true
	}
	return false
}

// postgresTransient reports whether err concerns the server rather than the values of a
// statement. Statements are constant, so only errors about values (classes 21 to 23, checks of
// views and triggers, row limits) are permanent.
func postgresTransient(err error) bool {
	if code := postgresCode(err); len(code) >= 2 {
		switch code[:2] {
		case "21", "22", "23", "44", "54", "P0":
			return false
		}
		return true
	}
	_, connect := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return connect || network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// postgresShutdown reports whether the server itself announced that it ends the connection.
// Errors of class 08 may come from a pooler, which does not know what the server has executed.
func postgresShutdown(err error) bool {
	code := postgresCode(err)
	return code == codeAdminShutdown || code == codeIdleSession
}

// postgresRefused reports whether the server stated that it executed neither the failing
// statement nor those after it.
func postgresRefused(err error) bool {
	code := postgresCode(err)
	return code == codeReadOnly || code != "" && !postgresLost(err)
}

// postgresFinal reports whether a retry of a failed attempt to connect is pointless.
func postgresFinal(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	code := postgresCode(err)
	return certificate || strings.HasPrefix(code, "28") || strings.HasPrefix(code, "3D") || strings.HasPrefix(code, "42")
}

// explainConnectError adds a remedy to errors of authentication and of a missing database.
func explainConnectError(err error) error {
	switch code := postgresCode(err); {
	case strings.HasPrefix(code, "28"):
		return fmt.Errorf("the server refuses the user or the password: %w", err)
	case code == "3D000":
		return fmt.Errorf("there is no such database: create it with createdb: %w", err)
	}
	return err
}

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

// Codes of errors, https://www.postgresql.org/docs/current/errcodes-appendix.html.
const (
	codeUnique        = "23505"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeLockTimeout   = "55P03"
	codeDiskFull      = "53100"
	codeNotOne        = "22012" // division_by_zero, see assertion: no other statement divides
	codeAdminShutdown = "57P01"
	codeIdleSession   = "57P05"
	codeReadOnly      = "25006" // a primary that is one no more
	codeCachedPlan    = "0A000" // of cached plans whose table has changed, and of what is not there at all
)

// postgresCode returns the code of an error of the server, else "".
func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func postgresUnique(err error) bool { return postgresCode(err) == codeUnique }

// postgresConflict reports whether the server took a transaction back because of
// others, so that it is to be run again.
func postgresConflict(err error) bool {
	switch postgresCode(err) {
	case codeSerialization, codeDeadlock, codeLockTimeout, codeNotOne:
		return true
	}
	return postgresOutdated(err)
}

// postgresContended reports whether that was because of what others have written or locked,
// and of nothing that the transaction took for granted.
func postgresContended(err error) bool {
	switch postgresCode(err) {
	case codeSerialization, codeDeadlock, codeLockTimeout:
		return true
	}
	return false
}

// postgresOutdated reports whether a statement was prepared for a table that has changed
// since, as by a migration of another node: it has to be prepared again.
func postgresOutdated(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == codeCachedPlan && e.Routine == "RevalidateCachedQuery"
}

// postgresLost reports whether the connection is of no use any more after err.
func postgresLost(err error) bool {
	code := postgresCode(err)
	switch {
	case code == codeReadOnly, strings.HasPrefix(code, "08"), strings.HasPrefix(code, "57P"):
		return true
	}
	return false
}

// postgresTransient reports whether err is not about the values of a statement. As
// statements are constant, what the server says of other things than values (classes 21
// to 23, checks of views and triggers, limits of a row) it may say differently once it is
// well.
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

// postgresShutdown reports whether err is the server's own word that it ends the connection.
// Errors of class 08 may be the word of a pooler, which does not know what the server has
// done.
func postgresShutdown(err error) bool {
	code := postgresCode(err)
	return code == codeAdminShutdown || code == codeIdleSession
}

// postgresRefused reports whether err is the server's word that it has not done what was
// asked for, nor what was asked for behind that.
func postgresRefused(err error) bool {
	code := postgresCode(err)
	return code == codeReadOnly || code != "" && !postgresLost(err)
}

// postgresFinal reports whether an attempt to connect has failed for good: trying again
// would not help.
func postgresFinal(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	code := postgresCode(err)
	return certificate || strings.HasPrefix(code, "28") || strings.HasPrefix(code, "3D") || strings.HasPrefix(code, "42")
}

// explainConnectError names the errors with which PostgreSQL meets who may not come in.
func explainConnectError(err error) error {
	switch code := postgresCode(err); {
	case strings.HasPrefix(code, "28"):
		return fmt.Errorf("the server refuses the user or the password: %w", err)
	case code == "3D000":
		return fmt.Errorf("there is no such database: create it with createdb: %w", err)
	}
	return err
}

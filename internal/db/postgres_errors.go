package db

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Codes of errors, https://www.postgresql.org/docs/current/errcodes-appendix.html.
const (
	codeUnique        = "23505"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeLockTimeout   = "55P03"
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
	case codeSerialization, codeDeadlock, codeLockTimeout:
		return true
	case codeCachedPlan:
		e, _ := errors.AsType[*pgconn.PgError](err)
		return e.Routine == "RevalidateCachedQuery"
	}
	return false
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

// postgresFinal reports whether an attempt to connect has failed for good: trying again
// would not help.
func postgresFinal(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	code := postgresCode(err)
	return certificate || strings.HasPrefix(code, "28") || strings.HasPrefix(code, "3D") || strings.HasPrefix(code, "42")
}

// legibleConnect names the errors with which PostgreSQL meets who may not come in.
func legibleConnect(err error) error {
	switch code := postgresCode(err); {
	case strings.HasPrefix(code, "28"):
		return fmt.Errorf("the server refuses the user or the password: %w", err)
	case code == "3D000":
		return fmt.Errorf("there is no such database: create it with createdb: %w", err)
	}
	return err
}

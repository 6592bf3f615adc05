package store

import (
	"database/sql/driver"
	"errors"
	"regexp"
	"strings"
	"time"
)

// maxStatements bounds the prepared statements of one connection. One takes a few KB.
const maxStatements = 256

// control matches statements with which a closure would end its own transaction.
var control = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b`)

// errRowsOpen fails a closure that leaves result sets open, which would hold a snapshot or a
// statement for ever.
var errRowsOpen = errors.New("store: the closure returned with rows open: close each Rows and scan each Row")

// ctxCheckRows is the number of rows that a scan reads between two checks of its context.
const ctxCheckRows = 1 << 10

// checkValue accepts argument types that every engine takes unchanged, which bypasses the
// conversions of database/sql. It rejects texts with NUL, and times, which are stored as
// integers; other types go through the conversions (driver.ErrSkip).
func checkValue(v *driver.NamedValue) error {
	switch value := v.Value.(type) {
	case string:
		if strings.IndexByte(value, 0) >= 0 {
			return ErrNUL
		}
		return nil
	case nil, int64, []byte, bool, float64:
		return nil
	case time.Time:
		return errors.New("store: times are stored as integers")
	}
	return driver.ErrSkip
}

package store

import (
	"database/sql/driver"
	"errors"
	"strings"
	"time"
)

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

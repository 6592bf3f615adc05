package store

import (
	"database/sql/driver"
	"errors"
	"strings"
	"time"
)

// checkValue lets what every engine takes as it is go past database/sql's conversions.
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

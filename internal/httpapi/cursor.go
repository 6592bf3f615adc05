package httpapi

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"roshambo/internal/ledger"
)

// Cursors say where a page ended. They are opaque to callers, and name the list they
// belong to, so that one list's cursor is refused by another.
const (
	cursorRuns    = "runs"
	cursorBlocks  = "blocks"
	cursorAddress = "address"
	cursorKeys    = "keys"
	cursorDuels   = "duels"
)

func cursor(list string, last int64) *string {
	c := base64.RawURLEncoding.EncodeToString([]byte(list + ":" + strconv.FormatInt(last, 10)))
	return &c
}

// page cuts what was read, one row more than a page holds, to the page, and says
// whether another follows.
func page[Row any](rows []Row, limit int64) (_ []Row, more bool) {
	if int64(len(rows)) > limit {
		return rows[:limit], true
	}
	return rows, false
}

// parseCursor returns where the page starts; without a cursor, at the newest.
func parseCursor(c *string, list string) (int64, error) {
	if c == nil {
		return ledger.Newest, nil
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(*c)
	if err != nil {
		return 0, errCursor
	}
	number, ok := strings.CutPrefix(string(text), list+":")
	if !ok {
		return 0, errCursor
	}
	last, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, errCursor
	}
	return last, nil
}

// timeOf returns the time of a cursor in milliseconds; the newest is far ahead.
func timeOf(ms int64) time.Time { return time.UnixMilli(min(ms, 1<<52)) }

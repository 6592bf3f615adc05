package httpapi

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/run"
)

// Cursors say where a page ended. They are opaque to callers, and name the list they
// belong to, so that one list's cursor is refused by another.
const (
	cursorRuns    = "runs"
	cursorBlocks  = "blocks"
	cursorAddress = "address"
	cursorStats   = "stats"
	cursorKeys    = "keys"
	cursorDuels   = "duels"
	cursorTeams   = "teams"
	cursorFeed    = "feed"
	cursorPlaces  = "places"

	cursorListings  = "listings" // of one seller
	cursorMarket    = "market"
	cursorBotDuels  = "bot-duels"
	cursorBoard     = "arena"
	cursorOpponents = "opponents"
	cursorHoldings  = "holdings"
)

func cursor(list string, last int64) *string { return cursorText(list, strconv.FormatInt(last, 10)) }

func cursorText(list, last string) *string {
	c := base64.RawURLEncoding.EncodeToString([]byte(list + ":" + last))
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
	number, err := parseCursorText(*c, list)
	if err != nil {
		return 0, err
	}
	last, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, errCursor
	}
	return last, nil
}

func parseCursorText(c, list string) (string, error) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(c)
	if err != nil {
		return "", errCursor
	}
	last, ok := strings.CutPrefix(string(text), list+":")
	if !ok {
		return "", errCursor
	}
	return last, nil
}

// runCursor says that a page of runs ended with this one: two runs may begin in one
// millisecond, so the time alone does not say it.
func runCursor(r *run.Run) *string {
	return cursorText(cursorRuns, strconv.FormatInt(r.StartedAt.UnixMilli(), 10)+":"+r.ID)
}

func parseRunCursor(c *string) (run.Cursor, error) {
	if c == nil {
		return run.Cursor{StartedAt: time.UnixMilli(1 << 52)}, nil // far ahead
	}
	text, err := parseCursorText(*c, cursorRuns)
	if err != nil {
		return run.Cursor{}, err
	}
	started, id, _ := strings.Cut(text, ":") // without an id, as they were once: all before that time
	ms, err := strconv.ParseInt(started, 10, 64)
	if err != nil || !utf8.ValidString(id) || strings.Contains(id, "\x00") {
		return run.Cursor{}, errCursor
	}
	return run.Cursor{StartedAt: time.UnixMilli(min(ms, 1<<52)), ID: id}, nil
}

// Some lists are in the order of a number and, among those who share it, of an address.

func boardCursor(r arena.Row) *string {
	return cursorPair(cursorBoard, r.Player.Record.Rating.Rating, r.Player.Address)
}

func parseBoardCursor(c *string) (after arena.TableCursor, err error) {
	after.Rating, after.Address, err = parseCursorPair(c, cursorBoard)
	return after, err
}

func opponentCursor(o arena.Opponent) *string { return cursorPair(cursorOpponents, o.Games, o.Address) }

func parseOpponentCursor(c *string) (behind arena.OpponentCursor, err error) {
	behind.Games, behind.Opponent, err = parseCursorPair(c, cursorOpponents)
	return behind, err
}

func cursorPair(list string, n int64, address chain.Address) *string {
	return cursorText(list, strconv.FormatInt(n, 10)+":"+address.String())
}

// parseCursorPair returns zeros without a cursor.
func parseCursorPair(c *string, list string) (n int64, address chain.Address, err error) {
	if c == nil {
		return 0, address, nil
	}
	text, err := parseCursorText(*c, list)
	if err != nil {
		return 0, address, err
	}
	number, rest, _ := strings.Cut(text, ":")
	if n, err = strconv.ParseInt(number, 10, 64); err != nil {
		return 0, address, errCursor
	}
	if address, err = chain.ParseAddress(rest); err != nil {
		return 0, address, errCursor
	}
	return n, address, nil
}

// timeOf returns the time of a cursor in milliseconds; the newest is far ahead.
func timeOf(ms int64) time.Time { return time.UnixMilli(min(ms, 1<<52)) }

package api

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

// Cursors mark the end of a page. They are opaque to callers and name their list, so that a list
// refuses another list's cursor.
const (
	cursorBlocks = "blocks"
	cursorStats  = "stats"
	cursorDuels  = "duels"
	cursorTeams  = "teams"
	cursorFeed   = "feed"
	cursorPlaces = "places" // a board's name follows
	cursorCups   = "cups"
	cursorMarket = "market"
	cursorArena  = "arena"

	// Lists of one account, whose address follows: see listOf.
	cursorRuns      = "runs"
	cursorAddress   = "address"
	cursorKeys      = "keys"
	cursorListings  = "listings"
	cursorBotDuels  = "bot-duels"
	cursorOpponents = "opponents"
	cursorHoldings  = "holdings"
)

// listOf returns the name of a list that has the rows of one account alone. Another account's cursor would begin
// at a place that means nothing in the list, and leave out rows without a word.
func listOf(list string, of chain.Address) string { return list + "-" + of.String() }

// pageIn selects a page of a list.
type pageIn struct {
	Limit  int64   `query:"limit" default:"20" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// cursor returns the cursor of a list after an entry's number.
func cursor(list string, last int64) *string { return cursorText(list, strconv.FormatInt(last, 10)) }

// cursorText returns the cursor of a list after an entry's key.
func cursorText(list, last string) *string {
	c := base64.RawURLEncoding.EncodeToString([]byte(list + ":" + last))
	return &c
}

// page cuts rows, read with one row more than the page holds, to limit, and reports whether another
// page follows.
func page[Row any](rows []Row, limit int64) (_ []Row, more bool) {
	if int64(len(rows)) > limit {
		return rows[:limit], true
	}
	return rows, false
}

// paged returns the wire form of a page, which is read with one row more than it holds, and the cursor after its
// last row when another page follows.
func paged[Row, Wire any](
	rows []Row, limit int64, wire func(Row) Wire, after func(Row) *string,
) (list []Wire, next *string) {
	rows, more := page(rows, limit)
	if more {
		next = after(rows[len(rows)-1])
	}
	return mapped(rows, wire), next
}

// parseCursor returns the number after which the page starts; ledger.Newest without a cursor.
// Errors: errCursor.
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

// parseCursorText returns the key in a cursor of a list. Errors: errCursor.
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

// runCursor returns the cursor after a run. It holds time and id, because several runs may begin in
// one millisecond.
func runCursor(list string, r *run.Run) *string {
	return cursorText(list, strconv.FormatInt(r.StartedAt.UnixMilli(), 10)+":"+r.ID)
}

// parseRunCursor returns the position after which a page of runs starts. Errors: errCursor.
func parseRunCursor(c *string, list string) (run.Cursor, error) {
	if c == nil {
		return run.Cursor{StartedAt: time.UnixMilli(1 << 52)}, nil // later than every run
	}
	text, err := parseCursorText(*c, list)
	if err != nil {
		return run.Cursor{}, err
	}
	started, id, ok := strings.Cut(text, ":")
	ms, err := strconv.ParseInt(started, 10, 64)
	if err != nil || !ok || !storable(id) {
		return run.Cursor{}, errCursor
	}
	return run.Cursor{StartedAt: time.UnixMilli(min(ms, 1<<52)), ID: id}, nil
}

// storable reports whether a text of a caller is one that a database can compare.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// Cursors of lists ordered by a number and, within it, by an address.

// boardCursor returns the cursor after a row of a board of ratings.
func boardCursor(board string, r arena.Row) *string {
	return cursorPair(board, r.Player.Record.Standing, r.Player.Address)
}

// parseBoardCursor returns the position in a board of ratings. Errors: errCursor.
func parseBoardCursor(board string, c *string) (after arena.TableCursor, err error) {
	after.Standing, after.Address, err = parseCursorPair(c, board)
	return after, err
}

func opponentCursor(list string, o arena.Opponent) *string {
	return cursorPair(list, o.Games, o.Address)
}

// parseOpponentCursor returns the position in a list of opponents. Errors: errCursor.
func parseOpponentCursor(c *string, list string) (behind arena.OpponentCursor, err error) {
	behind.Games, behind.Opponent, err = parseCursorPair(c, list)
	return behind, err
}

// cursorPair returns the cursor of a list that is ordered by a number, then by an address.
func cursorPair(list string, n int64, address chain.Address) *string {
	return cursorText(list, strconv.FormatInt(n, 10)+":"+address.String())
}

// parseCursorPair returns the number and the address in a cursor; zeros without one. Errors:
// errCursor.
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

// timeOf returns the time of Unix milliseconds, bounded so that ledger.Newest is a valid time.
func timeOf(ms int64) time.Time { return time.UnixMilli(min(ms, 1<<52)) }

// number parses a height or an id, with or without a leading #. Errors: ledger.ErrNotFound.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64)
	if err != nil || n < 0 || n > chain.MaxID {
		return 0, ledger.ErrNotFound
	}
	return n, nil
}

package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/run"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// dataOperations registers the streams of public data in bulk.
func (a *API) dataOperations() {
	op := func(id, path, summary string, line any, errors ...string) contract.Operation {
		return contract.Operation{
			ID: id, Method: "GET", Path: path, Tag: "Data", Summary: summary, Description: dataDescription, Events: line,
			Errors: may(append(errors, "bad_request", "too_many_streams")...),
		}
	}
	addStream(a, op("dataDuels", "/api/data/duels", "Finished duels with their moves, as lines of JSON", DuelLine{},
		"not_found"), ndjson, (*call).dataDuels)
	addStream(a, op("dataRatings", "/api/data/ratings", "Changes of ratings, as lines of JSON", RatingLine{},
		"not_found"), ndjson, (*call).dataRatings)
	addStream(a, op("dataRuns", "/api/data/runs", "Runs that have ended with their throws, as lines of JSON", RunLine{},
		"not_found"), ndjson, (*call).dataRuns)
	boards := op("dataBoards", "/api/data/boards", "Boards of days, weeks and seasons that are over, as lines of JSON",
		BoardLine{})
	boards.Description += " A board is there from 25 hours after its end on, that of a season once it is closed, too. " +
		"Boards of days are kept for two weeks, those of weeks for three."
	addStream(a, boards, ndjson, (*call).dataBoards)
}

const ndjson = "application/x-ndjson"

// dataLag is how long after it happened an entry appears. The order of the lines follows the nodes' clocks, which
// are seconds apart at most, as are a use case's time and its commit: after the lag no earlier entry can follow.
const dataLag = time.Minute

// dataPage is how many lines are read at once, in a snapshot of their own, so that memory does not grow with the data
// and no snapshot lasts as long as a slow client reads.
const dataPage = 100

var dataDescription = fmt.Sprintf("One object in a line, in the order of time; duels, ratings and runs from a minute "+
	"after they happened (docs/data.md). The cursor of the last complete line continues after it, also after a torn "+
	"connection; an answer without lines is the end for now. Every %d lines after the first count as a call, and their "+
	"bytes as those of the public log: where a budget ends, the answer ends after a complete line.", dataPage)

// afterIn is where a stream goes on.
type afterIn struct {
	After *string `query:"after" doc:"The cursor of the last line that the caller has; by default from the start. A cursor belongs to one operation, for all or for one player."`
}

// dataIn selects lines of bots.
type dataIn struct {
	afterIn

	Bot *string `query:"bot" doc:"Username or address of a bot: its lines alone."`
}

// dataRunsIn selects runs.
type dataRunsIn struct {
	afterIn

	Player *string `query:"player" doc:"Username or address: the runs of one player alone."`
}

// DuelLine is a line of GET /api/data/duels.
type DuelLine struct {
	Cursor string `json:"cursor"`
	Duel   Duel   `json:"duel" doc:"With all rounds, without salts, which its proof has. Whether it is void is the state at this read."`
}

// RatingLine is a line of GET /api/data/ratings.
type RatingLine struct {
	Cursor         string     `json:"cursor"`
	Pool           string     `json:"pool" known:"human,bots"`
	Player         PlayerName `json:"player"`
	Game           int64      `json:"game" doc:"The player's first rated duel is 1."`
	Duel           string     `json:"duel" doc:"Its code."`
	Opponent       PlayerName `json:"opponent"`
	Outcome        string     `json:"outcome" enum:"win,loss,draw,void,restored" doc:"As in a bot's rated duels."`
	RatingBefore   float64    `json:"rating_before"`
	Rating         float64    `json:"rating" doc:"After it."`
	Deviation      float64    `json:"deviation" doc:"After it."`
	OpponentRating float64    `json:"opponent_rating" doc:"Before it."`
	PlayedAt       Time       `json:"played_at"`
	Version        *string    `json:"version" doc:"The bot's at the end of the duel; null for none, and for people."`
}

// RunLine is a line of GET /api/data/runs.
type RunLine struct {
	Cursor string     `json:"cursor"`
	Player PlayerName `json:"player"`
	Run    Run        `json:"run" doc:"Without the texts that the player typed, whose hashes it has."`
	Voided *Voided    `json:"voided,omitempty" doc:"Of a daily run whose result is void at this read. It is on no board."`
}

// BoardLine is a line of GET /api/data/boards.
type BoardLine struct {
	Cursor string   `json:"cursor"`
	Board  string   `json:"board" known:"daily,week,season"`
	Period Period   `json:"period"`
	Row    BoardRow `json:"row"`
}

// dataDuels streams finished duels.
func (a *call) dataDuels(ctx context.Context, in *dataIn) (contract.Stream, error) {
	var start duel.DataPosition
	list := dataList("data-duels", in.Bot)
	parts, err := parseDataCursor(in.After, list, 2)
	if err == nil && parts != nil {
		start = duel.DataPosition{EndedAt: parseDataNumber(parts[0], &err), Seq: parseDataNumber(parts[1], &err)}
	}
	if err != nil {
		return nil, errCursor
	}
	return streamData(ctx, a, start, func(
		ctx context.Context, tx *store.Tx, after duel.DataPosition,
	) (lines []DuelLine, _ duel.DataPosition, err error) {
		of, err := a.dataBot(ctx, tx, in)
		if err != nil {
			return nil, after, err
		}
		var bot *chain.Address
		if of != nil {
			bot = &of.Address
		}
		duels, err := a.Duels.FinishedBetween(ctx, tx,
			duel.DataPage{Of: bot, After: after, Before: tx.Now().Add(-dataLag), Count: dataPage})
		if err != nil {
			return nil, after, err
		}
		shown := mapped(duels, func(d *duel.Duel) Duel { return wireDuel(d, chain.Address{}) })
		if err := markVoid(ctx, tx, shown); err != nil {
			return nil, after, err
		}
		for i, d := range duels {
			after = d.DataPosition()
			shown[i].withoutSalts()
			lines = append(lines, DuelLine{
				Cursor: *cursorText(list, fmt.Sprintf("%d:%d", after.EndedAt, after.Seq)), Duel: shown[i]})
		}
		return lines, after, nil
	})
}

// dataRatings streams changes of ratings.
func (a *call) dataRatings(ctx context.Context, in *dataIn) (contract.Stream, error) {
	var start arena.DataPosition
	list := dataList("data-ratings", in.Bot)
	parts, err := parseDataCursor(in.After, list, 4)
	if err == nil && parts != nil {
		start.PlayedAt = parseDataNumber(parts[0], &err)
		start.Player.Pool, start.GameNo = arena.Pool(parts[1]), parseDataNumber(parts[3], &err)
		if err == nil {
			start.Player.Address, err = chain.ParseAddress(parts[2])
		}
	}
	if err != nil {
		return nil, errCursor
	}
	return streamData(ctx, a, start, func(
		ctx context.Context, tx *store.Tx, after arena.DataPosition,
	) (lines []RatingLine, _ arena.DataPosition, err error) {
		of, err := a.dataBot(ctx, tx, in)
		if err != nil {
			return nil, after, err
		}
		changes, err := a.Arena.ChangesBetween(ctx, tx,
			arena.DataPage{Of: of, After: after, Before: tx.Now().Add(-dataLag), Count: dataPage})
		for _, c := range changes {
			after = c.Position()
			lines = append(lines, RatingLine{
				Cursor: *cursorText(list, fmt.Sprintf("%d:%s:%s:%d", after.PlayedAt, after.Player.Pool, after.Player.Address,
					after.GameNo)),
				Pool: string(c.Player.Pool), Player: wireName(c.Player.Address, c.Name), Game: c.GameNo, Duel: c.Duel,
				Opponent: wireName(c.Opponent, c.Username), Outcome: c.Outcome, RatingBefore: points(c.RatingBefore),
				Rating: points(c.Rating), Deviation: points(c.Deviation), OpponentRating: points(c.OpponentRating),
				PlayedAt: Time{c.PlayedAt}, Version: given(c.Version),
			})
		}
		return lines, after, err
	})
}

// dataRuns streams runs that have ended.
func (a *call) dataRuns(ctx context.Context, in *dataRunsIn) (contract.Stream, error) {
	var start run.DataPosition
	list := dataList("data-runs", in.Player)
	parts, err := parseDataCursor(in.After, list, 2)
	if err == nil && parts != nil {
		start = run.DataPosition{At: parseDataNumber(parts[0], &err), ID: parts[1]}
	}
	if err != nil || !storable(start.ID) {
		return nil, errCursor
	}
	return streamData(ctx, a, start, func(
		ctx context.Context, tx *store.Tx, after run.DataPosition,
	) (lines []RunLine, _ run.DataPosition, err error) {
		page := run.DataPage{After: after, Before: tx.Now().Add(-dataLag), Count: dataPage}
		if in.Player != nil {
			found, err := a.find(ctx, tx, *in.Player)
			if err != nil {
				return nil, after, err
			}
			page.Of = &found.Address
		}
		runs, err := a.Runs.EndedBetween(ctx, tx, page)
		if err != nil {
			return nil, after, err
		}
		for _, r := range runs {
			shown, err := a.wireRun(r.Run)
			if err != nil {
				return nil, after, err
			}
			shown.hideTexts()
			after = page.Position(r.Run)
			lines = append(lines, RunLine{Cursor: *cursorText(list, fmt.Sprintf("%d:%s", after.At, after.ID)),
				Player: wireName(r.Account, r.Username), Run: *shown})
		}
		return lines, after, markVoidRuns(ctx, tx, lines)
	})
}

// markVoidRuns completes the lines of daily runs whose result is void.
func markVoidRuns(ctx context.Context, tx *store.Tx, lines []RunLine) error {
	daily := map[string]*RunLine{}
	var oldest time.Time
	for i := range lines {
		r := &lines[i].Run
		if r.Entry != string(chain.EntryDaily) || r.EndedAt == nil {
			continue
		}
		daily[chain.RunGameID(r.ID)] = &lines[i]
		if oldest.IsZero() || r.EndedAt.Before(oldest) {
			oldest = r.EndedAt.Time
		}
	}
	return eachVoid(ctx, tx, oldest, func(game string, v *Voided) {
		if line := daily[game]; line != nil {
			line.Voided = v
		}
	})
}

// dataBoards streams the rows of boards that are over.
func (a *call) dataBoards(ctx context.Context, in *afterIn) (contract.Stream, error) {
	const list = "data-boards"
	start := ""
	if in.After != nil {
		var err error
		if start, err = parseCursorText(*in.After, list); err != nil {
			return nil, errCursor
		}
	}
	return streamData(ctx, a, start, func(
		ctx context.Context, tx *store.Tx, after string,
	) (lines []BoardLine, _ string, err error) {
		rows, err := a.Score.PastRows(ctx, tx, after, dataPage)
		for i := range rows {
			r := &rows[i]
			after = r.Cursor
			lines = append(lines, BoardLine{Cursor: *cursorText(list, after), Board: r.Board, Period: pastPeriod(r),
				Row: wireRow(r.Row)})
		}
		return lines, after, err
	})
}

// pastPeriod returns the period of a board that is over.
func pastPeriod(r *score.PastRow) Period {
	out := Period{Name: score.DayName(score.DayOf(r.StartsAt)), StartsAt: Time{r.StartsAt}, EndsAt: Time{r.EndsAt}}
	switch r.Board {
	case score.PastWeek:
		_, _, out.Name = score.WeekSpan(r.StartsAt)
	case score.PastSeason:
		out.Name = seasonName(r.Season)
	}
	return out
}

// dataList returns the name of a list in cursors: the list of one player has another order than the list of
// all.
func dataList(name string, of *string) string {
	if of != nil {
		return name + "-of"
	}
	return name
}

// dataBot returns the bot whose lines are selected; nil for all. Errors: account.ErrNotFound.
func (a *call) dataBot(ctx context.Context, tx *store.Tx, in *dataIn) (*arena.PlayerKey, error) {
	if in.Bot == nil {
		return nil, nil
	}
	found, err := a.find(ctx, tx, *in.Bot)
	if err == nil && found.Kind != chain.Bot {
		err = account.ErrNotFound
	}
	return &arena.PlayerKey{Pool: arena.Bots, Address: found.Address}, err
}

// parseDataCursor returns the parts of a cursor, nil for none. Errors: errCursor.
func parseDataCursor(c *string, list string, parts int) ([]string, error) {
	if c == nil {
		return nil, nil
	}
	text, err := parseCursorText(*c, list)
	if err != nil {
		return nil, err
	}
	split := strings.Split(text, ":")
	if len(split) != parts {
		return nil, errCursor
	}
	return split, nil
}

// parseDataNumber parses a number of a cursor, and sets err if it is none.
func parseDataNumber(text string, err *error) int64 {
	n, failed := strconv.ParseInt(text, 10, 64)
	*err = errors.Join(*err, failed)
	return n
}

// dataLines is what a page has read, and the position of its last line.
type dataLines[Line, Position any] struct {
	lines []Line
	last  Position
}

// streamData writes pages of lines until there is no further line or a budget of the client ends. It takes a place
// among the streams of the client's address, so that slow clients cannot hold any number of connections.
func streamData[Line, Position any](ctx context.Context, a *call, start Position, page func(context.Context, *store.Tx,
	Position) ([]Line, Position, error)) (contract.Stream, error) {
	readPage := func(ctx context.Context, after Position) (*dataLines[Line, Position], error) {
		return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*dataLines[Line, Position], error) {
			lines, last, err := page(ctx, tx, after)
			return &dataLines[Line, Position]{lines, last}, err
		})
	}
	// Before the stream begins, an error is an answer.
	release, err := a.Streams.Acquire(a.slots()...)
	if err != nil {
		return nil, err
	}
	got, err := readPage(ctx, start)
	if err == nil {
		err = a.CountLogBytes(ctx, a.w.Client, 0)
	}
	if err != nil {
		release()
		return nil, err
	}
	return func(ctx context.Context, w http.ResponseWriter) {
		defer release()
		w.Header().Set("Cache-Control", "no-store")
		body := a.w.packedFile()
		for writeLines(ctx, a, body, got) && len(got.lines) == dataPage && a.w.CountAgain() == nil {
			if got, err = readPage(ctx, got.last); err != nil {
				a.Logger.Warn("a stream of data ended", "error", err)
				panic(http.ErrAbortHandler) // the client must not take it for the end
			}
		}
		body.Close()
	}, nil
}

// writeLines writes lines and counts their bytes. It reports whether the client takes more.
func writeLines[Line, Position any](ctx context.Context, a *call, w io.Writer,
	read *dataLines[Line, Position]) bool {
	var text []byte
	for _, line := range read.lines {
		encoded, err := contract.Encode(line)
		if err != nil {
			panic(err) // the types of lines can be encoded
		}
		text = append(append(text, encoded...), '\n')
	}
	if _, err := w.Write(text); err != nil {
		return false // the client has disconnected
	}
	return a.CountLogBytes(ctx, a.w.Client, len(text)) == nil
}

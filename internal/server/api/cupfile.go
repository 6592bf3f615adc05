package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/game"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/cup"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// Files of a cup. The small ones are written from one snapshot. Moves and proofs are read some duels at a time, each
// time in a snapshot of its own, so that neither memory nor a snapshot lasts as long as a slow client reads: a
// duel that is over does not change any more.

// fileOperations registers the files of cups.
func (a *API) fileOperations() {
	op := func(id, file, summary, description string) contract.Operation {
		return contract.Operation{ID: id, Method: "GET", Path: "/api/cups/{number}/" + file, Tag: "Cups", Summary: summary,
			Description: description, Errors: may("not_found", "too_many_streams")}
	}
	const budget = " Some of them after the first count as a call, and all bytes as those of the public log; where a budget " +
		"ends, the connection breaks."
	addStream(a, op("getCupTable", "table.csv", "The table of a cup as CSV",
		"Points and Buchholz are those of the page: a win is 1, a draw 0.5."), "text/csv; charset=utf-8",
		sheetFile("table.csv", (*cup.Sheet).WriteTable))
	addStream(a, op("getCupPairings", "pairings.csv", "The pairings of a cup as CSV",
		"A bye has no b; points are empty while the duel goes on."), "text/csv; charset=utf-8",
		sheetFile("pairings.csv", (*cup.Sheet).WritePairings))
	addStream(a, op("getCupReport", "report.trf", "A cup as a tournament report of FIDE (TRF16)",
		"As far as it fits: side a has white, and the starting number is the place in the table."),
		"text/plain; charset=utf-8", sheetFile("report.trf", (*cup.Sheet).WriteTRF))
	addStream(a, op("getCupMoves", "moves.ndjson", "Every round of every duel of a cup, one a line",
		"Duels that are over, in the order of the pairings. A side that has not revealed has no move."+budget),
		"application/x-ndjson", (*call).getCupMoves)
	addStream(a, op("getCupProofs", "proofs.ndjson", "The proofs of all duels of a cup, one a line",
		"Duels that are over, in the order of the pairings: each line is what GET /api/duels/{code}/proof answers. roshambo "+
			"verify and verify.py take the file as it is."+budget),
		"application/x-ndjson", (*call).getCupProofs)
}

// perClientFiles is how many files of cups one network address reads at once.
const perClientFiles = 8

// fileSlots returns the slots of the caller's files.
func (a *call) fileSlots() (slots []stream.Slot) {
	if a.RateLimit == nil {
		return nil
	}
	most := perClientFiles
	if a.w.Client.Shared {
		most *= limit.SharedTimes
	}
	for _, level := range limit.AppendLevels(nil, a.w.Client.Address, most) {
		slots = append(slots, stream.Slot{Name: "file:" + level.Prefix.String(), Max: level.Max})
	}
	return slots
}

// sheetOf reads a cup with its players and games in one snapshot. Errors: cup.ErrNotFound.
func (a *call) sheetOf(ctx context.Context, number int64) (*cup.Sheet, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*cup.Sheet, error) {
		c, err := a.Cups.Get(ctx, tx, number)
		if err != nil {
			return nil, err
		}
		players, err := a.Cups.Players(ctx, tx, number)
		if err != nil {
			return nil, err
		}
		games, _, err := a.Cups.Games(ctx, tx, number)
		return cup.NewSheet(c, players, games), err
	})
}

// fileHeaders sets the headers of a file of a cup.
func fileHeaders(w http.ResponseWriter, number int64, file string) {
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="cup-%d-%s"`, number, file))
	w.Header().Set("Cache-Control", "no-store")
}

// sheetFile returns the handler of a file that is written from a sheet.
func sheetFile(file string, write func(*cup.Sheet, io.Writer) error) func(*call, context.Context, *cupIn) (
	contract.Stream, error) {
	return func(a *call, ctx context.Context, in *cupIn) (contract.Stream, error) {
		sheet, err := a.sheetOf(ctx, in.Number)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := write(sheet, &b); err != nil {
			return nil, fmt.Errorf("api: %s of cup %d: %w", file, in.Number, err)
		}
		return func(_ context.Context, w http.ResponseWriter) {
			fileHeaders(w, in.Number, file)
			w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write(b.Bytes()) // the client may have left
		}, nil
	}
}

// CupMove is a round of a duel of a cup, a line of its moves.
type CupMove struct {
	Cup     int64   `json:"cup"`
	Round   int64   `json:"round"` // of the cup
	Board   int64   `json:"board"`
	Duel    string  `json:"duel"`
	N       int     `json:"n"` // of the round of the duel, from 1
	A       string  `json:"a"` // name
	B       string  `json:"b"`
	MoveA   *string `json:"move_a"`
	MoveB   *string `json:"move_b"`
	Outcome string  `json:"outcome"` // a, b, tie or void
	Forfeit *string `json:"forfeited_by"`
}

// getCupMoves streams the moves of a cup.
func (a *call) getCupMoves(ctx context.Context, in *cupIn) (contract.Stream, error) {
	file := duelFile{number: in.Number, name: "moves.ndjson", page: 100}
	file.lines = func(_ context.Context, _ *store.Tx, d *duel.CupDuel, out *json.Encoder) error {
		for _, r := range d.RoundsFor(game.NoSide) {
			line := CupMove{Cup: in.Number, Round: d.Round, Board: d.Board, Duel: d.Code, N: r.N, A: d.A.Username,
				B: d.B.Username, MoveA: shownMove(&r.Hands[0]), MoveB: shownMove(&r.Hands[1]), Outcome: r.Outcome.String(),
				Forfeit: sideName(r.Forfeit)}
			if err := out.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}
	return file.stream(ctx, a)
}

// shownMove returns the move of a hand; nil if it was not revealed.
func shownMove(h *chain.DuelHand) *string {
	if !h.HasMove {
		return nil
	}
	return new(h.Move.String())
}

// getCupProofs streams the proofs of a cup's duels, which each need blocks of the chain: its pages are small.
func (a *call) getCupProofs(ctx context.Context, in *cupIn) (contract.Stream, error) {
	file := duelFile{number: in.Number, name: "proofs.ndjson", page: 16}
	file.lines = func(ctx context.Context, tx *store.Tx, d *duel.CupDuel, out *json.Encoder) error {
		proof, err := a.duelProof(ctx, tx, d.Duel)
		if err != nil {
			return err
		}
		return out.Encode(proof)
	}
	return file.stream(ctx, a)
}

// duelFile is a file with the lines of each duel of a cup that is over.
type duelFile struct {
	number int64
	name   string
	page   int64 // duels that are read in one snapshot
	lines  func(ctx context.Context, tx *store.Tx, d *duel.CupDuel, out *json.Encoder) error
}

// duelPage is a part of a file, and its last duel.
type duelPage struct {
	text         []byte
	round, board int64
	more         bool // duels may follow
}

// stream streams the file. Each page after the first counts as a call, and all bytes as bytes of the public log. An
// error after the first byte breaks the connection, as does the end of a budget: a file that is cut off must not look
// whole, and no cursor continues it.
func (f *duelFile) stream(ctx context.Context, a *call) (contract.Stream, error) {
	release, err := a.Streams.Acquire(a.fileSlots()...)
	if err != nil {
		return nil, err
	}
	// Before the stream begins, an error is an answer.
	got, err := f.read(ctx, a, &duelPage{})
	if err == nil {
		err = a.CountLogBytes(ctx, a.w.Client, 0)
	}
	if err != nil {
		release()
		return nil, err
	}
	return func(ctx context.Context, w http.ResponseWriter) {
		defer release()
		fileHeaders(w, f.number, f.name)
		body := a.w.packedFile()
		for f.write(ctx, a, body, got) && got.more {
			if got, err = f.read(ctx, a, got); err != nil {
				if ctx.Err() == nil {
					a.Logger.Error("a file of a cup ended", "file", f.name, "cup", f.number, "error", err)
				}
				panic(http.ErrAbortHandler)
			}
		}
		body.Close()
	}, nil
}

// write writes a page, and reports whether the client takes another one. If it gets none though there is one, write
// breaks the connection.
func (f *duelFile) write(ctx context.Context, a *call, w io.Writer, p *duelPage) bool {
	_, err := w.Write(p.text)
	if err == nil {
		err = a.CountLogBytes(ctx, a.w.Client, len(p.text))
	}
	if err == nil && p.more {
		err = a.w.CountAgain()
	}
	if err != nil && p.more {
		a.Logger.Debug("a file of a cup ended", "error", err) // the client has left, or its budget has ended
		panic(http.ErrAbortHandler)
	}
	return err == nil
}

// read returns the page after another one. Errors: cup.ErrNotFound.
func (f *duelFile) read(ctx context.Context, a *call, after *duelPage) (*duelPage, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*duelPage, error) {
		if _, err := a.Cups.Get(ctx, tx, f.number); err != nil {
			return nil, err
		}
		list, err := a.Duels.OfCup(ctx, tx, f.number, duel.CupSeat{Round: after.round, Board: after.board}, f.page)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		out := json.NewEncoder(&b)
		out.SetEscapeHTML(false)
		next := &duelPage{more: int64(len(list)) == f.page}
		for i := range list {
			d := &list[i]
			if err := f.lines(ctx, tx, d, out); err != nil {
				return nil, err
			}
			next.round, next.board = d.Round, d.Board
		}
		next.text = b.Bytes()
		return next, nil
	})
}

package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/rank"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// dataDelay is how long after its end a board is among the data: a daily run that its player leaves alone ends up to a
// day after its day, and its report is counted some moments later.
const dataDelay = 25 * time.Hour

// The boards of PastRow.
const (
	PastDay    = "daily"
	PastWeek   = "week"
	PastSeason = "season"
)

// PastRow is a row of the board of a day, week or season that is over.
type PastRow struct {
	Row

	Board            string // PastDay, PastWeek or PastSeason
	Season           int64  // the number of the season; 0 for other boards
	StartsAt, EndsAt time.Time
	Cursor           string // of the rows behind it
}

// PastRows returns up to count rows of the boards that are over, behind the cursor of a row; "" is the start. Boards
// are in the order of their ends; rows are in the order of their board. Boards of days and weeks are there until
// DropOldBoards drops them, boards of seasons from their closing on. Errors: ErrCursor.
func (s *Service) PastRows(ctx context.Context, tx *store.Tx, after string, count int64) (list []PastRow, err error) {
	at := pastCursor{position: rank.First}
	if after != "" {
		if at, err = parsePastCursor(after); err != nil {
			return nil, err
		}
	}
	boards, err := s.pastBoards(ctx, tx, at.board)
	if err != nil {
		return nil, err
	}
	for i := range boards {
		b := &boards[i]
		if b.id != at.board {
			at = pastCursor{board: b.id, position: rank.First}
		}
		rows, err := b.rowsBehind(ctx, tx, at, count-int64(len(list)))
		if err != nil {
			return nil, fmt.Errorf("score: rows of board %d: %w", b.id, err)
		}
		if list = append(list, rows...); int64(len(list)) == count {
			break
		}
	}
	return list, nil
}

// pastCursor is the position of a row on a board that is over, and its rank, so that the rows behind it need no count.
type pastCursor struct {
	board    Board
	position position
	rank     int64
}

// String returns the text of the cursor.
func (c pastCursor) String() string {
	return fmt.Sprintf("%d:%d:%x:%d", c.board, c.position.Key, c.position.Member, c.rank)
}

// parsePastCursor is the inverse of pastCursor.String. Errors: ErrCursor.
func parsePastCursor(text string) (c pastCursor, err error) {
	var member []byte
	_, err = fmt.Sscanf(text, "%d:%d:%x:%d", &c.board, &c.position.Key, &member, &c.rank)
	if err != nil || len(member) > len(chain.Address{}) || pastNames[c.board.kind()] == "" || c.rank < 1 {
		return c, ErrCursor
	}
	if c.position.Member = string(member); c.String() != text { // another spelling
		return c, ErrCursor
	}
	return c, nil
}

// pastNames are the names of boards that end, by their kind.
var pastNames = map[int64]string{kindDaily: PastDay, kindWeek: PastWeek, kindSeason: PastSeason}

// pastBoard is a board that is over.
type pastBoard struct {
	id         Board
	start, end time.Time
}

// span returns a board of a day, week or season with its time.
func (s *Service) span(id Board) pastBoard {
	start, end := s.calendar.span(id.number())
	switch id.kind() {
	case kindDaily:
		start, end = DayStart(id.number()), DayStart(id.number()+1)
	case kindWeek:
		start = DayStart(id.number()*7 - 3)
		end = start.AddDate(0, 0, 7)
	}
	return pastBoard{id, start, end}
}

// compare orders boards by their ends.
func (b pastBoard) compare(o pastBoard) int {
	return cmp.Or(b.end.Compare(o.end), cmp.Compare(b.id, o.id))
}

// pastBoards returns the boards that are over and kept, from one on in their order; 0 is the start. None of them
// follows a season that is over and not closed, so that no board comes before one that a reader has.
func (s *Service) pastBoards(ctx context.Context, tx *store.Tx, from Board) (list []pastBoard, err error) {
	closed, err := q.New(tx).LastClosed(ctx)
	if err != nil {
		return nil, fmt.Errorf("score: boards that are over: %w", err)
	}
	over, open := tx.Now().Add(-dataDelay), s.Season(closed+1).EndsAt
	week, day := oldestKept(tx.Now())
	for _, id := range []Board{boardOf(kindSeason, 1), week, day} {
		for ; ; id++ {
			b := s.span(id)
			if b.end.After(over) || id.kind() == kindSeason && id.number() > closed || !b.end.Before(open) {
				break
			}
			if from == 0 || b.compare(s.span(from)) >= 0 {
				list = append(list, b)
			}
		}
	}
	slices.SortFunc(list, pastBoard.compare)
	return list, nil
}

// rowsBehind returns up to count rows behind a position of the board.
func (b *pastBoard) rowsBehind(ctx context.Context, tx *store.Tx, at pastCursor, count int64) ([]PastRow, error) {
	from := at.position
	if at.rank > 0 {
		from = from.Next()
	}
	v := boardView{id: b.id, queries: q.New(tx)}
	rows, positions, err := v.list(ctx, from, count)
	list := make([]PastRow, len(rows))
	for i, r := range rows {
		r.Rank = at.rank + int64(i) + 1
		list[i] = PastRow{Row: r, Board: pastNames[b.id.kind()], StartsAt: b.start, EndsAt: b.end,
			Cursor: pastCursor{b.id, positions[i], r.Rank}.String()}
		if b.id.kind() == kindSeason {
			list[i].Season = b.id.number()
		}
	}
	return list, err
}

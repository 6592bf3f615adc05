package arena_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
)

// evening is an arena in which bots come, ask, leave, crash and play at random, and what
// each of them must see.
type evening struct {
	*hall
	tb     testing.TB
	owners map[chain.Address]int
	bots   []chain.Address
	asked  map[chain.Address]int64  // when it last asked; missing for who is not in the queue
	duel   map[chain.Address]string // unfinished
	book   *arena.Book
}

// poll has a bot ask for its place.
func (e *evening) poll(t *rapid.T) {
	bot := rapid.SampledFrom(e.bots).Draw(t, "bot")
	p := e.hall.poll(e.tb, bot)
	if e.duel[bot] == "" {
		e.asked[bot] = e.ms.Load()
	}
	e.follow(t)
	if p.Duel != e.duel[bot] || p.Waiting != (p.Duel == "") {
		t.Fatalf("%v is in duel %q and was told %+v", bot, e.duel[bot], p)
	}
}

// leave has a bot leave.
func (e *evening) leave(t *rapid.T) {
	bot := rapid.SampledFrom(e.bots).Draw(t, "bot")
	e.hall.leave(e.tb, bot)
	delete(e.asked, bot)
}

// match has the matcher look.
func (e *evening) match(t *rapid.T) {
	e.hall.pass(e.tb)
	e.follow(t)
}

// wait lets time pass, in which bots that have crashed do not ask.
func (e *evening) wait(t *rapid.T) {
	e.forward(time.Duration(rapid.SampledFrom([]int{1, 50, 100, 1000, 4000, 9999, 31_000}).Draw(t, "ms")) * time.Millisecond)
}

// end finishes some duel.
func (e *evening) end(t *rapid.T) {
	var codes []string
	for _, bot := range e.bots {
		if code := e.duel[bot]; code != "" {
			codes = append(codes, code)
		}
	}
	if len(codes) == 0 {
		return
	}
	code := rapid.SampledFrom(codes).Draw(t, "code")
	winner := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "winner")
	e.finish(e.tb, code, winner)
	a, b := e.sides(code)
	delete(e.duel, a)
	delete(e.duel, b)
	e.book.Add(&chain.Tx{Data: &chain.DuelSettle{A: a, B: b, DuelID: code, Rated: true, Winner: winner}})
}

func (e *evening) sides(code string) (a, b chain.Address) {
	e.view(e.tb, func(ctx context.Context, tx *store.Tx) error {
		var x, y []byte
		err := tx.QueryRowContext(ctx, "SELECT a, b FROM test_duel WHERE code = $1", code).Scan(&x, &y)
		if err == nil {
			a, b = chain.Address(x), chain.Address(y)
		}
		return err
	})
	return a, b
}

// follow takes note of the duels that began, and sees that they were allowed to.
func (e *evening) follow(t *rapid.T) {
	var codes []string
	e.view(e.tb, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT code FROM test_duel WHERE winner IS NULL ORDER BY code")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var code string
			if err := rows.Scan(&code); err != nil {
				return err
			}
			codes = append(codes, code)
		}
		return rows.Err()
	})
	for _, code := range codes {
		a, b := e.sides(code)
		if e.duel[a] == code && e.duel[b] == code {
			continue
		}
		if e.owners[a] == e.owners[b] && e.owners[a] != 0 {
			t.Fatalf("%v and %v are both of owner %d", a, b, e.owners[a])
		}
		for _, bot := range []chain.Address{a, b} {
			if e.duel[bot] != "" {
				t.Fatalf("%v is in %s and in %s", bot, e.duel[bot], code)
			}
			if at, ok := e.asked[bot]; ok && e.ms.Load()-at >= arena.Lapse.Milliseconds() {
				t.Fatalf("%v was matched %d ms after it last asked", bot, e.ms.Load()-at)
			}
			delete(e.asked, bot)
			e.duel[bot] = code
		}
	}
}

// check sees that the table holds what must be there: each bot in one place, and nobody
// lost.
func (e *evening) check(t *rapid.T) {
	for _, bot := range e.bots {
		var state arena.State
		var duel string
		e.view(e.tb, func(ctx context.Context, tx *store.Tx) (err error) {
			state, duel, err = e.StateOf(ctx, tx, bot)
			return err
		})
		want := arena.Idle
		at, waits := e.asked[bot]
		switch {
		case e.duel[bot] != "":
			want = arena.Playing
		case waits && e.ms.Load()-at < arena.Lapse.Milliseconds():
			want = arena.InQueue
		}
		if state != want || duel != e.duel[bot] {
			t.Fatalf("%v is %s %q, want %s %q", bot, state, duel, want, e.duel[bot])
		}
	}
}

// TestRandomEvenings: whatever bots do, nobody is in two duels, none plays another of its
// owner, nobody who waits is lost, nobody is matched who has gone, and each rating is what
// the chain says.
func TestRandomEvenings(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	bots, book := 2, arena.NewBook()
	played := h.firstEvening(t, book).compare(t)
	evening := func(rt *rapid.T, take func(map[string]func(*rapid.T))) {
		// The evening before is over, and its bots have gone.
		h.exec(t, "UPDATE test_duel SET winner = 'a' WHERE winner IS NULL")
		h.exec(t, "DELETE FROM arena_bot")
		e := &evening{
			hall: h, tb: t, owners: map[chain.Address]int{},
			asked: map[chain.Address]int64{}, duel: map[chain.Address]string{}, book: book,
		}
		for range rapid.IntRange(2, 9).Draw(rt, "bots") {
			owner := rapid.IntRange(0, 4).Draw(rt, "owner")
			if owner != 0 {
				owner += 100_000
			}
			bots++
			bot := e.player(t, bots, chain.Bot, owner)
			e.bots, e.owners[bot] = append(e.bots, bot), owner
			e.book.Add(&chain.Tx{Actor: bot, Data: &chain.AccountCreate{AccountKind: chain.Bot}})
		}
		take(map[string]func(*rapid.T){
			"poll": e.poll, "poll more": e.poll, "poll still more": e.poll, "match": e.match, "end": e.end, "leave": e.leave, "wait": e.wait,
			"": e.check,
		})
		played += e.compare(rt)
	}
	testseed.Tour(t, func(rt *rapid.T) { evening(rt, func(all map[string]func(*rapid.T)) { testseed.Each(rt, 4, all) }) })
	rapid.Check(t, func(rt *rapid.T) { evening(rt, rt.Repeat) })
	if played == 0 {
		t.Error("no rated duel in all evenings")
	}
	ann, bob := h.player(t, bots+1, chain.Full, 0), h.player(t, bots+2, chain.Full, 0)
	h.play(t, 1, ann, bob, "a") // the first of both, and of people
	book.Add(&chain.Tx{Data: &chain.DuelSettle{A: ann, B: bob, Rated: true, Winner: "a"}})
	if found := h.audit(t, book); len(found) != 0 {
		t.Errorf("nothing was damaged, and the audit finds %+v", found)
	}
	if err := h.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := h.audit(t, book); len(found) != 0 {
		t.Errorf("the ranks are compacted, and the audit finds %+v", found)
	}
	h.auditDamage(t, book)
}

// auditDamage damages each table in turn, and checks that the audit reports it.
func (h *hall) auditDamage(t *testing.T, book *arena.Book) {
	t.Helper()
	for _, damage := range []string{
		"UPDATE arena_rating SET rating = rating + 1 WHERE games = 1",
		"UPDATE arena_rating SET wins = wins + 1 WHERE games = 1",
		"UPDATE arena_change SET volatility = volatility - 1 WHERE game_no = 1",
		"UPDATE arena_block SET n = n + 1",
		"UPDATE arena_board SET total = total + 1",
		"INSERT INTO arena_pending (board, member, now) SELECT pool, address, 1 FROM arena_rating",
		"DELETE FROM arena_board",
		"DELETE FROM arena_block",
		"DELETE FROM arena_change WHERE game_no = 1",
		"DELETE FROM arena_rating WHERE games = 1",
	} {
		var found []arena.Divergence
		err := h.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			if _, err = tx.ExecContext(ctx, damage); err != nil {
				return err
			}
			if found, err = h.Audit(ctx, tx, book, 20); err != nil {
				return err
			}
			return errUndo
		})
		if !errors.Is(err, errUndo) || len(found) == 0 || len(found) > 20 {
			t.Errorf("%s: found %v, error %v", damage, found, err)
		}
	}
}

// firstEvening is of two bots, who play a duel: it may be that no others do.
func (h *hall) firstEvening(t *testing.T, book *arena.Book) *evening {
	t.Helper()
	e := &evening{hall: h, tb: t, book: book}
	for n := range 2 {
		bot := h.player(t, n+1, chain.Bot, 100_001+n)
		e.bots = append(e.bots, bot)
		book.Add(&chain.Tx{Actor: bot, Data: &chain.AccountCreate{AccountKind: chain.Bot}})
	}
	h.poll(t, e.bots[0])
	code := h.poll(t, e.bots[1]).Duel
	h.finish(t, code, "a")
	a, b := e.sides(code)
	book.Add(&chain.Tx{Data: &chain.DuelSettle{A: a, B: b, DuelID: code, Rated: true, Winner: "a"}})
	return e
}

// compare holds every rating against the book, and returns how many duels were rated.
func (e *evening) compare(t rapid.TB) (games int) {
	for _, bot := range e.bots {
		e.view(e.tb, func(ctx context.Context, tx *store.Tx) error {
			row, err := e.Standing(ctx, tx, arena.Bots, bot)
			if err != nil {
				return err
			}
			want, ok := e.book.Ratings()[arena.Rated{Pool: arena.Bots, Address: bot}]
			r := row.Player.Record
			if ok != (r != nil) {
				return fmt.Errorf("%v has a record: %v, want %v", bot, r != nil, ok)
			}
			if !ok {
				return nil
			}
			games += int(r.Games)
			if r.Rating != want || r.Wins+r.Losses+r.Draws != r.Games {
				return fmt.Errorf("%v has %+v, the book %+v", bot, r, want)
			}
			return e.compareHistory(ctx, tx, bot, r)
		})
	}
	if t.Failed() {
		t.Fatal("see above")
	}
	return games / 2
}

// compareHistory sees that a player's changes lead from a newcomer to the rating.
func (e *evening) compareHistory(ctx context.Context, tx *store.Tx, bot chain.Address, r *arena.Record) error {
	list, err := e.History(ctx, tx, arena.Rated{Pool: arena.Bots, Address: bot}, r.Games+1, r.Games+1)
	if err != nil {
		return err
	}
	if int64(len(list)) != r.Games {
		return fmt.Errorf("%v has played %d duels, its history has %d", bot, r.Games, len(list))
	}
	last := glicko.Newcomer
	var points int64
	for i, c := range slices.Backward(list) {
		if c.RatingBefore != last.Rating || c.DeviationBefore != last.Deviation || c.GameNo != int64(len(list)-i) {
			return fmt.Errorf("%v: change %+v after %+v", bot, c, last)
		}
		last.Rating, last.Deviation = c.Rating, c.Deviation
		points += map[string]int64{"win": 1, "loss": -1, "draw": 0}[c.Outcome]
	}
	if last.Rating != r.Rating.Rating || last.Deviation != r.Rating.Deviation || points != r.Wins-r.Losses {
		return fmt.Errorf("%v: the history leads to %+v, the record is %+v", bot, last, r)
	}
	opponents, err := e.Opponents(ctx, tx, arena.Rated{Pool: arena.Bots, Address: bot}, arena.Behind{}, 100)
	for _, o := range opponents {
		if o.Games != o.Wins+o.Losses+o.Draws {
			return fmt.Errorf("%v against %+v", bot, o)
		}
		r.Games -= o.Games
	}
	if r.Games != 0 {
		return fmt.Errorf("%v: %d games against nobody", bot, r.Games)
	}
	return err
}

var errUndo = errors.New("the damage is undone")

func (h *hall) audit(t *testing.T, book *arena.Book) (found []arena.Divergence) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
		found, err = h.Audit(ctx, tx, book, 20)
		return err
	})
	return found
}

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

// scenario is a random sequence of actions of bots (ask, leave, crash, play) with the expected
// state of each bot.
type scenario struct {
	*fixture
	tb     testing.TB
	owners map[chain.Address]int
	bots   []chain.Address
	asked  map[chain.Address]int64  // last request; missing if the bot is not in the queue
	duel   map[chain.Address]string // unfinished
	book   *arena.Book
}

// poll asks for an opponent for a random bot.
func (e *scenario) poll(t *rapid.T) {
	bot := rapid.SampledFrom(e.bots).Draw(t, "bot")
	p := e.fixture.poll(e.tb, bot)
	if e.duel[bot] == "" {
		e.asked[bot] = e.ms.Load()
	}
	e.follow(t)
	if p.Duel != e.duel[bot] || p.Waiting != (p.Duel == "") {
		t.Fatalf("%v is in duel %q and got %+v", bot, e.duel[bot], p)
	}
}

// leave takes a random bot out of the queue.
func (e *scenario) leave(t *rapid.T) {
	bot := rapid.SampledFrom(e.bots).Draw(t, "bot")
	e.fixture.leave(e.tb, bot)
	delete(e.asked, bot)
}

// match runs the matcher once.
func (e *scenario) match(t *rapid.T) {
	e.fixture.matchOnce(e.tb)
	e.follow(t)
}

// wait moves the clock; a bot that does not ask meanwhile has crashed.
func (e *scenario) wait(t *rapid.T) {
	e.forward(time.Duration(rapid.SampledFrom([]int{1, 50, 100, 1000, 4000, 9999, 31_000}).Draw(t,
		"ms")) * time.Millisecond)
}

// end finishes a random duel.
func (e *scenario) end(t *rapid.T) {
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
	d := chain.DuelSettle{A: a, B: b, DuelID: code, Rated: true, Winner: winner}
	e.book.Add(&chain.Tx{Data: &d}, transcript(&d))
}

func (e *scenario) sides(code string) (a, b chain.Address) {
	e.view(e.tb, func(ctx context.Context, tx *store.Tx) error {
		var x, y []byte
		row := tx.QueryRowContext(ctx, "SELECT a, b FROM test_duel WHERE code = $1", code)
		if err := row.Scan(&x, &y); err != nil {
			return err
		}
		a, b = chain.Address(x), chain.Address(y)
		return nil
	})
	return a, b
}

// follow records the duels that have begun, and checks that they are allowed.
func (e *scenario) follow(t *rapid.T) {
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
			t.Fatalf("%v and %v both belong to owner %d", a, b, e.owners[a])
		}
		for _, bot := range []chain.Address{a, b} {
			if e.duel[bot] != "" {
				t.Fatalf("%v is in two duels, %s and %s", bot, e.duel[bot], code)
			}
			if at, ok := e.asked[bot]; ok && e.ms.Load()-at >= arena.QueueTimeout.Milliseconds() {
				t.Fatalf("%v was matched %d ms after its last request", bot, e.ms.Load()-at)
			}
			delete(e.asked, bot)
			e.duel[bot] = code
		}
	}
}

// check compares the stored state of each bot with the expected one.
func (e *scenario) check(t *rapid.T) {
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
		case waits && e.ms.Load()-at < arena.QueueTimeout.Milliseconds():
			want = arena.InQueue
		}
		if state != want || duel != e.duel[bot] {
			t.Fatalf("%v is %s %q, want %s %q", bot, state, duel, want, e.duel[bot])
		}
	}
}

// TestRandomScenarios runs random actions. No bot is ever in two duels, plays a bot of its
// owner, is lost while it waits, or is matched after it has gone; and each rating equals the
// book's.
func TestRandomScenarios(t *testing.T) {
	t.Parallel()
	h := open(t, store.Config{})
	bots, book := 2, arena.NewBook()
	played := h.firstDuel(t, book).compare(t)
	play := func(rt *rapid.T, take func(map[string]func(*rapid.T))) {
		// End the previous scenario and remove its bots.
		h.exec(t, "UPDATE test_duel SET winner = 'a' WHERE winner IS NULL")
		h.exec(t, "DELETE FROM arena_bot")
		e := &scenario{
			fixture: h, tb: t, owners: map[chain.Address]int{},
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
			e.book.Add(&chain.Tx{Actor: bot, Data: &chain.AccountCreate{AccountKind: chain.Bot}}, nil)
		}
		take(map[string]func(*rapid.T){
			"poll": e.poll, "poll more": e.poll, "poll still more": e.poll, "match": e.match, "end": e.end,
			"leave": e.leave, "wait": e.wait,
			"": e.check,
		})
		played += e.compare(rt)
	}
	testseed.Tour(t, func(rt *rapid.T) { play(rt, func(all map[string]func(*rapid.T)) { testseed.Each(rt, 4, all) }) })
	rapid.Check(t, func(rt *rapid.T) { play(rt, rt.Repeat) })
	if played == 0 {
		t.Error("no scenario had a rated duel")
	}
	ann, bob := h.player(t, bots+1, chain.Full, 0), h.player(t, bots+2, chain.Full, 0)
	h.play(t, 1, ann, bob, "a") // the first duel of both, and of the human pool
	d := chain.DuelSettle{A: ann, B: bob, Rated: true, Winner: "a"}
	book.Add(&chain.Tx{Data: &d}, transcript(&d))
	if found := h.audit(t, book); len(found) != 0 {
		t.Errorf("the audit finds %+v without any damage", found)
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
func (h *fixture) auditDamage(t *testing.T, book *arena.Book) {
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
			return errRollback
		})
		if !errors.Is(err, errRollback) || len(found) == 0 || len(found) > 20 {
			t.Errorf("%s: found %v, error %v", damage, found, err)
		}
	}
}

// firstDuel plays a duel of two bots, as random scenarios may have none.
func (h *fixture) firstDuel(t *testing.T, book *arena.Book) *scenario {
	t.Helper()
	e := &scenario{fixture: h, tb: t, book: book}
	for n := range 2 {
		bot := h.player(t, n+1, chain.Bot, 100_001+n)
		e.bots = append(e.bots, bot)
		book.Add(&chain.Tx{Actor: bot, Data: &chain.AccountCreate{AccountKind: chain.Bot}}, nil)
	}
	h.poll(t, e.bots[0])
	code := h.poll(t, e.bots[1]).Duel
	h.finish(t, code, "a")
	a, b := e.sides(code)
	d := chain.DuelSettle{A: a, B: b, DuelID: code, Rated: true, Winner: "a"}
	book.Add(&chain.Tx{Data: &d}, transcript(&d))
	return e
}

// compare compares every rating with the book and returns the number of rated duels.
func (e *scenario) compare(t rapid.TB) (games int) {
	for _, bot := range e.bots {
		e.view(e.tb, func(ctx context.Context, tx *store.Tx) error {
			row, err := e.Standing(ctx, tx, arena.Bots, bot)
			if err != nil {
				return err
			}
			want, ok := e.book.Ratings()[arena.PlayerKey{Pool: arena.Bots, Address: bot}]
			r := row.Player.Record
			if ok != (r != nil) {
				return fmt.Errorf("%v has a record: %v, in the book: %v", bot, r != nil, ok)
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
		t.Fatal("the comparison failed")
	}
	return games / 2
}

// compareHistory checks that a player's changes lead from a new player's rating to the
// current one.
func (e *scenario) compareHistory(ctx context.Context, tx *store.Tx, bot chain.Address, r *arena.Record) error {
	list, err := e.History(ctx, tx, arena.PlayerKey{Pool: arena.Bots, Address: bot}, r.Games+1, r.Games+1)
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
			return fmt.Errorf("%v: change %+v follows %+v", bot, c, last)
		}
		last.Rating, last.Deviation = c.Rating, c.Deviation
		points += map[string]int64{"win": 1, "loss": -1, "draw": 0}[c.Outcome]
	}
	if last.Rating != r.Rating.Rating || last.Deviation != r.Rating.Deviation || points != r.Wins-r.Losses {
		return fmt.Errorf("%v: the history leads to %+v, the record is %+v", bot, last, r)
	}
	opponents, err := e.Opponents(ctx, tx, arena.PlayerKey{Pool: arena.Bots, Address: bot}, arena.OpponentCursor{}, 100)
	for _, o := range opponents {
		if o.Games != o.Wins+o.Losses+o.Draws {
			return fmt.Errorf("%v against %+v", bot, o)
		}
		r.Games -= o.Games
	}
	if r.Games != 0 {
		return fmt.Errorf("%v: %d games without an opponent", bot, r.Games)
	}
	return err
}

var errRollback = errors.New("the test rolls the damage back")

func (h *fixture) audit(t *testing.T, book *arena.Book) (found []arena.Divergence) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) (err error) {
		found, err = h.Audit(ctx, tx, book, 20)
		return err
	})
	return found
}

package arena_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/game"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// fixture is an arena on its own database, with a clock that the test sets. Its duels are
// rows of a test table; TestArena of package api plays real ones.
type fixture struct {
	*arena.Service
	db      *store.DB
	ms      atomic.Int64
	duels   atomic.Int64
	reading func()                                  // called when the time is read; nil for nothing
	begun   func(ctx context.Context, tx *store.Tx) // called before a duel is stored; nil for none
	// networks are the network addresses of people; two of one are not paired.
	networks map[chain.Address]string
}

func open(t testing.TB, c store.Config) *fixture {
	t.Helper()
	h := &fixture{networks: map[chain.Address]string{}}
	c = storetest.At(c, c)
	c.Now = h.now
	h.db = storetest.Open(t, c)
	h.ms.Store(time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC).UnixMilli())
	log := &event.Log{DB: h.db, Hub: new(event.Hub)}
	h.Service = arena.New(arena.Service{DB: h.db, Duels: h, Quick: h, Events: log, Now: h.now,
		Logger: slog.New(slog.DiscardHandler)})
	h.exec(t,
		storetest.SQL("CREATE TABLE test_duel (code TEXT PRIMARY KEY, a BLOB NOT NULL, b BLOB NOT NULL, "+
			"at BIGINT NOT NULL, winner TEXT)"))
	return h
}

func (h *fixture) now() time.Time {
	if h.reading != nil {
		h.reading()
	}
	return time.UnixMilli(h.ms.Load()).UTC()
}

func (h *fixture) forward(d time.Duration) { h.ms.Add(d.Milliseconds()) }

func (h *fixture) update(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := h.db.Update(context.WithoutCancel(t.Context()), fn); err != nil {
		t.Fatal(err)
	}
}

func (h *fixture) view(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := h.db.View(context.WithoutCancel(t.Context()), fn); err != nil {
		t.Fatal(err)
	}
}

func (h *fixture) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	})
}

// number reads one integer.
func (h *fixture) number(t testing.TB, query string, args ...any) (n int64) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error { return tx.QueryRowContext(ctx, query, args...).Scan(&n) })
	return n
}

// player opens an account. Owner 0 makes a bot a house bot.
func (h *fixture) player(t testing.TB, n int, kind chain.AccountKind, owner int) chain.Address {
	t.Helper()
	address := addressOf(n)
	name := fmt.Sprintf("%s-%d", kind, n)
	h.exec(
		t,
		"INSERT INTO account (address, kind, username, username_key, username_fold, created_at) VALUES ($1, $2, $3, $3, $3, 1)",
		address[:],
		string(kind),
		name,
	)
	if kind == chain.Bot && owner != 0 {
		o := addressOf(owner)
		h.exec(
			t,
			`INSERT INTO account (address, kind, username, username_key, username_fold, created_at) VALUES ($1, 'account', $2, $2, $2, 1)
			ON CONFLICT (address) DO NOTHING`,
			o[:],
			fmt.Sprintf("owner-%d", owner),
		)
		h.exec(t, "INSERT INTO bot (address, owner, created_at) VALUES ($1, $2, 1)", address[:], o[:])
	}
	return address
}

func addressOf(n int) chain.Address {
	return chain.Address{byte(n * 37), byte(n >> 16), byte(n >> 8), byte(n)}
}

// StartRanked implements arena.Duels.
func (h *fixture) StartRanked(ctx context.Context, tx *store.Tx, a, b chain.Address) (string, error) {
	if h.begun != nil {
		h.begun(ctx, tx)
	}
	code := fmt.Sprintf("DUEL%04d", h.duels.Add(1))
	_, err := tx.ExecContext(ctx, "INSERT INTO test_duel (code, a, b, at) VALUES ($1, $2, $3, $4)", code, a[:], b[:],
		h.ms.Load())
	return code, err
}

const unfinished = "SELECT code FROM test_duel WHERE winner IS NULL AND (a = $1 OR b = $1)"

// UnfinishedRanked implements arena.Duels.
func (h *fixture) UnfinishedRanked(ctx context.Context, tx *store.Tx, bot chain.Address) (string, error) {
	rows, err := tx.QueryContext(ctx, unfinished, bot[:])
	if err != nil {
		return "", err
	}
	defer rows.Close()
	code := ""
	for rows.Next() {
		if err := rows.Scan(&code); err != nil {
			return "", err
		}
	}
	return code, rows.Err()
}

// record records a duel, whatever the ratings were.
func (h *fixture) record(ctx context.Context, tx *store.Tx, r arena.Result) error {
	_, err := h.RecordDuel(ctx, tx, r)
	return err
}

// finish ends a duel.
func (h *fixture) finish(t testing.TB, code, winner string) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		var a, b []byte
		row := tx.QueryRowContext(ctx,
			"UPDATE test_duel SET winner = $2 WHERE code = $1 AND winner IS NULL RETURNING a, b", code, winner)
		if err := row.Scan(&a, &b); err != nil {
			return err
		}
		return h.record(ctx, tx, arena.Result{
			Duel: code, Pool: arena.Bots, Rated: true, A: chain.Address(a), B: chain.Address(b), Winner: sides[winner],
			Rounds: rounds(winner), At: h.now(),
		})
	})
}

// sides are the winners by their names.
var sides = map[string]game.Side{"a": game.A, "b": game.B, "": game.NoSide}

// transcript returns the transcript of a duel that its winner won by reveals in three rounds.
func transcript(d *chain.DuelSettle) []byte { return gamestest.Duel(d, 0) }

// rounds returns the rounds of transcript.
func rounds(winner string) []chain.DuelRound {
	t, err := chain.ParseDuelTranscript(
		transcript(&chain.DuelSettle{A: chain.Address{1}, B: chain.Address{2}, Winner: winner}),
	)
	if err != nil {
		panic(err)
	}
	return t.Rounds
}

func (h *fixture) poll(t testing.TB, bot chain.Address) (status arena.QueueStatus) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		status, err = h.JoinQueue(ctx, tx, bot, nil)
		return err
	})
	return status
}

func (h *fixture) leave(t testing.TB, bot chain.Address) (left bool) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		left, err = h.LeaveQueue(ctx, tx, bot)
		return err
	})
	return left
}

func (h *fixture) matchOnce(t testing.TB) int {
	t.Helper()
	left, err := h.MatchOnce(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

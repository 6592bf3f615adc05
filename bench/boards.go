package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"roshambo/chain"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// leaderboards measures the first 50 rows of the all-time board with the caller's own rank,
// on an empty board and on one of Boards accounts. The accounts are inserted into the
// database while no server runs on it.
func (b *bench) leaderboards(ctx context.Context) (err error) {
	folder, remove, err := b.dataFolder("boards")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	players, before, err := b.emptyBoard(ctx, folder)
	if err != nil {
		return err
	}
	b.say("putting %d accounts onto the board …", b.Boards)
	if err := seedBoard(ctx, b.databaseIn(folder), b.Boards, players); err != nil {
		return err
	}
	server, err := b.boardServer(ctx, folder)
	if err != nil {
		return err
	}
	defer server.stop()
	rows, after, err := b.readBoard(ctx, server, players)
	if err != nil {
		return err
	}
	if rows != 50 {
		return fmt.Errorf("%d rows on a board of %d", rows, b.Boards)
	}
	b.report.rate("GET /api/leaderboard, empty", before)
	b.report.rate(fmt.Sprintf("GET /api/leaderboard, top 50 and own rank among %d", b.Boards), after)
	b.report.row("its rate against that of the empty board", "%.2f", after.rate()/before.rate())
	return nil
}

// boardPlayer is a caller that reads the board.
type boardPlayer struct {
	*player
	address chain.Address
}

// boardServer starts a server on the data in folder, without rate limit.
func (b *bench) boardServer(ctx context.Context, folder string) (*child, error) {
	return start(ctx, b.Binary, b.onDatabase([]string{"serve", "--house-bots=false", "--log", "json", "--listen",
		"127.0.0.1:0", "--rate-limit", "0", "--data", folder})...)
}

// emptyBoard creates a guest for each connection and measures the empty board.
func (b *bench) emptyBoard(ctx context.Context, folder string) (players []*boardPlayer, m measurement, err error) {
	server, err := b.boardServer(ctx, folder)
	if err != nil {
		return nil, m, err
	}
	defer server.stop()
	w := newWorker()
	defer w.client.CloseIdleConnections()
	for range b.Connections {
		p := &boardPlayer{}
		if p.player, err = w.guest(ctx, server); err != nil {
			return nil, m, err
		}
		var me struct {
			Account struct {
				Address string `json:"address"`
			} `json:"account"`
		}
		if err := w.call(ctx, request{to: server, method: "GET", path: "/api/me", by: p.player}, &me); err != nil {
			return nil, m, err
		}
		if p.address, err = chain.ParseAddress(me.Account.Address); err != nil {
			return nil, m, err
		}
		players = append(players, p)
	}
	_, m, err = b.readBoard(ctx, server, players)
	return players, m, err
}

// readBoard measures the board as each connection's player sees it, and returns the number
// of rows in the first response.
func (b *bench) readBoard(ctx context.Context, server *child, players []*boardPlayer) (int, measurement, error) {
	var out struct {
		Rows []struct{} `json:"rows"`
		Me   *struct{}  `json:"me"`
	}
	w := newWorker()
	defer w.client.CloseIdleConnections()
	ask := func(p *boardPlayer) request {
		return request{to: server, method: "GET", path: "/api/leaderboard?limit=50", by: p.player}
	}
	if err := w.call(ctx, ask(players[0]), &out); err != nil {
		return 0, measurement{}, err
	}
	// b.cpu must count the processor time of this server.
	previous := b.server
	b.server = server
	defer func() { b.server = previous }()
	deadline := time.Now().Add(b.Duration)
	m, err := b.each(len(players), func(w *worker, i int) error {
		for time.Now().Before(deadline) {
			if err := w.call(ctx, ask(players[i]), nil); err != nil {
				return err
			}
		}
		return nil
	})
	if (out.Me != nil) != (len(out.Rows) > 0) {
		err = errors.Join(err, errors.New("a response with rows but without the caller's own, or the reverse"))
	}
	return len(out.Rows), m, err
}

// seedSize is the number of accounts per transaction.
const seedSize = 20_000

// seedBoard adds n synthetic accounts, and the players, to the all-time board. Low scores
// are by far the most frequent, so that many accounts share theirs.
func seedBoard(ctx context.Context, c store.Config, n int, players []*boardPlayer) (err error) {
	d, err := openDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	now := time.Now()
	points := func(a chain.Address) score.Points {
		// Each doubling of the points is half as frequent; uniform in between.
		value := int64(2) << bits.TrailingZeros64(random.Uint64()|1<<20)
		return score.Points{Account: a, Points: value + 2*random.Int64N(value),
			At: now.Add(-time.Duration(random.Int64N(int64(28 * 24 * time.Hour))))}
	}
	for done := 0; done < n; done += seedSize {
		err := d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
			return seedAccounts(ctx, tx, done, min(seedSize, n-done), points)
		})
		if err != nil {
			return fmt.Errorf("seeding: %w", err)
		}
	}
	return d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		var list []score.Points
		for _, p := range players {
			list = append(list, points(p.address))
		}
		if err := score.Fill(ctx, tx, list); err != nil {
			return err
		}
		return score.Count(ctx, tx)
	})
}

// seedAccounts inserts accounts with their points.
func seedAccounts(ctx context.Context, tx *store.Tx, first, n int, points func(chain.Address) score.Points) error {
	list, rows := make([]score.Points, n), make([][]any, n)
	for i := range n {
		number := first + i
		// Ascending addresses are fast to insert.
		a := chain.Address{0xb, byte(number >> 24), byte(number >> 16), byte(number >> 8), byte(number)}
		name := fmt.Sprint("crowd-", number)
		list[i], rows[i] = points(a), []any{a[:], string(chain.Guest), name, name, name, int64(0)}
	}
	if err := store.BulkInsert(ctx, tx, "account", []string{"address", "kind", "username", "username_key", "username_fold", "created_at"},
		rows); err != nil {
		return err
	}
	return score.Fill(ctx, tx, list)
}

package cup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/cupq"
)

// passSize is the number of cups that Advance reads at once.
const passSize = 100

// Advance opens the service's next cup for bots, unless it is a class's, and moves each cup on whose time has come: it
// starts an open one, pairs the next round of a running one, or closes it after the last. Any node may call
// it at any time: of two that move the same cup, one conflicts. A cup that fails delays no other one.
func (s *Service) Advance(ctx context.Context) error {
	var all []error
	if !s.Class {
		all = append(all, s.openDaily(ctx))
	}
	now, after := time.Time{}, int64(0)
	for {
		due, err := s.due(ctx, after, &now)
		all = append(all, wrap("due", err))
		if after == 0 && err == nil { // before any duel takes the tag of its cup
			all = append(all, s.dropNetworks(ctx, fairshare.Kept(now).UnixMilli()))
		}
		for _, number := range due {
			err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error { return s.advance(ctx, tx, number) })
			if errors.Is(err, ledger.ErrConflict) {
				err = nil // another node, or the host, has changed it
			}
			if err != nil {
				all = append(all, fmt.Errorf("cup %d: %w", number, err))
			}
			after = number
		}
		if len(due) < passSize {
			break
		}
	}
	return errors.Join(all...)
}

// due returns the next cups after a number that may be moved on, and sets now to the time of that.
func (s *Service) due(ctx context.Context, after int64, now *time.Time) (list []int64, err error) {
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		*now = tx.Now()
		list, err = q.New(tx).DueCups(ctx, q.DueCupsParams{Now: now.UnixMilli(), After: after, Count: passSize})
		return err
	})
	return list, err
}

// dropNetworks deletes, once a day, the tags of networks from before a time, but not those of seats of cups to come.
// Cups that are beyond the shares of their networks then are in no list from then on.
func (s *Service) dropNetworks(ctx context.Context, before int64) error {
	if s.dropped.Load() == before {
		return nil
	}
	err := s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := q.New(tx).HideCupsBeyondShares(ctx, before); err != nil {
			return err
		}
		if err := q.New(tx).DropCupNetworks(ctx, before); err != nil {
			return err
		}
		return q.New(tx).DropSeatNetworks(ctx, q.DropSeatNetworksParams{Before: before, Now: tx.Now().UnixMilli()})
	})
	if err != nil {
		return wrap("drop networks", err)
	}
	s.dropped.Store(before)
	return nil
}

// openDaily opens a cup for bots unless one is open.
func (s *Service) openDaily(ctx context.Context) error {
	var n q.CountOfRow
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		n, err = q.New(tx).CountOf(ctx, string(Bots))
		return err
	})
	if err != nil || n.Open > 0 {
		return wrap("daily", err)
	}
	err = s.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		now := tx.Now()
		starts := now.Add(FirstLead)
		if n.Total > 0 {
			starts = now.Truncate(24 * time.Hour).Add(DailyHour * time.Hour)
			if starts.Before(now.Add(MinLead)) {
				starts = starts.Add(24 * time.Hour)
			}
		}
		terms := serviceTerms(starts)
		number, err := s.insert(ctx, tx, nil, &terms)
		if err != nil {
			return err
		}
		_, err = s.changed(ctx, tx, number, event.CupChanged)
		return err
	})
	if store.IsUnique(err) { // another node has opened it
		return nil
	}
	return wrap("daily", err)
}

// advance moves one cup on. It is one transaction: a crash before its commit leaves the cup as it
// was, for the next call; after it the round and all its duels exist, or the table and its hash.
func (s *Service) advance(ctx context.Context, tx *store.Tx, number int64) error {
	c, err := s.Get(ctx, tx, number)
	if err != nil || c.EndedAt != nil {
		return err
	}
	if c.Status == Open {
		return s.begin(ctx, tx, c)
	}
	games, last, err := s.Games(ctx, tx, number)
	if err != nil {
		return err
	}
	for _, g := range games {
		if !g.Over {
			return nil
		}
	}
	if tx.Now().Before(c.nextRound(last)) {
		return nil
	}
	players, err := s.Players(ctx, tx, number)
	if err != nil {
		return err
	}
	age, err := s.age(ctx, tx, c)
	if err != nil {
		return err
	}
	if c.Round < c.Rounds && age <= roundsWithin {
		if pairs := c.plan(players).Pair(active(players), games, c.Round+1); len(pairs) > 0 {
			return s.round(ctx, tx, c, players, pairs)
		}
	}
	if age > closesWithin {
		return s.end(ctx, tx, c, Cancelled)
	}
	return s.close(ctx, tx, c, players, games)
}

// Verifiers remember no seeds from more than tables.Span blocks ago: a cup beyond it is cancelled. One that is late
// ends with the rounds that it has: a round begins in the first half, since it may take the time of most of the second
// one, with two duels of 60 rounds of 300 seconds a step. The chain grows by some blocks until the close is in one.
const (
	roundsWithin = tables.Span / 2
	closesWithin = tables.Span - 1<<12
)

// age returns the number of blocks since the seed of a running cup.
func (s *Service) age(ctx context.Context, tx *store.Tx, c *Cup) (int64, error) {
	head, err := s.Ledger.Head(ctx, tx)
	return head.Block.Header.Height - c.SeedHeight, err
}

// begin starts a cup with the players who have joined, and the house's bots if they play it, or cancels it. A cup
// that none has joined is cancelled: the house's bots do not play it alone; and so is one by hand whose host has not
// started it in time.
func (s *Service) begin(ctx context.Context, tx *store.Tx, c *Cup) error {
	if c.Players == 0 || c.ByHand {
		return s.end(ctx, tx, c, Cancelled)
	}
	if err := s.joinHouse(ctx, tx, c); err != nil {
		return err
	}
	players, err := s.Players(ctx, tx, c.Number)
	if err != nil {
		return err
	}
	if len(players) < MinPlayers {
		return s.end(ctx, tx, c, Cancelled)
	}
	head, err := s.Ledger.Head(ctx, tx)
	if err != nil {
		return err
	}
	c.Seed, c.SeedHeight = head.Block.Hash, head.Block.Header.Height
	plan := c.plan(players)
	c.Players, c.Rounds = int64(len(players)), plan.Rounds()
	if c.MostRounds > 0 {
		c.Rounds = min(c.Rounds, c.MostRounds)
	}
	return s.round(ctx, tx, c, players, plan.Pair(active(players), nil, 1))
}

// houseShare is the part of the house's bots, one of so many, that hosts' cups have: the same ones for all, so that the
// other ones play in the arena whatever hosts do.
const houseShare = 3

// joinHouse makes the house's bots players of a cup that wants them: the bots of the share that are in no other cup,
// for the service's own cup all of them, which it takes back from hosts.
func (s *Service) joinHouse(ctx context.Context, tx *store.Tx, c *Cup) error {
	if !c.HouseBots || s.House == nil {
		return nil
	}
	house, err := s.House(ctx, tx)
	if err != nil {
		return err
	}
	for i, bot := range house {
		switch {
		case c.Creator != nil && i%houseShare != 0:
			continue
		case c.Creator == nil:
			if err := q.New(tx).WithdrawFromHosts(ctx, bot[:]); err != nil {
				return wrap("house", err)
			}
		}
		err := s.insertPlayer(ctx, tx, c.Number, Entrant{Address: bot})
		if err != nil && !errors.Is(err, ErrInCup) {
			return err
		}
	}
	return nil
}

// round stores the next round and begins its duels. Errors: ledger.ErrConflict.
func (s *Service) round(ctx context.Context, tx *store.Tx, c *Cup, players []Player, pairs []tables.Game) error {
	queries, now := q.New(tx), tx.Now().UnixMilli()
	err := ledger.OneRow(queries.StartRound(ctx, q.StartRoundParams{ID: c.Number, Version: c.version,
		Players: c.Players, Rounds: c.Rounds, SeedHeight: &c.SeedHeight, Seed: c.Seed[:]}))
	if err != nil {
		return err
	}
	who := map[chain.Address]Player{}
	for _, p := range players {
		who[p.Address] = p
	}
	for _, g := range pairs {
		row := q.InsertGameParams{Cup: c.Number, Round: g.Round, Board: g.Board, A: g.A[:]}
		if g.B == (chain.Address{}) {
			row.APoints, row.BPoints, row.EndedAt = &g.APoints, &g.BPoints, &now
		} else {
			sides := [2]Player{who[g.A], who[g.B]}
			code, err := s.play(ctx, tx, c, sides)
			if err != nil {
				return err
			}
			row.B, row.Duel = g.B[:], &code
		}
		if err := queries.InsertGame(ctx, row); err != nil {
			return wrap("round", err)
		}
	}
	if s.Stir != nil && c.Kind == Bots {
		tx.AfterCommit(s.Stir)
	}
	_, err = s.changed(ctx, tx, c.Number, event.CupChanged)
	return err
}

// play begins a duel of a pair, and returns its code. Public lists show no duel of a private cup, nor one that they
// could not charge to the network of the cup's host any more.
func (s *Service) play(ctx context.Context, tx *store.Tx, c *Cup, sides [2]Player) (code string, err error) {
	uncharged := c.Creator != nil && c.CreatedAt.Before(fairshare.Kept(tx.Now()))
	ctx = fairshare.WithTag(ctx, c.network)
	code, err = s.Duels.StartCup(ctx, tx, sides, c.Step, !c.Private() && !uncharged)
	if err != nil {
		return "", wrap("begin a duel", err)
	}
	return code, s.call(ctx, tx, sides, code)
}

// call tells the bots of a pair of their duel, as the arena does. People hear of it from the duel.
func (s *Service) call(ctx context.Context, tx *store.Tx, sides [2]Player, code string) error {
	for _, p := range sides {
		if p.Kind != chain.Bot {
			continue
		}
		e := event.Event{Topic: event.Account(p.Address), Kind: event.Matched, Body: struct {
			Duel string `json:"duel"`
		}{code}}
		if err := s.Events.Post(ctx, tx, e); err != nil {
			return err
		}
	}
	return nil
}

// Result is the end of a duel.
type Result struct {
	Duel   string
	A, B   chain.Address
	Winner string  // a, b or "" for a draw
	Absent [2]bool // a, b: took no step
	Played bool    // two reveals decided a round
	At     time.Time
}

// DuelFinished records the result of a cup's duel, inside the transaction that ends the duel. A
// player who took no step gets no point and is not paired again, unless the cup lets the two play once more.
func (s *Service) DuelFinished(ctx context.Context, tx *store.Tx, r Result) error {
	if r.Absent != [2]bool{} {
		if again, err := s.replay(ctx, tx, &r); err != nil || again {
			return err
		}
	}
	points := tables.Points(r.Winner, r.Absent)
	queries, at := q.New(tx), r.At.UnixMilli()
	row, err := queries.EndGame(ctx, q.EndGameParams{Duel: &r.Duel, APoints: &points[0], BPoints: &points[1],
		EndedAt: &at, Played: column.Bool(r.Played)})
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return wrap("result of "+r.Duel, err)
	}
	for i, a := range []chain.Address{r.A, r.B} {
		if !r.Absent[i] {
			continue
		}
		if _, err := queries.Withdraw(ctx, q.WithdrawParams{Cup: row.Cup, Address: a[:]}); err != nil {
			return wrap("no-show in "+r.Duel, err)
		}
	}
	_, err = s.changed(ctx, tx, row.Cup, event.CupResult)
	return err
}

// replay begins the second duel of a game that a side has missed, and reports whether it did: the cup allows one, and
// neither side has left meanwhile. A crash before the commit undoes the end of the missed duel as well.
func (s *Service) replay(ctx context.Context, tx *store.Tx, r *Result) (bool, error) {
	queries := q.New(tx)
	number, err := queries.ReplayOf(ctx, &r.Duel)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, wrap("replay of "+r.Duel, err)
	}
	c, err := s.Get(ctx, tx, number)
	if err != nil {
		return false, err
	}
	players, err := s.Players(ctx, tx, number)
	if err != nil {
		return false, err
	}
	var sides [2]Player
	for _, p := range players {
		for i, a := range [2]chain.Address{r.A, r.B} {
			if p.Address == a && p.Active {
				sides[i] = p
			}
		}
	}
	if sides[0].Address != r.A || sides[1].Address != r.B {
		return false, nil
	}
	code, err := s.play(ctx, tx, c, sides)
	if err != nil {
		return false, err
	}
	if err := ledger.OneRow(queries.ReplayGame(ctx, q.ReplayGameParams{Duel: &r.Duel, Next: &code})); err != nil {
		return false, err
	}
	_, err = s.changed(ctx, tx, number, event.CupChanged)
	return true, err
}

// close stores the final table and posts its hash on the chain. Errors: ledger.ErrConflict.
func (s *Service) close(ctx context.Context, tx *store.Tx, c *Cup, players []Player, games []tables.Game) error {
	table := c.table(addresses(players), games)
	for _, r := range table.Rows {
		err := q.New(tx.Deferred()).SetPlace(ctx, q.SetPlaceParams{Cup: c.Number, Address: r.Address[:], Place: &r.Rank})
		if err != nil {
			return wrap("close", err)
		}
	}
	raw := table.Raw()
	hash := chain.HashPinned(raw)
	posted, err := s.Ledger.Post(ctx, tx, ledger.Draft{
		Data: &chain.CupClose{Cup: c.Number, TableHash: hash}, Transcript: raw})
	if err != nil {
		return err
	}
	c.Raw, c.Hash, c.Tx = string(raw), &hash, &posted.Hash
	// A private cup is in no list, so it is not in the feed.
	if err := s.end(ctx, tx, c, Finished); err != nil || s.Listener == nil || c.Private() {
		return err
	}
	played, err := q.New(tx).CountPlayed(ctx, c.Number)
	if err != nil || played == 0 {
		return wrap("close", err)
	}
	return s.Listener.CupFinished(fairshare.WithTag(ctx, c.network), tx, c, table.Rows)
}

// end stores the final state of a cup, sets it in c, and frees the players. Errors: ledger.ErrConflict.
func (s *Service) end(ctx context.Context, tx *store.Tx, c *Cup, status Status) error {
	at := tx.Now()
	c.Status, c.EndedAt = status, &at
	queries, now := q.New(tx), at.UnixMilli()
	p := q.EndCupParams{ID: c.Number, Version: c.version, Status: string(status), EndedAt: &now,
		Hash: column.Hash(c.Hash), Tx: column.Hash(c.Tx)}
	if c.Raw != "" {
		p.Raw = &c.Raw
	}
	if err := ledger.OneRow(queries.EndCup(ctx, p)); err != nil {
		return err
	}
	if err := errors.Join(queries.ReleasePlayers(ctx, c.Number), queries.DropRemoved(ctx, c.Number)); err != nil {
		return wrap("end", err)
	}
	_, err := s.changed(ctx, tx, c.Number, event.CupChanged)
	return err
}

// addresses returns the addresses of players.
func addresses(players []Player) (list []chain.Address) {
	for _, p := range players {
		list = append(list, p.Address)
	}
	return list
}

// active returns the addresses of the players who have not withdrawn.
func active(players []Player) (list []chain.Address) {
	for _, p := range players {
		if p.Active {
			list = append(list, p.Address)
		}
	}
	return list
}

package arena

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/arenaq"
)

// Place is where a bot stands in the arena.
type Place struct {
	Duel    string        // the code of its ranked duel; "" while it waits
	Waiting bool          // or it has left the queue
	Waited  time.Duration // so far
	Window  int64         // how far an opponent's rating may be by now, in points
	Others  int64         // how many bots wait, itself not counted
	Lapses  time.Time     // when it leaves the queue unless it asks again
}

// Queue has a bot wait for an opponent: it enters the queue, or stays in it. A bot that
// is in a ranked duel gets that one, and one that arrives while somebody who suits it
// waits is matched at once. Errors: ErrNoBot.
func (s *Service) Queue(ctx context.Context, tx *store.Tx, bot chain.Address) (Place, error) {
	place, err := s.Stay(ctx, tx, bot)
	if err != nil || place.Duel != "" || place.Waiting {
		return place, err
	}
	return s.enter(ctx, tx, bot)
}

// Stay is Queue for a bot that is in the queue already, or was: it does not enter it.
func (s *Service) Stay(ctx context.Context, tx *store.Tx, bot chain.Address) (Place, error) {
	queries, now := q.New(tx), s.now()
	row, err := queries.GetBot(ctx, bot[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Place{}, nil
	}
	if err != nil {
		return Place{}, fmt.Errorf("arena: place of %v: %w", bot, err)
	}
	if row.Duel != nil {
		return s.seated(ctx, tx, bot, *row.Duel)
	}
	if row.Since == nil || row.ExpiresAt <= now.UnixMilli() {
		return Place{}, nil
	}
	lapses := now.Add(Lapse)
	_, err = queries.Stay(ctx, q.StayParams{Address: bot[:], Since: row.Since, ExpiresAt: lapses.UnixMilli()})
	if err != nil {
		return Place{}, fmt.Errorf("arena: %v stays: %w", bot, err)
	}
	return s.waiting(ctx, tx, time.UnixMilli(*row.Since), lapses)
}

// seated is the place of a bot whose row names a duel. Where the duel is over because a
// deadline has passed, that was reported meanwhile and the bot is free; were it not, the
// row would keep the bot out for ever, so it is put right here.
func (s *Service) seated(ctx context.Context, tx *store.Tx, bot chain.Address, duel string) (Place, error) {
	code, err := s.Duels.UnfinishedRanked(ctx, tx, bot)
	if err != nil || code != "" {
		return Place{Duel: code}, err
	}
	freed, err := q.New(tx).Free(ctx, q.FreeParams{Address: bot[:], Duel: &duel})
	if err != nil {
		return Place{}, fmt.Errorf("arena: free %v: %w", bot, err)
	}
	if freed != 0 {
		s.Logger.Warn("a bot was in a ranked duel that is over", "bot", bot, "duel", duel)
	}
	return Place{}, nil
}

// waiting is the place of a bot that waits.
func (s *Service) waiting(ctx context.Context, tx *store.Tx, since, lapses time.Time) (Place, error) {
	n, err := q.New(tx).CountWaiting(ctx)
	if err != nil {
		return Place{}, fmt.Errorf("arena: count waiting: %w", err)
	}
	waited := s.now().Sub(since)
	return Place{Waiting: true, Waited: waited, Window: window(waited), Others: max(0, n-1), Lapses: lapses}, nil
}

// enter has a bot that is not in the queue begin to wait, and matches it if it can.
func (s *Service) enter(ctx context.Context, tx *store.Tx, bot chain.Address) (Place, error) {
	queries, now := q.New(tx), s.now()
	entrant, err := queries.GetEntrant(ctx, bot[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Place{}, ErrNoBot
	}
	if err != nil {
		return Place{}, fmt.Errorf("arena: %v enters: %w", bot, err)
	}
	rating := glicko.Newcomer.Rating
	if entrant.Rating != nil {
		rating = *entrant.Rating
	}
	lapses, since := now.Add(Lapse), now.UnixMilli()
	row, err := queries.Enter(ctx, q.EnterParams{
		Address: bot[:], Owner: entrant.Owner, Rating: rating, Now: &since, ExpiresAt: lapses.UnixMilli(),
	})
	if errors.Is(err, sql.ErrNoRows) { // matched by somebody who was not to be seen yet
		return s.Stay(ctx, tx, bot)
	}
	if err != nil {
		return Place{}, fmt.Errorf("arena: %v enters: %w", bot, err)
	}
	w := &waiter{
		address: bot, owner: column.OptionalAddress(entrant.Owner), rating: rating, last: column.OptionalAddress(row.LastOpponent),
		since: now, version: row.Version,
	}
	code, err := s.arrive(ctx, tx, w)
	if err != nil || code != "" {
		return Place{Duel: code}, err
	}
	tx.AfterCommit(func() { s.Events.Hub.Wake(event.Queue) })
	return s.waiting(ctx, tx, now, lapses)
}

// arrive matches a bot that has just entered with whom suits it best, and returns the
// code of their duel; "" when nobody does, or somebody else was faster.
func (s *Service) arrive(ctx context.Context, tx *store.Tx, w *waiter) (string, error) {
	if w.owner == nil {
		return "", nil // the house leaves the choice to the others
	}
	now := s.now()
	rows, err := q.New(tx).Neighbours(ctx, q.NeighboursParams{Rating: w.rating, Now: now.UnixMilli(), Reach: reach + 1})
	if err != nil {
		return "", fmt.Errorf("arena: neighbours of %v: %w", w.address, err)
	}
	list := make([]*waiter, len(rows))
	for i, r := range rows {
		list[i] = newWaiter(q.ListWaitingRow(r))
	}
	c := atOnce(w, list, now)
	if c == nil {
		return "", nil
	}
	return s.match(ctx, tx, pair{c, w})
}

// match begins the duel of two bots that wait, and returns its code; "" when one of them
// does not wait any more. The rows of both are changed, or neither.
func (s *Service) match(ctx context.Context, tx *store.Tx, p pair) (string, error) {
	queries, now := q.New(tx), s.now().UnixMilli()
	for _, w := range []*waiter{p.a, p.b} {
		n, err := queries.Claim(ctx, q.ClaimParams{Address: w.address[:], Version: w.version, Now: now})
		if err != nil {
			return "", fmt.Errorf("arena: claim %v: %w", w.address, err)
		}
		if n == 1 {
			continue
		}
		if w == p.a {
			return "", nil
		}
		return "", errTaken // takes the claim of the first back
	}
	code, err := s.Duels.StartRanked(ctx, tx, p.a.address, p.b.address)
	if err != nil {
		return "", fmt.Errorf("arena: match %v with %v: %w", p.a.address, p.b.address, err)
	}
	n, err := queries.Seat(ctx, q.SeatParams{Duel: &code, A: p.a.address[:], B: p.b.address[:]})
	if err == nil && n != 2 {
		err = errTaken
	}
	if err != nil {
		return "", fmt.Errorf("arena: seat %v and %v: %w", p.a.address, p.b.address, err)
	}
	for _, w := range []*waiter{p.a, p.b} {
		if err := s.Events.Post(ctx, tx, event.Event{Topic: event.Account(w.address), Kind: "matched", Body: matched{code}}); err != nil {
			return "", err
		}
	}
	return code, nil
}

// errTaken says that one of two bots was matched with somebody else meanwhile.
var errTaken = errors.New("arena: one of the two does not wait any more")

// matched is the body of the event that tells a bot of its duel.
type matched struct {
	Duel string `json:"duel"`
}

// Leave takes a bot out of the queue, and says whether it was in it. A duel that it was
// matched for goes on.
func (s *Service) Leave(ctx context.Context, tx *store.Tx, bot chain.Address) (bool, error) {
	n, err := q.New(tx).Leave(ctx, bot[:])
	if err != nil {
		return false, fmt.Errorf("arena: %v leaves: %w", bot, err)
	}
	return n == 1, nil
}

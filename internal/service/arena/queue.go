package arena

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/arenaq"
)

// QueueStatus is the state of a bot in the queue. The zero QueueStatus belongs to a bot that
// neither waits nor plays.
type QueueStatus struct {
	Duel      string        // the code of its ranked duel; "" for none
	Waiting   bool          // it is in the queue
	Waited    time.Duration // since it entered the queue
	Window    int64         // maximum rating distance of an opponent now, in points
	Others    int64         // number of other bots in the queue
	ExpiresAt time.Time     // when it leaves the queue, unless it asks again
	Cup       bool          // waits for its cup's next round, or plays it, and is not in the queue
}

// JoinQueue puts a bot into the queue, or extends its stay. A bot in a ranked duel gets the code of
// that duel, a bot in a cup the code of its game there, and a bot for which a suitable opponent
// waits is matched at once. network is a keyed hash of the network address that asks, nil for an
// exempt one: no two bots of one address are matched. Errors: ErrNoBot.
func (s *Service) JoinQueue(
	ctx context.Context, tx *store.Tx, bot chain.Address, network []byte,
) (QueueStatus, error) {
	status, err := s.StayInQueue(ctx, tx, bot)
	if err != nil {
		return status, err
	}
	if status.Duel != "" || status.Waiting {
		return status, nil
	}
	return s.enter(ctx, tx, bot, network)
}

// StayInQueue extends a bot's stay in the queue. Unlike JoinQueue it does not put a bot into
// the queue that is not in it.
func (s *Service) StayInQueue(ctx context.Context, tx *store.Tx, bot chain.Address) (QueueStatus, error) {
	queries, now := q.New(tx), tx.Now()
	row, err := queries.GetBot(ctx, bot[:])
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return QueueStatus{}, fmt.Errorf("arena: queue status of %v: %w", bot, err)
	}
	if row.Duel != nil {
		return s.playing(ctx, tx, bot, *row.Duel)
	}
	if status, err := s.inCup(ctx, tx, bot, row.Since != nil); err != nil || status.Cup {
		return status, err
	}
	if row.Since == nil || row.ExpiresAt <= now.UnixMilli() {
		return QueueStatus{}, nil
	}
	expires := now.Add(QueueTimeout)
	_, err = queries.ExtendWaiting(ctx, q.ExtendWaitingParams{
		Address: bot[:], Since: row.Since, ExpiresAt: expires.UnixMilli()})
	if err != nil {
		return QueueStatus{}, fmt.Errorf("arena: extend the wait of %v: %w", bot, err)
	}
	return s.waiting(ctx, tx, time.UnixMilli(*row.Since), expires)
}

// inCup returns the status of a bot in a cup that runs or is about to start, with Cup set, and takes
// such a bot out of the queue: a ranked duel would keep it from its game.
func (s *Service) inCup(ctx context.Context, tx *store.Tx, bot chain.Address, queued bool) (QueueStatus, error) {
	if s.Cups == nil {
		return QueueStatus{}, nil
	}
	code, held, err := s.Cups.CupDuel(ctx, tx, bot)
	if err != nil || !held {
		return QueueStatus{}, err
	}
	if queued {
		if _, err := s.LeaveQueue(ctx, tx, bot); err != nil {
			return QueueStatus{}, err
		}
	}
	return QueueStatus{Cup: true, Duel: code, Waiting: code == "", ExpiresAt: tx.Now().Add(QueueTimeout)}, nil
}

// playing returns the status of a bot whose row names a duel. If UnfinishedRanked ends the
// duel by its deadlines, RecordDuel has freed the bot. If the duel was over before, the row
// would block the bot for ever, so playing frees it.
func (s *Service) playing(ctx context.Context, tx *store.Tx, bot chain.Address, duel string) (QueueStatus, error) {
	code, err := s.Duels.UnfinishedRanked(ctx, tx, bot)
	if err != nil {
		return QueueStatus{}, err
	}
	if code != "" {
		return QueueStatus{Duel: code}, nil
	}
	freed, err := q.New(tx).ReleaseBot(ctx, q.ReleaseBotParams{Address: bot[:], Duel: &duel})
	if err != nil {
		return QueueStatus{}, fmt.Errorf("arena: free %v: %w", bot, err)
	}
	if freed != 0 {
		s.Logger.Warn("freed a bot whose ranked duel was already over", "bot", bot, "duel", duel)
	}
	return QueueStatus{}, nil
}

// waiting returns the status of a waiting bot.
func (s *Service) waiting(ctx context.Context, tx *store.Tx, since, expires time.Time) (QueueStatus, error) {
	n, err := q.New(tx).CountWaiting(ctx)
	if err != nil {
		return QueueStatus{}, fmt.Errorf("arena: count waiting: %w", err)
	}
	waited := tx.Now().Sub(since)
	return QueueStatus{
		Waiting: true, Waited: waited, Window: window(waited), Others: max(0, n-1), ExpiresAt: expires,
	}, nil
}

// enter puts a bot into the queue and matches it if a suitable opponent waits. Errors:
// ErrNoBot.
func (s *Service) enter(
	ctx context.Context, tx *store.Tx, bot chain.Address, network []byte,
) (QueueStatus, error) {
	queries, now := q.New(tx), tx.Now()
	entrant, err := queries.GetEntrant(ctx, bot[:])
	if err != nil {
		return QueueStatus{}, store.Absent(err, ErrNoBot, "arena: load %v", bot)
	}
	rating := glicko.Newcomer.Rating
	if entrant.Rating != nil {
		rating = *entrant.Rating
	}
	expires, since := now.Add(QueueTimeout), now.UnixMilli()
	row, err := queries.EnterQueue(ctx, q.EnterQueueParams{
		Address: bot[:], Owner: entrant.Owner, Network: network, Charged: charged(ctx, now), Rating: rating, Now: &since,
		ExpiresAt: expires.UnixMilli(),
	})
	if errors.Is(err, sql.ErrNoRows) { // matched by a concurrent transaction
		return s.StayInQueue(ctx, tx, bot)
	}
	if err != nil {
		return QueueStatus{}, fmt.Errorf("arena: %v enters the queue: %w", bot, err)
	}
	w := &waiter{
		address: bot, owner: column.OptionalAddress(entrant.Owner), rating: rating,
		last: column.OptionalAddress(row.LastOpponent), since: now, version: row.Version,
		network: string(network),
	}
	code, err := s.matchOnEntry(ctx, tx, w)
	if err != nil {
		return QueueStatus{}, err
	}
	if code != "" {
		return QueueStatus{Duel: code}, nil
	}
	tx.AfterCommit(func() { s.Events.Hub.Wake(event.Queue) })
	return s.waiting(ctx, tx, now, expires)
}

// charged returns the network of a caller that enters a queue, which is charged with the duel that begins for it.
func charged(ctx context.Context, now time.Time) fairshare.Tag {
	return fairshare.From(ctx, fairshare.Days(now))
}

// matchOnEntry matches a bot that has just entered the queue with the nearest suitable
// opponent and returns the code of their duel. It returns "" if there is none, or if another
// transaction has matched the opponent.
func (s *Service) matchOnEntry(ctx context.Context, tx *store.Tx, w *waiter) (string, error) {
	if w.owner == nil {
		return "", nil // MatchOnce matches house bots, after the outside bots
	}
	now := tx.Now()
	rows, err := q.New(tx).Neighbours(ctx, q.NeighboursParams{
		Rating: w.rating, Now: now.UnixMilli(), Reach: neighbourCount + 1})
	if err != nil {
		return "", fmt.Errorf("arena: neighbours of %v: %w", w.address, err)
	}
	list := make([]*waiter, len(rows))
	for i, r := range rows {
		list[i] = newWaiter(q.ListWaitingRow(r))
	}
	c := immediate(w, list, now)
	if c == nil {
		return "", nil
	}
	return s.match(ctx, tx, pair{c, w})
}

// match begins the duel of a pair and returns its code. It returns "" if the first bot no
// longer waits, and errNotWaiting if that is so for the second one: then the claim of the
// first must be rolled back. So the rows of both bots change, or neither does.
func (s *Service) match(ctx context.Context, tx *store.Tx, p pair) (string, error) {
	queries, now := q.New(tx), tx.Now().UnixMilli()
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
		return "", errNotWaiting
	}
	code, err := s.Duels.StartRanked(fairshare.WithTag(ctx, p.a.charged), tx, p.a.address, p.b.address)
	if err != nil {
		return "", fmt.Errorf("arena: match %v with %v: %w", p.a.address, p.b.address, err)
	}
	n, err := queries.AssignDuel(ctx, q.AssignDuelParams{Duel: &code, A: p.a.address[:], B: p.b.address[:]})
	if err != nil {
		return "", fmt.Errorf("arena: assign %s to %v and %v: %w", code, p.a.address, p.b.address, err)
	}
	if n != 2 {
		return "", fmt.Errorf("arena: assign %s to %v and %v: %w", code, p.a.address, p.b.address, errNotWaiting)
	}
	for _, w := range []*waiter{p.a, p.b} {
		e := event.Event{Topic: event.Account(w.address), Kind: event.Matched, Body: matched{Duel: code}}
		if err := s.Events.Post(ctx, tx, e); err != nil {
			return "", err
		}
	}
	return code, nil
}

// errNotWaiting reports that one bot of a pair has left the queue or is in another duel.
var errNotWaiting = errors.New("arena: a bot of the pair no longer waits")

// matched is the body of the event of a bot's new duel.
type matched struct {
	Duel string `json:"duel"`
}

// LeaveQueue takes a bot out of the queue and reports whether it was in it. It does not end a
// duel that the bot was matched for.
func (s *Service) LeaveQueue(ctx context.Context, tx *store.Tx, bot chain.Address) (bool, error) {
	n, err := q.New(tx).LeaveQueue(ctx, bot[:])
	if err != nil {
		return false, fmt.Errorf("arena: %v leaves: %w", bot, err)
	}
	return n == 1, nil
}

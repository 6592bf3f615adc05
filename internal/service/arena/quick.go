package arena

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/arenaq"
)

// Quick matches: people who ask for a stranger are paired by rating, by the rules of match.go
// for outside bots. Each poll of a waiting player looks for an opponent, because windows grow by
// the second; no loop works for them. One row holds a player's state: waiting, in a duel, or
// neither.

// QuickPoll is how often a waiting player's call looks for an opponent.
const QuickPoll = time.Second

// QuickPlayer is a person who asks for a stranger.
type QuickPlayer struct {
	Address  chain.Address
	Kind     chain.AccountKind
	Username string
}

// QuickDuels begins and finds duels between people that the service pairs.
type QuickDuels interface {
	// MayPair reports whether the two may be paired now: they have used no network in common, and have rated duels
	// left on this day.
	MayPair(ctx context.Context, tx *store.Tx, a, b chain.Address) (bool, error)
	// StartQuick begins a duel and returns its code.
	StartQuick(ctx context.Context, tx *store.Tx, a, b QuickPlayer) (code string, err error)
	// InPlay applies passed deadlines and reports whether the duel with a code goes on.
	InPlay(ctx context.Context, tx *store.Tx, code string) (bool, error)
}

// ErrNotPerson reports that a bot asked for a quick match.
var ErrNotPerson = errors.New("arena: quick matches are for people")

// JoinQuick puts a person into the queue, or extends the stay, and pairs p with a waiting stranger
// if there is a suitable one. A player whose quick duel goes on gets its code. Errors:
// ErrNotPerson, errNotWaiting.
//
// The rows of both players change in the transaction that begins the duel: a crash before its
// commit leaves both waiting, one after it both in the duel.
func (s *Service) JoinQuick(ctx context.Context, tx *store.Tx, p QuickPlayer) (QueueStatus, error) {
	if p.Kind == chain.Bot {
		return QueueStatus{}, ErrNotPerson
	}
	status, row, err := s.quickRow(ctx, tx, p.Address)
	if err != nil || status.Duel != "" {
		return status, err
	}
	return s.waitQuick(ctx, tx, p, row)
}

// StayQuick is JoinQuick for a player who has asked before. It does not put a player back
// that has left the queue.
func (s *Service) StayQuick(ctx context.Context, tx *store.Tx, p QuickPlayer) (QueueStatus, error) {
	status, row, err := s.quickRow(ctx, tx, p.Address)
	if err != nil || status.Duel != "" || row.Since == nil {
		return status, err
	}
	return s.waitQuick(ctx, tx, p, row)
}

// LeaveQuick takes a person out of the queue and reports whether p was in it.
func (s *Service) LeaveQuick(ctx context.Context, tx *store.Tx, p chain.Address) (bool, error) {
	n, err := q.New(tx).LeaveQuick(ctx, p[:])
	return n == 1, wrap("leave quick", err)
}

// DropQuick deletes the rows of people who have stopped asking.
func (s *Service) DropQuick(ctx context.Context, tx *store.Tx) error {
	return wrap("drop quick", q.New(tx).DropQuick(ctx, tx.Now().UnixMilli()))
}

// Forget takes an account that is being deleted out of the queues, a bot as well as a person, and
// deletes the name that was kept for quick matches and a bot's versions.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, account chain.Address) error {
	if _, err := s.LeaveQueue(ctx, tx, account); err != nil {
		return err
	}
	if err := q.New(tx).ForgetVersions(ctx, account[:]); err != nil {
		return wrap("forget versions", err)
	}
	return wrap("forget", q.New(tx).ForgetQuick(ctx, account[:]))
}

// ReplaceName replaces the name under which a person waits for a quick match.
func (s *Service) ReplaceName(ctx context.Context, tx *store.Tx, account chain.Address, name string) error {
	return wrap("rename", q.New(tx).RenameQuick(ctx, q.RenameQuickParams{Username: name, Address: account[:]}))
}

// quickRow returns the duel that a player is in, or else the player's row: with Since nil unless
// the player waits.
func (s *Service) quickRow(ctx context.Context, tx *store.Tx, p chain.Address) (QueueStatus, q.GetQuickRow, error) {
	row, err := q.New(tx).GetQuick(ctx, p[:])
	if err != nil {
		return QueueStatus{}, row, store.Absent(err, nil, "arena: quick")
	}
	if row.Duel != nil {
		going, err := s.Quick.InPlay(ctx, tx, *row.Duel)
		if err != nil || going {
			return QueueStatus{Duel: *row.Duel}, row, err
		}
		row.Duel = nil
	}
	if row.Since != nil && row.ExpiresAt <= tx.Now().UnixMilli() {
		row.Since = nil
	}
	return QueueStatus{}, row, nil
}

// waitQuick stores that a player waits, and pairs it with a stranger if possible.
func (s *Service) waitQuick(ctx context.Context, tx *store.Tx, p QuickPlayer, row q.GetQuickRow) (QueueStatus, error) {
	queries, now := q.New(tx), tx.Now()
	rating := glicko.Newcomer.Rating
	if row.Since != nil {
		rating = row.Rating
	} else if found, err := queries.GetHumanRating(ctx, p.Address[:]); err == nil {
		rating = found
	} else if !errors.Is(err, sql.ErrNoRows) {
		return QueueStatus{}, wrap("quick rating", err)
	}
	since := now
	if row.Since != nil {
		since = time.UnixMilli(*row.Since)
	}
	at, expires := since.UnixMilli(), now.Add(QueueTimeout)
	version, err := queries.EnterQuick(ctx, q.EnterQuickParams{
		Address: p.Address[:], Username: p.Username, Kind: string(p.Kind), Charged: charged(ctx, now), Rating: rating,
		Since: &at, ExpiresAt: expires.UnixMilli(),
	})
	if err != nil {
		return QueueStatus{}, wrap("enter quick", err)
	}
	w := &waiter{
		address: p.Address, rating: rating, since: since, version: version,
		last: column.OptionalAddress(row.LastOpponent),
	}
	code, err := s.pairQuick(ctx, tx, p, w)
	if err != nil || code != "" {
		return QueueStatus{Duel: code}, err
	}
	n, err := queries.CountQuick(ctx, now.UnixMilli())
	waited := now.Sub(since)
	return QueueStatus{
		Waiting: true, Waited: waited, Window: window(waited), Others: max(0, n-1), ExpiresAt: now.Add(QuickPoll),
	}, wrap("count quick", err)
}

// pairQuick begins a duel with the nearest suitable stranger and returns its code, "" if there is
// none. The last opponent is taken only when no other is suitable.
func (s *Service) pairQuick(ctx context.Context, tx *store.Tx, p QuickPlayer, w *waiter) (string, error) {
	queries, now := q.New(tx), tx.Now()
	rows, err := queries.QuickNeighbours(ctx, q.QuickNeighboursParams{
		Rating: w.rating, Now: now.UnixMilli(), Reach: neighbourCount + 1})
	if err != nil {
		return "", wrap("quick neighbours", err)
	}
	people := map[*waiter]QuickPlayer{}
	var list []*waiter
	for _, r := range rows {
		x := &waiter{
			address: chain.Address(r.Address), rating: r.Rating, version: r.Version,
			last: column.OptionalAddress(r.LastOpponent), since: time.UnixMilli(*r.Since), charged: r.Charged,
		}
		list = append(list, x)
		people[x] = QuickPlayer{Address: x.address, Kind: chain.AccountKind(r.Kind), Username: r.Username}
	}
	for len(list) > 0 {
		c := immediate(w, list, now)
		if c == nil {
			c = nearest(w, list, func(c *waiter) bool { return !related(w, c) && (w.reaches(c, now) || c.reaches(w, now)) })
		}
		if c == nil {
			return "", nil
		}
		list = slices.DeleteFunc(list, func(x *waiter) bool { return x == c })
		// The stranger in the queue began.
		code, err := s.beginQuick(fairshare.WithTag(ctx, c.charged), tx, [2]QuickPlayer{people[c], p}, c.version)
		if err != nil || code != "" {
			return code, err
		}
	}
	return "", nil
}

// beginQuick begins the duel of a waiting stranger, whose row has a version, and the caller. It
// returns "" if the two may not be paired, or if the stranger no longer waits.
func (s *Service) beginQuick(ctx context.Context, tx *store.Tx, sides [2]QuickPlayer, version int64) (string, error) {
	may, err := s.Quick.MayPair(ctx, tx, sides[0].Address, sides[1].Address)
	if err != nil || !may {
		return "", err
	}
	queries := q.New(tx)
	n, err := queries.ClaimQuick(ctx, q.ClaimQuickParams{
		Address: sides[0].Address[:], Version: version, Now: tx.Now().UnixMilli()})
	if err != nil || n == 0 {
		return "", wrap("claim quick", err)
	}
	code, err := s.Quick.StartQuick(ctx, tx, sides[0], sides[1])
	if err != nil {
		return "", fmt.Errorf("arena: pair %v with %v: %w", sides[0].Address, sides[1].Address, err)
	}
	for i, p := range sides {
		n, err := queries.AssignQuick(ctx, q.AssignQuickParams{
			Address: p.Address[:], Duel: &code, LastOpponent: sides[1-i].Address[:]})
		if err != nil {
			return "", wrap("assign quick", err)
		}
		if n != 1 { // rolls the pairing back
			return "", fmt.Errorf("arena: %s: %w", code, errNotWaiting)
		}
		e := event.Event{Topic: event.Account(p.Address), Kind: event.Matched, Body: matched{Duel: code}}
		if err := s.Events.Post(ctx, tx, e); err != nil {
			return "", err
		}
	}
	return code, nil
}

// Package cup runs cups: tournaments over ordinary duels, Swiss ones of five to seven rounds or round robins.
//
// The service opens one cup for bots at a time, unless it is a class's, and people with a secured account open others,
// whose hosts they are (host.go). Players join until the start. Advance, which a loop calls, then pairs one round
// after the other: it begins a duel for each pair by Duels, and waits until all of them are over. A player without a
// step in a duel has not shown up: the game is lost, and the player is not paired again.
//
// Pairings are a pure function (package tables) of the players, the results and a seed: the hash of the
// newest block at the start, which no player knows while joining. The final table contains all of
// it, and its hash goes to the chain (cup.close), so every pairing can be computed again, and no
// table can be changed afterwards.
//
// Cup duels are casual, and a cup wins nothing but its place on the profile: opponents are not
// chosen by the service alone, because any account may join, so a rating or coins could be handed to
// a friend.
//
// Concurrent changes are decided by rows: a place in an open cup is an update of the cup's row, an
// account is in one unfinished cup by a unique index, and each round is a compare-and-swap of the
// cup's version in the transaction that begins its duels.
package cup

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/chain/tables"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/cupq"
)

// Kind is the kind of players of a cup.
type Kind string

// The kinds of cups.
const (
	Bots   Kind = "bots"
	People Kind = "people"
)

// Status is the state of a cup.
type Status string

// The states of a cup; Finished and Cancelled are final.
const (
	Open      Status = "open"      // players join
	Running   Status = "running"   // rounds are played
	Finished  Status = "finished"  // the table is final
	Cancelled Status = "cancelled" // too few players joined, or its host did not start it
)

const (
	// MinPlayers is the number of players below which a cup is cancelled, the house's bots included.
	MinPlayers = 2
	// MaxPlayers is the largest number of seats of a cup; the house's bots come on top.
	MaxPlayers = 64
	// MinLead is the least time from the creation of a cup to its start.
	MinLead = time.Minute
	// MaxLead is the most.
	MaxLead = 7 * 24 * time.Hour
	// Pause is the time between the last result of a round and the next round.
	Pause = 5 * time.Second
	// Gather is how long before the start of a cup its bots leave the queue of ranked duels, so
	// that none of them is in one when the first round begins.
	Gather = time.Minute
	// DailyHour is when the service's cup for bots starts, in hours after midnight UTC.
	DailyHour = 18
	// FirstLead is the time from the creation of a service's first cup to its start.
	FirstLead = 10 * time.Minute
)

// Cup is a cup.
type Cup struct {
	Terms

	Number     int64
	Status     Status
	Creator    *chain.Address // its host; nil for the service
	CreatedAt  time.Time
	EndedAt    *time.Time
	Players    int64 // that have joined
	Rounds     int64 // planned; 0 before the start
	Round      int64 // the last one that was paired
	SeedHeight int64 // of the block whose hash is Seed
	Seed       chain.Hash
	Raw        string // the final table, which Hash pins
	Hash, Tx   *chain.Hash

	HiddenReason string // public: why an operator has hidden the name, which Name then lacks; "" while it shows

	pausedUntil *time.Time    // before it no round begins; nil for no pause
	network     fairshare.Tag // of the creator, charged with the cup and with its duels
	version     int64
}

// Player is a player of a cup.
type Player struct {
	Address   chain.Address
	Username  string
	Kind      chain.AccountKind
	Owner     *chain.Address // of a bot; nil for the house's
	Active    bool           // will be paired in the next round
	Withdrawn bool           // has left after the start, or did not show up
	Place     int64          // the rank in the final table; 0 before
}

// Entrant is an account that joins or creates a cup.
type Entrant struct {
	Address chain.Address
	Kind    chain.AccountKind
	Owner   *chain.Address // of a bot; nil for the house's
	Secured bool           // has a password or a verified mailbox
	Settled bool           // it or its owner has been secured for 3 days: no network is charged with its seat
}

// Party returns the account that answers for an entrant: the owner of a bot.
func (e *Entrant) Party() chain.Address {
	if e.Owner != nil {
		return *e.Owner
	}
	return e.Address
}

// party returns the account that answers for a player: the owner of a bot.
func (p *Player) party() chain.Address {
	if p.Owner != nil {
		return *p.Owner
	}
	return p.Address
}

// Duels begins the duels of a cup.
type Duels interface {
	// StartCup begins a duel of two sides and returns its code. step is the time for each step, 0 for the
	// default; public lists show a listed one.
	StartCup(ctx context.Context, tx *store.Tx, sides [2]Player, step time.Duration, listed bool) (code string, err error)
}

// Listener receives finished cups inside the transaction that closes them. Its error rolls the close back.
type Listener interface {
	// CupFinished receives a public cup in which two reveals decided a round, with the rows of its final table, the best
	// first. The context is charged to the
	// network that opened the cup (package fairshare), as long as that is known.
	CupFinished(ctx context.Context, tx *store.Tx, c *Cup, rows []tables.Row) error
}

// Keys ends keys of bots.
type Keys interface {
	// EndBotKey ends the key of a bot, and notifies its owner: the owner alone gets a fresh one. It reports whether there
	// was a key to end.
	EndBotKey(ctx context.Context, tx *store.Tx, bot chain.Address) (ended bool, err error)
}

// Service implements the use cases of cups. Its fields are set once, before use.
type Service struct {
	DB       *store.DB
	Ledger   *ledger.Ledger
	Events   *event.Log
	Duels    Duels
	Listener Listener // nil for none
	Keys     Keys
	// Class is set for the service of a class, where all cups are its hosts': the service opens none.
	Class bool
	// House returns the house's bots, which play in every cup for bots; nil for none.
	House func(ctx context.Context, tx *store.Tx) ([]chain.Address, error)
	// Stir makes the house's bots play, after the commit of a round; nil for none.
	Stir func()

	dropped atomic.Int64 // the time before which this node has deleted the tags of networks
}

// Errors of this package.
var (
	ErrNotFound  = errors.New("cup: not found")
	ErrStarted   = errors.New("cup: the cup has started or is over")
	ErrFull      = errors.New("cup: full")
	ErrShare     = errors.New("cup: the caller's network has its share of the seats")
	ErrInCup     = errors.New("cup: the account, or another bot of its owner, is in an unfinished cup")
	ErrNotIn     = errors.New("cup: the account is not in the cup")
	ErrKind      = errors.New("cup: the cup is for others")
	ErrUnsecured = errors.New("cup: the account is not secured")
	ErrLead      = errors.New("cup: the start is too soon or too late")
	ErrHosted    = errors.New("cup: the account has opened too many unfinished cups")
	ErrPrivate   = errors.New("cup: the cup is private, and the code is missing or wrong")
	ErrRemoved   = errors.New("cup: the host has removed the account")
	ErrName      = errors.New("cup: a name needs a letter or a digit, and 60 characters at most")
	ErrNameTaken = errors.New("cup: the name is reserved, or of another unfinished cup")
	ErrNotHost   = errors.New("cup: the account is not the host of the cup")
	ErrState     = errors.New("cup: the cup is not in a state for this act")
	ErrFew       = errors.New("cup: too few players to start")
)

// Create opens a cup on terms, whose host is the caller. Errors: ErrKind for bots, ErrUnsecured, ErrLead, ErrHosted,
// ErrName, ErrNameTaken, names.ErrText, names.ErrScripts; ErrInCup if the host is to play.
func (s *Service) Create(ctx context.Context, tx *store.Tx, e Entrant, t Terms) (*Cup, error) {
	hosted, err := s.HostedBy(ctx, tx, e.Address)
	if err != nil {
		return nil, err
	}
	if err := e.mayCreate(t.StartsAt.Sub(tx.Now()), len(hosted)); err != nil {
		return nil, err
	}
	if t, err = t.withName(); err != nil {
		return nil, err
	}
	number, err := s.insert(ctx, tx, &e.Address, &t)
	switch {
	case err != nil:
		return nil, err
	case t.HostPlays:
		return s.Join(ctx, tx, e, number, t.Code)
	}
	return s.changed(ctx, tx, number, event.CupChanged)
}

// insert stores a new cup. Errors: ErrNameTaken.
func (s *Service) insert(ctx context.Context, tx *store.Tx, host *chain.Address, t *Terms) (number int64, err error) {
	p := q.InsertCupParams{
		Kind: string(t.Kind), CreatedAt: tx.Now().UnixMilli(), StartsAt: t.StartsAt.UnixMilli(), System: t.System,
		MostRounds: t.MostRounds, HouseBots: column.Bool(t.HouseBots), Seats: t.Seats, StepMs: t.Step.Milliseconds(),
		Replay: column.Bool(t.Replay), HostPlays: column.Bool(t.HostPlays), ByHand: column.Bool(t.ByHand),
	}
	if host != nil {
		p.Creator, p.Network = host[:], fairshare.From(ctx, fairshare.Days(tx.Now()))
	}
	if t.Name != "" {
		p.Name, p.Fold = &t.Name, new(names.Fold(t.Name))
	}
	if t.Code != "" {
		p.Code = &t.Code
	}
	number, err = q.New(tx).InsertCup(ctx, p)
	if p.Name != nil && store.IsUnique(err) {
		return 0, ErrNameTaken
	}
	return number, wrap("create", err)
}

// Join makes an account with a code, "" for none, a player of an open cup. Of an owner's bots one may join. Errors:
// ErrNotFound, ErrKind, ErrStarted, ErrPrivate, ErrFull, ErrRemoved, ErrShare, ErrInCup.
//
// The place and the player are stored in one transaction, and the place first: of concurrent joins
// of the last place, or of the last one of a network, one gets the error.
func (s *Service) Join(ctx context.Context, tx *store.Tx, e Entrant, number int64, code string) (*Cup, error) {
	c, err := s.Get(ctx, tx, number)
	if err != nil {
		return nil, err
	}
	queries, now := q.New(tx), tx.Now()
	if err := c.mayJoin(&e, code, now); err != nil {
		return nil, err
	}
	n, err := queries.TakePlace(ctx, q.TakePlaceParams{ID: number, Now: now.UnixMilli()})
	if err != nil || n == 0 { // a concurrent transaction took the last seat
		return nil, cmp.Or(wrap("join", err), ErrFull)
	}
	party := e.Party()
	n, err = queries.CountRemoved(ctx, q.CountRemovedParams{Cup: number, Account: party[:]})
	if err != nil || n > 0 {
		return nil, cmp.Or(wrap("join", err), ErrRemoved)
	}
	// The host of a private cup chooses its players, so a class behind one address needs no share.
	if e.Settled || c.Private() {
		ctx = fairshare.WithTag(ctx, nil)
	}
	if err := s.takeSeat(ctx, tx, c); err != nil {
		return nil, err
	}
	if e.Owner != nil {
		n, err := queries.CountOwners(ctx, q.CountOwnersParams{Cup: number, Owner: e.Owner[:]})
		if err != nil || n > 0 {
			return nil, cmp.Or(err, ErrInCup)
		}
	}
	if err := s.insertPlayer(ctx, tx, number, e); err != nil {
		return nil, err
	}
	return s.changed(ctx, tx, number, event.CupChanged)
}

// seatScope is the scope of the tags of a cup's seats, which are taken over days.
func seatScope(number int64) fairshare.Scope {
	name := fmt.Sprintf("cup %d", number)
	return fairshare.Scope{name, name}
}

// takeSeat checks that the caller's network may seat one more player. Errors: ErrShare.
func (s *Service) takeSeat(ctx context.Context, tx *store.Tx, c *Cup) error {
	network := fairshare.From(ctx, seatScope(c.Number))
	if network == nil {
		return nil
	}
	seats, err := q.New(tx).SeatNetworks(ctx, c.Number)
	if err != nil {
		return wrap("seats", err)
	}
	counter := fairshare.Share{Network: c.networkSeats(), Wide: c.networkSeats()}.Counter()
	for _, seat := range seats {
		counter.Take(seat)
	}
	if !counter.Take(network) {
		return ErrShare
	}
	return nil
}

// insertPlayer stores a player. Errors: ErrInCup.
func (s *Service) insertPlayer(ctx context.Context, tx *store.Tx, number int64, e Entrant) error {
	p := q.InsertPlayerParams{Cup: number, Address: e.Address[:], JoinedAt: tx.Now().UnixMilli(),
		Network: fairshare.From(ctx, seatScope(number))}
	if e.Owner != nil {
		p.Owner = e.Owner[:]
	}
	n, err := q.New(tx).InsertPlayer(ctx, p)
	if err != nil {
		return wrap("join", err)
	}
	if n == 0 {
		return ErrInCup
	}
	return nil
}

// Leave takes a player out of a cup: before the start without a trace, later from the next round on.
// A duel that has begun continues. A cup whose host wanted to play is cancelled when its last player leaves. Errors:
// ErrNotFound, ErrNotIn.
func (s *Service) Leave(ctx context.Context, tx *store.Tx, account chain.Address, number int64) (*Cup, error) {
	if _, err := s.Get(ctx, tx, number); err != nil {
		return nil, err
	}
	queries := q.New(tx)
	open, err := queries.GivePlace(ctx, number)
	if err != nil {
		return nil, wrap("leave", err)
	}
	var n int64
	if open == 1 {
		n, err = queries.DeletePlayer(ctx, q.DeletePlayerParams{Cup: number, Address: account[:]})
	} else {
		n, err = queries.Withdraw(ctx, q.WithdrawParams{Cup: number, Address: account[:]})
	}
	if err != nil || n == 0 { // ErrNotIn rolls the place back
		return nil, cmp.Or(wrap("leave", err), ErrNotIn)
	}
	c, err := s.Get(ctx, tx, number)
	if err != nil {
		return nil, err
	}
	if c.Status == Open && c.HostPlays && c.Players == 0 {
		if err := s.end(ctx, tx, c, Cancelled); err != nil {
			return nil, err
		}
		return s.Get(ctx, tx, number)
	}
	return s.changed(ctx, tx, number, event.CupChanged)
}

// LeaveOpen takes an account out of the cup that it has joined and that has not started. In a cup that runs it
// keeps its place.
func (s *Service) LeaveOpen(ctx context.Context, tx *store.Tx, account chain.Address) error {
	row, err := q.New(tx).SeatOf(ctx, account[:])
	if errors.Is(err, sql.ErrNoRows) || err == nil && Status(row.Status) != Open {
		return nil
	}
	if err == nil {
		_, err = s.Leave(ctx, tx, account, row.ID)
	}
	return wrap("leave", err)
}

// Seat is the place of an account in an unfinished cup.
type Seat struct {
	Cup  int64
	Duel string // its duel in the current round; "" without one
	Held bool   // the cup runs or is about to go on: the account begins nothing else
}

// SeatOf returns the seat of an account; the zero Seat without one. A paused cup holds those alone whose duel goes on.
func (s *Service) SeatOf(ctx context.Context, tx *store.Tx, account chain.Address) (Seat, error) {
	row, err := q.New(tx).SeatOf(ctx, account[:])
	if errors.Is(err, sql.ErrNoRows) {
		return Seat{}, nil
	}
	if err != nil {
		return Seat{}, wrap("seat", err)
	}
	c, now := Cup{pausedUntil: column.OptionalTime(row.PausedUntil)}, tx.Now()
	c.Kind, c.StartsAt = Kind(row.Kind), column.Time(row.StartsAt)
	held := row.ByHand == 0 && !now.Before(c.StartsAt.Add(-Gather))
	if Status(row.Status) == Running {
		held = row.Duel != "" || !c.Paused(now)
	}
	return Seat{Cup: row.ID, Duel: row.Duel, Held: held}, nil
}

// Get returns a cup. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, tx *store.Tx, number int64) (*Cup, error) {
	row, err := q.New(tx).GetCup(ctx, number)
	if err != nil {
		return nil, store.Absent(err, ErrNotFound, "cup: get")
	}
	return fromRow(&row), nil
}

// List returns cups with lower numbers than before, newest first: none that is private or was cancelled, and of
// those that one network has opened the newest 2, of an IPv6 /48 the newest 5.
func (s *Service) List(ctx context.Context, tx *store.Tx, before, count int64) ([]*Cup, error) {
	rows, err := q.New(tx).ListCups(ctx, q.ListCupsParams{Before: before, Count: count})
	list := make([]*Cup, len(rows))
	for i := range rows {
		list[i] = fromRow(&rows[i])
	}
	return list, wrap("list", err)
}

// Winners returns the winners of the finished cups with numbers from low to high, by number.
func (s *Service) Winners(ctx context.Context, tx *store.Tx, low, high int64) (map[int64][]Player, error) {
	rows, err := q.New(tx).Winners(ctx, q.WinnersParams{Low: low, High: high})
	all := map[int64][]Player{}
	for _, r := range rows {
		all[r.Cup] = append(all[r.Cup], Player{Address: chain.Address(r.Address), Username: r.Username, Place: 1})
	}
	return all, wrap("winners", err)
}

// Players returns the players of a cup in the order in which they joined.
func (s *Service) Players(ctx context.Context, tx *store.Tx, number int64) ([]Player, error) {
	rows, err := q.New(tx).ListPlayers(ctx, number)
	list := make([]Player, len(rows))
	for i, r := range rows {
		list[i] = Player{Address: chain.Address(r.Address), Username: r.Username, Kind: chain.AccountKind(r.Kind),
			Owner: column.OptionalAddress(r.Owner), Active: r.Active == 1, Withdrawn: r.Withdrawn == 1}
		if r.Place != nil {
			list[i].Place = *r.Place
		}
	}
	return list, wrap("players", err)
}

// Games returns the games of a cup, the first round first, and the time of the last result.
func (s *Service) Games(
	ctx context.Context, tx *store.Tx, number int64,
) (list []tables.Game, last time.Time, err error) {
	rows, err := q.New(tx).ListGames(ctx, number)
	for _, r := range rows {
		g := tables.Game{Round: r.Round, Board: r.Board, A: chain.Address(r.A)}
		if r.B != nil {
			g.B, g.Duel = chain.Address(r.B), *r.Duel
		}
		if r.EndedAt != nil {
			g.Over, g.APoints, g.BPoints = true, *r.APoints, *r.BPoints
			if at := column.Time(*r.EndedAt); at.After(last) {
				last = at
			}
		}
		list = append(list, g)
	}
	return list, last, wrap("games", err)
}

// changed publishes that a cup has changed, and returns it.
func (s *Service) changed(ctx context.Context, tx *store.Tx, number int64, kind event.Kind) (*Cup, error) {
	c, err := s.Get(ctx, tx, number)
	if err != nil {
		return nil, err
	}
	return c, s.Events.Post(ctx, tx, event.Event{Topic: event.Cups, Kind: kind, Body: eventBody{
		Number: c.Number, Status: c.Status, Round: c.Round, Players: c.Players}})
}

// eventBody is the body of a cup's events. Readers get the cup itself by its number.
type eventBody struct {
	Number  int64  `json:"number"`
	Status  Status `json:"status"`
	Round   int64  `json:"round"`
	Players int64  `json:"players"`
}

func fromRow(r *q.Cup) *Cup {
	c := &Cup{
		Terms: Terms{
			Kind: Kind(r.Kind), System: r.System, MostRounds: r.MostRounds, HouseBots: r.HouseBots == 1, Seats: r.Seats,
			Step: time.Duration(r.StepMs) * time.Millisecond, Replay: r.Replay == 1, HostPlays: r.HostPlays == 1,
			ByHand: r.ByHand == 1, StartsAt: column.Time(r.StartsAt),
		},
		Number: r.ID, Status: Status(r.Status), Creator: column.OptionalAddress(r.Creator),
		CreatedAt: column.Time(r.CreatedAt), EndedAt: column.OptionalTime(r.EndedAt),
		Players: r.Players, Rounds: r.Rounds, Round: r.Round, pausedUntil: column.OptionalTime(r.PausedUntil),
		Hash: column.OptionalHash(r.Hash), Tx: column.OptionalHash(r.Tx), network: r.Network, version: r.Version,
	}
	if r.Seed != nil {
		c.Seed, c.SeedHeight = chain.Hash(r.Seed), *r.SeedHeight
	}
	for _, text := range []struct{ from, to *string }{{r.Raw, &c.Raw}, {r.Name, &c.Name}, {r.Code, &c.Code}} {
		if text.from != nil {
			*text.to = *text.from
		}
	}
	if r.HiddenReason != "" {
		c.Name, c.HiddenReason = "", r.HiddenReason
	}
	return c
}

// wrap adds the action to an error.
func wrap(action string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cup: %s: %w", action, err)
}

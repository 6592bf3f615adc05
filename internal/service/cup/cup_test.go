package cup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/chain/tables"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// duels implements cup.Duels: it names the duels in their order, and notes which of them public lists may show.
type duels struct {
	made   int
	public map[string]bool
}

func (d *duels) StartCup(
	_ context.Context, _ *store.Tx, _ [2]cup.Player, _ time.Duration, public bool,
) (string, error) {
	d.made++ // names stay unique when the transaction is retried
	if d.public != nil {
		d.public[fmt.Sprintf("DUEL%04d", d.made)] = public
	}
	return fmt.Sprintf("DUEL%04d", d.made), nil
}

// fixture is a service of cups on a ledger, with players.
type fixture struct {
	*cup.Service
	ledger  *ledgertest.Ledger
	players []chain.Address
}

// open opens a service for n players of a kind.
func open(t *testing.T, o ledgertest.Options, n int, kind chain.AccountKind) *fixture {
	t.Helper()
	l := ledgertest.Open(t, o)
	f := &fixture{ledger: l, Service: &cup.Service{DB: l.DB, Ledger: l.Ledger, Duels: &duels{},
		Events: &event.Log{DB: l.DB, Hub: &event.Hub{}}}}
	for i := range n {
		a := chain.Address{byte(i + 1)}
		f.update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
				VALUES ($1, $2, $3, $3, $3, 0)`, a[:], string(kind), fmt.Sprintf("player-%d", i))
			if err != nil {
				return err
			}
			_, err = l.Post(ctx, tx, ledger.Draft{Actor: a, Transfers: []chain.Transfer{{To: a, Amount: 1000}},
				Data: &chain.AccountCreate{Commitment: l.NewHash(), AccountKind: kind}})
			return err
		})
		f.players = append(f.players, a)
	}
	return f
}

func (f *fixture) update(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := f.DB.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// person returns player i as a person with a password.
func (f *fixture) person(i int) cup.Entrant {
	return cup.Entrant{Address: f.players[i], Kind: chain.Full, Secured: true}
}

// people opens a cup for people that all players join.
func (f *fixture) people(t *testing.T) (number int64) {
	t.Helper()
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		c, err := f.Create(ctx, tx, f.person(0), f.terms(time.Hour))
		if err != nil {
			return err
		}
		number = c.Number
		for i := range f.players[1:] {
			if _, err := f.Join(ctx, tx, f.person(i+1), number, ""); err != nil {
				return err
			}
		}
		return nil
	})
	return number
}

func (f *fixture) advance(t *testing.T) {
	t.Helper()
	if err := f.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// state returns a cup with its games and players.
func (f *fixture) state(t *testing.T, number int64) (c *cup.Cup, games []tables.Game, players []cup.Player) {
	t.Helper()
	err := f.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if c, err = f.Get(ctx, tx, number); err != nil {
			return err
		}
		if games, _, err = f.Games(ctx, tx, number); err != nil {
			return err
		}
		players, err = f.Players(ctx, tx, number)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, games, players
}

// finish ends all games in progress: the player with the lower number wins, or by absence.
func (f *fixture) finish(t *testing.T, number int64, absent chain.Address) {
	t.Helper()
	_, games, _ := f.state(t, number)
	for _, g := range games {
		if g.Over {
			continue
		}
		r := cup.Result{Duel: g.Duel, A: g.A, B: g.B, Winner: "b", Absent: [2]bool{g.A == absent, g.B == absent},
			Played: g.A != absent && g.B != absent, At: f.ledger.Clock.Now()}
		if !r.Absent[0] && (r.Absent[1] || g.A[0] < g.B[0]) {
			r.Winner = "a"
		}
		f.update(t, func(ctx context.Context, tx *store.Tx) error {
			settle := &chain.DuelSettle{A: g.A, B: g.B, DuelID: g.Duel, Winner: r.Winner}
			raw := gamestest.Duel(settle, 0)
			if r.Absent != [2]bool{} {
				raw = gamestest.Missed(settle, [2]bool{!r.Absent[0], !r.Absent[1]})
			}
			settle.TranscriptHash = chain.HashTranscript(raw)
			if _, err := f.ledger.Post(ctx, tx, ledger.Draft{Data: settle, Transcript: raw}); err != nil {
				return err
			}
			return f.DuelFinished(ctx, tx, r)
		})
	}
}

// problems returns what Check finds.
func (f *fixture) problems(t *testing.T) (list []string) {
	t.Helper()
	err := f.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		list = nil
		return f.Check(ctx, tx, func(d cup.Divergence) { list = append(list, d.What) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestCup plays a cup of seven from the first player to the hash on the chain. One player never
// shows up, and one leaves after the first round.
func TestCup(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 7, chain.Full)
	told := &listener{}
	f.Listener = told
	number := f.people(t)
	f.advance(t)
	if c, _, _ := f.state(t, number); c.Status != cup.Open {
		t.Fatalf("an hour before its start the cup is %s", c.Status)
	}
	f.ledger.Clock.Add(time.Hour)
	absent, leaver := f.players[6], f.players[5]
	for round := int64(1); round <= 5; round++ {
		f.advance(t)
		c, games, _ := f.state(t, number)
		if c.Round != round || c.Status != cup.Running || c.Rounds != 5 {
			t.Fatalf("round %d of %d, %s, want round %d of 5", c.Round, c.Rounds, c.Status, round)
		}
		f.update(t, func(ctx context.Context, tx *store.Tx) error { return f.LeaveOpen(ctx, tx, f.players[4]) }) // no effect
		for _, g := range games {
			if g.Round > 1 && (g.A == absent || g.B == absent || g.A == leaver || g.B == leaver) {
				t.Errorf("round %d pairs a player who has withdrawn", g.Round)
			}
		}
		f.finish(t, number, absent)
		f.advance(t) // the pause has not passed
		if c, _, _ := f.state(t, number); c.Round != round {
			t.Fatalf("round %d follows round %d without a pause", c.Round, round)
		}
		if round == 1 {
			f.update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := f.Leave(ctx, tx, leaver, number)
				return err
			})
		}
		f.ledger.Clock.Add(cup.Pause)
	}
	f.advance(t)
	c, games, players := f.state(t, number)
	if c.Status != cup.Finished || *c.Hash != chain.HashPinned([]byte(c.Raw)) {
		t.Fatalf("after the last round the cup is %s, its hash %v", c.Status, c.Hash)
	}
	if n := strings.Count(c.Raw, `"rank":1}`); n != 1 || players[0].Place != 1 {
		t.Errorf("%d winners in %s", n, c.Raw)
	}
	for _, p := range players {
		if p.Address == absent && p.Place != 7 {
			t.Errorf("a player who never showed up is number %d", p.Place)
		}
		if p.Active {
			t.Errorf("%s is not free after the cup", p.Username)
		}
		if out := p.Address == absent || p.Address == leaver; p.Withdrawn != out {
			t.Errorf("%s: withdrawn %t in the finished cup, want %t", p.Username, p.Withdrawn, out)
		}
	}
	if byes := slices.DeleteFunc(games, func(g tables.Game) bool { return g.B != chain.Address{} }); len(byes) != 5 {
		t.Errorf("%d byes of five players in five rounds and of seven in one", len(byes))
	}
	if told.cups != 1 || told.last.Number != number || told.last.Status != cup.Finished || told.last.EndedAt == nil ||
		*told.last.Hash != *c.Hash || len(told.rows) != 7 || told.rows[0].Address != players[0].Address {
		t.Errorf("the listener: %+v", told)
	}
	f.wantMedals(t, c, players)
	f.ledger.SealAll(t)
	f.ledger.WantValid(t)
	f.checksFinds(t)
}

// listener remembers the last finished cup, or refuses it.
type listener struct {
	fails error
	cups  int
	last  *cup.Cup
	rows  []tables.Row
}

func (l *listener) CupFinished(_ context.Context, _ *store.Tx, c *cup.Cup, rows []tables.Row) error {
	if l.fails != nil {
		return l.fails
	}
	l.cups, l.last, l.rows = l.cups+1, c, rows
	return nil
}

// wantMedals checks that the players of a finished cup have a medal exactly if they are among the first three.
func (f *fixture) wantMedals(t *testing.T, c *cup.Cup, players []cup.Player) {
	t.Helper()
	medals := 0
	for _, p := range players {
		err := f.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			list, err := f.MedalsOf(ctx, tx, p.Address, 10)
			medals += len(list)
			if len(list) > 1 || (len(list) == 1) != (p.Place <= 3) {
				t.Errorf("the player at place %d has medals %+v", p.Place, list)
			}
			for _, m := range list {
				if m.Number != c.Number || m.Kind != c.Kind || m.Rank != p.Place || m.Players != c.Players || m.Table != *c.Hash ||
					!m.EndedAt.Equal(*c.EndedAt) {
					t.Errorf("medal %+v of %+v", m, c)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if medals < 3 {
		t.Errorf("%d medals of a cup of %d", medals, len(players))
	}
}

// checksFinds checks that Check finds no difference, and each of some planted ones.
func (f *fixture) checksFinds(t *testing.T) {
	t.Helper()
	if list := f.problems(t); len(list) > 0 {
		t.Errorf("Check finds %v", list)
	}
	for _, c := range []struct{ found, change string }{
		{": table", "UPDATE cup_game SET a_points = 1, b_points = 1 WHERE round = 1 AND board = 1"},
		{": pairing", "UPDATE cup_game SET a = b, b = a WHERE round = 2 AND board = 1"},
		{": hash of the table", "UPDATE cup SET raw = replace(raw, '\"rank\":1}', '\"rank\":2}')"},
		{": hash of the table", "UPDATE cup SET hash = tx"},
		{": hash of the table", "UPDATE cup SET hash = NULL"},
		{": rank of ", "UPDATE cup_player SET place = 3"},
	} {
		undo := errors.New("undo")
		err := f.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if _, err := tx.ExecContext(ctx, c.change); err != nil {
				return err
			}
			var list []string
			if err := f.Check(ctx, tx, func(d cup.Divergence) { list = append(list, d.What) }); err != nil {
				return err
			}
			if !slices.ContainsFunc(list, func(what string) bool { return strings.HasPrefix(what, "cup 1"+c.found) }) {
				t.Errorf("%s: Check finds %q, not %q", c.change, list, c.found)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	}
}

// TestBothAbsent checks that a player without a step gets no point, also when both took none.
func TestBothAbsent(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 2, chain.Full)
	number := f.people(t)
	f.ledger.Clock.Add(time.Hour)
	f.advance(t)
	_, games, _ := f.state(t, number)
	r := cup.Result{Duel: games[0].Duel, A: games[0].A, B: games[0].B, Absent: [2]bool{true, true},
		At: f.ledger.Clock.Now()}
	f.update(t, func(ctx context.Context, tx *store.Tx) error { return f.DuelFinished(ctx, tx, r) })
	_, games, players := f.state(t, number)
	if g := games[0]; !g.Over || g.APoints != tables.Loss || g.BPoints != tables.Loss {
		t.Errorf("points of two absent players: %+v", g)
	}
	for _, p := range players {
		if p.Active {
			t.Errorf("%s took no step and is not withdrawn", p.Username)
		}
	}
}

// TestUnplayed: a cup in which no two reveals decided a round has its table on the chain, and neither medals nor an
// item of the feed.
func TestUnplayed(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 2, chain.Full)
	told := &listener{}
	f.Listener = told
	for cups, played := range []bool{false, true} {
		number := f.people(t)
		f.ledger.Clock.Add(time.Hour)
		f.advance(t)
		_, games, _ := f.state(t, number)
		r := cup.Result{Duel: games[0].Duel, A: games[0].A, B: games[0].B, Winner: "a", Played: played,
			At: f.ledger.Clock.Now()}
		f.update(t, func(ctx context.Context, tx *store.Tx) error { return f.DuelFinished(ctx, tx, r) })
		f.ledger.Clock.Add(cup.Pause)
		if played { // what a listener refuses is not stored
			told.fails = errors.New("refused")
			_ = f.Advance(t.Context())
			if c, _, _ := f.state(t, number); c.Status == cup.Finished {
				t.Error("a cup is finished that its listener refused")
			}
			told.fails = nil
		}
		f.advance(t)
		c, _, players := f.state(t, number)
		if c.Status != cup.Finished || c.Tx == nil || players[0].Place == 0 {
			t.Errorf("the cup is %s, its transaction %v", c.Status, c.Tx)
		}
		medals := 0
		for _, p := range players {
			f.update(t, func(ctx context.Context, tx *store.Tx) error {
				list, err := f.MedalsOf(ctx, tx, p.Address, 10)
				medals += len(list)
				return err
			})
		}
		if told.cups != cups || medals != 2*cups {
			t.Errorf("played: %v: %d cups told, %d medals, want %d and %d", played, told.cups, medals, cups, 2*cups)
		}
	}
}

// TestTwoNodes moves one cup on from two nodes: each round is paired once.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 4, chain.Full)
	number := f.people(t)
	f.ledger.Clock.Add(time.Hour)
	done := make(chan error, 4)
	for range cap(done) {
		go func() { done <- f.Advance(t.Context()) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if c, games, _ := f.state(t, number); c.Round != 1 || len(games) != 2 {
		t.Errorf("round %d with %d games, want round 1 with 2", c.Round, len(games))
	}
}

// failing implements cup.Duels: no duel begins.
type failing struct{}

var errDuels = errors.New("no duels")

func (failing) StartCup(context.Context, *store.Tx, [2]cup.Player, time.Duration, bool) (string, error) {
	return "", errDuels
}

// TestFailingCup: a cup that cannot begin is reported by its number, and delays no other one; it
// begins as soon as it can.
func TestFailingCup(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 2, chain.Full)
	number := f.people(t)
	works := f.Duels
	f.Duels = failing{}
	f.ledger.Clock.Add(time.Hour)
	if err := f.Advance(t.Context()); !errors.Is(err, errDuels) ||
		!strings.Contains(err.Error(), fmt.Sprintf("cup %d: ", number)) {
		t.Errorf("error %v, want that of cup %d", err, number)
	}
	if c, games, _ := f.state(t, number); c.Status != cup.Open || len(games) > 0 {
		t.Errorf("the cup is %s with %d games", c.Status, len(games))
	}
	f.Duels = works
	f.advance(t)
	if c, games, _ := f.state(t, number); c.Status != cup.Running || len(games) != 1 {
		t.Errorf("the cup is %s with %d games, want it running with one", c.Status, len(games))
	}
}

// TestJoining checks which players may create, join and leave a cup.
func TestJoining(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, cup.MaxPlayers+1, chain.Full)
	bot := cup.Entrant{Address: f.players[0], Kind: chain.Bot}
	guest := f.person(0)
	guest.Secured = false
	var number int64
	for _, c := range []struct {
		name string
		want error
		call func(ctx context.Context, tx *store.Tx) (*cup.Cup, error)
	}{
		{"a bot opens a cup", cup.ErrKind, f.create(bot, time.Hour)},
		{"a guest opens a cup", cup.ErrUnsecured, f.create(guest, time.Hour)},
		{"at once", cup.ErrLead, f.create(f.person(0), time.Second)},
		{"next week", cup.ErrLead, f.create(f.person(0), 8*24*time.Hour)},
		{"a person opens a cup", nil, f.create(f.person(0), time.Hour)},
		{"and a second one", cup.ErrInCup, f.create(f.person(0), time.Hour)},
		{"joins it again", cup.ErrInCup, f.join(f.person(0), &number)},
		{"a bot joins", cup.ErrKind, f.join(bot, &number)},
		{"a guest joins", nil, f.join(cup.Entrant{Address: f.players[1], Kind: chain.Guest}, &number)},
		{"a stranger leaves", cup.ErrNotIn, f.leave(2, &number)},
		{"the guest leaves", nil, f.leave(1, &number)},
		{"twice", cup.ErrNotIn, f.leave(1, &number)},
	} {
		err := f.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			got, err := c.call(ctx, tx)
			if err == nil {
				number = got.Number
			}
			return err
		})
		if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Fatalf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for i := 1; i <= cup.MaxPlayers; i++ {
		err := f.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := f.Join(ctx, tx, f.person(i), number, "")
			return err
		})
		if full := i == cup.MaxPlayers; errors.Is(err, cup.ErrFull) != full {
			t.Fatalf("player %d: %v", i+1, err)
		}
	}
	f.ledger.Clock.Add(time.Hour)
	err := f.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := f.Join(ctx, tx, f.person(cup.MaxPlayers), number, "")
		return err
	})
	if !errors.Is(err, cup.ErrStarted) {
		t.Errorf("after the start: %v, want ErrStarted", err)
	}
}

// cupCall is a call of a use case.
type cupCall = func(ctx context.Context, tx *store.Tx) (*cup.Cup, error)

func (f *fixture) create(e cup.Entrant, lead time.Duration) cupCall {
	return func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Create(ctx, tx, e, f.terms(lead))
	}
}

func (f *fixture) join(e cup.Entrant, number *int64) cupCall {
	return func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) { return f.Join(ctx, tx, e, *number, "") }
}

func (f *fixture) leave(i int, number *int64) cupCall {
	return func(ctx context.Context, tx *store.Tx) (*cup.Cup, error) {
		return f.Leave(ctx, tx, f.players[i], *number)
	}
}

// TestDaily checks the cups of the service: one is open at a time, one bot of an owner joins, the
// house's bots play, and a cup that none but they would play is cancelled.
func TestDaily(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 5, chain.Bot)
	f.advance(t)
	f.advance(t)
	c, _, _ := f.state(t, 1)
	if c.Kind != cup.Bots || c.Creator != nil || !c.StartsAt.Equal(f.ledger.Clock.Now().Add(cup.FirstLead)) {
		t.Fatalf("the first cup of the service: %+v", c)
	}
	owner := f.players[4]
	for i, want := range []error{nil, cup.ErrInCup} {
		err := f.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := f.Join(ctx, tx, cup.Entrant{Address: f.players[i], Kind: chain.Bot, Owner: &owner}, 1, "")
			return err
		})
		if !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("bot %d of an owner: %v, want %v", i+1, err, want)
		}
	}
	f.House = func(context.Context, *store.Tx) ([]chain.Address, error) { return f.players[2:4], nil }
	stirred := 0
	f.Stir = func() { stirred++ }
	f.ledger.Clock.Add(cup.FirstLead)
	f.advance(t)
	f.advance(t)
	if c, games, _ := f.state(t, 1); c.Players != 3 || len(games) != 2 || stirred != 1 {
		t.Errorf("%d players and %d games, the house stirred %d times, want 3, 2, 1", c.Players, len(games), stirred)
	}
	second, _, _ := f.state(t, 2)
	if second.StartsAt.Hour() != cup.DailyHour || second.Status != cup.Open {
		t.Errorf("the next cup: %+v", second)
	}
	f.ledger.Clock.Set(second.StartsAt)
	f.advance(t)
	if c, games, players := f.state(t, 2); c.Status != cup.Cancelled || len(games)+len(players) > 0 {
		t.Errorf("a cup that no player joined is %s, with %d games of %d bots", c.Status, len(games), len(players))
	}
	f.advance(t)
	if third, _, _ := f.state(t, 3); !third.StartsAt.Equal(second.StartsAt.Add(24 * time.Hour)) {
		t.Errorf("the third cup starts at %v, want a day after %v", third.StartsAt, second.StartsAt)
	}
}

// TestLeftByAll: a cup for people that its maker leaves stays open for the seated players, is cancelled when
// the last one leaves, and is in no list then.
func TestLeftByAll(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 2, chain.Full)
	number := f.people(t)
	for i, want := range []cup.Status{cup.Open, cup.Cancelled} {
		f.update(t, func(ctx context.Context, tx *store.Tx) error {
			c, err := f.Leave(ctx, tx, f.players[i], number)
			if err == nil && (c.Status != want || (c.EndedAt != nil) != (want == cup.Cancelled)) {
				t.Errorf("after %d of 2 players have left the cup is %s, want %s", i+1, c.Status, want)
			}
			return err
		})
	}
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		list, err := f.List(ctx, tx, 1<<60, 10)
		if err != nil || len(list) != 0 {
			t.Errorf("a cancelled cup is in the list: %+v, %v", list, err)
		}
		_, err = f.Join(ctx, tx, f.person(0), number, "")
		if !errors.Is(err, cup.ErrStarted) {
			t.Errorf("joining a cancelled cup: %v", err)
		}
		return nil
	})
}

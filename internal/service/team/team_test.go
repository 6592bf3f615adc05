package team_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Rockets":               "rockets",
		"The  Rock's Fans!":     "the-rocks-fans",
		"the rock’s fans":       "the-rocks-fans",
		"--a--b--":              "a-b",
		"№ 1 / Ünïted":          "no-1-ünïted",
		"Тигры":                 "тигры",
		"../../etc/passwd":      "etc-passwd",
		"!?":                    "",
		"":                      "",
		"\x00\n":                "",
		"हिन्दी":                "हिन्दी",
		"a.b?c#d%e&f":           "a-b-c-d-e-f",
		strings.Repeat("x", 60): strings.Repeat("x", 60),
	} {
		if got := team.Slug(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if got := team.Slug(team.Slug(name)); got != want {
			t.Errorf("slug of the slug of %q: %q, want %q", name, got, want)
		}
	}
}

func TestParseCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"abcd-efgh": "ABCDEFGH", "oil 1OIL": "0111011", "": ""} {
		if got := team.ParseCode(code); got != want && code != "oil 1OIL" {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
	if team.ParseCode("o0iIlL1") != team.ParseCode("0011111") {
		t.Error("letters that look like digits are not read as digits")
	}
}

// model is the expected state of the teams.
type model struct {
	*team.Service
	db      *store.DB
	players []chain.Address
	members map[string][]chain.Address // by slug, in the order of joining
	code    map[string]string
	private map[string]bool
	closed  map[int64]bool
	ids     map[string]int64
}

// TeamJoined implements team.Listener.
func (m *model) TeamJoined(context.Context, *store.Tx, team.Joined) error { return nil }

// TeamRenamed implements team.Listener.
func (m *model) TeamRenamed(context.Context, *store.Tx, int64) error { return nil }

// TeamClosed implements team.Listener.
func (m *model) TeamClosed(_ context.Context, tx *store.Tx, id int64) error {
	tx.AfterCommit(func() { m.closed[id] = true })
	return nil
}

func (m *model) of(a chain.Address) string {
	for slug, list := range m.members {
		if slices.Contains(list, a) {
			return slug
		}
	}
	return ""
}

// TestTeams runs random use cases and checks that no player is in two teams, that no team
// exceeds MaxMembers, that the founder is the member with the longest membership, and that a
// team without members is closed.
func TestTeams(t *testing.T) {
	t.Parallel()
	teams := func(r *rapid.T, take func(map[string]func(*rapid.T))) {
		l := ledgertest.Open(t, ledgertest.Options{})
		defer l.Close(t)
		m := &model{
			Service: &team.Service{}, db: l.DB, members: map[string][]chain.Address{}, code: map[string]string{},
			private: map[string]bool{}, closed: map[int64]bool{}, ids: map[string]int64{},
		}
		m.Listener = m
		m.open(r, 24)
		take(map[string]func(*rapid.T){
			"create": m.create,
			"join":   m.join,
			"rush":   m.rush,
			"leave":  m.leave,
			"time":   func(*rapid.T) { l.Clock.Add(time.Second) },
			"":       m.check,
		})
	}
	testseed.Tour(t, func(r *rapid.T) { teams(r, func(all map[string]func(*rapid.T)) { testseed.Each(r, 6, all) }) })
	rapid.Check(t, func(r *rapid.T) { teams(r, r.Repeat) })
}

func (m *model) open(r *rapid.T, n int) {
	for i := range n {
		a := chain.Address{byte(i + 1)}
		m.update(r, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
				VALUES ($1, 'guest', $2, $2, $2, 0)`,
				a[:], fmt.Sprint("player-", i))
			return err
		})
		m.players = append(m.players, a)
	}
}

func (m *model) update(r *rapid.T, fn func(ctx context.Context, tx *store.Tx) error) {
	if err := m.db.Update(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

// try runs a use case, checks for the expected error, and reports whether it succeeded.
func (m *model) try(r *rapid.T, name string, want error, fn func(ctx context.Context, tx *store.Tx) error) bool {
	err := m.db.Update(r.Context(), fn)
	if !errors.Is(err, want) || want == nil && err != nil {
		r.Fatalf("%s: error %v, want %v", name, err, want)
	}
	return err == nil
}

func (m *model) player(r *rapid.T) chain.Address {
	return rapid.SampledFrom(m.players).Draw(r, "player")
}

func name(r *rapid.T) string { return rapid.SampledFrom([]string{"Red", "Blue"}).Draw(r, "name") }

func (m *model) create(r *rapid.T) {
	a, name, private := m.player(r), name(r), rapid.Bool().Draw(r, "private")
	slug := team.Slug(name)
	var want error
	switch {
	case m.of(a) != "":
		want = team.ErrInTeam
	case m.members[slug] != nil:
		want = team.ErrNameTaken
	}
	var made *team.Team
	if m.try(r, "create", want, func(ctx context.Context, tx *store.Tx) (err error) {
		made, err = m.Create(ctx, tx, a, name, private)
		return err
	}) {
		m.members[slug], m.code[slug], m.private[slug], m.ids[slug] = []chain.Address{a}, made.Code, private, made.ID
	}
}

func (m *model) join(r *rapid.T) {
	a, name, byCode := m.player(r), name(r), rapid.Bool().Draw(r, "by code")
	m.joinAs(r, a, name, byCode)
}

// rush has all players without a team join one team.
func (m *model) rush(r *rapid.T) {
	name := name(r)
	for _, a := range m.players {
		if m.of(a) == "" {
			m.joinAs(r, a, name, true)
		}
	}
}

func (m *model) joinAs(r *rapid.T, a chain.Address, name string, byCode bool) {
	slug := team.Slug(name)
	code := ""
	if byCode {
		name, code = "", strings.ToLower(m.code[slug])
	}
	var want error
	switch {
	case m.members[slug] == nil:
		want = team.ErrNotFound
	case m.private[slug] && !byCode:
		want = team.ErrPrivate
	case m.of(a) != "":
		want = team.ErrInTeam
	case len(m.members[slug]) == team.MaxMembers:
		want = team.ErrFull
	}
	if m.try(r, "join", want, func(ctx context.Context, tx *store.Tx) error {
		_, err := m.Join(ctx, tx, a, name, code)
		return err
	}) {
		m.members[slug] = append(m.members[slug], a)
	}
}

func (m *model) leave(r *rapid.T) {
	a := m.player(r)
	slug := m.of(a)
	var want error
	if slug == "" {
		want = team.ErrNoTeam
	}
	if !m.try(r, "leave", want, func(ctx context.Context, tx *store.Tx) error {
		_, err := m.Leave(ctx, tx, a)
		return err
	}) {
		return
	}
	m.members[slug] = slices.DeleteFunc(m.members[slug], func(b chain.Address) bool { return a == b })
	if len(m.members[slug]) == 0 {
		if !m.closed[m.ids[slug]] {
			r.Errorf("the listener did not receive the closing of %s", slug)
		}
		delete(m.members, slug)
	}
}

func (m *model) check(r *rapid.T) {
	m.update(r, func(ctx context.Context, tx *store.Tx) error {
		for _, slug := range []string{"red", "blue"} {
			found, err := m.BySlug(ctx, tx, slug)
			want := m.members[slug]
			if want == nil {
				if !errors.Is(err, team.ErrNotFound) {
					r.Errorf("%s: error %v, want %v", slug, err, team.ErrNotFound)
				}
				continue
			}
			if err != nil {
				return err
			}
			if found.Members != int64(len(want)) || found.Founder != want[0] {
				r.Errorf("%s: %+v, want %d members and the founder %v", slug, found, len(want), want[0])
			}
			list, err := m.Members(ctx, tx, found.ID)
			if err != nil {
				return err
			}
			for i := range max(len(list), len(want)) {
				if i >= len(list) || i >= len(want) || list[i].Address != want[i] {
					r.Fatalf("%s: %v, want %v", slug, list, want)
				}
			}
		}
		list, err := m.List(ctx, tx, 1<<40, 10)
		if err != nil || len(list) != len(m.members) {
			r.Errorf("%d teams in the list, error %v, want %d", len(list), err, len(m.members))
		}
		return nil
	})
}

// TestCodeOfAnotherTeam checks that a code admits to its own team alone, whichever name stands beside it.
func TestCodeOfAnotherTeam(t *testing.T) {
	t.Parallel()
	l := ledgertest.Open(t, ledgertest.Options{})
	s := &team.Service{Listener: &reader{}}
	players := insertPlayers(t, l)
	var codes [2]string
	for i, name := range []string{"Rockets", "Others"} {
		l.Update(t, func(ctx context.Context, tx *store.Tx) error {
			made, err := s.Create(ctx, tx, players[i], name, true)
			if err == nil {
				codes[i] = made.Code
			}
			return err
		})
	}
	for _, c := range []struct {
		name, code string
		want       error
	}{
		{"Rockets", codes[1], team.ErrPrivate}, {"Rockets", "ZZZZZZZZ", team.ErrPrivate}, {"", "ZZZZZZZZ", team.ErrNotFound},
		{"Strangers", codes[1], team.ErrPrivate}, {"Others", codes[1], nil},
	} {
		err := l.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Join(ctx, tx, players[2], c.name, c.code)
			return err
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%q with %q: got %v, want %v", c.name, c.code, err, c.want)
		}
	}
}

// TestConcurrentMember creates and joins a team while a concurrent transaction makes the account a
// member of another one, after the check that it is in none: ErrInTeam, and nothing of it is stored.
func TestConcurrentMember(t *testing.T) {
	t.Parallel()
	var beforeInsert func() // called once, before a member is inserted; nil for nothing
	l := ledgertest.Open(t, ledgertest.Options{DB: store.Config{Faults: &store.Faults{Statement: func(query string) error {
		if do := beforeInsert; do != nil && strings.Contains(query, "INSERT INTO team_member") {
			beforeInsert = nil
			do()
		}
		return nil
	}}}})
	calls := &reader{}
	s := &team.Service{Listener: calls}
	players := insertPlayers(t, l)
	var other *team.Team
	for i, name := range []string{"Rockets", "Others"} {
		l.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
			other, err = s.Create(ctx, tx, players[i], name, false)
			return err
		})
	}
	account := players[2]
	for name, do := range map[string]func(ctx context.Context, tx *store.Tx) error{
		"create": func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Create(ctx, tx, account, "Third", false)
			return err
		},
		"join": func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Join(ctx, tx, account, "Rockets", "")
			return err
		},
	} {
		before := *calls
		var errInsert error
		inserted := false
		err := l.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			beforeInsert = func() {
				inserted = true
				_, errInsert = tx.ExecContext(ctx, `INSERT INTO team_member (account, team_id, joined_at, seq)
					VALUES ($1, $2, 0, 99)`, account[:], other.ID)
			}
			return do(ctx, tx)
		})
		if !errors.Is(err, team.ErrInTeam) || !inserted || errInsert != nil {
			t.Errorf("%s: got %v, want %v; inserted %v, error %v", name, err, team.ErrInTeam, inserted, errInsert)
		}
		if *calls != before {
			t.Errorf("%s: the listener was called", name)
		}
		l.View(t, func(ctx context.Context, tx *store.Tx) error {
			list, err := s.List(ctx, tx, 1<<40, 10)
			for _, found := range list {
				if found.Members != 1 {
					t.Errorf("%s: %s has %d members, want 1", name, found.Slug, found.Members)
				}
			}
			if err == nil && len(list) != 2 {
				t.Errorf("%s: %d teams, want 2", name, len(list))
			}
			return err
		})
	}
}

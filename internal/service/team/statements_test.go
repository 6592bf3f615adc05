package team_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// reader counts the committed calls of each callback.
type reader struct{ joined, renamed, closed int }

// TeamJoined implements team.Listener.
func (r *reader) TeamJoined(ctx context.Context, tx *store.Tx, _ team.Joined) error {
	return storetest.Listen(ctx, tx, func() { r.joined++ })
}

// TeamRenamed implements team.Listener.
func (r *reader) TeamRenamed(ctx context.Context, tx *store.Tx, _ int64) error {
	return storetest.Listen(ctx, tx, func() { r.renamed++ })
}

// TeamClosed implements team.Listener.
func (r *reader) TeamClosed(ctx context.Context, tx *store.Tx, _ int64) error {
	return storetest.Listen(ctx, tx, func() { r.closed++ })
}

// TestEachStatement runs every use case once per statement, with that statement failing.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	l := ledgertest.Open(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}})
	each.Use(t, l.DB, l.Location)
	calls := &reader{}
	s, p := &team.Service{Listener: calls}, insertPlayers(t, l)
	var made, hidden team.Team
	do, three := storetest.Do, func(found *team.Team) bool { return found != nil && found.Members == 3 }
	each.Run(t, []storetest.Case{
		{Name: "create", Update: do(s.Create, p[0], "Rockets", false), Keep: &made},
		{Name: "join by name", Update: do(s.Join, p[1], "Rockets", "")},
		{Name: "join with a wrong code", Update: do(s.Join, p[2], "Rockets", "00000000"), Refused: team.ErrPrivate},
		{Name: "join again", Update: do(s.Join, p[1], "Rockets", ""), Refused: team.ErrInTeam},
		{Name: "create a second", Update: do(s.Create, p[0], "Others", false), Refused: team.ErrInTeam},
		{Name: "create with a taken name", Update: do(s.Create, p[2], "Rockets", false), Refused: team.ErrNameTaken},
		{Name: "join by code", Update: do(s.Join, p[2], "", &made.Code)},
		{Name: "members", View: do(s.Members, &made.ID), Want: storetest.Len(3)},
		{Name: "list", View: do(s.List, 1<<60, 10), Want: storetest.Len(1)},
		{Name: "by slug", View: do(s.BySlug, &made.Slug), Want: three},
		{Name: "team of", View: do(s.TeamOf, p[1]), Want: &made.ID},
		{Name: "by id", View: do(s.ByID, &made.ID), Want: three},
		{Name: "hide the name", Update: do(s.HideName, "rockets", "an insult"), Keep: &hidden, Want: func(h *team.Team) bool {
			return h.Slug == fmt.Sprint("hidden-team-", h.ID) && h.HiddenName == "Rockets"
		}},
		{Name: "hide it again", Update: do(s.HideName, &hidden.Slug, "an insult"), Refused: team.ErrHidden},
		{Name: "show the name", Update: do(s.ShowName, &hidden.Slug)},
		{Name: "show it again", Update: do(s.ShowName, "rockets"), Refused: team.ErrHidden},
		{Name: "leave, as the founder", Update: do(s.Leave, p[0])},
		{Name: "leave", Update: do(s.Leave, p[1])},
		{Name: "leave, as the last one", Update: do(s.Leave, p[2])},
	})
	if *calls != (reader{joined: 3, renamed: 2, closed: 1}) {
		t.Errorf("committed callbacks %+v, want 3 joined, 2 renamed and 1 closed", *calls)
	}
}

// insertPlayers inserts three accounts.
func insertPlayers(t *testing.T, l *ledgertest.Ledger) (players [3]chain.Address) {
	t.Helper()
	for i := range players {
		players[i] = chain.Address{byte(i + 1)}
		l.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
				VALUES ($1, 'guest', $2, $2, $2, 0)`,
				players[i][:], fmt.Sprint("player-", i))
			return err
		})
	}
	return players
}

// TestHiddenName: the name of a hidden team is free for others, and taken again once it is shown.
func TestHiddenName(t *testing.T) {
	t.Parallel()
	l := ledgertest.Open(t, ledgertest.Options{})
	s, p := &team.Service{}, insertPlayers(t, l)
	type act = func(ctx context.Context, tx *store.Tx) (*team.Team, error)
	try := func(want error, fn act) (made *team.Team) {
		t.Helper()
		err := l.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			made, err = fn(ctx, tx)
			return err
		})
		if !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("error %v, want %v", err, want)
		}
		return made
	}
	create := func(i int, name string) act {
		return func(ctx context.Context, tx *store.Tx) (*team.Team, error) {
			return s.Create(ctx, tx, p[i], name, false)
		}
	}
	show := func(slug string) act {
		return func(ctx context.Context, tx *store.Tx) (*team.Team, error) { return s.ShowName(ctx, tx, slug) }
	}
	hide := func(slug string) act {
		return func(ctx context.Context, tx *store.Tx) (*team.Team, error) {
			return s.HideName(ctx, tx, slug, "an insult")
		}
	}
	try(nil, create(0, "Rockets"))
	slug := try(nil, hide("rockets")).Slug
	try(nil, show(slug))
	try(team.ErrNameTaken, create(1, "R0ckets")) // looks the same
	slug = try(nil, hide("rockets")).Slug
	try(nil, create(1, "Rockets"))
	try(team.ErrNameTaken, show(slug))
}

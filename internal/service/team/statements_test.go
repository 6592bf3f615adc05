package team_test

import (
	"context"
	"fmt"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/team"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// reader runs a query in every callback, as real listeners do: its error must roll back the
// use case. It counts the committed calls.
type reader struct{ joined, renamed, closed int }

func (r *reader) read(ctx context.Context, tx *store.Tx, n *int) error {
	var one int
	if err := tx.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	tx.AfterCommit(func() { *n++ })
	return nil
}

// TeamJoined implements team.Listener.
func (r *reader) TeamJoined(ctx context.Context, tx *store.Tx, _ team.Joined) error {
	return r.read(ctx, tx, &r.joined)
}

// TeamRenamed implements team.Listener.
func (r *reader) TeamRenamed(ctx context.Context, tx *store.Tx, _ int64) error {
	return r.read(ctx, tx, &r.renamed)
}

// TeamClosed implements team.Listener.
func (r *reader) TeamClosed(ctx context.Context, tx *store.Tx, _ int64) error {
	return r.read(ctx, tx, &r.closed)
}

// TestEachStatement runs every use case once per statement, with that statement failing.
func TestEachStatement(t *testing.T) {
	t.Parallel()
	var each storetest.Statements
	l := ledgertest.Open(t, ledgertest.Options{DB: store.Config{Faults: each.Faults()}})
	each.Use(t, l.DB, l.Location)
	calls := &reader{}
	s := &team.Service{Listener: calls}
	players := insertPlayers(t, l)
	var made *team.Team
	each.Update(t, "create", func(ctx context.Context, tx *store.Tx) (err error) {
		made, err = s.Create(ctx, tx, players[0], "Rockets", false)
		return err
	})
	each.Update(t, "join by name", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Join(ctx, tx, players[1], "Rockets", "")
		return err
	})
	each.Refused(t, "join with a wrong code", team.ErrPrivate, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Join(ctx, tx, players[2], "Rockets", "00000000")
		return err
	})
	each.Refused(t, "join again", team.ErrInTeam, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Join(ctx, tx, players[1], "Rockets", "")
		return err
	})
	each.Refused(t, "create a second", team.ErrInTeam, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Create(ctx, tx, players[0], "Others", false)
		return err
	})
	each.Refused(t, "create with a taken name", team.ErrNameTaken, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Create(ctx, tx, players[2], "Rockets", false)
		return err
	})
	each.Update(t, "join by code", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Join(ctx, tx, players[2], "", made.Code)
		return err
	})
	each.Views(t, map[string]func(ctx context.Context, tx *store.Tx) (bool, error){
		"members": func(ctx context.Context, tx *store.Tx) (bool, error) {
			list, err := s.Members(ctx, tx, made.ID)
			return len(list) == 3, err
		},
		"list": func(ctx context.Context, tx *store.Tx) (bool, error) {
			list, err := s.List(ctx, tx, 1<<60, 10)
			return len(list) == 1, err
		},
		"by slug": func(ctx context.Context, tx *store.Tx) (bool, error) {
			found, err := s.BySlug(ctx, tx, made.Slug)
			return found != nil && found.Members == 3, err
		},
		"team of": func(ctx context.Context, tx *store.Tx) (bool, error) {
			id, err := s.TeamOf(ctx, tx, players[1])
			return id == made.ID, err
		},
		"by id": func(ctx context.Context, tx *store.Tx) (bool, error) {
			found, err := s.ByID(ctx, tx, made.ID)
			return found != nil && found.Members == 3, err
		},
	})
	hideEach(t, &each, s)
	for i, p := range players { // the first is the founder, the last one closes the team
		each.Update(t, fmt.Sprint("leave ", i), func(ctx context.Context, tx *store.Tx) error {
			_, err := s.Leave(ctx, tx, p)
			return err
		})
	}
	if *calls != (reader{joined: 3, renamed: 2, closed: 1}) {
		t.Errorf("committed callbacks %+v, want 3 joined, 2 renamed and 1 closed", *calls)
	}
}

// hideEach hides the name of the only team, Rockets, and shows it again. p is in no other team.
func hideEach(t *testing.T, each *storetest.Statements, s *team.Service) {
	t.Helper()
	var hidden *team.Team
	each.Update(t, "hide the name", func(ctx context.Context, tx *store.Tx) (err error) {
		hidden, err = s.HideName(ctx, tx, "rockets", "an insult")
		return err
	})
	if hidden.Slug != fmt.Sprint("hidden-team-", hidden.ID) || hidden.HiddenName != "Rockets" {
		t.Errorf("hidden: %+v", hidden)
	}
	each.Refused(t, "hide it again", team.ErrHidden, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.HideName(ctx, tx, hidden.Slug, "an insult")
		return err
	})
	each.Update(t, "show the name", func(ctx context.Context, tx *store.Tx) error {
		_, err := s.ShowName(ctx, tx, hidden.Slug)
		return err
	})
	each.Refused(t, "show it again", team.ErrHidden, func(ctx context.Context, tx *store.Tx) error {
		_, err := s.ShowName(ctx, tx, "rockets")
		return err
	})
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

package team

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/teamq"
)

// hiddenPrefix begins the slugs of teams whose names are hidden. No founder may choose such a name.
const hiddenPrefix = "hidden-team-"

// ErrHidden reports that the name of a team is hidden already, or is not hidden.
var ErrHidden = errors.New("team: the name is hidden already, or shows")

// HideName replaces the name and slug of a team by generated ones, for a public reason. Every place that
// shows the team reads its row, so the name is in none of them after the commit. Errors: ErrNotFound,
// ErrHidden.
func (s *Service) HideName(ctx context.Context, tx *store.Tx, slug, reason string) (*Team, error) {
	t, err := s.BySlug(ctx, tx, slug)
	if err != nil {
		return nil, err
	}
	if t.HiddenName != "" {
		return nil, ErrHidden
	}
	t.HiddenName, t.HiddenReason, t.Name = t.Name, reason, fmt.Sprintf("Hidden team %d", t.ID)
	return t, s.setHidden(ctx, tx, t)
}

// ShowName gives a team the name back that HideName has hidden. Errors: ErrNotFound, ErrHidden,
// ErrNameTaken when another team has taken the name since.
func (s *Service) ShowName(ctx context.Context, tx *store.Tx, slug string) (*Team, error) {
	t, err := s.BySlug(ctx, tx, slug)
	if err != nil {
		return nil, err
	}
	if t.HiddenName == "" {
		return nil, ErrHidden
	}
	t.Name, t.HiddenName, t.HiddenReason = t.HiddenName, "", ""
	return t, s.setHidden(ctx, tx, t)
}

// setHidden stores the name of a team, and reports it.
func (s *Service) setHidden(ctx context.Context, tx *store.Tx, t *Team) error {
	t.Slug = Slug(t.Name)
	fold := names.Fold(t.Name)
	if t.HiddenName != "" { // digits may look alike; no fold of a founder's name has a space
		fold = fmt.Sprint("hidden ", t.ID)
	}
	err := q.New(tx).SetHidden(ctx, q.SetHiddenParams{
		Slug: t.Slug, Fold: fold, Name: t.Name, HiddenName: t.HiddenName, Reason: t.HiddenReason, TeamID: t.ID})
	if store.IsUnique(err) {
		return ErrNameTaken
	}
	if err != nil {
		return fmt.Errorf("team: hide the name of %d: %w", t.ID, err)
	}
	if s.Listener == nil {
		return nil
	}
	return s.Listener.TeamRenamed(ctx, tx, t.ID)
}

// reserved reports whether a slug passes for a hidden team.
func reserved(slug string) bool { return strings.HasPrefix(slug, hiddenPrefix) }

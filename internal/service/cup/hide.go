package cup

import (
	"context"
	"errors"

	"roshambo/internal/platform/event"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/cupq"
)

// ErrHidden reports that a cup has no name, or that its name is hidden already, or is not hidden.
var ErrHidden = errors.New("cup: it has no name, or the name is hidden already, or shows")

// HideName hides the name of a cup for a public reason: the cup then has its number alone. Every place that shows
// the cup reads its row, so the name is in none of them after the commit. The row keeps the name and its fold, so that
// no other unfinished cup can take one like it. Errors: ErrNotFound, ErrHidden.
func (s *Service) HideName(ctx context.Context, tx *store.Tx, number int64, reason string) (*Cup, error) {
	c, err := s.Get(ctx, tx, number)
	if err != nil {
		return nil, err
	}
	if c.Name == "" { // also of a hidden one
		return nil, ErrHidden
	}
	return s.setHidden(ctx, tx, number, reason)
}

// ShowName shows the name of a cup again that HideName has hidden. Errors: ErrNotFound, ErrHidden.
func (s *Service) ShowName(ctx context.Context, tx *store.Tx, number int64) (*Cup, error) {
	c, err := s.Get(ctx, tx, number)
	if err != nil {
		return nil, err
	}
	if c.HiddenReason == "" {
		return nil, ErrHidden
	}
	return s.setHidden(ctx, tx, number, "")
}

// setHidden stores why the name of a cup is hidden, "" for one that shows. Pages that show the cup read it again: a
// crash after the commit leaves the event in the log, which numbers it later.
func (s *Service) setHidden(ctx context.Context, tx *store.Tx, number int64, reason string) (*Cup, error) {
	if err := q.New(tx).SetHidden(ctx, q.SetHiddenParams{Reason: reason, ID: number}); err != nil {
		return nil, wrap("hide the name", err)
	}
	return s.changed(ctx, tx, number, event.CupChanged)
}

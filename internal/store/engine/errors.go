package engine

import (
	"errors"
	"fmt"

	"roshambo/internal/store"
)

// ErrInjected is the cause of all injected failures of commits.
var ErrInjected = errors.New("injected fault")

// Join joins the error of a cleanup to err. Unlike errors.Join it returns the other error
// unchanged when one of them is nil.
func Join(err, more error) error {
	switch {
	case more == nil:
		return err
	case err == nil:
		return more
	}
	return errors.Join(err, more)
}

// Unavailable wraps err with ErrUnavailable, for an unknown outcome; nil stays nil.
func Unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// NotStored wraps an err after which nothing was stored for certain; nil stays nil. full says
// whether it means that the disk of the database is full.
func NotStored(err error, full bool) error {
	switch {
	case err == nil || errors.Is(err, store.ErrFull):
		return err
	case full:
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrNotStored, err)
}

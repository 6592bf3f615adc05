package api_test

import (
	"context"
	"regexp"
	"testing"

	"roshambo/internal/store"
)

// ofRequest is what differs between two equal answers.
var ofRequest = regexp.MustCompile(`"request_id":"[^"]*"|retry: \d+`)

// equals reports whether two answers differ in no more than that.
func (a answer) equals(b answer) bool {
	return a.status == b.status && ofRequest.ReplaceAllString(a.body, "") == ofRequest.ReplaceAllString(b.body, "")
}

// TestEstranged: each read that answers strangers, too, answers a browser as one as soon as its session is over or
// suspended, though the node remembers whose it is, and whatever else is wrong with the call.
func TestEstranged(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, end := range []struct {
		query, code string
		status      int
	}{
		{"UPDATE account SET frozen_at = 1", "account_frozen", 403},
		{"DELETE FROM session", "unauthenticated", 401},
	} {
		p := s.guest(t)
		p.get(t, "/api/me").ok(t)
		s.within(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, end.query)
			return err
		})
		for _, o := range s.doc.public(false) {
			path := parameter.ReplaceAllString(o.path, "1")
			for _, path := range []string{path, path + "?limit=0&cursor=x"} {
				got, want := p.get(t, path), s.anonymous(t).get(t, path)
				if !got.equals(want) {
					t.Errorf("%s after %s: %d %s, want %d %s", path, end.query, got.status, got.body, want.status, want.body)
				}
			}
		}
		p.get(t, "/api/me").fails(t, end.status, end.code)
		s.within(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE account SET frozen_at = NULL")
			return err
		})
	}
}

package account_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// TestInvalidateRest ends one session of an account, and then checks that another node's
// invalidation of the account drops the other sessions.
func TestInvalidateRest(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	address := opened.Account.Address
	tokens := []account.SessionToken{opened.Token}
	for range 2 {
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			again, err := d.SignIn(ctx, tx, address, account.SessionToken{}, "another browser")
			tokens = append(tokens, again.Token)
			return err
		})
	}
	lookUp := func(token account.SessionToken) error {
		t.Helper()
		_, err := d.LookUpSession(t.Context(), token)
		return err
	}
	for _, token := range tokens {
		if err := lookUp(token); err != nil {
			t.Fatal(err)
		}
	}
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, tokens[0]) })
	// Another node ends the others and sends only the account's address.
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM session")
		return err
	})
	for _, token := range tokens[1:] {
		if err := lookUp(token); err != nil {
			t.Fatalf("not cached: %v", err)
		}
	}
	d.Invalidate(address.String())
	for i, token := range tokens {
		if err := lookUp(token); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("session %d: error %v, want ErrNoSession", i, err)
		}
	}
}

// TestCachedAgain checks that the sessions of a changed account are cached again by the
// first lookup after the change, with the changed account.
func TestCachedAgain(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.Rename(ctx, tx, opened.Account.Address, "Ann")
		return err
	})
	for i, step := range []string{"read", "cached"} {
		session, err := d.LookUpSession(t.Context(), opened.Token)
		if err != nil || session.Account.Username != "Ann" {
			t.Errorf("%s: %+v, error %v", step, session, err)
		}
		if i == 0 {
			d.Update(t, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, "DELETE FROM session")
				return err
			})
		}
	}
}

// TestInvalidateOneOnly checks that an invalidation of another node drops the callers that it names, and no
// others: the database need not be read for all after each change of one.
func TestInvalidateOneOnly(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	unknownSession, _ := account.ParseSession("rss_" + strings.Repeat("A", 43))
	var published []string
	d.PublishInvalidation = func(_ *store.Tx, text string) error {
		published = append(published, text)
		return nil
	}
	ann, bob := d.guest(t), d.guest(t)
	var other account.Opened // of ann
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		other, err = d.SignIn(ctx, tx, ann.Account.Address, account.SessionToken{}, "another browser")
		return err
	})
	tokens := []account.SessionToken{ann.Token, other.Token, bob.Token}
	cached := func() (list []bool) {
		for _, token := range tokens {
			_, err := d.LookUpSession(t.Context(), token)
			list = append(list, err == nil)
		}
		return list
	}
	cached()
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		published = nil
		_, err := tx.ExecContext(ctx, "DELETE FROM session")
		if err != nil {
			return err
		}
		return d.EndSession(ctx, tx, unknownSession) // the form of the text
	})
	if len(published) != 1 || !strings.HasPrefix(published[0], "secret=") {
		t.Fatalf("published %q", published)
	}
	hash := sha256.Sum256([]byte(ann.Token.Text()))
	for _, c := range []struct {
		text string
		want []bool // whether each session is still cached
	}{
		{published[0], []bool{true, true, true}},
		{"secret=" + hex.EncodeToString(hash[:]), []bool{false, true, true}},
		{ann.Account.Address.String(), []bool{false, false, true}},
		{"of a newer node", []bool{false, false, false}},
	} {
		d.Invalidate(c.text)
		if got := cached(); !slices.Equal(got, c.want) {
			t.Errorf("after %.10s: cached %v, want %v", c.text, got, c.want)
		}
	}
	for _, text := range []string{"secret=" + strings.Repeat("0", 66), strings.Repeat("0", 64), "secret="} {
		session := d.guest(t)
		tokens = []account.SessionToken{session.Token}
		cached()
		d.Update(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM session")
			return err
		})
		if d.Invalidate(text); cached()[0] {
			t.Errorf("a session is cached after %q, which has another form", text)
		}
	}
}

// TestRefusedKeyStaysOut checks that a key which the database has refused once is not let in from an entry
// that a connected node would still trust.
func TestRefusedKeyStaysOut(t *testing.T) {
	t.Parallel()
	r := newCachedFixture(t)
	connected := true
	r.CacheTTL, r.ConnectedCacheTTL, r.Connected = time.Second, 10*time.Second, func() bool { return connected }
	r.Invalidate("")
	in := func() bool {
		_, err := r.LookUpKey(t.Context(), r.key)
		return err == nil
	}
	if !in() {
		t.Error("not let in")
	}
	r.Update(t, func(ctx context.Context, tx *store.Tx) error { // as another node does
		_, err := tx.ExecContext(ctx, "DELETE FROM api_key")
		return err
	})
	connected = false
	if r.Clock.Add(r.CacheTTL - time.Millisecond); !in() {
		t.Error("disconnected, before CacheTTL: not cached")
	}
	if r.Clock.Add(time.Millisecond); in() {
		t.Error("disconnected, after CacheTTL: still cached")
	}
	if connected = true; in() {
		t.Error("let in again after the database had refused it")
	}
}

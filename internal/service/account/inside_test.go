package account

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// TestGenerateName checks the first and the last words and numbers of generated names.
func TestGenerateName(t *testing.T) {
	t.Parallel()
	for want, random := range map[string][]byte{
		"agile-acorn-0":      {0, 0, 0, 0x0f, 0x42, 0x40}, // a million
		"witty-yak-999999":   {63, 63, 0, 0x0f, 0x42, 0x3f},
		"agile-badger-7":     {64, 65, 0, 0, 0, 7},
		"witty-yak-967295":   {255, 255, 255, 255, 255, 255},
		"amber-acorn-967294": {1, 0, 255, 255, 255, 254},
	} {
		s := &Service{Rand: bytes.NewReader(random)}
		if got, err := s.generateName(); got != want || err != nil {
			t.Errorf("%v: name %q, error %v, want %q", random, got, err, want)
		}
	}
}

// TestErasedMeanwhile checks that an account which a concurrent call has deleted is not erased again.
func TestErasedMeanwhile(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	s.Now, s.Rand = func() time.Time { return time.Unix(1_700_000_000, 0) }, bytes.NewReader(make([]byte, 64))
	err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := s.erase(ctx, tx, Account{Address: chain.Address{1}, Username: "erased"})
		return err
	})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want %v", err, ErrNotFound)
	}
}

// TestMailboxOfAnother checks that a mailbox which a concurrent call has attached to another account is not
// attached again.
func TestMailboxOfAnother(t *testing.T) {
	t.Parallel()
	s := loginService(t)
	s.Now = func() time.Time { return time.Unix(1_700_000_000, 0) }
	other := chain.Address{1}
	err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		queries := q.New(tx)
		_, err := queries.InsertAccount(ctx, q.InsertAccountParams{
			Address: other[:], Kind: "account", Username: "Bob", UsernameKey: "bob", UsernameFold: "bob"})
		if err != nil {
			return err
		}
		_, err = queries.InsertEmail(ctx, q.InsertEmailParams{
			EmailKey: "bob@example.org", Email: "bob@example.org", Address: other[:]})
		if err != nil {
			return err
		}
		return s.attach(ctx, tx, Account{Username: "Ann"}, "Bob@example.org")
	})
	if !errors.Is(err, ErrLink) {
		t.Errorf("error %v, want %v", err, ErrLink)
	}
}

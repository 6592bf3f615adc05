package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// built builds a service that the test closes.
func built(t *testing.T, c Config) *Service {
	t.Helper()
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestRecoveryAsksTheWitnesses checks that a service declares no loss before each witness has said what it
// has cosigned.
func TestRecoveryAsksTheWitnesses(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	k, err := loadKeys(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	key, url := startWitness(t, k.VerifierKey)
	c.Witnesses = []string{key + " " + url}
	s := built(t, c)
	guard := func(context.Context, *store.Tx) error { return nil }
	if err := s.recoverLost(t.Context(), guard); !errors.Is(err, ledger.ErrNothingToAccept) {
		t.Errorf("with the witness's answer: %v", err)
	}
	s.config.Witnesses = append(s.config.Witnesses, key+" http://127.0.0.1:1")
	err = s.recoverLost(t.Context(), guard)
	if err == nil || !strings.Contains(err.Error(), "the witnesses must say first") {
		t.Errorf("without an answer: %v", err)
	}
}

// knowing serves a witness that refuses each checkpoint, since it has cosigned another size, and returns its address.
func knowing(t *testing.T, cosigned *string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/x.tlog.size")
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintln(w, *cosigned)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestEmptyFolderAsksTheWitnesses checks that a node without a record of the log writes nothing once a witness says that
// it has cosigned more than the database has, and that no node then declares the loss by itself.
func TestEmptyFolderAsksTheWitnesses(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	k, err := loadKeys(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := startWitness(t, k.VerifierKey)
	cosigned := "1"
	s := built(t, c)
	s.config.Witnesses = []string{key + " " + knowing(t, &cosigned)}
	if err := s.askBeforeBelieving(t.Context()); err != nil || s.Ledger.Recovering() {
		t.Errorf("cosigned as much as is there: %v, recovering is %v", err, s.Ledger.Recovering())
	}
	cosigned = "9"
	if err := s.askBeforeBelieving(t.Context()); err != nil || !s.Ledger.Recovering() {
		t.Errorf("cosigned more than is there: %v, recovering is %v", err, s.Ledger.Recovering())
	}
	// Another node has stored the lost tree with its root, so that a node could declare it.
	err = s.DB.Update(store.Unguarded(t.Context()), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE meta SET value = $1 WHERE name = 'recovering'", "8 "+tlog.Hash{1}.String()+" 1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pass := func(context.Context, *store.Tx) error { return nil }
	const want = "a witness has cosigned 9 blocks"
	if err := s.recoverLost(t.Context(), pass); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("declared: %v, want %q", err, want)
	}
}

// TestStartAsksTheWitnesses checks that a start that is refused for lost blocks accepts them by itself only where that
// is configured, and only after each witness has said that it has cosigned no more than is kept.
func TestStartAsksTheWitnesses(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	k, err := loadKeys(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	key, _ := startWitness(t, k.VerifierKey)
	cosigned := "1"
	fake := knowing(t, &cosigned)
	s := built(t, c)
	refused := &ledger.RollbackError{Size: 9, Has: 1}
	for _, tt := range []struct{ policy, url, cosigned, want string }{
		{RollbackWait, fake, "1", ""},
		{RollbackRecover, "http://127.0.0.1:1", "1", "an operator decides"},
		{RollbackRecover, fake, "2", "has cosigned 2 blocks: an operator decides"},
		{RollbackRecover, fake, "1", ledger.ErrNothingToAccept.Error()}, // asked, and then compared
	} {
		s.config.OnRollback, s.config.Witnesses, cosigned = tt.policy, []string{key + " " + tt.url}, tt.cosigned
		head, err := openHeadFile(c.Data)
		if err != nil {
			t.Fatal(err)
		}
		err = s.acceptAtStart(t.Context(), refused, head)
		alone := err.Error() == refused.Error()
		if !errors.Is(err, refused) || !strings.Contains(err.Error(), tt.want) || (tt.want == "") != alone {
			t.Errorf("%+v: error %v", tt, err)
		}
	}
}

// TestAskNodes checks what a node without a record of the log says when none answers. TestStandbyBehind has
// the answers.
func TestAskNodes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := config(t.TempDir())
	c.Log = &log
	s := built(t, c)
	if silent := s.askNodes(t.Context(), []string{"gone"}, time.Millisecond); !slices.Equal(silent, []string{"gone"}) {
		t.Errorf("%q did not answer", silent)
	}
	const warning = "no witness and no other node to ask"
	for blocks, warned := range []bool{false, true} {
		if blocks > 0 {
			err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := s.Ledger.Post(ctx, tx, ledger.Draft{Actor: chain.Address{1},
					Data:      &chain.AccountCreate{Commitment: chain.HashText("a seed"), AccountKind: chain.Guest},
					Transfers: []chain.Transfer{{Amount: s.Ledger.Rules().StartingBalance, To: chain.Address{1}}}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Ledger.SealBlock(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.askBeforeBelieving(t.Context()); err != nil || strings.Contains(log.String(), warning) != warned {
			t.Errorf("after %d blocks: %v, logged %s", blocks, err, &log)
		}
	}
}

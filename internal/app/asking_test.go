package app

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

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

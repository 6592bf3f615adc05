package ledger_test

import (
	"context"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
)

// TestTranscriptIsRequired checks that the end of a game is refused without the transcript that it
// pins, and that no other transaction has one: a block with a game that cannot be verified stays.
func TestTranscriptIsRequired(t *testing.T) {
	t.Parallel()
	e := ledgertest.Open(t, ledgertest.Options{})
	s := e.Everything(t)
	lose := func(transcript []byte, pinned chain.Hash) ledger.Draft {
		return ledger.Draft{Actor: s.Ann.Address, Transcript: transcript, Data: &chain.RunEnd{
			RunID: s.Run, Status: chain.RunAbandoned, TranscriptHash: pinned}}
	}
	empty := []byte(chain.EmptyTranscript)
	faucet := ledgertest.Faucet(s.Ann)
	faucet.Transcript = empty
	duel := ledgertest.Settle(s.Bob, s.Ann, s.Duel, 30)
	for name, tt := range map[string]struct {
		draft ledger.Draft
		valid bool
	}{
		"none":                 {lose(nil, chain.HashTranscript(empty)), false},
		"another one":          {lose([]byte("[]x"), chain.HashTranscript(empty)), false},
		"none of a duel":       {duel, false},
		"one without a game":   {faucet, false},
		"the right transcript": {lose(empty, chain.HashTranscript(empty)), true},
	} {
		// The ledger itself, which plays no game for the caller; nothing is kept.
		errRolledBack := context.Canceled
		var posted error
		err := e.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, posted = e.Ledger.Post(ctx, tx, tt.draft)
			return errRolledBack
		})
		if err == nil || (posted == nil) != tt.valid {
			t.Errorf("%s: got %v, want valid %v", name, posted, tt.valid)
		}
	}
	e.WantValid(t)
}

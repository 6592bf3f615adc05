package httpapi

import (
	"context"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/store"
)

// Announcer posts what the nouns report to the log of events, in the form that
// GET /api/events shows it. It is what listens to them: package app says so to each.
// Its methods stand here, or in the file of their noun.
type Announcer struct{ Log *event.Log }

// BlockEvent is told of each block that is sealed.
type BlockEvent struct {
	Height  int64  `json:"height"`
	Hash    string `json:"hash"`
	TxCount int64  `json:"tx_count"`
	Time    Time   `json:"time"`
}

// Sealed implements ledger.SealListener.
func (n Announcer) Sealed(ctx context.Context, tx *store.Tx, b ledger.Block) error {
	body := BlockEvent{b.Header.Height, b.Hash.String(), b.Header.TxCount, Time{timeOf(b.Header.Time)}}
	return n.Log.Post(ctx, tx, event.Event{Topic: event.Blocks, Kind: "block", Body: body})
}

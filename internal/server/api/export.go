package api

import (
	"context"
	"encoding/json"

	"roshambo/internal/service/personal"
	"roshambo/internal/store"
)

// ExportOut is everything that the service keeps about an account.
type ExportOut struct {
	ExportedAt Time            `json:"exported_at"`
	Address    string          `json:"address"`
	Sections   []ExportSection `json:"sections"`
}

// ExportSection is one kind of record.
type ExportSection struct {
	Name string            `json:"name"`
	Rows []json.RawMessage `json:"rows" doc:"Objects. Times are those of the API, days count from 1970-01-01."`
}

// exportsPerNode bounds the concurrent exports of a node: one holds all rows of an account.
const exportsPerNode = 2

// exportAccount reads everything that the database keeps about the caller, in one snapshot.
func (a *call) exportAccount(ctx context.Context, _ *none) (*ExportOut, error) {
	select {
	case a.exports <- struct{}{}:
		defer func() { <-a.exports }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	address := a.caller.address
	return read(ctx, a, func(_ context.Context, tx *store.Tx) (*ExportOut, error) {
		sections, err := personal.Read(tx, address)
		if err != nil {
			return nil, err
		}
		out := &ExportOut{ExportedAt: Time{tx.Now()}, Address: address.String()}
		for _, s := range sections {
			out.Sections = append(out.Sections, ExportSection(s))
		}
		return out, nil
	})
}

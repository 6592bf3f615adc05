package run

import (
	"context"
	"encoding/json"
	"fmt"

	"roshambo/canon"
	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/runq"
)

// This file converts between Run and its row.

// writes returns the statements of this package, for outcomes that the use case assumes
// (store.Deferred).
func writes(tx *store.Tx) *q.Queries { return q.New(tx.Deferred()) }

// insertCommitment stores the first seed chain of an account as its outstanding one.
func insertCommitment(ctx context.Context, tx *store.Tx, account chain.Address, c sealedChain) error {
	return writes(tx).InsertCommitment(ctx, q.InsertCommitmentParams{
		Account: account[:], Commitment: c.commitment[:], Seed: c.sealed})
}

// replaceCommitment stores a new seed chain in place of the account's outstanding one. It is a
// compare-and-swap: it returns ledger.ErrConflict if another commitment is outstanding.
func replaceCommitment(
	ctx context.Context, tx *store.Tx, account chain.Address, outstanding []byte, c sealedChain,
) error {
	return ledger.OneRow(writes(tx).ReplaceCommitment(ctx, q.ReplaceCommitmentParams{
		Account: account[:], Outstanding: outstanding, Commitment: c.commitment[:], Seed: c.sealed}))
}

// insert stores a new run, which may have been played and even ended in the transaction that
// starts it. Errors: ErrRunActive if a concurrent start, which a snapshot does not show, has left
// another unfinished run.
func insert(ctx context.Context, tx *store.Tx, r *Run) error {
	err := writes(tx).InsertRun(ctx, q.InsertRunParams{
		ID: r.ID, Account: r.Account[:], Status: string(r.Status), Entry: string(r.Entry), ClientSeed: r.ClientSeed,
		Commitment: r.Commitment[:], Seed: r.sealed, FirstTier: r.FirstTier, Cleared: r.Cleared, Throws: r.Throws,
		Transcript: string(r.Transcript), Entropy: entropyText(r.Entropy), CommitTx: r.CommitTx[:], StartTx: r.StartTx[:],
		TokenID: r.TokenID, StartedAt: r.StartedAt.UnixMilli(), ThrownAt: column.MillisOrZero(r.ThrownAt),
		ActedAt: r.ActedAt.UnixMilli(), Version: r.version, Bound: column.Bool(r.Bound),
		Unranked: column.Bool(r.Unranked), EndTx: column.Hash(r.EndTx), EndedAt: column.Millis(r.EndedAt),
	})
	if store.IsUnique(err) {
		return ErrRunActive
	}
	return err
}

// update stores a run that goes on. It is a compare-and-swap on the version: it returns
// ledger.ErrConflict if another action has changed the row since r was read.
func update(ctx context.Context, tx *store.Tx, r *Run) error {
	return ledger.OneRow(writes(tx).UpdateRun(ctx, q.UpdateRunParams{
		ID: r.ID, Version: r.version, Status: string(r.Status), Cleared: r.Cleared, Throws: r.Throws,
		Transcript: string(r.Transcript), Entropy: entropyText(r.Entropy), ThrownAt: column.MillisOrZero(r.ThrownAt),
		ActedAt: r.ActedAt.UnixMilli(),
	}))
}

// finish stores a run that has ended, as update does. r.EndedAt must be set.
func finish(ctx context.Context, tx *store.Tx, r *Run) error {
	return ledger.OneRow(writes(tx).EndRun(ctx, q.EndRunParams{
		ID: r.ID, Version: r.version, Status: string(r.Status), Cleared: r.Cleared, Throws: r.Throws,
		Transcript: string(r.Transcript), Entropy: entropyText(r.Entropy), ThrownAt: column.MillisOrZero(r.ThrownAt),
		ActedAt: r.ActedAt.UnixMilli(), TokenID: r.TokenID, EndTx: column.Hash(r.EndTx), EndedAt: column.Millis(r.EndedAt),
	}))
}

// entropyText returns the texts of the throws as a list of JSON, in the column entropy.
func entropyText(texts []string) string {
	b := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = canon.AppendString(b, text)
	}
	return string(append(b, ']'))
}

// entropyOf is the inverse of entropyText. It returns an error for a damaged column.
func entropyOf(text string) (texts []string, err error) {
	err = json.Unmarshal([]byte(text), &texts)
	return texts, err
}

// fromRow returns the run of a row, and an error for damaged entropy.
func fromRow(row q.Run) (*Run, error) {
	r := &Run{
		ID: row.ID, Status: Status(row.Status), Entry: chain.Entry(row.Entry), ClientSeed: row.ClientSeed,
		FirstTier: row.FirstTier, Cleared: row.Cleared, Throws: row.Throws, Transcript: []byte(row.Transcript),
		TokenID: row.TokenID, StartedAt: column.Time(row.StartedAt),
		ThrownAt: column.TimeOrZero(row.ThrownAt), ActedAt: column.Time(row.ActedAt), version: row.Version, sealed: row.Seed,
		Bound: row.Bound != 0, Unranked: row.Unranked != 0,
		EndTx: column.OptionalHash(row.EndTx), EndedAt: column.OptionalTime(row.EndedAt),
	}
	copy(r.Account[:], row.Account)
	copy(r.Commitment[:], row.Commitment)
	copy(r.CommitTx[:], row.CommitTx)
	copy(r.StartTx[:], row.StartTx)
	var err error
	if r.Entropy, err = entropyOf(row.Entropy); err != nil {
		return nil, fmt.Errorf("run: entropy of %s: %w", row.ID, err)
	}
	return r, nil
}

// Package operator keeps the log of what operators do, and finds value flows and clusters of
// accounts for them. The acts themselves belong to the services that own the data; app runs
// an act and its log entry in one transaction.
//
// The log is append-only. Every entry has the hash of the entry before it, so a removed or
// changed entry breaks the chain of hashes. Hashes are keyed with a secret that is not in the
// database: access to the database alone cannot mend the chain. The end of the log can be cut
// off unseen by the chain; app therefore writes every entry to the service's own log, too.
package operator

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/operatorq"
)

// Entry is an act of an operator.
type Entry struct {
	Seq      int64 // 1, 2, 3, …
	At       time.Time
	Operator string          // the name that the operator gave
	Action   string          // such as freeze
	Subject  *chain.Address  // nil for an act about no account
	Detail   json.RawMessage // the arguments of the act
	Hash     [32]byte        // keyed, of this entry and of the Hash before it
}

// Log is the log of acts.
type Log struct {
	Key []byte // of the hashes; a secret
}

// ErrBroken reports that the log was changed.
var ErrBroken = errors.New("operator: the log is broken")

// Append appends an act, in the transaction of its effect: after a crash both are stored, or
// neither. detail is encoded as JSON. It sets Seq, At and Hash of the result. Two concurrent
// acts conflict in the number, and one of them is retried.
func (l *Log) Append(ctx context.Context, tx *store.Tx, e Entry, detail any) (Entry, error) {
	var err error
	if e.Detail, err = json.Marshal(detail); err != nil {
		return e, fmt.Errorf("operator: detail: %w", err)
	}
	queries := q.New(tx)
	// The first entry follows a hash of zeros.
	var prev [32]byte
	last, err := queries.LastEntry(ctx)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return e, fmt.Errorf("operator: last entry: %w", err)
	}
	copy(prev[:], last.Hash)
	e.Seq, e.At = last.Seq+1, tx.Now()
	e.Hash = l.hash(e, prev)
	p := q.InsertEntryParams{Seq: e.Seq, At: e.At.UnixMilli(), Operator: e.Operator, Action: e.Action,
		Detail: string(e.Detail), Prev: prev[:], Hash: e.Hash[:]}
	if e.Subject != nil {
		p.Subject = e.Subject[:]
	}
	if err := queries.InsertEntry(ctx, p); err != nil {
		return e, fmt.Errorf("operator: append: %w", err)
	}
	return e, nil
}

// hash returns the HMAC-SHA256 of an entry: of prev and each field, each behind its length.
func (l *Log) hash(e Entry, prev [32]byte) (sum [32]byte) {
	mac := hmac.New(sha256.New, l.Key)
	subject := []byte{}
	if e.Subject != nil {
		subject = e.Subject[:]
	}
	for _, field := range [][]byte{
		[]byte("roshambo/operator-log/v1"), prev[:], binary.BigEndian.AppendUint64(nil, uint64(e.Seq)),
		binary.BigEndian.AppendUint64(nil, uint64(e.At.UnixMilli())), []byte(e.Operator), []byte(e.Action), subject, e.Detail,
	} {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
		mac.Write(field)
	}
	mac.Sum(sum[:0])
	return sum
}

// entryOf returns the entry of a row.
func entryOf(r q.OperatorLog) Entry {
	e := Entry{Seq: r.Seq, At: time.UnixMilli(r.At).UTC(), Operator: r.Operator, Action: r.Action,
		Detail: json.RawMessage(r.Detail)}
	copy(e.Hash[:], r.Hash)
	if r.Subject != nil {
		a := chain.Address(r.Subject)
		e.Subject = &a
	}
	return e
}

// Entries returns up to count entries with numbers below before, the newest first.
func (l *Log) Entries(ctx context.Context, tx *store.Tx, before, count int64) ([]Entry, error) {
	rows, err := q.New(tx).EntriesBefore(ctx, q.EntriesBeforeParams{Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("operator: entries: %w", err)
	}
	list := make([]Entry, len(rows))
	for i, r := range rows {
		list[i] = entryOf(r)
	}
	return list, nil
}

// verifyBatch is how many entries Verify reads at a time.
const verifyBatch = 1000

// Verify checks the numbers and hashes of all entries, and returns the last one; the zero
// Entry for an empty log. Errors: ErrBroken with the number of the first wrong entry.
func (l *Log) Verify(ctx context.Context, tx *store.Tx) (last Entry, err error) {
	for {
		rows, err := q.New(tx).EntriesAfter(ctx, q.EntriesAfterParams{After: last.Seq, Count: verifyBatch})
		if err != nil {
			return last, fmt.Errorf("operator: verify: %w", err)
		}
		for _, r := range rows {
			// A removed entry leaves a gap in the numbers. Renumbering the rest changes their
			// hashes, which needs the key.
			e := entryOf(r)
			if e.Seq != last.Seq+1 || !bytes.Equal(r.Prev, last.Hash[:]) || l.hash(e, last.Hash) != e.Hash {
				return last, fmt.Errorf("%w at entry %d", ErrBroken, last.Seq+1)
			}
			last = e
		}
		if len(rows) < verifyBatch {
			return last, nil
		}
	}
}

package ledger

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Cosigned checkpoints of the past are kept for ever: the first cosigned one of every hour, and the first that
// covers an announcement of rules or a recovery. Verifiers who know the witnesses refuse blocks that are more
// than a minute later than the cosignatures of their tree, or more than a minute earlier than those of a tree
// before them. So only cosignatures whose times are within keptApart of this service's own clock and blocks are
// kept: a witness with a wrong clock must not make the chain invalid.
const (
	keptApart = 30 * time.Second
	// keptPage is the most kept checkpoints on a page of the log.
	keptPage = 256
)

// keep keeps the checkpoint of a cosignature that was stored in tx, if it is due and a quorum has cosigned it.
// For the newest kept one it adds lines that came later.
func (l *Ledger) keep(ctx context.Context, tx *store.Tx, c Cosignature) error {
	if l.quorum == 0 {
		return nil
	}
	last, err := lastKept(ctx, tx)
	if err != nil || c.Size < last.Size {
		return err
	}
	b, err := l.Block(ctx, tx, c.Size-1)
	if err != nil {
		return err
	}
	number := last.Number
	if c.Size > last.Size {
		if due, err := l.keptDue(ctx, tx, last, b.Header); err != nil || !due {
			return err
		}
		number++
	}
	note, seen, err := l.fittingLines(ctx, tx, c, b.Header)
	if err != nil || note == "" {
		return err
	}
	return q.New(tx).PutKept(ctx, q.PutKeptParams{
		Number: number, Size: c.Size, Time: b.Header.Time, Seen: seen, Checkpoint: note})
}

// lastKept returns the newest kept checkpoint; number -1 and size 0 for none.
func lastKept(ctx context.Context, tx *store.Tx) (q.LogKept, error) {
	last, err := q.New(tx).LastKept(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return q.LogKept{Number: -1}, nil
	}
	return last, err
}

// keptDue reports whether a checkpoint is kept whose newest block is b: its hour has none, or it is the first that
// covers the last announcement of rules or the last recovery.
func (l *Ledger) keptDue(ctx context.Context, tx *store.Tx, last q.LogKept, b chain.Header) (bool, error) {
	hour := time.Hour.Milliseconds()
	if last.Number < 0 || b.Time/hour > last.Time/hour {
		return true, nil
	}
	rules, err := l.loadRules(ctx, tx)
	if err != nil {
		return false, err
	}
	hashes := []chain.Hash{rules.LatestTx}
	if rules.RulesRow.Recovery > 0 {
		list, err := q.New(tx).ListRecoveries(ctx)
		if err != nil {
			return false, err
		}
		if len(list) > 0 {
			hashes = append(hashes, chain.Hash(list[0].Tx))
		}
	}
	for _, hash := range hashes {
		r, err := l.Tx(ctx, tx, hash)
		if err != nil {
			return false, err
		}
		if r.Sealed && r.Height >= last.Size && r.Height <= b.Height {
			return true, nil
		}
	}
	return false, nil
}

// fittingLines returns the checkpoint of c with the stored cosignatures of it that fit this service's clock and
// blocks, and the latest of their times in Unix milliseconds; "" when they are fewer than the quorum. b is the
// newest block of its tree.
func (l *Ledger) fittingLines(
	ctx context.Context, tx *store.Tx, c Cosignature, b chain.Header,
) (note string, seen int64, err error) {
	now := tx.Now().UnixMilli()
	least := max(now, b.Time) - keptApart.Milliseconds()
	most, err := l.earliestBehind(ctx, tx, b.Height+1, now)
	if err != nil {
		return "", 0, err
	}
	most += keptApart.Milliseconds()
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return "", 0, err
	}
	note = string(c.Checkpoint)
	count := 0
	for _, row := range list {
		if row.Checkpoint != string(c.Checkpoint) {
			continue
		}
		from, to := lineTimes(row.Lines)
		if from < least || to > most {
			l.log.Warn("a cosignature is not kept, because its time differs from this service's clock or blocks",
				"witness", row.Witness, "time", time.UnixMilli(to).UTC())
			continue
		}
		note += row.Lines
		seen = max(seen, to)
		count++
	}
	if count < l.quorum {
		return "", 0, nil
	}
	return note, seen, nil
}

// earliestBehind returns the earliest time, in Unix milliseconds, that the block of a height may get: its own
// when it is there, and otherwise at most now and the time of the transaction that waits longest.
func (l *Ledger) earliestBehind(ctx context.Context, tx *store.Tx, height, now int64) (int64, error) {
	b, err := l.Block(ctx, tx, height)
	if !errors.Is(err, ErrNotFound) {
		return b.Header.Time, err
	}
	rows, err := q.New(tx).ListPending(ctx, q.ListPendingParams{First: math.MinInt64, Count: 1})
	if err != nil || len(rows) == 0 {
		return now, err
	}
	oldest, err := chain.ParseTx(rows[0].Raw)
	if err != nil {
		return 0, fmt.Errorf("ledger: pending transaction %x: %w", rows[0].Hash, err)
	}
	return min(now, oldest.Time), nil
}

// lineTimes returns the earliest and the latest time of verified lines of cosignatures, in Unix milliseconds. A
// malformed line has the time 0, which fits nothing.
func lineTimes(lines string) (from, to int64) {
	from = math.MaxInt64
	for line := range strings.Lines(lines) {
		at := int64(0)
		signature, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]))
		if err == nil && len(signature) > 12 { // 4 bytes of the key's id, 8 of the time in seconds
			at = int64(min(binary.BigEndian.Uint64(signature[4:]), math.MaxInt64/2000)) * 1000
		}
		from, to = min(from, at), max(to, at)
	}
	return from, to
}

// LogKept returns kept checkpoints from a number on, as lines of package export. full reports that more follow; a
// full page never changes. Behind the last one the page is empty. Errors: ErrNotFound further behind.
func (l *Ledger) LogKept(ctx context.Context, tx *store.Tx, first int64) (lines []byte, full bool, err error) {
	last, err := lastKept(ctx, tx)
	if err != nil {
		return nil, false, fmt.Errorf("ledger: kept checkpoints: %w", err)
	}
	if first < 0 || first > last.Number+1 {
		return nil, false, ErrNotFound
	}
	rows, err := q.New(tx).ListKept(ctx, q.ListKeptParams{First: first, Count: keptPage})
	if err != nil {
		return nil, false, fmt.Errorf("ledger: kept checkpoints: %w", err)
	}
	for i, row := range rows {
		if row.Number != first+int64(i) {
			return nil, false, fmt.Errorf("ledger: kept checkpoint %d: %w", first+int64(i), layout.ErrDamaged)
		}
		lines = export.AppendKept(lines, row.Checkpoint)
	}
	return lines, first+keptPage <= last.Number, nil
}

// seenFor reports whether a quorum of the witnesses has seen the block of a height for the notice of rules. A
// service without witnesses has nothing to wait for.
func (l *Ledger) seenFor(ctx context.Context, tx *store.Tx, height int64) (bool, error) {
	if l.quorum == 0 {
		return true, nil
	}
	// A verifier compares whole seconds.
	n, err := q.New(tx).CountSeen(ctx, q.CountSeenParams{
		Size: height, By: tx.Now().UnixMilli() - chain.RulesNotice - time.Second.Milliseconds()})
	return n > 0, err
}

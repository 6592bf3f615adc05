package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// Cosigned checkpoints of the past are kept for ever: the first cosigned one of every hour, and the first that
// covers an announcement of rules or a recovery. Verifiers with the witnesses' keys refuse blocks that are more
// than a minute later than the cosignatures of their tree, or more than a minute earlier than the cosignatures
// of a tree before them. So only cosignatures whose times are within keptApart of this service's own clock and
// blocks are kept: a witness with a wrong clock must not make the chain invalid.
const (
	keptApart = 30 * time.Second
	// keptPage is the most kept checkpoints on a page of the log.
	keptPage = 256
)

// keep keeps the checkpoint of a cosignature that was stored in tx, if it is due and a quorum of the witnesses has
// cosigned this very checkpoint. To the newest kept one it adds lines that came later.
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
	next := q.PutKeptParams{Number: last.Number, Size: c.Size, Time: b.Header.Time, Checkpoint: last.Checkpoint}
	if c.Size > last.Size {
		if due, err := l.keptDue(ctx, tx, last, b.Header); err != nil || !due {
			return err
		}
		next.Number, next.Checkpoint = next.Number+1, string(c.Checkpoint)
	} else if next.Seen = last.Seen; !strings.HasPrefix(last.Checkpoint, string(c.Checkpoint)) {
		return nil // signed again since, with a declared rollback
	}
	if err := l.addLines(ctx, tx, &next.Checkpoint, c, b.Header); err != nil {
		return err
	}
	times := l.seenAt(next.Checkpoint)
	if times == nil || next.Number == last.Number && next.Checkpoint == last.Checkpoint {
		return nil
	}
	next.Seen = max(next.Seen, slices.Max(times))
	// A block that another node stores at the same time must fit this checkpoint.
	if _, err := rewriteHead(ctx, tx); err != nil {
		return err
	}
	return q.New(tx).PutKept(ctx, next)
}

// rewriteHead writes the head as it is, and returns it. So tx and the storing of a block at the same time are in
// conflict, and one of them runs again: storeBlock decides at Snapshot by rows that it does not write.
func rewriteHead(ctx context.Context, tx *store.Tx) (head, error) {
	h, err := loadHead(ctx, tx)
	if err != nil {
		return h, err
	}
	_, err = q.New(tx).SwapHead(ctx, q.SwapHeadParams{
		Height: h.height, Hash: h.hash[:], Time: h.time, NextPos: h.nextPos, Note: h.note,
		SeenHeight: h.height, SeenHash: h.hash[:]})
	return h, err
}

// lastKept returns the newest kept checkpoint; number -1 and size 0 for none.
func lastKept(ctx context.Context, tx *store.Tx) (q.LogKept, error) {
	last, err := q.New(tx).LastKept(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return q.LogKept{Number: -1}, nil
	}
	return last, err
}

// leastBehind returns the least time of a block behind a kept checkpoint, in Unix milliseconds: verifiers refuse
// one that is much earlier.
func leastBehind(kept q.LogKept) int64 { return kept.Seen - keptApart.Milliseconds() }

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

// addLines adds to a note of the checkpoint of c the stored lines of witnesses that have none there, if their times
// fit this service's clock and blocks. b is the newest block of its tree.
func (l *Ledger) addLines(ctx context.Context, tx *store.Tx, note *string, c Cosignature, b chain.Header) error {
	now := tx.Now().UnixMilli()
	least := max(now, b.Time) - keptApart.Milliseconds()
	most, err := l.earliestBehind(ctx, tx, b.Height+1, now)
	if err != nil {
		return err
	}
	most += keptApart.Milliseconds()
	has := map[string]bool{}
	for line := range strings.Lines((*note)[len(c.Checkpoint):]) {
		signer, _ := parseLine(line)
		has[signer] = true
	}
	list, err := q.New(tx).ListCosignatures(ctx)
	if err != nil {
		return err
	}
	lines := l.cosignatures.linesOf(c.Checkpoint)
	for _, row := range list {
		if row.Checkpoint == string(c.Checkpoint) { // a witness counts for the tree that it has cosigned
			lines = append(lines, row.Lines)
		}
	}
	for line := range strings.Lines(strings.Join(lines, "")) {
		switch signer, at := parseLine(line); {
		case has[signer] || has[line] || !l.witnesses[signer]:
		case at < least || at > most:
			has[line] = true // the table may have the remembered line, too
			// Other lines are late because this one is, or were named before.
			if strings.Contains(c.Lines, line) {
				l.log.Warn("a cosignature is not kept, because its time differs from this service's clock or blocks",
					"witness", signer, "time", time.UnixMilli(at).UTC())
			}
		default:
			*note, has[signer] = *note+line, true
		}
	}
	return nil
}

// recentCosignatures are the last cosignatures that this node has collected. The table has only the newest one of
// each witness, and a slow witness cosigns a tree when the quick ones have cosigned later trees.
type recentCosignatures struct {
	mu   sync.Mutex
	list []Cosignature // the last 256
}

// add remembers a cosignature. Its lines are verified, so they count even if the caller's transaction fails.
func (r *recentCosignatures) add(c Cosignature) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list[max(0, len(r.list)-255):], c)
}

// linesOf returns the remembered lines of a checkpoint.
func (r *recentCosignatures) linesOf(checkpoint []byte) (lines []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.list {
		if bytes.Equal(c.Checkpoint, checkpoint) {
			lines = append(lines, c.Lines)
		}
	}
	return lines
}

// seenAt returns the times of the lines of this service's witnesses on a kept note, in ascending order and Unix
// milliseconds; nil when they are fewer than the quorum.
func (l *Ledger) seenAt(note string) (times []int64) {
	_, lines, _ := strings.Cut(note, "\n\n")
	for line := range strings.Lines(lines) {
		if signer, at := parseLine(line); l.witnesses[signer] {
			times = append(times, at)
		}
	}
	if len(times) < l.quorum {
		return nil
	}
	slices.Sort(times)
	return times
}

// earliestBehind returns the earliest time, in Unix milliseconds, that the block of a height may get: its own when
// it is there, and otherwise at most now, the time of the transaction that waits longest, and the time of a block
// which this node is making, or has signed and will make again.
func (l *Ledger) earliestBehind(ctx context.Context, tx *store.Tx, height, now int64) (int64, error) {
	if sealing := l.sealing.Load(); sealing > 0 { // first: a block that was finished since is found below
		now = min(now, sealing)
	}
	b, err := l.Block(ctx, tx, height)
	if !errors.Is(err, ErrNotFound) {
		return b.Header.Time, err
	}
	if l.file != nil && !l.shared {
		if m, _ := l.file.get(); m.Signed != nil && m.Signed.Size == height+1 {
			now = min(now, m.Signed.Time)
		}
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

// parseLine returns the signer of a verified line of a cosignature, as verify.Key.String does, and its time
// in Unix milliseconds. A malformed line has no signer.
func parseLine(line string) (signer string, at int64) {
	name, text, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "— "), " ")
	signature, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(signature) <= 12 { // 4 bytes of the key's id, 8 of the time in seconds
		return "", 0
	}
	at = int64(min(binary.BigEndian.Uint64(signature[4:]), math.MaxInt64/2000)) * 1000
	return fmt.Sprintf("%s+%08x", name, binary.BigEndian.Uint32(signature)), at
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

// seenFor reports whether a quorum of this service's witnesses has seen the block of a height by a time, in Unix
// milliseconds; lines of earlier witnesses do not count. A service without witnesses has nothing to wait for. A
// reader may demand more of the witnesses than the quorum, so the newest of their lines has to be old enough.
func (l *Ledger) seenFor(ctx context.Context, tx *store.Tx, height, by int64) (bool, error) {
	if l.quorum == 0 {
		return true, nil
	}
	list, err := q.New(tx).ListKeptOf(ctx, q.ListKeptOfParams{First: height + 1, Last: math.MaxInt64})
	by -= time.Second.Milliseconds() // a verifier compares whole seconds
	return slices.ContainsFunc(list, func(row q.ListKeptOfRow) bool {
		times := l.seenAt(row.Checkpoint)
		return len(times) > 0 && times[len(times)-1] <= by
	}), err
}

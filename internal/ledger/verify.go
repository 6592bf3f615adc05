package ledger

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/chain/replay"
	"roshambo/internal/db"
	q "roshambo/internal/query/ledgerq"
)

// Verification is the outcome of re-deriving everything from genesis.
type Verification struct {
	*replay.Report
	Checkpoint string // signed note of the state that was verified
	Took       time.Duration
}

// verifier lets calls at the same time share one pass.
type verifier struct {
	mu      sync.Mutex
	running *pass // nil when none is
}

type pass struct {
	done   chan struct{}
	result Verification
	err    error
}

// Verify re-derives every block hash, Merkle root, transaction hash, balance,
// nonce, commitment and owner from genesis, and compares them, and everything
// stored beside the chain to find things in it, with the tables in use. It trusts
// no earlier answer; callers at the same time share one pass.
func (l *Ledger) Verify(ctx context.Context) (Verification, error) {
	v := &l.verifier
	v.mu.Lock()
	p := v.running
	if p == nil {
		p = &pass{done: make(chan struct{})}
		v.running = p
		// Others may wait for the pass, so it outlives who began it.
		go l.runPass(context.WithoutCancel(ctx), p)
	}
	v.mu.Unlock()
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		return Verification{}, ctx.Err()
	}
}

func (l *Ledger) runPass(ctx context.Context, p *pass) {
	p.result, p.err = l.verify(ctx)
	l.verifier.mu.Lock()
	l.verifier.running = nil
	l.verifier.mu.Unlock()
	close(p.done)
}

func (l *Ledger) verify(ctx context.Context) (v Verification, err error) {
	began := l.now()
	err = l.db.View(ctx, func(ctx context.Context, tx *db.Tx) error {
		v, err = verifyTables(ctx, tx, l.key)
		return err
	})
	v.Took = l.now().Sub(began)
	return v, err
}

// verifyTables verifies one snapshot of the tables.
func verifyTables(ctx context.Context, tx *db.Tx, key string) (Verification, error) {
	queries := q.New(tx)
	row, err := queries.GetHead(ctx)
	if err != nil {
		return Verification{}, fmt.Errorf("ledger: verify: %w", err)
	}
	s := &scan{ctx: ctx, q: queries}
	s.replay, err = replay.New(replay.Options{
		Parts: replay.PartsFor(row.NextPos), Spill: spillFile, Compare: true, Visit: s.found.add})
	if err != nil {
		return Verification{}, err
	}
	scanErr := s.all(row, key)
	report, err := s.replay.Finish()
	if scanErr != nil {
		err = scanErr
	}
	if err != nil {
		return Verification{}, fmt.Errorf("ledger: verify: %w", err)
	}
	return Verification{Report: report, Checkpoint: row.Note}, nil
}

// spillFile makes a file that is gone as soon as it is closed, whatever happens.
func spillFile() (io.ReadWriteCloser, error) {
	f, err := os.CreateTemp("", "roshambo-verify-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// scan reads all tables of the ledger once, in an order that suits the replay, a
// bounded number of rows at a time.
type scan struct {
	ctx    context.Context
	q      *q.Queries
	replay *replay.Replay
	next   int64   // position of the next transaction
	found  finders // kept by the replay's Visit, so only read once the chain is done
	log    logCheck
}

// scanRows is how many rows a query of a scan returns at most.
const scanRows = 2000

func (s *scan) all(head q.GetHeadRow, key string) error {
	for _, step := range []func() error{
		s.blocks, s.pending,
		func() error { s.replay.ChainDone(); return nil },
		s.accounts, s.tokens, s.games,
		func() error { return s.checkFinders() },
		func() error { return s.checkLog(head, key) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// blocksAtOnce bounds the blocks of one query, and so the memory: 32 full ones are
// some 16 MB.
const blocksAtOnce = 32

func (s *scan) blocks() error {
	var b blockRows
	for first := int64(0); ; first += blocksAtOnce {
		rows, err := s.q.ScanBlocks(s.ctx, q.ScanBlocksParams{First: first, BeforeHeight: first + blocksAtOnce})
		if err != nil {
			return err
		}
		for i := range rows {
			if i == 0 || rows[i].Height != rows[i-1].Height {
				if err := s.block(&b); err != nil {
					return err
				}
				b = blockRows{row: &rows[i], at: rows[i].FirstPos}
			}
			s.chunk(&b, &rows[i])
		}
		if err := s.block(&b); err != nil {
			return err
		}
		b = blockRows{}
		if len(rows) == 0 {
			return nil
		}
	}
}

// blockRows is a block as its rows are read.
type blockRows struct {
	row *q.ScanBlocksRow
	at  int64 // position of the next transaction
	txs [][]byte
}

func (s *scan) chunk(b *blockRows, row *q.ScanBlocksRow) {
	if row.ChunkPos == nil {
		return // a block without transactions: the replay says so
	}
	if *row.ChunkPos != b.at {
		s.note(row.Height, "position of stored transactions", fmt.Sprint(b.at), fmt.Sprint(*row.ChunkPos))
	}
	raws, err := splitChunk(row.Body)
	if err != nil {
		s.note(row.Height, "stored transactions", "each behind its length", err.Error())
	}
	b.txs = append(b.txs, raws...)
	b.at += int64(len(raws))
}

func (s *scan) block(b *blockRows) error {
	if b.row == nil {
		return nil
	}
	row := b.row
	if row.TxCount != int64(len(b.txs)) {
		s.note(row.Height, "stored number of transactions", fmt.Sprint(len(b.txs)), fmt.Sprint(row.TxCount))
	}
	if row.FirstPos != s.next {
		s.note(row.Height, "stored first position", fmt.Sprint(s.next), fmt.Sprint(row.FirstPos))
	}
	s.next += int64(len(b.txs))
	if row.Height != s.log.blocks {
		s.note(row.Height, "stored height", fmt.Sprint(s.log.blocks), fmt.Sprint(row.Height))
	}
	if err := s.addToLog(row.Header); err != nil {
		return err
	}
	var hash chain.Hash
	copy(hash[:], row.Hash)
	s.replay.Block(replay.Block{Hash: hash, Header: row.Header, Txs: b.txs})
	return nil
}

func (s *scan) note(height int64, what, expected, found string) {
	s.replay.Note(replay.Problem{Height: height, What: what, Expected: expected, Found: found})
}

func (s *scan) pending() error {
	for after := int64(-1); ; {
		rows, err := s.q.ListPending(s.ctx, q.ListPendingParams{After: after, Count: scanRows})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if hash := chain.HashTx(row.Raw); !bytes.Equal(hash[:], row.Hash) {
				s.note(-1, "hash of a pending transaction", hash.String(), fmt.Sprintf("%x", row.Hash))
			}
			s.replay.Pending(row.Raw)
			after = row.Seq
		}
		if len(rows) < scanRows {
			return nil
		}
	}
}

func (s *scan) accounts() error {
	after := []byte{}
	for {
		rows, err := s.q.ScanAccounts(s.ctx, q.ScanAccountsParams{After: after, Count: scanRows})
		if err != nil {
			return err
		}
		for _, row := range rows {
			var a chain.Address
			copy(a[:], row.Address)
			s.replay.ExpectAccount(a, accountState(row.Kind, row.Balance, row.Nonce, row.Commitment))
			after = row.Address
		}
		if len(rows) < scanRows {
			return nil
		}
	}
}

func (s *scan) tokens() error {
	for after := int64(-1 << 62); ; {
		rows, err := s.q.ScanTokens(s.ctx, q.ScanTokensParams{After: after, Count: scanRows})
		if err != nil {
			return err
		}
		for _, row := range rows {
			s.replay.ExpectToken(row.TokenID, tokenState(row.Tier, row.Owner))
			after = row.TokenID
		}
		if len(rows) < scanRows {
			return nil
		}
	}
}

func (s *scan) games() error {
	for after := ""; ; {
		rows, err := s.q.ScanGames(s.ctx, q.ScanGamesParams{After: after, Count: scanRows})
		if err != nil {
			return err
		}
		for _, row := range rows {
			s.replay.ExpectGame(row.ID, gameState(row.Step, row.A, row.B, row.Tier, row.Stake))
			after = row.ID
		}
		if len(rows) < scanRows {
			return nil
		}
	}
}

// checkLog compares the log's stored hashes and its checkpoint with the blocks.
func (s *scan) checkLog(head q.GetHeadRow, key string) error {
	root, err := s.finishLog()
	if err != nil {
		return err
	}
	if head.Height != s.log.blocks-1 {
		s.note(head.Height, "height of the head", fmt.Sprint(s.log.blocks-1), fmt.Sprint(head.Height))
	}
	if head.NextPos != s.next {
		s.note(head.Height, "transactions of the head", fmt.Sprint(s.next), fmt.Sprint(head.NextPos))
	}
	if s.log.last != nil {
		hash := chain.HashBlock(s.log.last)
		if !bytes.Equal(hash[:], head.Hash) {
			s.note(head.Height, "hash of the head", hash.String(), fmt.Sprintf("%x", head.Hash))
		}
		if header, err := chain.ParseHeader(s.log.last); err == nil && header.Time != head.Time {
			s.note(head.Height, "time of the head", fmt.Sprint(header.Time), fmt.Sprint(head.Time))
		}
	}
	verifierKey, err := note.NewVerifier(key)
	if err != nil {
		return err
	}
	want := fmt.Sprintf("%s\n%d\n%s\n", verifierKey.Name(), s.log.blocks, root)
	n, err := note.Open([]byte(head.Note), note.VerifierList(verifierKey))
	switch {
	case err != nil:
		s.note(head.Height, "checkpoint", "signed by "+key, err.Error())
	case n.Text != want:
		s.note(head.Height, "checkpoint", want, n.Text)
	}
	return nil
}

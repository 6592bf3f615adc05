package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/chain/games"
	"roshambo/chain/replay"
	"roshambo/internal/ledger/layout"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// maxParts bounds the number of files that an audit has open.
const maxParts = 256

// verifyTables audits one snapshot, which one or two transactions read; key is the verifier key
// of the chain.
func verifyTables(
	ctx context.Context, txs []*store.Tx, key string, progress func(blocks, transactions int64),
) (Verification, error) {
	r := readers{chain: tablesOf(ctx, txs[0]), progress: progress}
	if len(txs) > 1 {
		indexes := tablesOf(ctx, txs[1])
		r.indexes = &indexes
	}
	// The number of transactions by the index, because the head may be damaged.
	count, err := r.chain.q.CountIndex(ctx)
	if err != nil {
		return Verification{}, fmt.Errorf("ledger: verify: %w", err)
	}
	v, err := verifyParts(r, key, min(replay.PartsFor(count), maxParts))
	if err != nil {
		return Verification{}, fmt.Errorf("ledger: verify: %w", err)
	}
	return v, nil
}

// verifyParts audits with the replayed state split into parts.
func verifyParts(r readers, key string, parts int) (Verification, error) {
	s := &scan{progress: r.progress, games: games.New()}
	defer s.games.Close() // after the replay, which calls it
	var err error
	s.replay, err = replay.New(replay.Options{
		Parts: parts, Spill: SpillFile, Compare: true, Begin: s.begin, Visit: s.visit,
	})
	if err != nil {
		return Verification{}, err
	}
	defer s.replay.Close()
	s.games.Earn, s.games.Stated = s.replay.Earn, s.replay.Stated
	checkpoint, err := s.all(r, key)
	if err != nil {
		return Verification{}, err
	}
	s.replay.Drain()
	played := s.games.Finish()
	for _, p := range played.Problems {
		s.replay.AddProblem(p)
	}
	report, err := s.replay.Finish()
	return Verification{
		Report: report, Checkpoint: checkpoint, Record: played.Record, Kept: int64(len(s.cosignatures.kept)),
	}, err
}

// begin and visit pass a block and its transactions on, as the replay processes them.
func (s *scan) begin(header *chain.Header) {
	s.games.Begin(header)
	s.fromBlocks.block(header.Time)
}

func (s *scan) visit(hash chain.Hash, tx *chain.Tx, parsed bool) {
	if parsed {
		s.games.Transaction(hash, tx)
	}
	s.fromBlocks.sealed(hash, tx, parsed)
}

// scan reads all tables of the ledger once, in an order that suits the replay.
type scan struct {
	replay     *replay.Replay
	games      *games.Checker
	next       int64 // position of the next transaction
	log        layout.Edge
	lastHeader []byte // of the last block read
	sealedDone bool   // all blocks are read and replayed

	// Expected rows: fromBlocks follow from the blocks, and belong to the replay until it has
	// processed every block; fromPending follow from the log and the pending transactions.
	fromBlocks, fromPending rowSums
	// Actual rows: inState are the rows of the state's tables; inIndexes are the rows of
	// the indexes, and belong to the goroutine that reads them.
	inState, inIndexes rowSums

	cosignatures cosignatures
	rollbacks    []string // lines of the declared rollbacks

	progress func(blocks, transactions int64) // nil for none
}

// readers are the transactions that read the tables. Most of an audit is reading, so two
// transactions on the same snapshot read side by side where the engine allows it.
type readers struct {
	chain   tables  // reads the chain, the pending transactions and the state
	indexes *tables // reads the indexes and the log; nil to read them with chain

	progress func(blocks, transactions int64) // nil for none
}

// all compares everything and returns the checkpoint.
func (s *scan) all(r readers, key string) (checkpoint string, err error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return "", err
	}
	t := r.chain
	if err := s.cosignatures.load(t); err != nil {
		return "", err
	}
	if s.rollbacks, err = layout.LoadRollbacks(t.ctx, t.tx); errors.Is(err, layout.ErrDamaged) {
		s.note(noHeight, "meta "+layout.MetaRollbacks, "declared rollbacks", err.Error())
	} else if err != nil {
		return "", err
	}
	if err := s.read(r); err != nil {
		return "", err
	}
	s.replay.Drain()
	s.fromBlocks.endPeriods()
	s.compareCosignatures(verifier)
	s.compareKept(verifier)
	if err := s.compareRows(t); err != nil {
		return "", err
	}
	if err := s.strayChunks(t); err != nil {
		return "", err
	}
	if verifier.Name() != s.fromBlocks.name {
		s.note(0, "chain name", verifier.Name(), s.fromBlocks.name)
	}
	if err := s.meta(t, key); err != nil {
		return "", err
	}
	return s.head(t, verifier)
}

// read reads all tables. The state comes after the chain, because the replay compares it with
// the replayed chain.
func (s *scan) read(r readers) error {
	t := r.chain
	chain := []task{t.blocks(s.block), t.pending(s.pending)}
	state := []task{t.accounts(s.account), t.tokens(s.token), t.games(s.game)}
	if r.indexes == nil {
		return runTasks(slices.Concat(chain, s.inIndexes.indexTasks(t), state)...)
	}
	indexes := make(chan error, 1)
	go func() { indexes <- runTasks(s.inIndexes.indexTasks(*r.indexes)...) }()
	err := runTasks(slices.Concat(chain, state)...)
	return errors.Join(err, <-indexes)
}

// noHeight is the height in a problem that concerns no block.
const noHeight = -1

// note adds a difference to the report.
func (s *scan) note(height int64, what, expected, actual string) {
	s.replay.AddProblem(replay.Problem{Height: height, What: what, Expected: expected, Found: actual})
}

// same notes a number that differs.
func (s *scan) same(height int64, what string, expected, actual int64) {
	if expected != actual {
		s.note(height, what, fmt.Sprint(expected), fmt.Sprint(actual))
	}
}

// sameHash notes a stored hash that differs.
func (s *scan) sameHash(height int64, what string, expected chain.Hash, actual []byte) {
	if string(expected[:]) != string(actual) {
		s.note(height, what, expected.String(), fmt.Sprintf("%x", actual))
	}
}

// block compares a block's rows with one another, and passes it to the replay and the log.
func (s *scan) block(b *layout.Block) {
	s.same(b.Height, "chain_block height", s.log.Size(), b.Height)
	s.same(b.Height, "chain_block first_pos", s.next, b.FirstPos)
	var txs, transcripts [][]byte
	for _, c := range b.Chunks {
		s.same(b.Height, "chain_chunk first_pos", s.next+int64(len(txs)), c.FirstPos)
		raws, err := layout.SplitChunk(c.Body)
		if err != nil {
			what := fmt.Sprintf("chain_chunk %d", c.FirstPos)
			s.note(b.Height, what, "each transaction behind its length", "something else")
		}
		txs = append(txs, raws...)
		if raws, err = layout.SplitChunk(c.Transcripts); err != nil {
			what := fmt.Sprintf("chain_chunk %d transcripts", c.FirstPos)
			s.note(b.Height, what, "each transcript behind its length", "something else")
		}
		transcripts = append(transcripts, raws...)
	}
	s.same(b.Height, "chain_block tx_count", int64(len(txs)), b.TxCount)
	s.next += int64(len(txs))
	hash := chain.HashBlock(b.Header)
	s.sameHash(b.Height, "chain_block hash", hash, b.Hash)
	s.games.Add(transcripts) // before the replay can begin the block
	s.replay.Block(replay.Block{Hash: hash, Header: b.Header, Txs: txs})
	s.fromPending.appendLog(&s.log, b.Header)
	s.lastHeader = b.Header
	s.cosignatures.grown(&s.log)
	if s.progress != nil {
		s.progress(s.log.Size(), s.next)
	}
}

// maxStrayRows bounds how many stray rows a report names.
const maxStrayRows = 20

// strayChunks notes chunks whose height has no block.
func (s *scan) strayChunks(t tables) error {
	list, err := t.q.StrayChunks(t.ctx, maxStrayRows)
	if err != nil {
		return err
	}
	for _, row := range list {
		s.note(noHeight, fmt.Sprintf("chain_chunk %d", row.FirstPos),
			"a block that it belongs to", fmt.Sprintf("height %d, where there is none", row.Height))
	}
	return nil
}

// pending compares a row of chain_pending with its raw transaction, and passes that to the
// replay.
func (s *scan) pending(row *q.ChainPending) {
	hash := chain.HashTx(row.Raw)
	name := fmt.Sprintf("chain_pending %d", row.Seq)
	s.sameHash(noHeight, name+" hash", hash, row.Hash)
	if !s.sealedDone { // the checker must have seen every block
		s.replay.Drain()
		s.sealedDone, s.fromPending.rules = true, s.fromBlocks.rules
	}
	s.replay.Pending(row.Raw)
	tx, err := chain.ParseTx(row.Raw)
	if err != nil {
		return // the replay reports it
	}
	expected := layout.Nullable(tx.Actor)
	if string(expected) != string(row.Actor) || (expected == nil) != (row.Actor == nil) {
		s.note(noHeight, name+" actor", fmt.Sprintf("%x", expected), fmt.Sprintf("%x", row.Actor))
	}
	s.fromPending.pending(hash, &tx)
	s.games.Pending(hash, &tx, row.Transcript)
}

package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/chain/replay"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/ledgerq"
)

// maxParts bounds the files that a verification has open.
const maxParts = 256

// verifyTables verifies one snapshot of the tables, as one or more transactions see it;
// key is the log's public key.
func verifyTables(ctx context.Context, txs []*store.Tx, key string, progress func(blocks, transactions int64)) (Verification, error) {
	t := lanes{state: tablesOf(ctx, txs[0]), progress: progress}
	if len(txs) > 1 {
		finders := tablesOf(ctx, txs[1])
		t.finders = &finders
	}
	// Not what the head says: that may be wrong.
	count, err := t.state.q.CountIndex(ctx)
	if err != nil {
		return Verification{}, fmt.Errorf("ledger: verify: %w", err)
	}
	v, err := verifyParts(t, key, min(replay.PartsFor(count), maxParts))
	if err != nil {
		return Verification{}, fmt.Errorf("ledger: verify: %w", err)
	}
	return v, nil
}

// verifyParts verifies with a state that is split into parts.
func verifyParts(t lanes, key string, parts int) (Verification, error) {
	s := &scan{progress: t.progress}
	var err error
	s.replay, err = replay.New(replay.Options{Parts: parts, Spill: SpillFile, Compare: true,
		Begin: func(header *chain.Header) { s.said.block(header.Time) }, Visit: s.said.sealed})
	if err != nil {
		return Verification{}, err
	}
	defer s.replay.Close()
	checkpoint, err := s.all(t, key)
	if err != nil {
		return Verification{}, err
	}
	report, err := s.replay.Finish()
	return Verification{Report: report, Checkpoint: checkpoint}, err
}

// scan goes through all tables of the ledger once, in an order that suits the replay.
type scan struct {
	replay *replay.Replay
	next   int64 // position of the next transaction
	log    logTree
	// Rows as the blocks want them, as the log and what is pending want them, and as
	// the tables of the state hold them, and those that serve to find. The first belongs
	// to the replay until that has seen every block, the last to their lane.
	said, also, held, found rows
	cosignatures            cosignatures
	rollbacks               []string // that are declared

	progress func(blocks, transactions int64) // nil for none
}

// lanes are the tables as transactions see them that read side by side, on the same
// snapshot: most of a verification is reading.
type lanes struct {
	state   tables  // the chain, what is pending, and the state
	finders *tables // what serves to find and to prove; nil to be read in between

	progress func(blocks, transactions int64) // is told how far it is; nil for none
}

// all checks everything and returns the checkpoint.
func (s *scan) all(l lanes, key string) (checkpoint string, err error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return "", err
	}
	t := l.state
	if err := s.cosignatures.expect(t); err != nil {
		return "", err
	}
	if s.rollbacks, err = loadRollbacks(t.ctx, t.tx); errors.Is(err, errDamaged) {
		s.note(noHeight, "meta "+metaRollbacks, "declared rollbacks", err.Error())
	} else if err != nil {
		return "", err
	}
	if err := s.read(l); err != nil {
		return "", err
	}
	s.replay.Drain()
	s.said.endPeriods()
	s.cosigned(verifier)
	if err := s.compareRows(t); err != nil {
		return "", err
	}
	if err := s.strayChunks(t); err != nil {
		return "", err
	}
	if verifier.Name() != s.said.name {
		s.note(0, "chain name", verifier.Name(), s.said.name)
	}
	if err := s.meta(t, key); err != nil {
		return "", err
	}
	return s.head(t, verifier)
}

// read reads all tables. What belongs to the state comes after the chain: it must wait
// until that is replayed.
func (s *scan) read(l lanes) error {
	t := l.state
	chain := []task{t.blocks(s.block), t.pending(s.pending)}
	state := []task{t.accounts(s.account), t.tokens(s.token), t.games(s.game)}
	if l.finders == nil {
		return inTurn(slices.Concat(chain, s.found.finders(t), state)...)
	}
	beside := make(chan error, 1)
	go func() { beside <- inTurn(s.found.finders(*l.finders)...) }()
	err := inTurn(slices.Concat(chain, state)...)
	return errors.Join(err, <-beside)
}

// noHeight is the height of what no block is about.
const noHeight = -1

func (s *scan) note(height int64, what, expected, found string) {
	s.replay.AddProblem(replay.Problem{Height: height, What: what, Expected: expected, Found: found})
}

// same notes a number that is not as it must be.
func (s *scan) same(height int64, what string, expected, found int64) {
	if expected != found {
		s.note(height, what, fmt.Sprint(expected), fmt.Sprint(found))
	}
}

// sameHash notes a stored hash that is not as it must be.
func (s *scan) sameHash(height int64, what string, expected chain.Hash, found []byte) {
	if string(expected[:]) != string(found) {
		s.note(height, what, expected.String(), fmt.Sprintf("%x", found))
	}
}

// block takes a block through the replay.
func (s *scan) block(b *storedBlock) {
	s.same(b.Height, "chain_block height", s.log.size, b.Height)
	s.same(b.Height, "chain_block first_pos", s.next, b.FirstPos)
	var txs [][]byte
	for _, c := range b.chunks {
		s.same(b.Height, "chain_chunk first_pos", s.next+int64(len(txs)), c.firstPos)
		raws, err := splitChunk(c.body)
		if err != nil {
			s.note(b.Height, fmt.Sprintf("chain_chunk %d", c.firstPos), "each transaction behind its length", "something else")
		}
		txs = append(txs, raws...)
	}
	s.same(b.Height, "chain_block tx_count", int64(len(txs)), b.TxCount)
	s.next += int64(len(txs))
	hash := chain.HashBlock(b.Header)
	s.sameHash(b.Height, "chain_block hash", hash, b.Hash)
	s.replay.Block(replay.Block{Hash: hash, Header: b.Header, Txs: txs})
	s.log.add(b.Header, &s.also)
	s.cosignatures.grown(&s.log)
	if s.progress != nil {
		s.progress(s.log.size, s.next)
	}
}

// strayRows is how many rows that belong nowhere are named.
const strayRows = 20

// strayChunks names transactions that are stored for no block.
func (s *scan) strayChunks(t tables) error {
	list, err := t.q.StrayChunks(t.ctx, strayRows)
	if err != nil {
		return err
	}
	for _, row := range list {
		s.note(noHeight, fmt.Sprintf("chain_chunk %d", row.FirstPos), "a block that it belongs to", fmt.Sprintf("height %d, where there is none", row.Height))
	}
	return nil
}

func (s *scan) pending(row *q.ChainPending) {
	hash := chain.HashTx(row.Raw)
	name := fmt.Sprintf("chain_pending %d", row.Seq)
	s.sameHash(noHeight, name+" hash", hash, row.Hash)
	s.replay.Pending(row.Raw)
	tx, err := chain.ParseTx(row.Raw)
	if err != nil {
		return // the replay says so
	}
	if want := nullable(tx.Actor); string(want) != string(row.Actor) || (want == nil) != (row.Actor == nil) {
		s.note(noHeight, name+" actor", fmt.Sprintf("%x", want), fmt.Sprintf("%x", row.Actor))
	}
	s.also.pending(hash, &tx)
}

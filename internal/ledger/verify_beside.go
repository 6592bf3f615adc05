package ledger

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	q "roshambo/internal/query/ledgerq"
)

// finders follows what the tables that find transactions must hold: chain_index,
// chain_address and chain_token. They are compared by sums over their rows, each
// row hashed with a seed that nobody knows; only when the sums differ are the rows
// looked at one by one.
type finders struct {
	next      int64 // position of the next transaction
	index     indexSums
	addresses rowSum
	tokens    rowSum
}

// indexSums are the sums of query SumIndex.
type indexSums struct{ n, low, high, positions, crossed int64 }

// rowSum is a sum over rows whose order does not matter.
type rowSum struct {
	n   int64
	sum uint64
}

var rowSeed = maphash.MakeSeed()

func (s *rowSum) add(key []byte, pos int64) {
	var row [32]byte
	n := copy(row[:], key)
	binary.BigEndian.PutUint64(row[n:], uint64(pos))
	s.n++
	s.sum += maphash.Bytes(rowSeed, row[:n+8])
}

func (s *indexSums) add(prefix, pos int64) {
	s.n++
	s.low += prefix & 0xffffffff
	s.high += prefix >> 32 & 0xffffffff
	s.positions += pos
	s.crossed += (prefix & 0xffff) * (pos & 0x7fff)
}

// add takes the next transaction of the chain. Of one that cannot be read nothing
// is known but its hash; the replay names it.
func (f *finders) add(hash chain.Hash, tx *chain.Tx, parsed bool) {
	f.index.add(prefix(hash), f.next)
	if parsed {
		for _, a := range tx.Addresses() {
			f.addresses.add(a[:], f.next)
		}
		for _, id := range tx.TokenIDs() {
			f.tokens.add(idKey(id), f.next)
		}
	}
	f.next++
}

func idKey(id int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func (s *scan) checkFinders() error {
	row, err := s.q.SumIndex(s.ctx)
	if err != nil {
		return err
	}
	if got := (indexSums{row.N, row.Low, row.High, row.Positions, row.Crossed}); got != s.found.index {
		if err := s.nameIndex(); err != nil {
			return err
		}
	}
	if err := s.checkAddresses(); err != nil {
		return err
	}
	return s.checkTokenRows()
}

// nameIndex finds the rows of chain_index that are wrong, block by block.
func (s *scan) nameIndex() error {
	s.note(-1, "index of transactions", fmt.Sprintf("%+v", s.found.index), "other sums")
	for height := int64(0); ; height++ {
		rows, err := s.q.ScanBlocks(s.ctx, q.ScanBlocksParams{First: height, BeforeHeight: height + 1})
		if err != nil || len(rows) == 0 {
			return err
		}
		want := map[int64]chain.Hash{}
		for _, row := range rows {
			raws, _ := splitChunk(row.Body) // a damaged one is named by the blocks' scan
			for i, raw := range raws {
				want[*row.ChunkPos+int64(i)] = chain.HashTx(raw)
			}
		}
		if err := s.nameIndexRows(rows[0].FirstPos, height, want); err != nil {
			return err
		}
	}
}

func (s *scan) nameIndexRows(first, height int64, want map[int64]chain.Hash) error {
	rows, err := s.q.ScanIndex(s.ctx, q.ScanIndexParams{First: first, BeforePos: first + int64(len(want))})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if hash := want[row.Pos]; prefix(hash) == row.Prefix {
			delete(want, row.Pos)
		}
	}
	for pos, hash := range want {
		s.note(height, fmt.Sprintf("index of transaction %v", hash), fmt.Sprint("position ", pos), "another row or none")
	}
	return nil
}

func (s *scan) checkAddresses() error {
	var got rowSum
	after := q.ScanAddressesParams{Address: []byte{}, Count: scanRows}
	for {
		rows, err := s.q.ScanAddresses(s.ctx, after)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if len(row.Address) > 20 {
				row.Address = row.Address[:20] // does not fit; the sum differs all the same
			}
			got.add(row.Address, row.Pos)
			after.Address, after.Pos = row.Address, row.Pos
		}
		if len(rows) < scanRows {
			break
		}
	}
	s.compareSums("history of addresses", s.found.addresses, got)
	return nil
}

func (s *scan) checkTokenRows() error {
	var got rowSum
	after := q.ScanTokenRowsParams{TokenID: -1 << 62, Count: scanRows}
	for {
		rows, err := s.q.ScanTokenRows(s.ctx, after)
		if err != nil {
			return err
		}
		for _, row := range rows {
			got.add(idKey(row.TokenID), row.Pos)
			after.TokenID, after.Pos = row.TokenID, row.Pos
		}
		if len(rows) < scanRows {
			break
		}
	}
	s.compareSums("history of tokens", s.found.tokens, got)
	return nil
}

func (s *scan) compareSums(what string, want, got rowSum) {
	if want != got {
		s.note(-1, what, fmt.Sprintf("%d rows, sum %x", want.n, want.sum), fmt.Sprintf("%d rows, sum %x", got.n, got.sum))
	}
}

// logCheck rebuilds the log's hashes from the blocks' headers, in the order in
// which they are stored, and compares as it goes. It keeps the right edge of the
// tree only.
type logCheck struct {
	blocks int64
	last   []byte     // header
	edge   [64]stored // the newest hash of each level
	first  int64      // storage index of the first hash in fresh
	fresh  []tlog.Hash
}

type stored struct {
	index int64
	hash  tlog.Hash
}

// ReadHashes serves the right edge, which is all that adding a leaf and working
// out the root ask for.
func (c *logCheck) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		level, _ := tlog.SplitStoredHashIndex(x)
		if c.edge[level].index != x {
			return nil, fmt.Errorf("hash %d is not at the edge of the log", x)
		}
		out[i] = c.edge[level].hash
	}
	return out, nil
}

func (s *scan) addToLog(header []byte) error {
	c := &s.log
	more, err := tlog.StoredHashes(c.blocks, header, c)
	if err != nil {
		return err
	}
	index := tlog.StoredHashIndex(0, c.blocks)
	for level, hash := range more {
		c.edge[level] = stored{index + int64(level), hash}
	}
	c.fresh = append(c.fresh, more...)
	c.blocks++
	c.last = header
	if len(c.fresh) >= scanRows {
		return s.compareLog()
	}
	return nil
}

// compareLog compares the hashes that were not compared yet.
func (s *scan) compareLog() error {
	c := &s.log
	end := c.first + int64(len(c.fresh))
	rows, err := s.q.ListLogHashes(s.ctx, q.ListLogHashesParams{First: c.first, BeforeIdx: end})
	if err != nil {
		return err
	}
	found := make(map[int64][]byte, len(rows))
	for _, row := range rows {
		found[row.Idx] = row.Hash
	}
	for i, want := range c.fresh {
		if at := c.first + int64(i); !bytes.Equal(want[:], found[at]) {
			s.note(-1, fmt.Sprintf("hash %d of the log", at), want.String(), fmt.Sprintf("%x", found[at]))
		}
	}
	c.first, c.fresh = end, c.fresh[:0]
	return nil
}

// finishLog compares the rest, sees that nothing stands behind it, and returns the
// root of the log.
func (s *scan) finishLog() (tlog.Hash, error) {
	if err := s.compareLog(); err != nil {
		return tlog.Hash{}, err
	}
	rows, err := s.q.ListLogHashes(s.ctx, q.ListLogHashesParams{First: s.log.first, BeforeIdx: s.log.first + scanRows})
	if err != nil {
		return tlog.Hash{}, err
	}
	for _, row := range rows {
		s.note(-1, fmt.Sprintf("hash %d of the log", row.Idx), "not to be there", fmt.Sprintf("%x", row.Hash))
	}
	if s.log.blocks == 0 {
		return tlog.Hash{}, nil
	}
	return tlog.TreeHash(s.log.blocks, &s.log)
}

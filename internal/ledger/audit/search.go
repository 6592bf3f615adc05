package audit

import (
	"roshambo/chain"
	"roshambo/chain/replay"
	"roshambo/internal/ledger/layout"
	q "roshambo/internal/store/query/ledgerq"
)

// search is the second pass: it collects the rows of the sums that differ.
type search struct {
	selected [sumCount]bool
	rows     map[string]*suspect // by the row's text
}

// suspect is a row of a sum that differs.
type suspect struct {
	surplus int    // how many more of it follow from the chain than the tables hold
	height  int64  // of the block it follows from; noHeight for none
	hash    string // of the transaction it follows from
}

// maxSearchSums bounds how many differing sums one search covers, and with them its memory: a
// table that is wrong from end to end makes every sum differ.
const maxSearchSums = 8

func (f *search) count(r *rowSums) {
	row := f.rows[string(r.text)]
	if row == nil {
		row = &suspect{height: noHeight}
		f.rows[string(r.text)] = row
	}
	row.surplus += r.sign
	if r.sign > 0 {
		row.height, row.hash = r.height, r.hash.String()
	}
}

// compareRows compares all sums, and notes the rows that make them differ.
func (s *scan) compareRows(t tables) error {
	var f search
	differing := 0
	for i := range s.inState.sums {
		if s.fromBlocks.sums[i]+s.fromPending.sums[i] != s.inState.sums[i]+s.inIndexes.sums[i] {
			f.selected[i] = true
			if differing++; differing == maxSearchSums {
				break
			}
		}
	}
	if differing == 0 {
		return nil
	}
	f.rows = map[string]*suspect{}
	if err := f.read(t); err != nil {
		return err
	}
	f.report(s)
	return nil
}

// report notes the rows that the chain and the tables do not have equally often.
func (f *search) report(s *scan) {
	for text, row := range f.rows {
		problem := replay.Problem{Height: row.height, Hash: row.hash, What: describe(text)}
		switch {
		case row.surplus > 0:
			problem.Expected, problem.Found = "a row", "none"
		case row.surplus < 0:
			problem.Expected, problem.Found = "no such row", "there it is"
		default:
			continue
		}
		s.replay.AddProblem(problem)
	}
}

// read reads the tables once more: first the chain and the pending transactions, then the
// state and the indexes.
func (f *search) read(t tables) error {
	expected := &rowSums{search: f, sign: 1}
	actual := &rowSums{search: f, sign: -1}
	var log layout.Edge
	return runTasks(append([]task{
		t.blocks(func(b *layout.Block) {
			expected.height, expected.hash = b.Height, chain.HashBlock(b.Header)
			expected.appendLog(&log, b.Header)
			header, _ := chain.ParseHeader(b.Header) // the replay has reported one that does not parse
			expected.block(header.Time)
			for _, c := range b.Chunks {
				expected.chunk(c.Body)
			}
		}),
		func() error { expected.endPeriods(); return nil },
		t.pending(func(row *q.ChainPending) {
			expected.height, expected.hash = noHeight, chain.HashTx(row.Raw)
			if tx, err := chain.ParseTx(row.Raw); err == nil {
				expected.pending(expected.hash, &tx)
			}
		}),
		t.accounts(actual.account),
		t.tokens(actual.token),
		t.games(actual.game),
	}, actual.indexTasks(t)...)...)
}

// chunk adds the rows of the sealed transactions of a chunk. The first pass has noted a damaged
// one.
func (r *rowSums) chunk(body []byte) {
	raws, _ := layout.SplitChunk(body)
	for _, raw := range raws {
		r.hash = chain.HashTx(raw)
		tx, err := chain.ParseTx(raw)
		r.sealed(r.hash, &tx, err == nil)
	}
}

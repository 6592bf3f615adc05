package ledger

import (
	"roshambo/chain"
	"roshambo/chain/replay"
	q "roshambo/internal/store/query/ledgerq"
)

// search is a second reading for the rows whose sums were wrong.
type search struct {
	wanted [rowSums]bool
	left   map[string]*suspect // by the row's text
}

// suspect is a row of a wrong sum: how often the chain has it more than the tables,
// and where the chain has it.
type suspect struct {
	more   int
	height int64
	hash   string
}

// searchSums is how many wrong sums are looked into, so that a table that is wrong
// from end to end does not have to be remembered.
const searchSums = 8

func (f *search) count(r *rows) {
	found := f.left[string(r.text)]
	if found == nil {
		found = &suspect{height: noHeight}
		f.left[string(r.text)] = found
	}
	found.more += r.sign
	if r.sign > 0 {
		found.height, found.hash = r.height, r.hash.String()
	}
}

// compareRows compares all sums, and finds what makes them differ.
func (s *scan) compareRows(t tables) error {
	var f search
	wrong := 0
	for i := range s.held.sums {
		if s.said.sums[i]+s.also.sums[i] != s.held.sums[i]+s.found.sums[i] {
			f.wanted[i] = true
			if wrong++; wrong == searchSums {
				break
			}
		}
	}
	if wrong == 0 {
		return nil
	}
	f.left = map[string]*suspect{}
	if err := f.read(t); err != nil {
		return err
	}
	f.tell(s)
	return nil
}

// tell names the rows that are in one place and not in the other.
func (f *search) tell(s *scan) {
	for text, row := range f.left {
		problem := replay.Problem{Height: row.height, Hash: row.hash, What: describe(text)}
		switch {
		case row.more > 0:
			problem.Expected, problem.Found = "a row", "none"
		case row.more < 0:
			problem.Expected, problem.Found = "no such row", "there it is"
		default:
			continue
		}
		s.replay.AddProblem(problem)
	}
}

// read reads everything once more: the chain and what waits, then the tables.
func (f *search) read(t tables) error {
	said := &rows{search: f, sign: 1}
	held := &rows{search: f, sign: -1}
	var log logTree
	return inTurn(append([]task{
		t.blocks(func(b *storedBlock) {
			said.height, said.hash = b.Height, chain.HashBlock(b.Header)
			log.add(b.Header, said)
			header, _ := chain.ParseHeader(b.Header) // one that is none was named
			said.block(header.Time)
			for _, c := range b.chunks {
				said.chunk(c.body)
			}
		}),
		func() error { said.endPeriods(); return nil },
		t.pending(func(row *q.ChainPending) {
			said.height, said.hash = noHeight, chain.HashTx(row.Raw)
			if tx, err := chain.ParseTx(row.Raw); err == nil {
				said.pending(said.hash, &tx)
			}
		}),
		t.accounts(held.account),
		t.tokens(held.token),
		t.games(held.game),
	}, held.finders(t)...)...)
}

// chunk takes sealed transactions. What is damaged was named before.
func (r *rows) chunk(body []byte) {
	raws, _ := splitChunk(body)
	for _, raw := range raws {
		r.hash = chain.HashTx(raw)
		tx, err := chain.ParseTx(raw)
		r.sealed(r.hash, &tx, err == nil)
	}
}

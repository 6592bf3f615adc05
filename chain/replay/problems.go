package replay

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"roshambo/chain"
)

// Problem is something that is not as it must be.
type Problem struct {
	Height   int64  // of the block; -1 where no block is concerned
	Hash     string // of the block or transaction, "" where none is
	What     string
	Expected string
	Found    string
}

// noHeight is the height of what has no block: what is pending, and what tables
// say in the end.
const noHeight = -1

// position is where a transaction stands.
type position struct {
	height int64 // noHeight when pending
	index  int64 // in its block, or among the pending ones
	hash   chain.Hash
}

// beforeAll and afterAll take the place of a transaction's index in problems that
// concern none: those of a block's header come before those of its transactions,
// those of the state in the end come last.
const (
	beforeAll = -1
	afterAll  = math.MaxInt64
)

// problems counts all problems and keeps the first ones: first on the chain, not
// first found, so that a report does not depend on how the work was divided.
type problems struct {
	most  int
	count int
	kept  []placedProblem // sorted
}

type placedProblem struct {
	Problem
	index int64
}

func (p *problems) add(problem Problem, index int64) {
	p.count++
	placed := placedProblem{problem, index}
	i, _ := slices.BinarySearchFunc(p.kept, placed, placedProblem.compare)
	if i == p.most {
		return
	}
	p.kept = slices.Insert(p.kept, i, placed)
	p.kept = p.kept[:min(len(p.kept), p.most)]
}

// merge adds what was found elsewhere.
func (p *problems) merge(other *problems) {
	for _, placed := range other.kept {
		p.add(placed.Problem, placed.index)
	}
	p.count += other.count - len(other.kept)
}

// differs adds that somebody says of the state in the end what it is not.
func (p *problems) addFinal(what, expected, found string) {
	p.add(Problem{Height: noHeight, What: what, Expected: expected, Found: found}, afterAll)
}

func (p *problems) list() []Problem {
	var list []Problem
	for _, placed := range p.kept {
		list = append(list, placed.Problem)
	}
	return list
}

func (a placedProblem) compare(b placedProblem) int {
	return cmp.Or(
		cmp.Compare(rank(a.Height), rank(b.Height)), cmp.Compare(a.index, b.index),
		strings.Compare(a.What, b.What), strings.Compare(a.Expected, b.Expected),
		strings.Compare(a.Found, b.Found), strings.Compare(a.Hash, b.Hash))
}

// rank puts what has no block behind all blocks.
func rank(height int64) int64 {
	if height == noHeight {
		return math.MaxInt64
	}
	return height
}

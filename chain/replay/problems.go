package replay

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"roshambo/chain"
)

// Problem is a violation of the rules, or a difference between the chain and the ledger's
// tables.
type Problem struct {
	// Height is the height of the block, -1 for pending transactions and the final state.
	Height int64
	// Hash is the hash of the block or transaction in hex, "" without one.
	Hash string
	// What names the subject, for example "merkle root" or "account rps1… balance".
	What string
	// Expected is the value or property that follows from the chain.
	Expected string
	// Found is the value in the block, the transaction or the table.
	Found string
}

// noHeight is the height of problems without a block: problems of pending transactions and of
// the final state.
const noHeight = -1

// position is the position of a transaction in the chain.
type position struct {
	height int64 // noHeight when pending
	index  int64 // in its block, or among the pending transactions
	hash   chain.Hash
}

// beforeAll and afterAll replace the index of problems without a transaction: problems of a
// header sort before problems of its transactions, problems of the final state sort last.
const (
	beforeAll = -1
	afterAll  = math.MaxInt64
)

// problems counts all problems and keeps the first ones in chain order. The order in which they
// are found does not matter, so a report does not depend on the number of parts.
type problems struct {
	most  int             // how many to keep
	count int             // all problems
	kept  []placedProblem // sorted by compare, at most `most`
}

// placedProblem is a problem with the index that orders it within its block.
type placedProblem struct {
	Problem
	index int64
}

// add counts a problem and keeps it if it is among the first.
func (p *problems) add(problem Problem, index int64) {
	p.count++
	placed := placedProblem{problem, index}
	// Insertion keeps the list sorted; it is short, so the copy costs nothing.
	i, _ := slices.BinarySearchFunc(p.kept, placed, placedProblem.compare)
	if i == p.most {
		return
	}
	p.kept = slices.Insert(p.kept, i, placed)
	p.kept = p.kept[:min(len(p.kept), p.most)]
}

// merge adds the problems of another part.
func (p *problems) merge(other *problems) {
	for _, placed := range other.kept {
		p.add(placed.Problem, placed.index)
	}
	p.count += other.count - len(other.kept) // add counted the kept ones
}

// addFinal adds a difference in the final state: expected is derived, found is claimed.
func (p *problems) addFinal(what, expected, found string) {
	p.add(Problem{Height: noHeight, What: what, Expected: expected, Found: found}, afterAll)
}

// list returns the kept problems in chain order, nil for none.
func (p *problems) list() []Problem {
	var list []Problem
	for _, placed := range p.kept {
		list = append(list, placed.Problem)
	}
	return list
}

// compare is a total order on the fields, so that equal chains give equal reports.
func (a placedProblem) compare(b placedProblem) int {
	return cmp.Or(
		cmp.Compare(rank(a.Height), rank(b.Height)), cmp.Compare(a.index, b.index),
		strings.Compare(a.What, b.What), strings.Compare(a.Expected, b.Expected),
		strings.Compare(a.Found, b.Found), strings.Compare(a.Hash, b.Hash))
}

// rank sorts problems without a block after all blocks.
func rank(height int64) int64 {
	if height == noHeight {
		return math.MaxInt64
	}
	return height
}

package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
)

// The checks that runs and duels share: the transactions themselves, their positions in the chain,
// and their order.

// transactions is the check of the same name: each raw hashes to its hash, is a canonical
// transaction of an allowed kind, and passes checkAlone. It sets proofTx.tx for the other checks.
func (r *parsedProof) transactions() finding {
	if len(r.parts) == 0 {
		return note("the duel has no transactions: no stake, and no settlement")
	}
	for _, p := range r.parts {
		// The hash first: an altered raw is reported as such, not as malformed.
		if chain.HashTx([]byte(p.Raw)).String() != p.Hash {
			return fail("%s.hash is not the hash of %s.raw", p.name, p.name)
		}
		tx, err := chain.ParseTx([]byte(p.Raw))
		if err != nil || !slices.Contains(p.kinds, tx.Kind()) {
			return fail("%s.raw is not a transaction of kind %s in canonical JSON", p.name, either(p.kinds))
		}
		p.tx = tx
		if err := p.checkAlone(); err != nil {
			return fail("%v", err)
		}
	}
	return pass("%d transactions: each raw hashes to its hash and is canonical, of its kind", len(r.parts))
}

// either joins kinds by " or ".
func either(kinds []chain.Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, " or ")
}

// checkAlone checks the rules of a transaction that hold under any rules of the chain (bounds.go). A proof does
// not hold the rules in force, so amounts cannot be checked, but the presence of a payment can.
func (p *proofTx) checkAlone() error {
	switch data := p.tx.Data.(type) {
	case *chain.AccountCreate:
		if p.tx.Nonce != 0 {
			return fmt.Errorf("%s opens an account, so its nonce is 0", p.name)
		}
	case *chain.RunStart:
		if (data.FirstTier > 0) != (data.Entry == chain.EntryBurn) {
			return fmt.Errorf("%s has a first tier that does not fit its entry", p.name)
		}
		if !entryPaid(&p.tx, data.Entry) {
			return fmt.Errorf("%s is not paid for as its entry says", p.name)
		}
	}
	if !bounded(&p.tx) {
		return fmt.Errorf("%s is outside the bounds of its kind", p.name)
	}
	return nil
}

// entryPaid reports whether the transfers pay the entry: coins of the actor destroyed for a fee, a
// token of the actor destroyed for a burn, none for the other entries.
func entryPaid(tx *chain.Tx, entry chain.Entry) bool {
	// Free and daily runs cost nothing; the right to start them is a matter of the service.
	if entry != chain.EntryFee && entry != chain.EntryBurn {
		return len(tx.Transfers) == 0
	}
	if len(tx.Transfers) != 1 {
		return false
	}
	// The expected transfer takes amount or id from the actual one: both are free.
	t := tx.Transfers[0]
	want := chain.Transfer{From: tx.Actor, Amount: t.Amount}
	if entry == chain.EntryBurn {
		want = chain.Transfer{From: tx.Actor, Token: true, TokenID: t.TokenID}
	}
	return t == want && (t.Token || t.Amount > 0)
}

// inclusion is the check of the same name: each transaction with a height is in its block, the block
// is in the checkpoint's tree, and the blocks agree with each other. The checkpoint's signature is
// the next check; without a readable checkpoint there is nothing to compare with.
func (r *parsedProof) inclusion() finding {
	var t *tree
	if r.checkpoint != nil {
		body, _, err := parseNote(*r.checkpoint)
		if err != nil {
			return note("not checked: the checkpoint cannot be read")
		}
		read, err := parseTree(body)
		if err != nil {
			return note("not checked: the checkpoint cannot be read")
		}
		t = &read
	}
	var pending []string // names of the transactions without a block
	var blocks []placed
	for _, p := range r.parts {
		if p.Height == nil {
			if p.Index != nil || p.Header != nil || p.TxProof != nil || p.BlockProof != nil {
				return fail("%s has no height but a position in a block", p.name)
			}
			pending = append(pending, p.name)
			continue
		}
		// One proof may name several blocks; checkBlocks compares them below.
		header, err := p.checkPlace(t)
		if err != nil {
			return fail("%v", err)
		}
		blocks = append(blocks, placed{header, chain.HashBlock([]byte(*p.Header)), p})
	}
	if err := checkBlocks(blocks); err != nil {
		return fail("%v", err)
	}
	if len(pending) > 0 {
		return note("not in a block yet: %s", strings.Join(pending, ", "))
	}
	return pass("each transaction is in its block, each block in the checkpoint's tree")
}

// checkPlace checks both inclusion proofs of a transaction that is in a block, up to the root of t,
// and returns the header of its block. t is nil when there is no checkpoint, which is an error.
func (p *proofTx) checkPlace(t *tree) (chain.Header, error) {
	none := chain.Header{}
	if p.Index == nil || p.Header == nil || p.TxProof == nil || p.BlockProof == nil {
		return none, fmt.Errorf("%s has a height but no complete inclusion proof", p.name)
	}
	if t == nil {
		return none, fmt.Errorf("%s is in a block, but there is no checkpoint", p.name)
	}
	header, err := chain.ParseHeader([]byte(*p.Header))
	if err != nil {
		return none, fmt.Errorf("%s.header is not a block header in canonical JSON", p.name)
	}
	if header.Height != *p.Height {
		return none, fmt.Errorf("%s.header is of another height", p.name)
	}
	hash := hashOf(p.Hash)
	// First the transaction in its block, then the block's header in the log.
	leaf := chain.LeafHash(hash[:])
	if chain.VerifyInclusion(leaf, *p.Index, header.TxCount, hashesOf(p.TxProof), header.MerkleRoot) != nil {
		return none, fmt.Errorf("%s is not in its block", p.name)
	}
	leaf = chain.LeafHash([]byte(*p.Header))
	if chain.VerifyInclusion(leaf, *p.Height, t.size, hashesOf(p.BlockProof), t.root) != nil {
		return none, fmt.Errorf("the block of %s is not in the checkpoint's tree", p.name)
	}
	return header, nil
}

// hashOf parses a hash that conform has checked.
func hashOf(s string) chain.Hash {
	h, _ := chain.ParseHash(s)
	return h
}

// hashesOf parses hashes that conform has checked.
func hashesOf(list []string) []chain.Hash {
	hashes := make([]chain.Hash, len(list))
	for i, s := range list {
		hashes[i] = hashOf(s)
	}
	return hashes
}

// placed is the header of a block with its hash, and a transaction in the block.
type placed struct {
	chain.Header
	hash chain.Hash
	tx   *proofTx
}

// checkBlocks checks the blocks of a proof against each other and against their transactions: times rise with the
// heights, of two adjacent blocks the higher one has the hash of the lower, and each transaction's time fits. It sorts
// the blocks by height.
func checkBlocks(blocks []placed) error {
	slices.SortStableFunc(blocks, func(a, b placed) int { return int(min(max(a.Height-b.Height, -1), 1)) })
	// Blocks that are not adjacent are connected only by a replay of the whole chain.
	for i := 1; i < len(blocks); i++ {
		low, high := blocks[i-1], blocks[i]
		if low.Time > high.Time {
			return errors.New("a later block has an earlier time")
		}
		if low.Height+1 == high.Height && low.hash != high.Prev {
			return errors.New("a block does not name the one before it")
		}
	}
	for _, b := range blocks {
		if !b.fits(blocks) {
			return fmt.Errorf("the time of %s does not fit the blocks", b.tx.name)
		}
	}
	return nil
}

// order is the check of the same name: each transaction precedes those that build on it, by height
// and index in the chain, and by nonce where both have the same actor.
func (r *parsedProof) order() finding {
	pending := false
	for _, pair := range r.pairs() {
		before, after := pair[0], pair[1]
		ofAccount := before.tx.Actor != chain.Address{}
		if ofAccount && before.tx.Actor == after.tx.Actor && before.tx.Nonce >= after.tx.Nonce {
			return fail("the nonce of %s is not above that of %s", after.name, before.name)
		}
		switch {
		// A pending transaction may build on one in a block, never the reverse.
		case after.Height == nil:
			pending = true
		case before.Height == nil:
			return fail("%s is in a block, but %s is not", after.name, before.name)
		case *before.Height > *after.Height || *before.Height == *after.Height && blockIndex(before) >= blockIndex(after):
			return fail("%s does not come before %s", before.name, after.name)
		case *before.Height == *after.Height && before.tx.Kind() == chain.KindRotate:
			// The client seed comes with the start: in one block, the house may know it when it rotates.
			return fail("%s rotates a commitment in the block of %s", before.name, after.name)
		}
	}
	if pending {
		return note("a transaction in no block has no position in the chain yet")
	}
	return pass("in the chain, each transaction comes after those it builds on")
}

// pairs returns the pairs of transactions whose second one builds on the first. Absent transactions
// are left out.
func (r *parsedProof) pairs() [][2]*proofTx {
	var pairs [][2]*proofTx
	add := func(before, after *proofTx) {
		if before != nil && after != nil {
			pairs = append(pairs, [2]*proofTx{before, after})
		}
	}
	var recovery *proofTx
	if r.crossed != nil {
		recovery = r.crossed.proofTx
	}
	if r.run != nil {
		add(r.run.commit, r.run.start)
		add(r.run.start, r.run.end)
		add(r.run.start, recovery)
		add(recovery, r.run.end)
		return pairs
	}
	for _, stake := range r.duel.stakes {
		add(stake, r.duel.settle)
	}
	for _, stake := range r.duel.stakes {
		add(stake, recovery)
	}
	add(recovery, r.duel.settle)
	return pairs
}

// blockIndex returns the index of a transaction in its block, 0 when the proof does not state it; the
// inclusion check reports that.
func blockIndex(p *proofTx) int64 {
	if p.Index == nil {
		return 0
	}
	return *p.Index
}

package replay

import (
	"fmt"
	"testing"

	"roshambo/chain"
)

// TestPublisherOfTheCommitment checks that the publisher of each outstanding commitment is derived
// and compared with ExpectPublished.
func TestPublisherOfTheCommitment(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	published := map[chain.Address]chain.Hash{}
	for _, raw := range b.raws() {
		tx, err := chain.ParseTx(raw)
		if err != nil {
			t.Fatal(err)
		}
		switch tx.Data.(type) {
		case *chain.AccountCreate, *chain.RunStart, *chain.Rotate:
			published[tx.Actor] = chain.HashTx(raw)
		}
	}
	for _, opts := range []Options{{}, inMemory(3)} {
		opts.Compare = true
		expect := func(reject chain.Address) *Report {
			return run(t, opts, func(r *Replay) {
				b.feed(r)
				for address := range b.accounts {
					tx := published[address]
					if address == reject {
						tx[31] ^= 1
					}
					r.ExpectPublished(address, tx)
				}
				b.expect(r)
			})
		}
		if report := expect(none); !report.Valid() {
			t.Errorf("%d parts: got %+v", opts.Parts, report.Problems)
		}
		for address := range b.accounts {
			name := fmt.Sprintf("%d parts, %v", opts.Parts, address)
			want := problemMatch{height: -1, what: "account " + address.String() + " publisher of the commitment"}
			want.check(t, name, expect(address))
		}
	}
}

// raws returns every transaction of the ledger in chain order.
func (b *testLedger) raws() (list [][]byte) {
	for _, block := range b.blocks {
		list = append(list, block.Txs...)
	}
	return append(list, b.pendingTxs...)
}

package replay

import (
	"crypto/sha256"
	"testing"
	"time"

	"roshambo/chain"
)

// BenchmarkReplay measures a realistic chain (account.create, run.start, run.end) with the
// comparison of the final state. It reports ns/tx, and of-sha256: the time of SHA-256 over the
// same raws on one core, a lower bound for any verifier, as a share of the replay's time.
func BenchmarkReplay(b *testing.B) {
	l := &testLedger{accounts: map[chain.Address]chain.Account{}, tokens: map[int64]chain.Token{},
		games: map[string]chain.Game{}, rules: chain.InForce{Latest: testRules()}}
	txs := manyRuns(20_000, 250, func(block Block) {
		l.blocks = append(l.blocks, block)
		for _, raw := range block.Txs {
			tx, err := chain.ParseTx(raw)
			if err != nil {
				b.Fatal(err)
			}
			if err := l.try(&tx); err != nil {
				b.Fatal(err)
			}
		}
	})
	l.pendingTxs = nil // the blocks hold every transaction
	for name, opts := range map[string]Options{"1 part": {}, "4 parts in files": inFiles(b, 4)} {
		b.Run(name, func(b *testing.B) {
			var hashing, replaying time.Duration
			b.ReportAllocs()
			for b.Loop() {
				began := time.Now()
				for i := range l.blocks {
					for _, raw := range l.blocks[i].Txs {
						sha256.Sum256(raw)
					}
				}
				hashed := time.Now()
				if report := l.verify(b, opts); !report.Valid() || report.Transactions != txs {
					b.Fatalf("got %+v", report)
				}
				hashing, replaying = hashing+hashed.Sub(began), replaying+time.Since(hashed)
			}
			b.ReportMetric(float64(replaying.Nanoseconds())/float64(b.N)/float64(txs), "ns/tx")
			b.ReportMetric(float64(hashing)/float64(replaying), "of-sha256")
		})
	}
}

package replay

import (
	"crypto/sha256"
	"testing"
	"time"
)

// BenchmarkReplay measures a realistic chain (account.create, run.start, run.end)
// against SHA-256 over the same raws on one core, which nothing that checks them
// can beat: ns/tx, and the rate as a share of that of SHA-256 alone.
func BenchmarkReplay(b *testing.B) {
	var blocks []Block
	txs := crowd(20_000, 250, func(block Block) { blocks = append(blocks, block) })
	for name, opts := range map[string]Options{"1 part": {}, "4 parts in files": inFiles(b, 4)} {
		b.Run(name, func(b *testing.B) {
			var hashing, replaying time.Duration
			b.ReportAllocs()
			for b.Loop() {
				began := time.Now()
				for i := range blocks {
					for _, raw := range blocks[i].Txs {
						sha256.Sum256(raw)
					}
				}
				hashed := time.Now()
				report := run(b, opts, func(r *Replay) {
					for _, block := range blocks {
						r.Block(block)
					}
				})
				if !report.Valid() || report.Transactions != txs {
					b.Fatalf("got %+v", report)
				}
				hashing, replaying = hashing+hashed.Sub(began), replaying+time.Since(hashed)
			}
			b.ReportMetric(float64(replaying.Nanoseconds())/float64(b.N)/float64(txs), "ns/tx")
			b.ReportMetric(float64(hashing)/float64(replaying), "of-sha256")
		})
	}
}

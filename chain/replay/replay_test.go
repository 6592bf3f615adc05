package replay

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/chain/tables"
)

func TestSampleChainIsValid(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	last := b.blocks[len(b.blocks)-1]
	season := Gap{Height: 4, From: b.blockTime(t, 3), To: b.blockTime(t, 4)}
	dearer := testRules() // announced and begun
	dearer.EntryFee = 60
	for name, opts := range map[string]Options{"1 part": {}, "2 parts": inMemory(2), "5 parts in files": inFiles(t, 5),
		"9 parts": inMemory(9)} {
		got := b.verify(t, opts)
		want := &Report{
			Height: 4, Blocks: 5, Transactions: 39, Addresses: 3, Tokens: 2,
			Created: 3*1000 + 200 + 307 + 50, Destroyed: 50 + 2 + 60 + 50,
			Head: last.Hash, HeaderRaw: last.Header, Rules: dearer, Name: "test/1",
			Gaps: []Gap{season}, GapCount: 1, GapTime: season.To - season.From,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: report (-want +got):\n%s", name, diff)
		}
		if !got.Valid() {
			t.Errorf("%s: not valid", name)
		}
	}
}

// time returns the time of a block.
func (b *testLedger) blockTime(t *testing.T, height int) int64 {
	t.Helper()
	h, err := chain.ParseHeader(b.blocks[height].Header)
	if err != nil {
		t.Fatal(err)
	}
	return h.Time
}

// TestReplayWithoutComparison checks that a chain verifies without a state to compare it with.
func TestReplayWithoutComparison(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	got := run(t, inMemory(3), b.feed)
	want := b.verify(t, Options{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestBatches replays a chain that is longer than the pipeline's capacity.
func TestBatches(t *testing.T) {
	t.Parallel()
	for _, perBlock := range []int{1, 100, 5000} {
		var blocks, txs int64
		report := run(t, inMemory(3), func(r *Replay) {
			txs = manyRuns(2000, perBlock, func(block Block) { blocks++; r.Block(block) })
		})
		if !report.Valid() || report.Blocks != blocks || report.Transactions != txs ||
			report.Addresses != 2000 || report.Tokens != 2000 {
			t.Errorf("%d to a block: got %+v, want %d valid blocks of %d transactions", perBlock, report, blocks, txs)
		}
	}
}

// TestPartsAgree checks that the report of a faulty chain does not depend on the number of parts.
func TestPartsAgree(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	for i := range b.blocks { // drop a transaction of every block but the first
		if i > 0 {
			b.blocks[i].Txs = b.blocks[i].Txs[1:]
		}
	}
	b.accounts[chain.Address{9}] = chain.Account{Kind: chain.Guest}
	delete(b.accounts, carol)
	delete(b.tokens, 3)
	clear(b.games)
	var first *Report
	for _, opts := range []Options{{}, {}, inMemory(2), inFiles(t, 5), inMemory(16)} {
		opts.MaxProblems = 35
		got := b.verify(t, opts)
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("%d parts: report (-1 part +got):\n%s", opts.Parts, diff)
		}
	}
	if len(first.Problems) != 35 || first.ProblemCount <= 35 {
		t.Errorf("got %d problems of %d, want 35 of more", len(first.Problems), first.ProblemCount)
	}
	few := b.verify(t, Options{})
	if diff := cmp.Diff(first.Problems[:20], few.Problems); diff != "" || few.ProblemCount != first.ProblemCount {
		t.Errorf("20 problems are kept by default (-want +got):\n%s", diff)
	}
}

// TestVisit checks that Visit receives every transaction of a block in order, parsed or not, and
// no pending one.
func TestVisit(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	b.blocks[2].Txs[1] = []byte("{}")
	var want, got []string
	for _, block := range b.blocks {
		for _, raw := range block.Txs {
			want = append(want, chain.HashTx(raw).String())
		}
	}
	opts := Options{Visit: func(hash chain.Hash, tx *chain.Tx, parsed bool) {
		if parsed != (hash != chain.HashTx([]byte("{}"))) || parsed && chain.HashTx(tx.Raw()) != hash {
			t.Errorf("transaction %v: visited with other content", hash)
		}
		got = append(got, hash.String())
	}}
	run(t, opts, func(r *Replay) {
		b.feed(r)
		r.Drain()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("visited before Drain returned (-want +got):\n%s", diff)
		}
	})
	if len(got) != len(want) {
		t.Errorf("visited %d transactions, want %d", len(got), len(want))
	}
}

// TestEarn checks that no account gets more points by a table than its games give in the season, in memory and from
// spill files.
func TestEarn(t *testing.T) {
	t.Parallel()
	for _, parts := range []int{1, 5} {
		var r *Replay
		n := 0
		visit := func(chain.Hash, *chain.Tx, bool) {
			switch n++; n {
			case 2:
				for i := range byte(40) {
					r.Earn(chain.Address{9, i}, fmt.Sprint("run:", i), tables.Earning{Season: 1, Points: 8})
				}
			case 3:
				for i := range byte(40) {
					r.Stated(chain.Address{9, i}, 1, 8)
				}
			case 4:
				r.Stated(chain.Address{9, 7}, 1, 4) // a second row
			}
		}
		b, closed := sampleChain(t), 0
		var err error
		if r, err = New(Options{Parts: parts, Spill: countCloses(&closed), Visit: visit}); err != nil {
			t.Fatal(err)
		}
		for _, block := range b.blocks {
			r.Block(block)
		}
		report, err := r.Finish()
		if err != nil || len(report.Problems) != 1 || report.Problems[0].Found != "4" {
			t.Errorf("%d parts: %v, %+v", parts, err, report)
		}
	}
}

// TestStated checks which games count for a row: the games of the season whose result was not void when it
// closed.
func TestStated(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		voids  map[string]int64 // by game: the last season that was closed before
		kind   chain.AccountKind
		season int64
		most   int64
	}{
		"all games of the season": {season: 2, most: 4 + 8},
		"an earlier season":       {season: 1, most: 2},
		"a later season":          {season: 3, most: 0},
		"void before the close":   {season: 2, most: 8, voids: map[string]int64{"run:b": 1}},
		"void a season before":    {season: 2, most: 8, voids: map[string]int64{"run:b": 0}},
		"void after the close":    {season: 2, most: 4 + 8, voids: map[string]int64{"run:b": 2, "duel:c": 3}},
		"void, of another kind":   {season: 2, most: 4 + 8, voids: map[string]int64{"duel:b": 1}},
		"a bot":                   {season: 2, most: 0, kind: chain.Bot},
	} {
		for _, more := range []int64{0, 1} {
			s := newState(5)
			s.accounts[alice] = holder{Account: chain.Account{Kind: tt.kind}}
			s.voids = map[key]int64{}
			for game, closed := range tt.voids {
				s.voids[gameKey(game)] = closed
			}
			at := position{height: 3}
			s.earn(alice, earned{gameKey("run:a"), tables.Earning{Season: 1, Points: 2}}, &at)
			s.earn(alice, earned{gameKey("run:b"), tables.Earning{Season: 2, Points: 4}}, &at)
			s.earn(alice, earned{gameKey("duel:c"), tables.Earning{Season: 2, Points: 8, Duel: true}}, &at)
			s.earn(bob, earned{gameKey("run:d"), tables.Earning{Season: 2, Points: 16}}, &at)
			s.stated(alice, tt.season, tt.most+more, &at)
			if s.problems.count != int(more) {
				t.Errorf("%s: %d points give %d problems", name, tt.most+more, s.problems.count)
			}
		}
	}
}

// TestAddProblem checks that problems of the caller are counted and sorted with the others.
func TestAddProblem(t *testing.T) {
	t.Parallel()
	b := sampleChain(t)
	b.blocks[3].Hash[0] ^= 1
	b.pendingTxs = append(b.pendingTxs, []byte("z"), []byte("a"))
	added := Problem{Height: 2, What: "position", Expected: "1", Found: "2"}
	last := Problem{Height: -1, What: "checkpoint", Expected: "signed", Found: "not signed"}
	report := run(t, Options{}, func(r *Replay) {
		r.AddProblem(last)
		b.feed(r)
		r.AddProblem(added)
	})
	want := []Problem{
		added,
		{Height: 3, Hash: chain.HashBlock(b.blocks[3].Header).String(), What: "block hash",
			Expected: chain.HashBlock(b.blocks[3].Header).String(), Found: b.blocks[3].Hash.String()},
		{Height: -1, Hash: chain.HashTx([]byte("z")).String(), What: "transaction", Expected: "a canonical transaction",
			Found: `chain: transaction: at byte 0: want {"actor":`},
		{Height: -1, Hash: chain.HashTx([]byte("a")).String(), What: "transaction", Expected: "a canonical transaction",
			Found: `chain: transaction: at byte 0: want {"actor":`},
		last,
	}
	if diff := cmp.Diff(want, report.Problems); diff != "" || report.Valid() {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestNoLeaks relies on synctest.Test, which fails unless every goroutine started in it ends.
func TestNoLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := sampleChain(t)
		closed := 0
		opts := Options{Parts: 4, Spill: countCloses(&closed)}
		b.verify(t, opts)
		if closed != 3 {
			t.Errorf("finished: got %d files closed, want 3", closed)
		}
		r, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		b.feed(r)
		r.Close()
		r.Close()
		if closed != 6 {
			t.Errorf("closed: got %d files closed in total, want 6", closed)
		}
		idle, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		idle.Close()
	})
}

func TestEmptyChain(t *testing.T) {
	t.Parallel()
	report := run(t, Options{Compare: true}, func(*Replay) {})
	want := []Problem{{Height: -1, What: "chain", Expected: "a genesis transaction", Found: "none"}}
	if diff := cmp.Diff(want, report.Problems); diff != "" || report.Height != -1 {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestPartsFor(t *testing.T) {
	t.Parallel()
	for txs, want := range map[int64]int{0: 1, 249_999: 1, 250_000: 2, 10_000_000: 41, 1 << 50: 513} {
		if got := PartsFor(txs); got != want {
			t.Errorf("%d transactions: got %d parts, want %d", txs, got, want)
		}
	}
}

// problemMatch describes an expected problem.
type problemMatch struct {
	height int64
	what   string // part of What
	values string // part of "Expected / Found"
}

// check compares the first problem of a report with w.
func (w problemMatch) check(t *testing.T, name string, report *Report) {
	t.Helper()
	if report.Valid() {
		t.Errorf("%s: got valid", name)
		return
	}
	first := report.Problems[0]
	values := first.Expected + " / " + first.Found
	if first.Height != w.height || !strings.Contains(first.What, w.what) || !strings.Contains(values, w.values) {
		t.Errorf("%s: got %+v as first problem, want height %d, %q, values %q", name, first, w.height, w.what, w.values)
	}
}

// TestMalformedTransactions checks that a malformed transaction is one problem, identified by its
// hash, and that the rest of the chain is still checked.
func TestMalformedTransactions(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "{}", "null", "\x00", `{"actor":null}`, strings.Repeat("[", 100_000)} {
		b := newLedger(t)
		b.pendingTxs = [][]byte{[]byte(raw)}
		b.seal()
		report := b.verify(t, Options{})
		problemMatch{1, "transaction", "a canonical transaction"}.check(t, raw, report)
		if report.ProblemCount != 1 || report.Problems[0].Hash != chain.HashTx([]byte(raw)).String() {
			t.Errorf("%.20q: got %+v, want one problem with its hash", raw, report.Problems)
		}
		b = newLedger(t)
		b.pendingTxs = [][]byte{bytes.Clone([]byte(raw))}
		problemMatch{-1, "transaction", "a canonical transaction"}.check(t, "pending "+raw, b.verify(t, Options{}))
	}
}

// FuzzReplay checks that a replay of arbitrary texts ends with a report.
func FuzzReplay(f *testing.F) {
	b := sampleChain(f)
	for _, block := range b.blocks {
		for _, raw := range block.Txs {
			f.Add(block.Header, raw)
		}
	}
	f.Fuzz(func(t *testing.T, header, raw []byte) {
		forged := Block{Hash: chain.HashBlock(header), Header: header, Txs: [][]byte{raw, raw}}
		report := run(t, inMemory(2), func(r *Replay) {
			b.feed(r)
			r.Block(forged)
			r.Pending(raw)
		})
		if report.Valid() || report.Blocks != int64(len(b.blocks)+1) {
			t.Errorf("%s with %s twice after a valid chain: got %+v", header, raw, report)
		}
	})
}

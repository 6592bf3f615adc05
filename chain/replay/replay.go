// Package replay re-derives everything that a chain claims, from genesis:
// every block hash, Merkle root and transaction hash, every balance, nonce,
// owner and commitment, and holds them against what somebody says they are.
//
//	r := replay.New(replay.Options{})
//	for … { r.Block(replay.Block{Header: raw, Txs: raws}) }    // in order of height
//	for … { r.Pending(raw) }                                   // applied, not yet in a block
//	for … { r.ExpectAccount(address, account) }                // what the tables say
//	report, err := r.Finish()
//
// It streams: hashing and parsing run on all processors, state is applied in
// chain order. No rule concerns two accounts, tokens or games at once (package
// chain), so the state is split into parts; the first part is worked on at
// once, and what concerns the others waits in files until its turn comes. That
// keeps the memory flat however long the chain is.
//
// A replay trusts nothing but the rules. It says what is wrong and where, and
// goes on.
package replay

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"

	"roshambo/chain"
)

// Options say how to replay. The zero value replays in memory.
type Options struct {
	// Parts is how many parts the state is split into, 1 at least. PartsFor
	// gives a number that keeps each below some 60 MB.
	Parts int
	// Spill makes a file for what waits, needed when Parts is above 1. Each is
	// written, then read once from its start, then closed.
	Spill func() (io.ReadWriteCloser, error)
	// Compare says that every account, token and open game will be named by
	// Expect calls, so that one that is not is a problem.
	Compare bool
	// MaxProblems is how many problems are kept; 20 when 0. All are counted.
	MaxProblems int
}

// PartsFor returns how many parts suit a chain of so many transactions.
func PartsFor(transactions int64) int { return int(transactions/500_000) + 1 }

// Block is a block as it is stored.
type Block struct {
	Hash   chain.Hash // as stored; checked against the header
	Header []byte     // raw
	Txs    [][]byte   // raws, in order
}

// Problem is something that is not as it must be.
type Problem struct {
	Height   int64  // of the block; -1 where no block is concerned
	Hash     string // of the block or transaction, "" where none is
	What     string
	Expected string
	Found    string
}

// Report is the outcome of a replay.
type Report struct {
	Height       int64 // of the last block, -1 without any
	Blocks       int64
	Transactions int64 // in blocks
	Addresses    int64 // with an account
	Tokens       int64 // in somebody's wallet
	Created      int64 // coins, over all time
	Destroyed    int64
	Head         chain.Hash
	HeaderRaw    []byte // of the last block
	Rules        chain.Rules
	Name         string
	Problems     []Problem
	ProblemCount int
}

// Valid says whether no problem was found.
func (r *Report) Valid() bool { return r.ProblemCount == 0 }

// Replay is one pass over a chain. Its methods are called from one goroutine.
type Replay struct {
	opts    Options
	batch   *batch
	work    chan *batch
	ordered chan *batch
	workers sync.WaitGroup
	applied chan struct{}
	apply   *applier
}

// batchSize is how many transactions go through the pipeline together: enough
// that handing over costs little, few enough that little is in flight.
const batchSize = 512

// New starts a replay. It must be finished, or its goroutines stay.
func New(opts Options) (*Replay, error) {
	if opts.Parts < 1 {
		opts.Parts = 1
	}
	if opts.MaxProblems == 0 {
		opts.MaxProblems = 20
	}
	a, err := newApplier(opts)
	if err != nil {
		return nil, err
	}
	r := &Replay{
		opts: opts, batch: new(batch), apply: a,
		work: make(chan *batch, 2), ordered: make(chan *batch, 8), applied: make(chan struct{}),
	}
	for range runtime.GOMAXPROCS(0) {
		r.workers.Go(func() {
			for b := range r.work {
				b.prepare()
				close(b.ready)
			}
		})
	}
	go func() {
		defer close(r.applied)
		for b := range r.ordered {
			<-b.ready
			a.batch(b)
		}
	}()
	return r, nil
}

// Block takes the next block. The replay keeps its slices until it is finished
// with them; the caller must not change them.
func (r *Replay) Block(b Block) {
	r.batch.blocks = append(r.batch.blocks, block{Block: b})
	r.batch.size += len(b.Txs) + 1
	if r.batch.size >= batchSize {
		r.flush()
	}
}

// Pending takes a transaction that has taken effect and waits for its block,
// after all blocks and in the order of taking effect.
func (r *Replay) Pending(raw []byte) {
	r.batch.blocks = append(r.batch.blocks, block{Block: Block{Txs: [][]byte{raw}}, pending: true})
	r.batch.size += 2
	if r.batch.size >= batchSize {
		r.flush()
	}
}

// Note adds a problem that the caller found in what it keeps beside the chain.
func (r *Replay) Note(p Problem) {
	r.settle()
	r.apply.problem(p)
}

// settle waits until all that was taken is applied, so that the caller may
// speak to the applier.
func (r *Replay) settle() {
	r.flush()
	done := &batch{ready: make(chan struct{}), settled: make(chan struct{})}
	close(done.ready)
	r.ordered <- done
	<-done.settled
}

func (r *Replay) flush() {
	if len(r.batch.blocks) == 0 {
		return
	}
	b := r.batch
	b.ready = make(chan struct{})
	r.batch = new(batch)
	r.ordered <- b
	r.work <- b
}

// Finish ends the replay and returns what was found. The error is of the spill
// files only: what is wrong with the chain stands in the report.
func (r *Replay) Finish() (*Report, error) {
	r.flush()
	close(r.ordered)
	close(r.work)
	r.workers.Wait()
	<-r.applied
	return r.apply.finish()
}

// batch is what goes through the pipeline: some blocks in order.
type batch struct {
	blocks  []block
	size    int
	ready   chan struct{} // closed when prepared
	settled chan struct{} // when set, closed by the applier; such a batch is empty
}

// block is a block with all that can be said of it alone.
type block struct {
	Block
	pending   bool
	header    chain.Header
	headerErr error
	hash      chain.Hash // of the header
	root      chain.Hash // over the transactions
	txs       []parsedTx
}

type parsedTx struct {
	tx   chain.Tx
	hash chain.Hash
	err  error
}

// prepare hashes and parses; it runs on any processor.
func (b *batch) prepare() {
	for i := range b.blocks {
		b.blocks[i].prepare()
	}
}

func (b *block) prepare() {
	b.txs = make([]parsedTx, len(b.Txs))
	hashes := make([]chain.Hash, len(b.Txs))
	for i, raw := range b.Txs {
		t := &b.txs[i]
		t.hash = chain.HashTx(raw)
		t.tx, t.err = chain.ParseTx(raw)
		hashes[i] = t.hash
	}
	if b.pending {
		return
	}
	b.hash = chain.HashBlock(b.Header)
	b.header, b.headerErr = chain.ParseHeader(b.Header)
	b.root = chain.MerkleRoot(hashes)
}

// checkHeader holds a block against the one before it.
func (a *applier) checkHeader(b *block) {
	want := a.report.Height + 1
	wrong := func(what string, expected, found any) {
		a.problem(Problem{want, b.hash.String(), what, fmt.Sprint(expected), fmt.Sprint(found)})
	}
	if b.headerErr != nil {
		wrong("block header", "a canonical header", b.headerErr)
	} else if !bytes.Equal(b.header.Raw(), b.Header) {
		wrong("block header", string(b.header.Raw()), string(b.Header))
	}
	if b.hash != b.Hash {
		wrong("block hash", b.hash, b.Hash)
	}
	if b.header.Height != want {
		wrong("block height", want, b.header.Height)
	}
	if b.header.Prev != a.report.Head {
		wrong("hash of the block before", a.report.Head, b.header.Prev)
	}
	if b.header.Time < a.time {
		wrong("block time", "at least "+strconv.FormatInt(a.time, 10), b.header.Time)
	}
	if b.header.TxCount != int64(len(b.Txs)) {
		wrong("number of transactions", b.header.TxCount, len(b.Txs))
	}
	if b.header.MerkleRoot != b.root {
		wrong("merkle root", b.root, b.header.MerkleRoot)
	}
	a.time = max(a.time, b.header.Time)
	a.report.Height, a.report.Head, a.report.HeaderRaw = want, b.hash, b.Header
	a.report.Blocks++
	a.report.Transactions += int64(len(b.Txs))
}

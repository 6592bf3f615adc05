// Package replay verifies a whole chain from genesis. It derives every block hash, Merkle root
// and transaction hash, every balance, nonce, owner and commitment from the transactions, and
// optionally compares the final state with the tables of a ledger.
//
//	r, err := replay.New(replay.Options{Compare: true})
//	…
//	defer r.Close()
//	for … { r.Block(replay.Block{Hash: hash, Header: raw, Txs: raws}) } // in order of height
//	for … { r.Pending(raw) }                                 // applied, not yet in a block
//	for … { r.ExpectAccount(address, account) }              // the rows of the tables
//	report, err := r.Finish()
//
// A replay streams. Blocks travel in batches through a pipeline: workers on all processors hash
// and parse them, one goroutine applies them in chain order. No rule spans two accounts, tokens
// or games (package chain), so the state is divided into parts. The first part is applied in
// memory right away; the effects on each other part are appended to a spill file and applied in
// Finish, a few parts at a time. So memory does not grow with the length of the chain.
//
// Five rules concern the whole chain, and no account, token or game alone: rules are announced, and
// rules and recoveries have consecutive numbers, a recovery ends all games in play at once, seasons
// close in their order and not before their end, a transaction's time fits the blocks around it,
// and a commitment is published once. The first four follow from the order of the blocks, which one
// goroutine applies; commitments are divided into parts like the state.
//
// A replay trusts nothing but the rules. It reports every problem with its position and
// continues: a forbidden effect leaves its account, token or game unchanged, so one fault can
// cause later problems. The report lists problems in chain order; the first one is the cause.
package replay

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"roshambo/chain"
	"roshambo/chain/tables"
)

// Options configure a replay. The zero value replays in memory, without comparison.
type Options struct {
	// Parts is the number of parts of the state; values below 1 mean 1. PartsFor returns a
	// number that keeps memory below about 150 MB: the first part is in memory until Finish,
	// then up to four of the others at a time.
	Parts int
	// Spill creates an empty spill file; it is required when Parts is above 1 and called
	// Parts-1 times. The replay writes each file, reads it once from its start (after a Seek
	// if it is an io.Seeker) and closes it. Several files are read concurrently.
	Spill func() (io.ReadWriteCloser, error)
	// Compare announces that Expect calls will name the complete state: every account, every
	// token ever created, every game ever started, and every escrow that holds a stake. A
	// derived state that no call names is then a problem.
	Compare bool
	// Begin, when set, is called for each block before its transactions. header is zero when
	// it cannot be parsed. The callee must not keep it.
	Begin func(header *chain.Header)
	// Visit, when set, is called for each transaction of a block, in chain order and from one
	// goroutine at a time. parsed reports whether tx holds the transaction; when it is false,
	// tx is zero. The callee must not keep tx.
	Visit func(hash chain.Hash, tx *chain.Tx, parsed bool)
	// MaxProblems limits the problems in the report, KeptProblems when 0. All problems are counted.
	MaxProblems int
}

// PartsFor returns the number of parts that suits a chain of the given number of transactions.
// A transaction takes about 100 bytes of state, so a part takes about 25 MB. The limit of 513
// keeps the number of open spill files at 512.
func PartsFor(transactions int64) int { return int(min(transactions/250_000+1, 513)) }

// Block is a block as a ledger stores it.
type Block struct {
	Hash   chain.Hash // as stored; compared with the header's
	Header []byte     // raw
	Txs    [][]byte   // raws, in order
}

// Report is the result of a replay.
type Report struct {
	// Height is the height of the last block, -1 without blocks.
	Height int64
	// Blocks and Transactions are counts; pending transactions are not included.
	Blocks       int64
	Transactions int64
	// Addresses is the number of accounts, escrows excluded.
	Addresses int64
	// Tokens is the number of tokens that have an owner.
	Tokens int64
	// Created and Destroyed are the totals of coins over the whole chain. Their difference is the
	// sum of all balances and escrows.
	Created   int64
	Destroyed int64
	// Head is the hash of the last block's header, HeaderRaw its text.
	Head      chain.Hash
	HeaderRaw []byte
	// Rules are the rules in force at the time of the last block.
	Rules chain.Rules
	// Name is the name of the chain, "" without a genesis.
	Name string
	// Gaps are the longest gaps, in chain order, GapCount is the number of all, GapTime their sum in milliseconds.
	Gaps     []Gap
	GapCount int64
	GapTime  int64
	// Problems are the first problems in chain order, ProblemCount is the number of all.
	Problems     []Problem
	ProblemCount int
}

// Gap is a time between two neighbour blocks that is longer than MaxQuiet: a running service seals an empty
// block every five minutes, so it was down, or it has dated blocks wrongly.
type Gap struct {
	Height   int64 // of the later block
	From, To int64 // times of the two blocks, in Unix milliseconds
}

const (
	// MaxQuiet is the longest time between two neighbour blocks that is no gap, in milliseconds.
	MaxQuiet = 6 * 60 * 1000
	// KeptGaps is the number of gaps in a report.
	KeptGaps = 20
)

// addGap counts the time from a block to the next one, of a height, if it is a gap. When there are more than
// KeptGaps it drops the shortest one, so that a report stays short and in the order of the chain.
func (r *Report) addGap(height, from, to int64) {
	if to-from <= MaxQuiet {
		return
	}
	r.GapCount++
	r.GapTime += to - from
	r.Gaps = append(r.Gaps, Gap{height, from, to})
	if len(r.Gaps) <= KeptGaps {
		return
	}
	shortest := 0
	for i, g := range r.Gaps {
		if g.To-g.From < r.Gaps[shortest].To-r.Gaps[shortest].From {
			shortest = i
		}
	}
	r.Gaps = slices.Delete(r.Gaps, shortest, shortest+1)
}

// Valid reports whether the replay found no problem.
func (r *Report) Valid() bool { return r.ProblemCount == 0 }

// Replay is one pass over a chain. Its methods must be called from one goroutine, in the order
// of the package comment.
type Replay struct {
	apply *applier
	batch *batch // being filled by Block and Pending
	// drained reports that no block was added since the last Drain, ended that the pipeline is
	// shut down.
	drained bool
	ended   bool
	// work has the batches to prepare, in any order, for the workers.
	work chan *batch
	// ordered has the same batches in chain order for the applier.
	ordered chan *batch
	// used has applied batches for reuse.
	used    chan *batch
	workers sync.WaitGroup
	applied chan struct{} // closed when applyAll returns
}

// KeptProblems is the number of problems in a report when Options.MaxProblems is 0.
const KeptProblems = 20

// New starts a replay. The caller must end it with Finish or Close, which release its
// goroutines and files. New returns an error when the spill files are missing or cannot be
// created.
func New(opts Options) (*Replay, error) {
	opts.Parts = max(opts.Parts, 1)
	if opts.MaxProblems == 0 {
		opts.MaxProblems = KeptProblems
	}
	// Without spill files the memory would grow with the chain, which the caller ruled out.
	if opts.Parts > 1 && opts.Spill == nil {
		return nil, errors.New("replay: more than one part needs spill files")
	}
	a, err := newApplier(opts)
	if err != nil {
		return nil, err
	}
	r := &Replay{
		apply: a, batch: new(batch), work: make(chan *batch, inFlight), ordered: make(chan *batch, inFlight),
		used: make(chan *batch, inFlight), applied: make(chan struct{}),
	}
	for range runtime.GOMAXPROCS(0) {
		r.workers.Go(r.prepareAll)
	}
	go r.applyAll()
	return r, nil
}

// inFlight is the capacity of the pipeline in batches. It bounds the memory for raws.
const inFlight = 8

// prepareAll hashes and parses batches until the pipeline ends.
func (r *Replay) prepareAll() {
	for b := range r.work {
		b.prepare()
		close(b.ready)
	}
}

// applyAll applies batches in order until the pipeline ends. Every batch is queued in ordered
// before work, so waiting for ready cannot deadlock.
func (r *Replay) applyAll() {
	defer close(r.applied)
	for b := range r.ordered {
		if b.drained != nil {
			close(b.drained)
			continue
		}
		<-b.ready
		r.apply.batch(b)
		b.reset()
		select {
		case r.used <- b:
		default: // the free list is full
		}
	}
}

// Block adds the next block. The replay keeps references to its slices, so the caller must not
// change them.
func (r *Replay) Block(b Block) {
	r.batch.blocks = append(r.batch.blocks, block{Block: b})
	r.added(len(b.Txs))
}

// Pending adds a transaction that the ledger has applied and not yet put in a block. Call it
// after all blocks, in the order of application.
func (r *Replay) Pending(raw []byte) {
	r.batch.blocks = append(r.batch.blocks, block{Block: Block{Txs: [][]byte{raw}}, pending: true})
	r.added(1)
}

// added counts txs transactions of a new block and sends the batch when it is full.
func (r *Replay) added(txs int) {
	r.drained = false
	r.batch.size += txs + 1
	if r.batch.size >= batchSize {
		r.flush()
	}
}

// flush sends the batch being filled through the pipeline and takes an empty one.
func (r *Replay) flush() {
	if len(r.batch.blocks) == 0 {
		return
	}
	// ordered first: the applier must know the order before a worker can finish the batch. Both
	// channels block when the pipeline is full, which is the backpressure on the caller.
	r.batch.ready = make(chan struct{})
	r.ordered <- r.batch
	r.work <- r.batch
	// Prefer a used batch: its slices have the right capacity already.
	select {
	case r.batch = <-r.used:
	default:
		r.batch = new(batch)
	}
}

// Earn takes note of what a game that the transaction ends gives an account. game is its chain.GameEffect.ID. Only
// Visit may call it.
func (r *Replay) Earn(account chain.Address, game string, e tables.Earning) {
	r.apply.accountPart(account).earn(account, earned{gameKey(game), e}, &r.apply.at)
}

// Stated compares the points that the table of a season states for an account with tables.MostPoints of its games of
// this season, but for those whose result was void when the season closed. More points are a problem, and so are any
// of a bot, and a second row. Only Visit may call it.
func (r *Replay) Stated(account chain.Address, season, points int64) {
	r.apply.accountPart(account).stated(account, season, points, &r.apply.at)
}

// AddProblem adds a problem that the caller found outside the chain, in its tables or files for
// example. A problem with height -1 is sorted after all others, one of a block before the other
// problems of that block.
func (r *Replay) AddProblem(p Problem) {
	r.Drain()
	// The position decides the order, not the time of the call.
	index := int64(beforeAll)
	if p.Height == noHeight {
		index = afterAll
	}
	r.apply.problems.add(p, index)
}

// Drain waits until every added block is applied. After it returns, Begin and Visit are not
// called again unless the caller adds another block. The Expect methods and AddProblem call it.
func (r *Replay) Drain() {
	// The Expect methods call Drain for every row: it must cost nothing after the first time.
	if r.drained {
		return
	}
	r.flush()
	// An empty batch in the ordered queue is reached after everything before it is applied.
	done := &batch{drained: make(chan struct{})}
	r.ordered <- done
	<-done.drained
	r.drained = true
}

// ExpectPublished compares the transaction that published the outstanding commitment of an
// address with tx, which is zero for an escrow. It is optional, and must precede ExpectAccount
// of the address.
func (r *Replay) ExpectPublished(address chain.Address, tx chain.Hash) {
	r.Drain()
	r.apply.accountPart(address).expectPublished(address, tx)
}

// ExpectAccount compares the derived state of an address, after the last block and pending
// transaction, with account. Each Expect method must be called at most once per key: a second
// call finds no derived state and reports a problem.
func (r *Replay) ExpectAccount(address chain.Address, account chain.Account) {
	r.Drain()
	r.apply.accountPart(address).expectAccount(address, &account)
}

// ExpectToken compares the derived state of a token with token.
func (r *Replay) ExpectToken(id int64, token chain.Token) {
	r.Drain()
	r.apply.tokenPart(id).expectToken(id, &token)
}

// ExpectGame compares the derived state of a run, duel or season with game. For one that is
// over it compares the step only.
func (r *Replay) ExpectGame(id string, game chain.Game) {
	r.Drain()
	k := gameKey(id)
	r.apply.gamePart(k).expectGame(k, id, &game)
}

// Finish ends the replay and returns the report. An error means that a spill file failed; then
// there is no report. Problems of the chain are in the report, never errors.
func (r *Replay) Finish() (*Report, error) {
	r.end()
	return r.apply.finish()
}

// Close aborts the replay and closes its files. After Finish it does nothing.
func (r *Replay) Close() {
	r.end()
	r.apply.close()
}

// end shuts down the pipeline on its first call.
func (r *Replay) end() {
	if r.ended {
		return
	}
	r.ended = true
	r.flush() // the blocks added last
	close(r.ordered)
	close(r.work)
	r.workers.Wait()
	<-r.applied
}

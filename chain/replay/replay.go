// Package replay re-derives everything that a chain claims, from genesis:
// every block hash, Merkle root and transaction hash, every balance, nonce,
// owner and commitment, and holds them against what somebody says they are.
//
//	r, err := replay.New(replay.Options{Compare: true})
//	…
//	defer r.Close()
//	for … { r.Block(replay.Block{Hash: hash, Header: raw, Txs: raws}) } // in order of height
//	for … { r.Pending(raw) }                                 // applied, not yet in a block
//	for … { r.ExpectAccount(address, account) }              // what the tables say
//	report, err := r.Finish()
//
// It streams: hashing and parsing run on all processors, state is applied in
// chain order. No rule concerns two accounts, tokens or games at once (package
// chain), so the state is split into parts; the first part is worked on at
// once, and what concerns the others waits in files until its turn comes. That
// keeps the memory flat however long the chain is.
//
// A replay trusts nothing but the rules. It says what is wrong and where, and
// goes on: an account, token or game to which something forbidden happens stays as
// it was, so that one fault can make others. The first on the chain is the one to
// look at, and the report has them in that order.
package replay

import (
	"errors"
	"io"
	"runtime"
	"sync"

	"roshambo/chain"
)

// Options say how to replay. The zero value replays in memory.
type Options struct {
	// Parts is how many parts the state is split into, 1 at least. PartsFor
	// gives a number that keeps the memory below some 150 MB: the first part is
	// there until all is said, then up to four of the others at a time.
	Parts int
	// Spill makes a file for what waits, needed when Parts is above 1. Each is
	// written, then read once from its start (which is sought if it is an
	// io.Seeker), then closed. Several are read side by side.
	Spill func() (io.ReadWriteCloser, error)
	// Compare says that everything will be named by Expect calls, so that what is
	// not is a problem: every account, every token ever created, every game ever
	// begun, and every escrow that holds a stake.
	Compare bool
	// Begin, when set, is called for each block before its transactions, with what
	// could be read of its header, which must not be kept.
	Begin func(header *chain.Header)
	// Visit, when set, is called for each transaction of a block, in chain order
	// and from one goroutine at a time; parsed says whether it could be read. tx
	// must not be kept.
	Visit func(hash chain.Hash, tx *chain.Tx, parsed bool)
	// MaxProblems is how many problems are kept; 20 when 0. All are counted.
	MaxProblems int
}

// PartsFor returns how many parts suit a chain of so many transactions: each takes
// some 100 bytes of state, and no process should have more than 512 files open for
// this.
func PartsFor(transactions int64) int { return int(min(transactions/250_000+1, 513)) }

// Block is a block as it is stored.
type Block struct {
	Hash   chain.Hash // as stored; checked against the header
	Header []byte     // raw
	Txs    [][]byte   // raws, in order
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
	Problems     []Problem // the first ones, in the order of the chain
	ProblemCount int       // of all
}

// Valid says whether no problem was found.
func (r *Report) Valid() bool { return r.ProblemCount == 0 }

// Replay is one pass over a chain. Its methods are called from one goroutine.
type Replay struct {
	apply   *applier
	batch   *batch      // being filled
	drained bool        // nothing was taken since the applier was last waited for
	ended   bool        // the pipeline was shut down
	work    chan *batch // to be prepared, in any order
	ordered chan *batch // to be applied, in this order
	used    chan *batch // applied, to be filled again
	workers sync.WaitGroup
	applied chan struct{} // closed when the applier has ended
}

// New starts a replay. Its goroutines and files stay until Finish or Close.
func New(opts Options) (*Replay, error) {
	opts.Parts = max(opts.Parts, 1)
	if opts.MaxProblems == 0 {
		opts.MaxProblems = 20
	}
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

// inFlight is how many batches may wait for a worker or for the applier.
const inFlight = 8

func (r *Replay) prepareAll() {
	for b := range r.work {
		b.prepare()
		close(b.ready)
	}
}

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
		default: // enough are waiting to be filled
		}
	}
}

// Block takes the next block. The replay keeps its slices until it is finished
// with them; the caller must not change them.
func (r *Replay) Block(b Block) {
	r.batch.blocks = append(r.batch.blocks, block{Block: b})
	r.added(len(b.Txs))
}

// Pending takes a transaction that has taken effect and waits for its block,
// after all blocks and in the order of taking effect.
func (r *Replay) Pending(raw []byte) {
	r.batch.blocks = append(r.batch.blocks, block{Block: Block{Txs: [][]byte{raw}}, pending: true})
	r.added(1)
}

func (r *Replay) added(txs int) {
	r.drained = false
	r.batch.size += txs + 1
	if r.batch.size >= batchSize {
		r.flush()
	}
}

func (r *Replay) flush() {
	if len(r.batch.blocks) == 0 {
		return
	}
	r.batch.ready = make(chan struct{})
	r.ordered <- r.batch
	r.work <- r.batch
	select {
	case r.batch = <-r.used:
	default:
		r.batch = new(batch)
	}
}

// Note adds a problem that the caller found in what it keeps beside the chain.
func (r *Replay) AddProblem(p Problem) {
	r.Drain()
	index := int64(beforeAll)
	if p.Height == noHeight {
		index = afterAll
	}
	r.apply.problems.add(p, index)
}

// Drain waits until all that was taken is applied: from then on Visit is not
// called any more, unless another block comes. The Expect methods and Note do so
// by themselves.
func (r *Replay) Drain() {
	if r.drained {
		return
	}
	r.flush()
	done := &batch{drained: make(chan struct{})}
	r.ordered <- done
	<-done.drained
	r.drained = true
}

// ExpectPublished says which transaction is held to have published the outstanding
// commitment of an address, none for an escrow. It comes before ExpectAccount of that
// address; who does not keep this need not say it.
func (r *Replay) ExpectPublished(address chain.Address, tx chain.Hash) {
	r.Drain()
	r.apply.accountPart(address).expectPublished(address, tx)
}

// ExpectAccount says what the state of an address is held to be, after the last
// block and pending transaction.
func (r *Replay) ExpectAccount(address chain.Address, account chain.Account) {
	r.Drain()
	r.apply.accountPart(address).expectAccount(address, &account)
}

// ExpectToken says what the state of a token is held to be.
func (r *Replay) ExpectToken(id int64, token chain.Token) {
	r.Drain()
	r.apply.tokenPart(id).expectToken(id, &token)
}

// ExpectGame says what the state of a run, duel or season is held to be. Of one
// that is over only the step is compared.
func (r *Replay) ExpectGame(id string, game chain.Game) {
	r.Drain()
	k := gameKey(id)
	r.apply.gamePart(k).expectGame(k, id, &game)
}

// Finish ends the replay and returns what was found. The error is of the spill
// files only: what is wrong with the chain stands in the report.
func (r *Replay) Finish() (*Report, error) {
	r.end()
	return r.apply.finish()
}

// Close ends a replay whose outcome nobody problemMatch any more, and lets go of its
// files. After Finish it does nothing.
func (r *Replay) Close() {
	r.end()
	r.apply.close()
}

// end shuts the pipeline down, once.
func (r *Replay) end() {
	if r.ended {
		return
	}
	r.ended = true
	r.flush()
	close(r.ordered)
	close(r.work)
	r.workers.Wait()
	<-r.applied
}

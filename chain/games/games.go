// Package games verifies every game of a chain: it derives each house move, outcome and tier of
// every ended run from the revealed seeds, and each duel from its reveals, and compares them with
// what the chain states (docs/protocol.md, section 4, "Every game"). Every reader of the public
// log finds a token that no player won.
//
//	c := games.New()
//	for … {
//		c.Add(transcripts)             // of the games that end in the next block, in their order
//		c.Begin()                      // the next block
//		for … { c.Transaction(hash, tx) } // its transactions
//	}
//	report := c.Finish()
//
// The transcripts are not part of the transactions. Each is pinned by its hash in the run.end or
// duel.settle that ends the game, so its source does not matter. The tables of closed cups and
// seasons come among them: the checker compares them with the games by package tables.
//
// # Runs
//
// A run.start states the commitment, the hash of the client seed and the first tier; the run.end
// states status, tier, number of throws and the transcript's hash. Between the two the transcript
// leaves no choice:
//
//	seed 1 hashes to the commitment, seed n+1 to seed n           the house fixed all seeds before
//	house move = f(seed, n, client seed hash, entropy hash)       and so its moves
//	outcome    = player's move against the house's
//	tier       = first tier + wins                                and so the token
//
// A loss ends a run, and so does the win that reaches the highest tier of the rules in force.
//
// # Duels
//
// The commitments of a round bind both sides before either reveals: SHA-256(move ":" salt). The
// moves give the outcome of the round, the outcomes the winner, and the settlement states the
// winner and the transcript's hash. That a side missed a deadline rests on the service's word.
//
// # What it does not show
//
// The house knows its seeds, so it can play winning moves for an account of its own. One such run
// looks like luck. Many of them show in the Record: Audit compares its counts with chance.
//
// A Checker streams: Add may run ahead of Begin in another goroutine, and workers on all
// processors verify the games. Its memory holds the runs that are in play.
//
// The package is pure: standard library only, no clock, no randomness, no files.
package games

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"roshambo/chain"
	"roshambo/chain/replay"
	"roshambo/chain/tables"
)

// Report is the result of a verification.
type Report struct {
	// Record are the totals over the games without a fault.
	Record Record
	// Problems are the first MaxProblems faults in chain order.
	Problems []replay.Problem
}

// MaxProblems is the most problems of a report.
const MaxProblems = 20

// Checker verifies the games of one chain.
type Checker struct {
	// Earn, when set, is called for what a game gives an account, and Stated for each row of the table of a season: see
	// replay.Replay. Set them before the first block.
	Earn   func(account chain.Address, game string, e tables.Earning)
	Stated func(account chain.Address, season, points int64)

	mu    sync.Mutex // guards added
	added [][]pinned // transcripts of blocks that have not begun, the next block's first

	// The rest belongs to the goroutine that calls Begin and Transaction.
	rest    []pinned           // transcripts of the block that no game has taken
	at      place              // of the next transaction
	rules   chain.InForce      // zero before genesis
	now     *chain.Rules       // for the transaction that is added
	seen    *chain.Tier        // the first tier of the last rules whose values are in values
	values  []int64            // of each tier, by the last rules in force that had it, tier 1 first
	playing map[string]started // runs in play by id
	batch   []gameEnd          // games that no worker has yet
	faults  faults
	ended   bool // the workers are done

	recoveries int64 // so far
	// tables computes the tables of cups and seasons again. It belongs to the same goroutine.
	tables *tables.Checker

	work    chan []gameEnd
	workers sync.WaitGroup // the goroutines that verify
	results []*result      // one for each worker, read after the workers ended
}

// pinned is a transcript with the hash that pins it.
type pinned struct {
	hash chain.Hash
	raw  []byte
}

// place is a position in the chain.
type place struct{ height, index int64 }

// started is what the checker keeps of a run.start.
type started struct {
	account    chain.Address
	commitment chain.Hash
	clientSeed chain.Hash
	first      int64
	top        int64 // its highest tier, by the rules at the start
	paid       int64 // coins of the entry: the fee, or the value of the burnt token
	atStake    bool  // the entry was a fee or a token
}

// gameEnd is a game that has ended, with all that its verification needs.
type gameEnd struct {
	at    place
	hash  chain.Hash // of the transaction that ends it
	raw   []byte     // transcript; nil when missing
	run   *endedRun  // exactly one of run and duel is set
	duel  *endedDuel
	value int64 // of the token won, in coins
}

// endedRun is a run with its end.
type endedRun struct {
	started
	end chain.RunEnd
	top int64 // its highest tier, by the rules at its start or its end
}

// endedDuel is a duel with its settlement.
type endedDuel struct {
	settle chain.DuelSettle
	stake  int64 // of each side, by the transfers of the settlement
}

// batchSize is the number of games that a worker takes at a time.
const batchSize = 32

// New starts a Checker. The caller must end it with Finish or Close.
func New() *Checker {
	n := runtime.GOMAXPROCS(0)
	c := &Checker{
		at: place{height: -1}, playing: map[string]started{}, work: make(chan []gameEnd, 2*n), results: make([]*result, n),
		tables: tables.New(),
	}
	for i := range c.results {
		c.results[i] = new(result)
		c.workers.Go(func() { c.results[i].verifyAll(c.work) })
	}
	return c
}

// result collects what one worker finds.
type result struct {
	record Record
	faults faults
}

// verifyAll verifies games until there are no more.
func (r *result) verifyAll(work <-chan []gameEnd) {
	for batch := range work {
		for i := range batch {
			g := &batch[i]
			if f := r.verify(g); f != nil {
				r.faults.add(g.at, replay.Problem{
					Height: g.at.height, Hash: g.hash.String(), What: g.name(), Expected: f.expected, Found: f.found,
				})
			}
		}
	}
}

// Add appends the transcripts of the games that end in the next block, and the tables of the cups and
// seasons that close, in the order of the transactions that pin them. The checker keeps references to them.
// Add may be called from another goroutine than the other methods, before the Begin of the same block.
func (c *Checker) Add(transcripts [][]byte) {
	list := make([]pinned, len(transcripts))
	for i, raw := range transcripts {
		list[i] = pinned{chain.HashPinned(raw), raw}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.added = append(c.added, list)
}

// Begin begins the next block.
func (c *Checker) Begin(header *chain.Header) {
	c.endBlock("")
	c.tables.Begin(header)
	c.at = place{height: c.at.height + 1}
	c.mu.Lock()
	defer c.mu.Unlock()
	// A caller that adds nothing for a block leaves it without transcripts, which its games then lack.
	if len(c.added) > 0 {
		c.rest, c.added = c.added[0], c.added[1:]
	}
}

// endBlock reports transcripts that belong to no game of the block, or of the pending transaction with
// the hash.
func (c *Checker) endBlock(hash string) {
	if len(c.rest) > 0 {
		c.faults.add(c.at, replay.Problem{Height: c.at.height, Hash: hash, What: "transcripts",
			Expected: "one for each game that ends in the block, and each table", Found: "more"})
	}
	c.rest = nil
}

// Transaction adds the next transaction of the block. The checker does not keep tx.
func (c *Checker) Transaction(hash chain.Hash, tx *chain.Tx) {
	c.now = c.rules.Now()
	c.remember()
	switch d := tx.Data.(type) {
	// The replay reports rules that may not follow.
	case *chain.Genesis:
		c.rules = chain.InForce{Latest: d.Rules, Began: tx.Time}
		c.tables.Genesis(tx.Time)
	case *chain.RulesChange:
		c.rules, _ = c.rules.Announce(d, 0)
	case *chain.RulesBegin:
		c.rules.From = 0
	case *chain.Recovery: // the replay checks the number
		c.recoveries++
	case *chain.RunStart:
		c.start(tx, d)
	case *chain.RunEnd:
		c.endRun(hash, tx, d)
	case *chain.DuelSettle:
		c.settle(hash, tx, d)
	// The tables stand on the games before them.
	case *chain.CupClose:
		c.table(hash, fmt.Sprint("cup ", d.Cup), d.TableHash, func(raw []byte) error { return c.tables.Cup(d, raw) })
	case *chain.SeasonClose:
		c.table(hash, fmt.Sprint("season ", d.Season), d.TableHash, func(raw []byte) error {
			rows, err := c.tables.Season(d, raw)
			for _, r := range rows {
				c.stated(r.Account, d.Season, r.Points)
			}
			return err
		})
	}
	c.at.index++
}

// Pending adds a transaction that is in no block yet, with the transcript or table that it pins, nil for
// none. All pending transactions follow the last block.
func (c *Checker) Pending(hash chain.Hash, tx *chain.Tx, transcript []byte) {
	if c.at.height >= 0 {
		c.endBlock("")
		c.tables.Begin(&chain.Header{})
		c.Earn, c.Stated = nil, nil // the replay is not at this transaction
		c.at = place{height: pendingHeight}
	}
	if c.rest = nil; transcript != nil {
		c.rest = []pinned{{chain.HashPinned(transcript), transcript}}
	}
	c.Transaction(hash, tx)
	c.endBlock(hash.String())
}

// pendingHeight is the height in problems of pending transactions.
const pendingHeight = -1

// start keeps what the end of a run is verified with. A replay verifies that a run starts once.
func (c *Checker) start(tx *chain.Tx, d *chain.RunStart) {
	s := started{account: tx.Actor, commitment: d.Commitment, clientSeed: d.ClientSeedHash, first: d.FirstTier,
		top: c.now.Top()}
	switch d.Entry {
	case chain.EntryFee:
		s.atStake, s.paid = true, c.now.EntryFee
	case chain.EntryBurn:
		s.atStake, s.paid = true, c.value(d.FirstTier)
		// A run that is won can be claimed, whatever the rules have become.
		s.top = max(s.top, d.FirstTier+1)
	// These cost nothing, and what they win is given.
	case chain.EntryFree, chain.EntryDaily:
	}
	c.playing[d.RunID] = s
}

// value returns the value of a tier in coins, 0 for a tier that the rules do not have.
func (c *Checker) value(tier int64) int64 {
	if tier < 1 || tier > int64(len(c.values)) {
		return 0
	}
	return c.values[tier-1]
}

// remember notes the values of the rules in force. A tier that they lack keeps its last value: a token of
// it may still be burnt, and a run in play may still win one.
func (c *Checker) remember() {
	if len(c.now.Tiers) == 0 || &c.now.Tiers[0] == c.seen {
		return
	}
	c.seen = &c.now.Tiers[0]
	c.values = append(c.values, make([]int64, max(0, len(c.now.Tiers)-len(c.values)))...)
	for i, t := range c.now.Tiers {
		c.values[i] = t.Value
	}
}

// endRun queues the verification of a run. A run that was not started is a problem of the replay.
func (c *Checker) endRun(hash chain.Hash, tx *chain.Tx, d *chain.RunEnd) {
	raw := c.take(d.TranscriptHash)
	s, ok := c.playing[d.RunID]
	if !ok || s.account != tx.Actor {
		return
	}
	// A run ends once, so its start is not needed again. The copy of d outlives tx.
	delete(c.playing, d.RunID)
	g := gameEnd{at: c.at, hash: hash, raw: raw, run: &endedRun{started: s, end: *d, top: max(s.top, c.now.Top())}}
	if d.Status == chain.RunClaimed {
		g.value = c.value(d.Cleared)
		c.earn(tx.Actor, chain.RunGameID(d.RunID), c.tables.Claimed(tx.Time, s.first, d.Cleared))
	}
	c.queue(g)
}

// settle queues the verification of a duel.
func (c *Checker) settle(hash chain.Hash, tx *chain.Tx, d *chain.DuelSettle) {
	// The amounts of the transfers are a rule of the chain; here they only give the stake.
	e := &endedDuel{settle: *d}
	if len(tx.Transfers) > 0 {
		e.stake = tx.Transfers[0].Amount
		if d.Winner != "" { // one transfer pays both stakes
			e.stake /= 2
		}
	}
	raw := c.take(d.TranscriptHash)
	c.tables.Duel(d, e.stake, raw)
	winner := map[string]chain.Address{"a": d.A, "b": d.B}[d.Winner]
	c.earn(winner, chain.DuelGameID(d.DuelID), c.tables.Won(tx.Time, d, raw))
	c.queue(gameEnd{at: c.at, hash: hash, raw: raw, duel: e})
}

// earn passes on what a game gives an account, in the order of the transactions.
func (c *Checker) earn(account chain.Address, game string, e tables.Earning) {
	if c.Earn != nil && e.Points > 0 {
		c.Earn(account, game, e)
	}
}

// stated passes on a row of the table of a season, likewise. One without points, which is a fault of the table, states
// nothing of the games, and so may name any account.
func (c *Checker) stated(account chain.Address, season, points int64) {
	if c.Stated != nil && points > 0 {
		c.Stated(account, season, points)
	}
}

// table checks the table that a transaction pins. A fault names the cup or season, and the first thing in the table
// that does not follow from the chain.
//
// One that is missing or false is a problem of the transaction.
// It runs in the goroutine of Transaction, as it needs the duels before it, and a chain has few tables.
func (c *Checker) table(hash chain.Hash, name string, pinned chain.Hash, check func(raw []byte) error) {
	found := "none"
	if raw := c.take(pinned); raw != nil {
		err := check(raw)
		if err == nil {
			return
		}
		found = err.Error()
	}
	c.faults.add(c.at, replay.Problem{Height: c.at.height, Hash: hash.String(), What: name,
		Expected: "its table, as it follows from the chain", Found: found})
}

// maxSkipped bounds the search for a transcript that is not the next one.
const maxSkipped = 64

// take returns the transcript for the next game of the block, nil when it is missing. When the next
// one has another hash, take searches the ones behind it, so that one fault is reported once.
func (c *Checker) take(hash chain.Hash) []byte {
	for i, t := range c.rest[:min(len(c.rest), maxSkipped)] {
		if t.hash != hash {
			continue
		}
		if i > 0 {
			c.faults.add(c.at, replay.Problem{Height: c.at.height, What: "transcripts",
				Expected: "one for each game that ends in the block, in their order", Found: "others between them"})
		}
		c.rest = c.rest[i+1:]
		return t.raw
	}
	return nil
}

// queue passes a game to the workers.
func (c *Checker) queue(g gameEnd) {
	if c.batch = append(c.batch, g); len(c.batch) == batchSize {
		c.work <- c.batch
		c.batch = nil
	}
}

// Close ends the workers without a report. After Finish it does nothing.
func (c *Checker) Close() {
	if c.ended {
		return
	}
	c.ended = true
	close(c.work)
	c.workers.Wait()
}

// Finish waits for the workers and returns the report.
func (c *Checker) Finish() *Report {
	c.endBlock("")
	c.work <- c.batch
	c.batch = nil
	c.Close()
	all := c.faults
	out := &Report{Record: Record{Recoveries: c.recoveries, VoidTiers: []int64{}}}
	for _, r := range c.results {
		out.Record.add(&r.record)
		for _, f := range r.faults.list {
			all.add(f.at, f.problem)
		}
	}
	for _, f := range all.list {
		out.Problems = append(out.Problems, f.problem)
	}
	return out
}

// faults are the first MaxProblems problems in chain order.
type faults struct{ list []fault }

type fault struct {
	at      place
	problem replay.Problem
}

// add inserts a problem at its place. Pending transactions come last.
func (f *faults) add(at place, p replay.Problem) {
	i, _ := slices.BinarySearchFunc(f.list, at, func(e fault, at place) int {
		return cmp.Or(cmp.Compare(uint64(e.at.height), uint64(at.height)), cmp.Compare(e.at.index, at.index), -1)
	})
	if i < MaxProblems {
		f.list = slices.Insert(f.list, i, fault{at, p})
		f.list = f.list[:min(len(f.list), MaxProblems)]
	}
}

// name names the game for a report.
func (g *gameEnd) name() string {
	if g.run != nil {
		return "run " + g.run.end.RunID
	}
	return "duel " + g.duel.settle.DuelID
}

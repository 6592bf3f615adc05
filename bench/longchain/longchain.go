// Package longchain generates chains of any length, as players would have produced them, in
// minutes: the behaviour with millions of transactions can only be measured with millions
// of transactions.
//
// A seed determines the chain except for its signatures. Players are drawn uniformly,
// except for a few bots that take part in one of a hundred transactions each, so that there
// are addresses with few entries and with very many.
package longchain

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/fair"
	"roshambo/internal/ledger"
)

// Options configure the chain.
type Options struct {
	// Transactions is the length of the chain, including the genesis.
	Transactions int64
	Seed         uint64 // determines the chain except for its signatures
	// Genesis is the time of the genesis, in Unix milliseconds.
	Genesis int64
	// Season is the number of transactions per season; 0 for 50,000. With its end the clock of the
	// chain advances to the last day of the season, which ends no earlier.
	Season int64
	// Block, if not nil, receives the encoded transactions of each block. They are valid
	// until it returns.
	Block func([][]byte)
}

// Made describes a generated chain.
type Made struct {
	Blocks int64
	// End is the time of the last block, in Unix milliseconds. It may be years ahead.
	End int64
	// Busy are bots, each with about a hundredth of the transactions.
	Busy []chain.Address
	// Quiet is a sample of at most quietCount addresses with few transactions.
	Quiet []chain.Address
}

const (
	bots       = 4
	botsPart   = 25  // one of this many actions is a bot's
	blockMax   = 200 // transactions per block; half of it on average
	quietCount = 1000
)

// generator holds the state of the chain so far.
type generator struct {
	ctx     context.Context
	load    *ledger.Loader
	rules   chain.Rules
	random  *rand.Rand
	options Options
	ms      int64
	players []*player
	tokens  []int64 // in wallets
	owners  map[int64]owned
	raws    [][]byte // transactions of the open block
	fill    int      // size at which the open block is sealed
	made    int64
	blocks  int64
	nextID  int64 // next id of a token, listing, offer or season
	seasons int64
}

// player is an account of the chain.
type player struct {
	address chain.Address
	// seeds is the seed chain behind the outstanding commitment.
	seeds *fair.Chain
}

// owned is the owner of a token.
type owned struct {
	owner *player
	tier  int64
	// at is the index in generator.tokens.
	at    int
	bound bool // the token
}

// Make fills the chain of a ledger that has only its genesis. On error the database is
// incomplete and must be discarded.
func Make(ctx context.Context, l *ledger.Ledger, o Options) (Made, error) {
	load, err := l.NewLoader(ctx)
	if err != nil {
		return Made{}, err
	}
	o.Season = cmp.Or(o.Season, 50_000)
	m := &generator{ctx: ctx, load: load, rules: *l.Rules(), random: rand.New(rand.NewPCG(o.Seed, 0)), options: o,
		ms: o.Genesis, owners: map[int64]owned{}, made: 1, blocks: 1}
	for m.made < o.Transactions {
		if err := m.act(); err != nil {
			return Made{}, err
		}
	}
	if err := m.seal(); err != nil {
		return Made{}, err
	}
	return m.result(), load.Finish(ctx)
}

// result returns the blocks and addresses of the chain.
func (m *generator) result() Made {
	made := Made{Blocks: m.blocks, End: m.ms}
	for i, p := range m.players {
		switch {
		case i < bots:
			made.Busy = append(made.Busy, p.address)
		case len(made.Quiet) < quietCount && i%(len(m.players)/quietCount+1) == 0:
			made.Quiet = append(made.Quiet, p.address)
		}
	}
	return made
}

// act posts the transactions of one action of a random player.
func (m *generator) act() error {
	if len(m.players) < 2*bots {
		return m.join()
	}
	if m.made/m.options.Season > m.seasons {
		m.seasons++
		// The transactions before the close would be too early for its block.
		if err := m.seal(); err != nil {
			return err
		}
		m.ms = max(m.ms, chain.SeasonEnd(m.options.Genesis, m.seasons))
		table := gamestest.Season(m.seasons, m.options.Genesis)
		return m.post(ledger.Draft{Data: &chain.SeasonClose{Season: m.seasons, TableHash: chain.HashPinned(table)},
			Transcript: table})
	}
	switch n := m.random.IntN(100); {
	case n < 15:
		return m.join()
	case n < 20:
		return m.faucet(m.player())
	case n < 75:
		return m.run(m.player())
	case n < 90:
		return m.duel(m.player(), m.player())
	case n < 96:
		return m.sale(m.player())
	default:
		return m.buyback()
	}
}

// post adds a transaction, and seals the block when it is full.
func (m *generator) post(d ledger.Draft) error {
	if m.made >= m.options.Transactions {
		return nil
	}
	m.ms += int64(m.random.IntN(20))
	raw, err := m.load.Post(d, m.ms)
	if err != nil {
		return err
	}
	m.made++
	m.raws = append(m.raws, raw)
	if len(m.raws) >= m.fill {
		return m.seal()
	}
	return nil
}

// seal ends the open block, unless it is empty.
func (m *generator) seal() error {
	if len(m.raws) == 0 {
		return nil
	}
	m.ms += 1000
	if err := m.load.Seal(m.ctx, m.ms); err != nil {
		return err
	}
	if m.options.Block != nil {
		m.options.Block(m.raws)
	}
	m.raws, m.fill = m.raws[:0], 1+m.random.IntN(blockMax)
	m.blocks++
	return m.ctx.Err()
}

// player draws a player.
func (m *generator) player() *player {
	if m.random.IntN(botsPart) == 0 {
		return m.players[m.random.IntN(bots)]
	}
	return m.players[m.random.IntN(len(m.players))]
}

// free returns a player's coins that are not bound.
func (m *generator) free(p *player) int64 {
	state := m.load.Account(p.address)
	return state.FreeCoins()
}

// hash draws a random hash.
func (m *generator) hash() (h chain.Hash) {
	for i := range h {
		h[i] = byte(m.random.Uint32())
	}
	return h
}

// newSeeds draws a seed chain.
func (m *generator) newSeeds() *fair.Chain { return fair.NewChain(fair.Seed(m.hash())) }

// id draws an id in the form of the ids of runs and duels.
func (m *generator) id() string {
	h := m.hash()
	x := hex.EncodeToString(h[:16])
	return fmt.Sprintf("%s-%s-%s-%s-%s", x[:8], x[8:12], x[12:16], x[16:20], x[20:])
}

// number returns the next id of a token, a listing or an offer.
func (m *generator) number() int64 {
	m.nextID++
	return m.nextID
}

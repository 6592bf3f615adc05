// Package longchain makes chains of any length, as players would have made them, in
// minutes: what the service does with millions of transactions can only be measured with
// millions of transactions.
//
// A chain of a seed is always the same, but for what is signed. Who plays is drawn from
// all players, except for a few bots that take part in one of a hundred transactions
// each, so that there are addresses with few entries and with very many.
package longchain

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"roshambo/chain"
	"roshambo/internal/ledger"
)

// Options say which chain to make.
type Options struct {
	Transactions int64 // with those that are there; genesis is one
	Seed         uint64
	Start        int64            // time of the first block, in Unix milliseconds
	Block        func([][]byte)   // is shown the raws of each block; nil for nobody
	Progress     func(done int64) // is told now and then; nil for nobody
}

// Made says what is on the chain that was made.
type Made struct {
	Blocks int64
	Busy   []chain.Address // bots, each with about one of a hundred transactions
	Quiet  []chain.Address // some of those with few
}

const (
	bots       = 4
	botsPart   = 25     // one of so many turns is a bot's
	blockMax   = 200    // transactions of a block; half as many on average
	seasonTxs  = 50_000 // transactions of a season
	quietCount = 1000
)

// maker makes one chain.
type maker struct {
	ctx     context.Context
	load    *ledger.Loader
	rules   chain.Rules
	random  *rand.Rand
	options Options
	ms      int64
	players []*player
	tokens  []int64 // in wallets
	owners  map[int64]owned
	raws    [][]byte // of the block
	fill    int      // of the block
	made    int64
	blocks  int64
	nextID  int64 // of tokens, listings, offers and seasons
	seasons int64
}

type player struct {
	address chain.Address
	next    chain.Hash // outstanding commitment
}

type owned struct {
	owner *player
	tier  int64
	at    int // in maker.tokens
}

// Make fills the chain of a ledger that has its genesis alone. The database is to be
// thrown away when it fails.
func Make(ctx context.Context, l *ledger.Ledger, o Options) (Made, error) {
	load, err := l.NewLoader(ctx)
	if err != nil {
		return Made{}, err
	}
	m := &maker{ctx: ctx, load: load, rules: *l.Rules(), random: rand.New(rand.NewPCG(o.Seed, 0)), options: o, ms: o.Start,
		owners: map[int64]owned{}, made: 1, blocks: 1}
	for m.made < o.Transactions {
		if err := m.turn(); err != nil {
			return Made{}, err
		}
	}
	if err := m.seal(); err != nil {
		return Made{}, err
	}
	return m.told(), load.Finish(ctx)
}

func (m *maker) told() Made {
	told := Made{Blocks: m.blocks}
	for i, p := range m.players {
		switch {
		case i < bots:
			told.Busy = append(told.Busy, p.address)
		case len(told.Quiet) < quietCount && i%(len(m.players)/quietCount+1) == 0:
			told.Quiet = append(told.Quiet, p.address)
		}
	}
	return told
}

// turn is what somebody does, in a few transactions.
func (m *maker) turn() error {
	if len(m.players) < 2*bots {
		return m.join()
	}
	if m.made/seasonTxs > m.seasons {
		m.seasons++
		return m.post(ledger.Draft{Data: &chain.SeasonClose{Season: m.seasons, TableHash: m.hash()}})
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

// post adds a transaction, and makes a block when it is time for one.
func (m *maker) post(d ledger.Draft) error {
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

func (m *maker) seal() error {
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
	if m.blocks++; m.options.Progress != nil && m.blocks%100 == 0 {
		m.options.Progress(m.made)
	}
	return m.ctx.Err()
}

func (m *maker) player() *player {
	if m.random.IntN(botsPart) == 0 {
		return m.players[m.random.IntN(bots)]
	}
	return m.players[m.random.IntN(len(m.players))]
}

func (m *maker) balance(p *player) int64 { return m.load.Account(p.address).Balance }

func (m *maker) hash() (h chain.Hash) {
	for i := range h {
		h[i] = byte(m.random.Uint32())
	}
	return h
}

// id looks like those of runs and duels.
func (m *maker) id() string {
	h := m.hash()
	x := hex.EncodeToString(h[:16])
	return fmt.Sprintf("%s-%s-%s-%s-%s", x[:8], x[8:12], x[12:16], x[16:20], x[20:])
}

// number is the next id of a token, a listing or an offer.
func (m *maker) number() int64 {
	m.nextID++
	return m.nextID
}

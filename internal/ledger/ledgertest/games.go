package ledgertest

import (
	"context"
	"sync"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/fair"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// played plays the games of drafts, so that every run and duel that a test ends has a transcript. Its
// methods are safe for concurrent use.
type played struct {
	mu    sync.Mutex                 // guards the maps
	seeds map[chain.Hash]*fair.Chain // by commitment
	// runs are the starts that were committed. posted are the last ones with their transactions, which
	// may be rolled back: they count for an end in the same transaction only.
	runs   map[runKey]chain.RunStart
	posted map[runKey]postedStart
}

// postedStart is a run.start in a transaction of the database that may still be rolled back.
type postedStart struct {
	tx    *store.Tx
	start chain.RunStart
}

// runKey identifies a run: tests use the same id for runs of different accounts.
type runKey struct {
	account chain.Address
	id      string
}

// newPlayed returns a played without any run.
func newPlayed() *played {
	return &played{seeds: map[chain.Hash]*fair.Chain{}, runs: map[runKey]chain.RunStart{},
		posted: map[runKey]postedStart{}}
}

// commit returns the commitment of the seed chain that ends in last.
func (g *played) commit(last chain.Hash) chain.Hash {
	c := fair.NewChain(fair.Seed(last))
	g.mu.Lock()
	defer g.mu.Unlock()
	commitment := chain.Hash(c.Commitment())
	g.seeds[commitment] = c
	return commitment
}

// Post is ledger.Post. It plays the game that d ends, unless d has a transcript.
func (l *Ledger) Post(ctx context.Context, tx *store.Tx, d ledger.Draft) (ledger.Posted, error) {
	posted, err := l.Ledger.Post(ctx, tx, l.played.play(tx, d))
	if err != nil {
		return posted, err
	}
	l.played.started(tx, d)
	return posted, nil
}

// PostGame is ledger.PostGame. It plays the game.
func (l *Ledger) PostGame(ctx context.Context, tx *store.Tx, start, end ledger.Draft) error {
	l.played.started(tx, start)
	_, _, err := l.Ledger.PostGame(ctx, tx, start, l.played.play(tx, end))
	return err
}

// started keeps the start of a run for its end.
func (g *played) started(tx *store.Tx, d ledger.Draft) {
	data, ok := d.Data.(*chain.RunStart)
	if !ok {
		return
	}
	key, start := runKey{d.Actor, data.RunID}, *data
	g.mu.Lock()
	defer g.mu.Unlock()
	g.posted[key] = postedStart{tx, start}
	tx.AfterCommit(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.runs[key] = start
	})
}

// play returns d with the transcript of the game that it ends. It changes a copy of the data.
func (g *played) play(tx *store.Tx, d ledger.Draft) ledger.Draft {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d.Transcript != nil {
		return d
	}
	switch data := d.Data.(type) {
	case *chain.RunEnd:
		key := runKey{d.Actor, data.RunID}
		end, start := *data, g.runs[key]
		if p := g.posted[key]; p.tx == tx {
			start = p.start
		}
		seeds := g.seeds[start.Commitment]
		if seeds == nil { // a commitment of the test's own: the audit finds the game
			seeds = fair.NewChain(fair.Seed(start.Commitment))
		}
		d.Transcript = gamestest.Run(seeds, start.ClientSeedHash, start.FirstTier, &end)
		end.TranscriptHash, d.Data = chain.HashTranscript(d.Transcript), &end
	case *chain.DuelSettle:
		settle, stake := *data, int64(0)
		if len(d.Transfers) > 0 {
			stake = d.Transfers[0].Amount
			if data.Winner != "" {
				stake /= 2
			}
		}
		d.Transcript = gamestest.Duel(&settle, stake)
		settle.TranscriptHash, d.Data = chain.HashTranscript(d.Transcript), &settle
	}
	return d
}

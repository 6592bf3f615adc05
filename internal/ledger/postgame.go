package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"roshambo/chain"
	"roshambo/internal/store"
)

// PostGame posts the transactions that start and end a game of one actor in the same database
// transaction, as two calls of Post would, and with the same errors. It writes each row once, as it
// is after the end: the account and the game would otherwise be stored twice, and the game read in
// between. start.State must be set; the end is decided by what the start leaves.
func (l *Ledger) PostGame(ctx context.Context, tx *store.Tx, start, end Draft) (started, ended Posted, err error) {
	known := l.rules.Load()
	var g wholeGame
	if g.start, err = propose(start, known, timeOf(tx, start)); err != nil {
		return Posted{}, Posted{}, fmt.Errorf("ledger: post: %w", err)
	}
	if g.end, err = propose(end, known, timeOf(tx, end)); err != nil {
		return Posted{}, Posted{}, fmt.Errorf("ledger: post: %w", err)
	}
	if err := l.postGame(ctx, tx, &g, start.State, known); err != nil {
		return Posted{}, Posted{}, fmt.Errorf("ledger: post a game: %w", err)
	}
	l.announcePending(tx, 2)
	l.remember(tx, g.ended)
	return g.started.posted, g.ended.posted, nil
}

// wholeGame is a game that starts and ends in one database transaction.
type wholeGame struct {
	start, end     proposal
	before         rows // of the start
	started, ended *outcome
}

// postGame loads what the start needs, decides both and stores their outcome.
func (l *Ledger) postGame(
	ctx context.Context, tx *store.Tx, g *wholeGame, actor *ActorState, known *inForce,
) (err error) {
	g.start.prefetch(tx, actor)
	if err := l.checkBase(ctx, tx, known, min(g.start.tx.Time, g.end.tx.Time)); err != nil {
		return err
	}
	if g.before, err = g.start.load(ctx, tx, actor); err != nil {
		return err
	}
	if err := g.decide(); err != nil {
		return err
	}
	w := l.writer(ctx, tx, known)
	p, before, o := g.merge()
	if err := w.state(p, before, o); err != nil {
		return err
	}
	for _, o := range []*outcome{g.started, g.ended} {
		for _, listener := range l.listeners {
			if err := listener.Posted(ctx, tx, &o.fact); err != nil {
				return err
			}
		}
	}
	if err := l.raise(ctx, tx, max(g.start.tx.Time, g.end.tx.Time)); err != nil {
		return err
	}
	// Stored last, the start first, for the reasons in post: a crash leaves both or neither.
	if err := w.pending(&g.start, g.started); err != nil {
		return err
	}
	return w.pending(&g.end, g.ended)
}

// decide decides the start by the stored rows, and the end by the rows after the start.
func (g *wholeGame) decide() (err error) {
	s, e := &g.start.effects, &g.end.effects
	if len(s.Accounts) != 1 || len(e.Accounts) != 1 || s.Accounts[0].Address != e.Accounts[0].Address ||
		len(s.Games) != 1 || len(e.Games) != 1 || s.Games[0].ID != e.Games[0].ID {
		return errors.New("not the start and the end of one actor's game")
	}
	if !createsGame(&s.Games[0]) || slices.ContainsFunc(e.Tokens, func(t chain.TokenEffect) bool {
		return !createsToken(&t)
	}) {
		return errors.New("the end of the game needs rows that its start has not loaded")
	}
	if g.started, err = g.start.decide(g.before); err != nil {
		return err
	}
	between := g.started.after
	between.tokens = make([]tokenRow, len(e.Tokens))
	g.ended, err = g.end.decide(between)
	return err
}

// merge returns both proposals as one, with the rows before and after it: the end writes the account
// and the game.
func (g *wholeGame) merge() (*proposal, rows, *outcome) {
	s, e := g.start.effects, g.end.effects
	p := proposal{tx: g.end.tx, effects: chain.Effects{
		Accounts: e.Accounts, Tokens: slices.Concat(s.Tokens, e.Tokens), Games: e.Games,
	}}
	after := g.ended.after
	after.tokens = slices.Concat(g.started.after.tokens, after.tokens)
	return &p, g.before, &outcome{after: after}
}

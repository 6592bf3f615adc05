package arena

import (
	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
)

// Book computes all ratings from the chain, by the rules of the package comment. Add must
// receive the chain's transactions in order.
type Book struct {
	bots    map[chain.Address]bool
	ratings map[PlayerKey]glicko.Fixed
}

// NewBook returns a Book for an empty chain.
func NewBook() *Book {
	return &Book{bots: map[chain.Address]bool{}, ratings: map[PlayerKey]glicko.Fixed{}}
}

// Add applies the next transaction of the chain.
func (b *Book) Add(tx *chain.Tx) {
	switch d := tx.Data.(type) {
	case *chain.AccountCreate:
		if d.AccountKind == chain.Bot {
			b.bots[tx.Actor] = true
		}
	case *chain.DuelSettle:
		if d.Rated {
			b.settle(d)
		}
	}
}

// settle applies a rated duel.
func (b *Book) settle(d *chain.DuelSettle) {
	pool := Human
	if b.bots[d.A] && b.bots[d.B] {
		pool = Bots
	}
	r := Result{Winner: d.Winner}
	first, second := PlayerKey{Pool: pool, Address: d.A}, PlayerKey{Pool: pool, Address: d.B}
	b.ratings[first], b.ratings[second] = glicko.Game(b.rating(first), b.rating(second), r.score())
}

// rating returns a player's current rating, glicko.Newcomer before the first rated duel.
func (b *Book) rating(p PlayerKey) glicko.Fixed {
	if r, ok := b.ratings[p]; ok {
		return r
	}
	return glicko.Newcomer
}

// Ratings returns the ratings after the transactions so far. The map belongs to b.
func (b *Book) Ratings() map[PlayerKey]glicko.Fixed { return b.ratings }

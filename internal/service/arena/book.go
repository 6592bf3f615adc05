package arena

import (
	"roshambo/chain"
	"roshambo/internal/service/arena/glicko"
)

// Book reckons ratings from the chain, as the package comment says. Feed it the chain's
// transactions in their order.
type Book struct {
	bots    map[chain.Address]bool
	ratings map[Rated]glicko.Fixed
}

// NewBook returns a Book of a chain of which nothing was read yet.
func NewBook() *Book {
	return &Book{bots: map[chain.Address]bool{}, ratings: map[Rated]glicko.Fixed{}}
}

// Add takes one transaction of the chain.
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

func (b *Book) settle(d *chain.DuelSettle) {
	pool := Human
	if b.bots[d.A] && b.bots[d.B] {
		pool = Bots
	}
	r := Result{Winner: d.Winner}
	first, second := Rated{pool, d.A}, Rated{pool, d.B}
	b.ratings[first], b.ratings[second] = glicko.Game(b.rating(first), b.rating(second), r.score())
}

func (b *Book) rating(p Rated) glicko.Fixed {
	if r, ok := b.ratings[p]; ok {
		return r
	}
	return glicko.Newcomer
}

// Ratings returns what the ratings must be by now.
func (b *Book) Ratings() map[Rated]glicko.Fixed { return b.ratings }

package arena

import (
	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/arena/glicko"
)

// Book computes all ratings from the chain and the published transcripts of duels, by the rules of the
// package comment. Add must receive the chain's transactions in order.
type Book struct {
	bots    map[chain.Address]bool
	ratings map[PlayerKey]glicko.Fixed
	made    map[string][]bookChange // by the games that become void later; nil until their settlement
}

// bookChange is what a duel changed for one player.
type bookChange struct {
	player        PlayerKey
	before, after glicko.Fixed
}

// NewBook returns a Book for an empty chain. It needs to know in advance which games the chain declares
// void later, as on the chain: a Book remembers the changes of those duels alone.
func NewBook(void ...string) *Book {
	b := &Book{bots: map[chain.Address]bool{}, ratings: map[PlayerKey]glicko.Fixed{}, made: map[string][]bookChange{}}
	for _, game := range void {
		b.made[game] = nil
	}
	return b
}

// Add applies the next transaction of the chain. transcript is the transcript of the game that it ends; nil
// for none.
func (b *Book) Add(tx *chain.Tx, transcript []byte) {
	switch d := tx.Data.(type) {
	case *chain.AccountCreate:
		if d.AccountKind == chain.Bot {
			b.bots[tx.Actor] = true
		}
	case *chain.DuelSettle:
		if d.Rated {
			b.settle(d, transcript)
		}
	case *chain.ResultVoid:
		b.takeBack(d.Game)
	case *chain.ResultRestore:
		b.takeBack(d.Game)
	}
}

// takeBack takes back what a rated duel changed, or what the correction of a void one did. A daily run
// changed no rating.
func (b *Book) takeBack(game string) {
	for i, m := range b.made[game] {
		before := b.rating(m.player)
		b.ratings[m.player] = before.TakeBack(m.before, m.after)
		b.made[game][i] = bookChange{m.player, before, b.ratings[m.player]}
	}
}

// settle applies a rated duel. A transcript that is missing or damaged has no rounds, so that the winner
// gains nothing; the verification of the chain reports it.
func (b *Book) settle(d *chain.DuelSettle, raw []byte) {
	pool := Human
	if b.bots[d.A] && b.bots[d.B] {
		pool = Bots
	}
	transcript, _ := chain.ParseDuelTranscript(raw)
	r := Result{Winner: sideOf(d.Winner), Rounds: transcript.Rounds}
	first, second := PlayerKey{Pool: pool, Address: d.A}, PlayerKey{Pool: pool, Address: d.B}
	before := [2]glicko.Fixed{b.rating(first), b.rating(second)}
	b.ratings[first], b.ratings[second] = r.rate(before[0], before[1])
	if game := chain.DuelGameID(d.DuelID); b.voids(game) {
		b.made[game] = []bookChange{{first, before[0], b.ratings[first]}, {second, before[1], b.ratings[second]}}
	}
}

// sideOf returns the winner that a settlement names.
func sideOf(winner string) game.Side {
	switch winner {
	case game.A.String():
		return game.A
	case game.B.String():
		return game.B
	}
	return game.NoSide
}

// voids reports whether the chain declares a game void later.
func (b *Book) voids(game string) bool {
	_, ok := b.made[game]
	return ok
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

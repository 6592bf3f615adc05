package arena_test

import (
	"maps"
	"testing"

	"roshambo/chain"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
)

// TestBook checks which duels count for which ratings.
func TestBook(t *testing.T) {
	t.Parallel()
	ann, bob, bot, other := addressOf(1), addressOf(2), addressOf(3), addressOf(4)
	book := arena.NewBook()
	for address, kind := range map[chain.Address]chain.AccountKind{ann: chain.Guest, bob: chain.Full, bot: chain.Bot,
		other: chain.Bot} {
		book.Add(&chain.Tx{Actor: address, Data: &chain.AccountCreate{AccountKind: kind}})
	}
	won, lost := glicko.Game(glicko.Newcomer, glicko.Newcomer, glicko.Win)
	for _, d := range []chain.DuelSettle{
		{A: ann, B: bob, Winner: "a", Rated: false}, // only staked
		{A: ann, B: bob, Winner: "b", Rated: true},
		{A: bot, B: other, Winner: "a", Rated: true},
	} {
		book.Add(&chain.Tx{Data: &d})
	}
	book.Add(&chain.Tx{Actor: ann, Data: &chain.Faucet{}})
	want := map[arena.PlayerKey]glicko.Fixed{
		{Pool: arena.Human, Address: ann}: lost, {Pool: arena.Human, Address: bob}: won,
		{Pool: arena.Bots, Address: bot}: won, {Pool: arena.Bots, Address: other}: lost,
	}
	if got := book.Ratings(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

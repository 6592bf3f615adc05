package strategy

import "roshambo/game"

// reactive are the strategies that use the last round alone. Their first move is random.
var reactive = []Entry{
	{"copy-last", "Repeats the opponent's last move.", react(afterTheirs(0))},
	{"beat-last", "Beats the opponent's last move.", react(afterTheirs(1))},
	{"reflect", "Expects the opponent to beat its last move, and beats that.", react(afterMine(2))},
	{
		"switch",
		"Never plays the same move twice in a row; plays the other two with equal probability.",
		react(switching),
	},
	{
		"win-stay",
		"Keeps a move that won; after a loss plays the move that would have won; after a tie, a random move.",
		react(winStay),
	},
}

// afterTheirs plays the opponent's last move, shifted.
func afterTheirs(k int) reaction {
	return func(h []Round, c *rng) game.Move {
		if r, ok := last(h); ok {
			return shift(r.Theirs, k)
		}
		return c.move()
	}
}

// afterMine plays its own last move, shifted. A shift of two anticipates: it beats the
// move that beats the last one.
func afterMine(k int) reaction {
	return func(h []Round, c *rng) game.Move {
		if r, ok := last(h); ok {
			return shift(r.Mine, k)
		}
		return c.move()
	}
}

// switching imitates the human expectation that random moves do not repeat: Always
// Switchin' of the competition.
func switching(h []Round, c *rng) game.Move {
	r, ok := last(h)
	switch {
	case !ok:
		return c.move()
	case c.fraction() < 0.5:
		return shift(r.Mine, 1)
	}
	return shift(r.Mine, 2)
}

// winStay is win-stay, lose-shift (M. Nowak and K. Sigmund, "A strategy of win-stay,
// lose-shift that outperforms tit-for-tat", Nature 364, 1993). Groups of people play this
// game that way (Z. Wang, B. Xu and H. Zhou, "Social cycling and conditional responses in
// the Rock-Paper-Scissors game", Scientific Reports 4, 2014).
func winStay(h []Round, c *rng) game.Move {
	r, ok := last(h)
	if !ok {
		return c.move()
	}
	switch r.Mine.Against(r.Theirs) {
	case game.Win:
		return r.Mine
	case game.Loss:
		return shift(r.Theirs, 1)
	}
	return c.move()
}

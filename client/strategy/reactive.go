package strategy

import "roshambo/game"

// reactive are the strategies that look at the last round alone. They begin with
// any move.
var reactive = []Entry{
	{"copy-last", "Shows what the other side showed last.", react(afterTheirs(0))},
	{"beat-last", "Shows what beats the other side's last move.", react(afterTheirs(1))},
	{"reflect", "Believes that the other side beats its last move, and beats that.", react(afterMine(2))},
	{"switch", "Never shows the same move twice running, and is fair between the other two.", react(switching)},
	{"win-stay", "Keeps a move that won; after a loss shows what would have won; after a tie, any.", react(winStay)},
}

// afterTheirs plays the other side's last move, shifted.
func afterTheirs(k int) reaction {
	return func(h []Round, c *coins) game.Move {
		if r, ok := last(h); ok {
			return shift(r.Theirs, k)
		}
		return c.move()
	}
}

// afterMine plays its own last move, shifted. Two steps are one of second
// guessing: they beat what beats it.
func afterMine(k int) reaction {
	return func(h []Round, c *coins) game.Move {
		if r, ok := last(h); ok {
			return shift(r.Mine, k)
		}
		return c.move()
	}
}

// switching is what people do who think that chance does not repeat itself: Always
// Switchin' of the competition.
func switching(h []Round, c *coins) game.Move {
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
// lose-shift that outperforms tit-for-tat", Nature 364, 1993), which is how groups of
// people play this game (Z. Wang, B. Xu and H. Zhou, "Social cycling and conditional
// responses in the Rock-Paper-Scissors game", Scientific Reports 4, 2014).
func winStay(h []Round, c *coins) game.Move {
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

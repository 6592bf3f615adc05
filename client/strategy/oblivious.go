package strategy

import "roshambo/game"

// oblivious are the strategies that ignore the opponent.
var oblivious = []Entry{
	{"rock", "Always plays rock: Good Ole Rock.", react(always(game.Rock))},
	{"paper", "Always plays paper.", react(always(game.Paper))},
	{"scissors", "Always plays scissors.", react(always(game.Scissors))},
	{"mostly-rock", "Plays rock with probability 3/5, paper and scissors with 1/5 each.", react(mostlyRock)},
	{"rotate", "Plays rock, paper, scissors in turn.", react(rotate)},
	{
		"de-bruijn",
		"Repeats a sequence in which every four moves occur once, so it has no short pattern.",
		react(deBruijn),
	},
	{
		"random",
		"Plays each move with probability 1/3: the equilibrium, which neither wins nor loses in the long run.",
		react(uniform),
	},
}

// always plays one move.
func always(m game.Move) reaction {
	return func([]Round, *rng) game.Move { return m }
}

// mostlyRock is typical of beginners, and 20-20-60 of the competition with another move:
// a skewed distribution, but independent rounds.
func mostlyRock(_ []Round, c *rng) game.Move {
	if f := c.fraction(); f < 0.6 {
		return game.Rock
	} else if f < 0.8 {
		return game.Paper
	}
	return game.Scissors
}

// rotate plays rock, paper, scissors in turn.
func rotate(h []Round, _ *rng) game.Move { return game.Move(len(h) % 3) }

// uniform is the only Nash equilibrium of the game (an example in J. von Neumann, "Zur
// Theorie der Gesellschaftsspiele", 1928).
func uniform(_ []Round, c *rng) game.Move { return c.move() }

// deBruijnOrder is the length of the words that the sequence contains once each.
const deBruijnOrder = 4

// deBruijnCycle is the sequence of 3⁴ = 81 moves.
var deBruijnCycle = deBruijnSequence(deBruijnOrder)

// deBruijn plays the sequence, over and over.
func deBruijn(h []Round, _ *rng) game.Move { return deBruijnCycle[len(h)%len(deBruijnCycle)] }

// deBruijnSequence concatenates the Lyndon words whose length divides n in alphabetical
// order (H. Fredricksen and J. Maiorana, "Necklaces of beads in k colors and k-ary de
// Bruijn sequences", 1978).
func deBruijnSequence(n int) []game.Move {
	var sequence []game.Move
	word := make([]game.Move, n+1)
	var extend func(at, period int)
	extend = func(at, period int) {
		if at > n {
			if n%period == 0 {
				sequence = append(sequence, word[1:period+1]...)
			}
			return
		}
		word[at] = word[at-period]
		extend(at+1, period)
		for m := word[at-period] + 1; m <= game.Scissors; m++ {
			word[at] = m
			extend(at+1, at)
		}
	}
	extend(1, 1)
	return sequence
}

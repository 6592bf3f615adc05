package strategy

import "roshambo/game"

// oblivious are the strategies that do not look at the other side.
var oblivious = []Entry{
	{"rock", "Shows rock, always: Good Ole Rock.", react(always(game.Rock))},
	{"paper", "Shows paper, always.", react(always(game.Paper))},
	{"scissors", "Shows scissors, always.", react(always(game.Scissors))},
	{"mostly-rock", "Shows rock three times in five, the others once each, by chance.", react(mostlyRock)},
	{"rotate", "Goes round: rock, paper, scissors, rock.", react(rotate)},
	{"de-bruijn", "Repeats a sequence in which every four moves occur once: no short pattern betrays it.", react(deBruijn)},
	{"random", "Shows each move by chance, equally often: the equilibrium, which loses to nobody and beats nobody.", react(uniform)},
}

func always(m game.Move) reaction {
	return func([]Round, *coins) game.Move { return m }
}

// mostlyRock is what beginners do (and, in the competition, 20-20-60 with
// scissors): not equally often, but by chance.
func mostlyRock(_ []Round, c *coins) game.Move {
	if f := c.fraction(); f < 0.6 {
		return game.Rock
	} else if f < 0.8 {
		return game.Paper
	}
	return game.Scissors
}

func rotate(h []Round, _ *coins) game.Move { return game.Move(len(h) % 3) }

// uniform is the only Nash equilibrium of the game (J. von Neumann, "Zur Theorie
// der Gesellschaftsspiele", 1928, has it as an example).
func uniform(_ []Round, c *coins) game.Move { return c.move() }

// deBruijnOrder is how long the words are of which deBruijn shows each once.
const deBruijnOrder = 4

// deBruijnCycle is the sequence, 81 moves.
var deBruijnCycle = deBruijnSequence(deBruijnOrder)

func deBruijn(h []Round, _ *coins) game.Move { return deBruijnCycle[len(h)%len(deBruijnCycle)] }

// deBruijnSequence puts the Lyndon words whose length divides n one behind the
// other in alphabetical order (H. Fredricksen and J. Maiorana, "Necklaces of beads
// in k colors and k-ary de Bruijn sequences", 1978).
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

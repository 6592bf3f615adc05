package strategy

import "roshambo/game"

// mixing are the strategies that hold many opinions and follow those that proved
// right.
var mixing = []Entry{
	{"iocaine", "Guesses, second-guesses and third-guesses with eight predictors, and follows whoever was right: Iocaine Powder.", func() algorithm { return newIocaine() }},
	{"hedge", "Listens to all predictors, to each by how right it was, and draws among them: no one of them does much better.", func() algorithm { return newHedge() }},
}

// panel asks predictors about both sides, and turns what they say into moves, the six
// ways of Iocaine Powder (D. Egnor, "Iocaine Powder", ICGA Journal 23(1), 2000). For a
// predictor P:
//
//	P.0   they show what P says: beat it
//	P.1   they expect P.0 and beat it: beat that
//	P.2   they expect P.1 and beat it: beat that
//	P'.0  they use P on us: P says what we show, they beat it, we beat that
//	P'.1  they expect P'.0 and beat it: beat that
//	P'.2  they expect P'.1 and beat it: beat that
//
// A seventh would be the first again.
type panel struct {
	us, them []predictor // the same ones, on the history as they see it, and as we do
	seen     []Round     // the history as they see it
	// advice is what each way says to show next: six of each predictor, one predictor
	// after the other.
	advice []advice
}

// advice is a move, or none.
type advice struct {
	move game.Move
	ok   bool
}

// predictors returns what a panel asks.
func predictors() []predictor {
	return []predictor{
		&frequency{}, &frequency{window: 16}, &rotation{},
		&match{look: both}, &match{look: theirs}, &match{look: mine},
		newMarkov(1), newMarkov(2),
	}
}

func newPanel() *panel {
	p := &panel{us: predictors(), them: predictors()}
	p.advice = make([]advice, 6*len(p.us))
	return p
}

func (p *panel) learn(h []Round) {
	r := h[len(h)-1]
	p.seen = append(p.seen, Round{Mine: r.Theirs, Theirs: r.Mine})
	p.advice = p.advice[:0]
	for i := range p.them {
		p.them[i].learn(h)
		p.us[i].learn(p.seen)
		theirs, ok := p.them[i].predict(h)
		for k := range 3 {
			p.advice = append(p.advice, advice{shift(theirs, 1+2*k), ok})
		}
		ours, ok := p.us[i].predict(p.seen)
		for k := range 3 {
			p.advice = append(p.advice, advice{shift(ours, 2+2*k), ok})
		}
	}
}

// points is what a piece of advice was worth against a move.
func (a advice) points(theirs game.Move) int {
	if !a.ok {
		return 0
	}
	return points(a.move, theirs)
}

// points is 1 for a round won, -1 for one lost, 0 for a tie.
func points(mine, theirs game.Move) int {
	switch mine.Against(theirs) {
	case game.Win:
		return 1
	case game.Loss:
		return -1
	}
	return 0
}

// horizons are how many rounds back advice is judged: who was right for long, and who
// has been lately. Iocaine Powder's are like these.
var horizons = [...]int{1000, 100, 20, 5, 2, 1}

// iocaine follows, of all advice, what was worth most over a horizon; and of the
// horizons the one whose choices were worth most.
type iocaine struct {
	panel  *panel
	worth  [][]int8              // of each advice, each round
	total  [len(horizons)][]int  // the same, added up over the horizon
	chosen [len(horizons)]advice // what each horizon says to show next
	record [len(horizons)][]int8 // what its choices were worth, each round
	right  [len(horizons)]int    // the same, added up over judged rounds
}

// judged is how many rounds back horizons are judged.
const judged = 50

func newIocaine() *iocaine {
	i := &iocaine{panel: newPanel()}
	for t := range i.total {
		i.total[t] = make([]int, len(i.panel.advice))
	}
	return i
}

func (i *iocaine) learn(h []Round) {
	theirs := h[len(h)-1].Theirs
	i.score(theirs)
	i.panel.learn(h)
	for t := range horizons {
		i.chosen[t] = advice{}
		best := 0 // who is worth less than nothing is not listened to
		for n, a := range i.panel.advice {
			if a.ok && i.total[t][n] > best {
				best, i.chosen[t] = i.total[t][n], a
			}
		}
	}
}

// score judges the last advice by what the other side showed.
func (i *iocaine) score(theirs game.Move) {
	worth := make([]int8, len(i.panel.advice))
	for n, a := range i.panel.advice {
		worth[n] = int8(a.points(theirs))
	}
	i.worth = append(i.worth, worth)
	for t, rounds := range horizons {
		old := len(i.worth) - 1 - rounds
		for n := range worth {
			i.total[t][n] += int(worth[n])
			if old >= 0 {
				i.total[t][n] -= int(i.worth[old][n])
			}
		}
		won := int8(i.chosen[t].points(theirs))
		i.record[t] = append(i.record[t], won)
		i.right[t] += int(won)
		if old := len(i.record[t]) - 1 - judged; old >= 0 {
			i.right[t] -= int(i.record[t][old])
		}
	}
}

// choose leaves it to chance while nobody is right more often than wrong: then the
// other side is ahead of every guess.
func (i *iocaine) choose(_ []Round, c *coins) game.Move {
	best, move := 0, advice{}
	for t, a := range i.chosen {
		if a.ok && i.right[t] > best {
			best, move = i.right[t], a
		}
	}
	if !move.ok {
		return c.move()
	}
	return move.move
}

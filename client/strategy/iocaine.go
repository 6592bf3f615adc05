package strategy

import "roshambo/game"

// mixing are the strategies that combine predictions and follow the successful ones.
var mixing = []Entry{
	{
		"iocaine",
		"Anticipates three levels deep with eight predictors, and follows the most successful: Iocaine Powder.",
		func() algorithm { return newIocaine() },
	},
	{
		"hedge",
		"Draws among all predictors, weighted by their success: none of them does much better.",
		func() algorithm { return newHedge() },
	},
}

// panel applies predictors to both sides and turns the predictions into moves in the six
// ways of Iocaine Powder (D. Egnor, "Iocaine Powder", ICGA Journal 23(1), 2000). For a
// predictor P:
//
//	P.0   they play the move that P predicts: beat it
//	P.1   they expect P.0 and beat it: beat that
//	P.2   they expect P.1 and beat it: beat that
//	P'.0  they use P on us: P predicts our move, they beat it, we beat that
//	P'.1  they expect P'.0 and beat it: beat that
//	P'.2  they expect P'.1 and beat it: beat that
//
// A seventh way would equal the first.
type panel struct {
	us, them []predictor // the same predictors, on the opponent's view of the history and on ours
	seen     []Round     // the history from the opponent's perspective
	// advice holds the next move of each way: six per predictor, in the order of
	// predictors.
	advice []advice
}

// advice is a recommended move; ok is false without a prediction.
type advice struct {
	move game.Move
	ok   bool
}

// predictors returns new predictors for one side of a panel.
func predictors() []predictor {
	return []predictor{
		&frequency{}, &frequency{window: 16}, &rotation{},
		&suffixMatch{equal: both}, &suffixMatch{equal: theirs}, &suffixMatch{equal: mine},
		newMarkov(1), newMarkov(2),
	}
}

// newPanel returns a panel without advice.
func newPanel() *panel {
	p := &panel{us: predictors(), them: predictors()}
	p.advice = make([]advice, 6*len(p.us))
	return p
}

// learn adds the last round of h and replaces the advice.
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

// points returns the points of the advice against a move; 0 without a prediction.
func (a advice) points(theirs game.Move) int {
	if !a.ok {
		return 0
	}
	return points(a.move, theirs)
}

// points returns 1 for a win, -1 for a loss, 0 for a tie.
func points(mine, theirs game.Move) int {
	switch mine.Against(theirs) {
	case game.Win:
		return 1
	case game.Loss:
		return -1
	}
	return 0
}

// horizons are the numbers of rounds over which advice is scored: long ones favour
// lasting success, short ones recent success. Iocaine Powder uses similar ones.
var horizons = [...]int{1000, 100, 20, 5, 2, 1}

// iocaine follows, for each horizon, the advice with the most points over it, and of the
// horizons the one whose choices scored most recently.
type iocaine struct {
	panel *panel
	// scores are the points of each advice in each round.
	scores [][]int8
	// sums are the points of each advice over each horizon.
	sums [len(horizons)][]int
	// chosen is the advice that each horizon follows in the next round.
	chosen [len(horizons)]advice
	// record are the points of each horizon's choices in each round.
	record [len(horizons)][]int8
	// track are the sums of record over the last trackWindow rounds.
	track [len(horizons)]int
}

// trackWindow is the number of rounds over which horizons are scored.
const trackWindow = 50

// newIocaine returns an iocaine without history.
func newIocaine() *iocaine {
	i := &iocaine{panel: newPanel()}
	for t := range i.sums {
		i.sums[t] = make([]int, len(i.panel.advice))
	}
	return i
}

// learn scores the last advice, asks the panel, and updates the choice of each horizon.
func (i *iocaine) learn(h []Round) {
	theirs := h[len(h)-1].Theirs
	i.score(theirs)
	i.panel.learn(h)
	for t := range horizons {
		i.chosen[t] = advice{}
		best := 0 // advice with negative points is ignored
		for n, a := range i.panel.advice {
			if a.ok && i.sums[t][n] > best {
				best, i.chosen[t] = i.sums[t][n], a
			}
		}
	}
}

// score scores the last advice against the move that the opponent played.
func (i *iocaine) score(theirs game.Move) {
	worth := make([]int8, len(i.panel.advice))
	for n, a := range i.panel.advice {
		worth[n] = int8(a.points(theirs))
	}
	i.scores = append(i.scores, worth)
	for t, rounds := range horizons {
		old := len(i.scores) - 1 - rounds
		for n := range worth {
			i.sums[t][n] += int(worth[n])
			if old >= 0 {
				i.sums[t][n] -= int(i.scores[old][n])
			}
		}
		won := int8(i.chosen[t].points(theirs))
		i.record[t] = append(i.record[t], won)
		i.track[t] += int(won)
		if old := len(i.record[t]) - 1 - trackWindow; old >= 0 {
			i.track[t] -= int(i.record[t][old])
		}
	}
}

// choose plays a random move while no horizon has a positive score: the opponent is then
// ahead of every prediction.
func (i *iocaine) choose(_ []Round, c *rng) game.Move {
	best, move := 0, advice{}
	for t, a := range i.chosen {
		if a.ok && i.track[t] > best {
			best, move = i.track[t], a
		}
	}
	if !move.ok {
		return c.move()
	}
	return move.move
}

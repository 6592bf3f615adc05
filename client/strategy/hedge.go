package strategy

import "roshambo/game"

// hedge keeps a weight for each advice of the panel, multiplies it by a factor for the
// points that the advice scored, and draws advice in proportion to the weights: Hedge (Y.
// Freund and R. Schapire, "A decision-theoretic generalization of on-line learning",
// 1997). Over T rounds it stays within about √(T ln N) points of the best of N advisers,
// whatever the opponent does and knows. In terms of bandits it has full information: it
// sees the reward of every arm.
type hedge struct {
	panel   *panel
	weights []float64
}

// rate is the relative change of a weight per point.
const rate = 1.0 / 8

// newHedge returns a hedge with equal weights.
func newHedge() *hedge {
	h := &hedge{panel: newPanel()}
	// One more than there is advice: the last weight stands for a random move.
	h.weights = make([]float64, len(h.panel.advice)+1)
	for i := range h.weights {
		h.weights[i] = 1
	}
	return h
}

// learn updates the weights by the last advice, then asks the panel for new advice.
func (e *hedge) learn(h []Round) {
	most := 0.0
	for i, a := range e.panel.advice {
		e.weights[i] *= 1 + rate*float64(a.points(h[len(h)-1].Theirs))
		most = max(most, e.weights[i])
	}
	// Only the proportions matter. The minimum lets an adviser recover.
	most = max(most, e.weights[len(e.weights)-1])
	for i := range e.weights {
		e.weights[i] = max(e.weights[i]/most, 1e-9)
	}
	e.panel.learn(h)
}

// choose draws advice by weight. Without a prediction it plays a random move.
func (e *hedge) choose(_ []Round, c *rng) game.Move {
	sum := 0.0
	for _, w := range e.weights {
		sum += w
	}
	// The conversion rounds here, so that no processor fuses the product with the
	// subtraction below: the draw is the same on all machines.
	drawn := float64(sum * c.fraction())
	for i, a := range e.panel.advice {
		if drawn -= e.weights[i]; drawn < 0 && a.ok {
			return a.move
		} else if drawn < 0 {
			break
		}
	}
	return c.move()
}

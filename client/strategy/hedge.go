package strategy

import "roshambo/game"

// hedge keeps a weight for each piece of the panel's advice, multiplies it by what the
// advice was worth, and draws by weight: Hedge (Y. Freund and R. Schapire, "A
// decision-theoretic generalization of on-line learning", 1997), which over T rounds
// stays within about √(T ln N) points of the best of N advisers, whoever plays against
// it and whatever that one knows. It is a bandit that sees what each arm would have
// paid.
type hedge struct {
	panel   *panel
	weights []float64
}

// rate is how much a point changes a weight.
const rate = 1.0 / 8

func newHedge() *hedge {
	h := &hedge{panel: newPanel()}
	// One more than there is advice: chance has a seat too.
	h.weights = make([]float64, len(h.panel.advice)+1)
	for i := range h.weights {
		h.weights[i] = 1
	}
	return h
}

func (e *hedge) learn(h []Round) {
	most := 0.0
	for i, a := range e.panel.advice {
		e.weights[i] *= 1 + rate*float64(a.points(h[len(h)-1].Theirs))
		most = max(most, e.weights[i])
	}
	// Only their proportion counts; kept from vanishing, they can come back.
	most = max(most, e.weights[len(e.weights)-1])
	for i := range e.weights {
		e.weights[i] = max(e.weights[i]/most, 1e-9)
	}
	e.panel.learn(h)
}

func (e *hedge) choose(_ []Round, c *coins) game.Move {
	sum := 0.0
	for _, w := range e.weights {
		sum += w
	}
	// Rounded here, so that no processor fuses it with the subtraction below: the draw is
	// the same everywhere.
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

package agent

import (
	"encoding/json"
	"time"

	"roshambo/verify"
)

// MoveLine is a round that the agent has played, a line of Options.Measures. Names are left out: other people chose
// them, and the table of a cup has them by address.
type MoveLine struct {
	Kind        string    `json:"kind"`     // move
	At          time.Time `json:"at"`       // the service's time after the round
	Player      string    `json:"player"`   // address
	Opponent    string    `json:"opponent"` // address
	Duel        string    `json:"duel"`
	Round       int64     `json:"round"` // from 1
	Move        string    `json:"move"`
	TheirMove   string    `json:"their_move,omitempty"` // absent if it was not revealed
	Result      string    `json:"result"`               // won, lost, tie or void
	ThoughtMS   *int64    `json:"thought_ms"`           // from the answer that showed the round to the call with the move
	SecondsLeft *int64    `json:"seconds_left"`         // until the deadline when the move came
	RoundMS     int64     `json:"round_ms"`             // from the call with the move to the result
}

// VerdictLine is a proof that the agent has verified, a line of Options.Measures. A proof that came as a text names
// neither duel nor run.
type VerdictLine struct {
	Kind    string    `json:"kind"` // verdict
	At      time.Time `json:"at"`   // the service's time
	Duel    string    `json:"duel,omitempty"`
	Run     string    `json:"run,omitempty"`
	Verdict string    `json:"verdict"`
	Failed  []string  `json:"failed"` // ids of checks
}

// shownRound is a round that waits for the model's move, and when it was shown, by the clock of this machine.
type shownRound struct {
	number int64
	at     time.Time
}

// noteShown notes that the model has a round of a duel before it; only the first time counts.
func (a *Agent) noteShown(code string, round int64) {
	if a.Measures == nil {
		return
	}
	a.playing.Lock()
	defer a.playing.Unlock()
	if a.shown[code].number != round {
		a.shown[code] = shownRound{round, localTime()}
	}
}

// measureRound writes the line of a round that is over.
func (a *Agent) measureRound(p *played) {
	d := p.duel
	r, you := roundOf(d, p.number), sideOf(d)
	if r == nil || d.B == nil {
		return
	}
	me, other := d.A.Address, d.B.Address
	if you == SideB {
		me, other = other, me
	}
	a.measure(MoveLine{
		Kind: "move", At: a.measuredAt(), Player: plain(me), Opponent: plain(other), Duel: plain(d.ID), Round: p.number,
		Move: p.move.String(), TheirMove: string(theirMove(r, you)), Result: roundResult(r, you),
		ThoughtMS: p.thought, SecondsLeft: p.left, RoundMS: localTime().Sub(p.began).Milliseconds(),
	})
}

// measureVerdict writes the line of a verified proof.
func (a *Agent) measureVerdict(in VerifyIn, report *verify.Report) {
	line := VerdictLine{Kind: "verdict", At: a.measuredAt(), Duel: plain(in.Duel), Run: plain(in.Run),
		Verdict: string(report.Verdict), Failed: []string{}}
	for _, c := range report.Checks {
		if c.Result == verify.Fail {
			line.Failed = append(line.Failed, c.ID)
		}
	}
	a.measure(line)
}

// measuredAt returns the service's time for a line.
func (a *Agent) measuredAt() time.Time { return a.now().UTC().Truncate(time.Millisecond) }

// measure writes a line. A full disk costs the line and no round.
func (a *Agent) measure(line any) {
	if a.Measures == nil {
		return
	}
	text, err := json.Marshal(line)
	if err == nil {
		a.measuring.Lock()
		defer a.measuring.Unlock()
		_, err = a.Measures.Write(append(text, '\n'))
	}
	if err != nil {
		a.Log.Warn("a line of the measures is lost", "error", err)
	}
}

package sim

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// event is a call for the models: request, times and answer.
type event struct {
	*call
	// The node's time of its effect as far as known, and the latest time of all nodes until then,
	// by which deadlines may have passed. Milliseconds.
	from, to, latest int64
	maybe            bool // unknown whether it had an effect
}

// eventOf returns the event of a single call.
func eventOf(c *call) *event {
	return &event{call: c, from: c.clock, to: c.clock, latest: c.latest, maybe: c.unknown()}
}

// operation returns the event as an operation of porcupine.
func (e *event) operation() porcupine.Operation {
	return porcupine.Operation{Input: e, Call: e.at, Output: nil, Return: e.back}
}

// events returns the events of calls. Deliveries of one request under one Idempotency-Key are one
// event with one answer: it had its effect once, or never.
func (s *sim) events() (list []*event) {
	groups := map[string][]*call{}
	var order []string
	for _, c := range s.calls {
		if c.key == "" || c.by == nil {
			list = append(list, eventOf(c))
			continue
		}
		id := c.by.address + " " + c.key
		if groups[id] == nil {
			order = append(order, id)
		}
		groups[id] = append(groups[id], c)
	}
	for _, id := range order {
		list = append(list, s.keyed(groups[id])...)
	}
	return list
}

// keyKept is how long an answer is certainly replayed, in milliseconds.
const keyKept = 24*60*60*1000 - 10*60*1000

// keyed returns the events of the deliveries of a request with an Idempotency-Key.
func (s *sim) keyed(group []*call) (list []*event) {
	var first *call // the successful one
	var heard, unknown []*call
	for _, c := range group {
		switch {
		case c.ok() && !c.replayed:
			if first != nil {
				s.fail("done twice under one Idempotency-Key:\n%v\n%v", first, c)
			}
			first = c
			heard = append(heard, c)
		case c.ok():
			heard = append(heard, c)
		case c.unknown():
			unknown = append(unknown, c)
		default:
			list = append(list, eventOf(c)) // refused: no effect
		}
	}
	for _, c := range heard {
		if !bytes.Equal(c.answer, heard[0].answer) {
			s.fail("answered differently under one Idempotency-Key:\n%v\n%v", heard[0], c)
		}
	}
	for _, c := range group {
		// Another may be in progress, though only to get the replay.
		alone := !slices.ContainsFunc(group, func(o *call) bool { return o != c && o.at < c.back && o.back > c.at })
		if c.code == "idempotency_in_flight" && alone && len(heard) > 0 && heard[0].back < c.at &&
			c.clock-heard[0].clock < keyKept {
			s.fail("in flight, and answered before:\n%v\n%v", heard[0], c)
		}
	}
	switch {
	case first != nil:
		return append(list, eventOf(first))
	case len(heard) > 0 && len(unknown) == 0:
		s.fail("replayed an answer without an effect:\n%v", heard[0])
		return list
	case len(heard) == 0 && len(unknown) == 0:
		return list
	case len(heard) == 0:
		heard = unknown[:1]
	}
	// One of those without an answer had the effect, if any.
	merged := *heard[0]
	e := eventOf(&merged)
	for _, c := range unknown {
		merged.at, e.from, e.to, e.latest = min(merged.at, c.at), min(e.from, c.clock), max(e.to, c.clock),
			max(e.latest, c.latest)
		if e.maybe {
			merged.back = max(merged.back, c.back)
		}
	}
	return append(list, e)
}

// linearizable requires a sequential order of the events by a model. A call ends before the next
// step begins, so the search is short; a search beyond waitTimeout is a failure.
func (s *sim) linearizable(what string, model porcupine.NondeterministicModel, events []*event) {
	if len(events) == 0 {
		return
	}
	ops := make([]porcupine.Operation, len(events))
	for i, e := range events {
		ops[i] = e.operation()
	}
	s.checked += len(ops)
	full := model.ToModel()
	if result, _ := porcupine.CheckOperationsVerbose(full, ops, waitTimeout); result != porcupine.Ok {
		var text bytes.Buffer
		for _, e := range events {
			fmt.Fprintf(&text, "%v\n", e.call)
		}
		s.fail("%s: not linearizable (%s):\n%s", what, result, text.String())
	}
}

// checkHistories checks the histories of every player's runs and of every duel.
func (s *sim) checkHistories() {
	s.mu.Lock()
	calls := len(s.calls)
	s.mu.Unlock()
	events := s.events()
	runs, duels := map[*player][]*event{}, map[*match][]*event{}
	for _, e := range events {
		d := e.action
		switch {
		case d == nil:
		case d.duel.match != nil:
			duels[d.duel.match] = append(duels[d.duel.match], e)
		case d.run.of != nil:
			runs[d.run.of] = append(runs[d.run.of], e)
		case d.run != (runAction{}) || e.what == "active":
			runs[e.by] = append(runs[e.by], e)
		}
	}
	for _, p := range s.players {
		s.linearizable("the runs of "+p.label, s.runModel(p), runs[p])
	}
	for _, m := range s.matches {
		s.linearizable("duel "+m.ID, duelModel(m), duels[m])
	}
	s.t.Logf("%d calls, of which %d in histories that were checked", calls, s.checked)
}

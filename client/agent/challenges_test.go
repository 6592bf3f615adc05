package agent_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"roshambo/client/agent"
)

// TestMeetByName: two agents meet by name, with tools alone: one takes challenges, the other challenges it, and the
// first sees the challenge and joins. The duel is played to its end.
func TestMeetByName(t *testing.T) {
	t.Parallel()
	s := startService(t)
	o := s.options(s.newBot("agent-a"))
	o.Wait = time.Second
	a, b := s.connect(o), s.connect(s.options(s.newBot("agent-b")))
	challenge := arguments{"kind": "challenge", "opponent": "agent-a", "move_seconds": 60}
	if text := b.refused("start_duel", challenge); !strings.Contains(text, "take_challenges") {
		t.Errorf("a challenge of a bot that takes none: %q", text)
	}
	if got := must[agent.TakeOut](a, "take_challenges", arguments{"from": "all"}); got.From != agent.TakesAll ||
		len(got.Challenges) != 0 || !strings.Contains(got.Next, "No challenge came") {
		t.Errorf("without a challenge: %+v", got)
	}
	if got := must[agent.BotOut](b, "bot_profile", arguments{"name": "agent-a"}); got.Takes != "all" {
		t.Errorf("the profile: %+v", got)
	}
	challenged := pending[agent.DuelAnswer](b, "start_duel", challenge)
	var waits agent.TakeOut
	for len(waits.Challenges) == 0 {
		waits = must[agent.TakeOut](a, "take_challenges", arguments{"from": "all"})
	}
	got := must[agent.StatusOut](a, "status", nil)
	if len(got.Challenges) != 1 || got.Challenges[0].From.Name.TheirWords != "agent-b" || got.Next != waits.Next ||
		got.Challenges[0].StepSeconds == nil || *got.Challenges[0].StepSeconds != 60 || len(got.Duels) != 0 {
		t.Fatalf("the status: %+v, want the challenge of %+v", got, waits)
	}
	duel := got.Challenges[0].Duel
	join := arguments{"kind": "join", "duel": duel, "move_seconds": 60}
	if !strings.Contains(got.Next, "call start_duel with kind join and duel "+duel+", move_seconds 60, or resign") {
		t.Errorf("what to do next: %q", got.Next)
	}
	if joined := must[agent.DuelAnswer](a, "start_duel", join); joined.Duel.Waits != agent.YourMove {
		t.Errorf("joined: %+v", joined)
	}
	if one := challenged(); one.Duel == nil || one.Duel.Duel != duel || one.Duel.Waits != agent.YourMove {
		t.Errorf("the challenger: %+v", one)
	}
	waiting := s.connect(s.options(a.key)) // the first one waits for a second only
	finish(t, duel, waiting, b)
	if got := must[agent.StatusOut](a, "status", nil); len(got.Challenges) != 0 {
		t.Errorf("after the duel: %+v", got)
	}
}

// TestDecline: a challenge is declined, and challenges are turned off again.
func TestDecline(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a, b := s.connect(s.options(s.newBot("agent-a"))), s.connect(s.options(s.newBot("agent-b")))
	waits := pending[agent.TakeOut](a, "take_challenges", arguments{"from": "all"})
	for must[agent.BotOut](b, "bot_profile", arguments{"name": "agent-a"}).Takes != "all" {
		<-time.After(time.Millisecond)
	}
	challenged := pending[agent.DuelAnswer](b, "start_duel", arguments{"kind": "challenge", "opponent": "agent-a"})
	duel := waits().Challenges[0].Duel
	if got := must[agent.DuelAnswer](a, "resign", arguments{"duel": duel}); got.Duel.Status != "cancelled" {
		t.Errorf("declined: %+v", got.Duel)
	}
	if got := challenged(); got.Duel.Waits != agent.Over {
		t.Errorf("the challenger: %+v", got)
	}
	if got := must[agent.TakeOut](a, "take_challenges", arguments{"from": "none"}); got.From != agent.TakesNone ||
		!strings.Contains(got.Next, "no challenges") {
		t.Errorf("turned off: %+v", got)
	}
}

// staking is a service on which strangers have challenged the caller, each for a stake, and more than a list shows.
type staking struct{}

func (staking) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{"duels":[],"cups":[]}`
	switch {
	case r.URL.Path == "/api/me":
		body = `{"account":{"kind":"bot"}}`
	case strings.Contains(r.URL.RawQuery, "for_me=true"):
		const one = `{"id":"ABCDEFGH","kind":"open","status":"open","stake":7777,"a":{"address":"rps1b"},"rounds":[]}`
		body = `{"duels":[` + one + strings.Repeat(","+one, 24) + `]}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestStakeOfAChallenge: the advice about a challenge has no number that a stranger chose, and is to decline its stake.
func TestStakeOfAChallenge(t *testing.T) {
	t.Parallel()
	s := (&service{t: t}).connect(agent.Options{URL: "http://host", Key: "rsb_key", Folder: t.TempDir(),
		Transport: staking{}})
	got := must[agent.StatusOut](s, "status", nil)
	if len(got.Challenges) != 20 || got.Challenges[0].Stake != 7777 {
		t.Errorf("%d challenges: %+v, want 20 with their stakes", len(got.Challenges), got.Challenges)
	}
	if strings.Contains(got.Next, "7777") || !strings.Contains(got.Next, "duel ABCDEFGH to decline it, unless") {
		t.Errorf("what to do next: %q", got.Next)
	}
}

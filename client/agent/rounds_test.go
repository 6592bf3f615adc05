package agent_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/client/agent"
)

// open begins a duel between two agents that know each other's code.
func open(t *testing.T, a, b *session) (duel string) {
	t.Helper()
	duel = must[agent.DuelAnswer](a, "start_duel", arguments{"kind": "open"}).Duel.Duel
	joined := must[agent.DuelAnswer](b, "start_duel", arguments{"kind": "join", "duel": duel})
	if joined.Duel.Waits != agent.YourMove || joined.Duel.You != agent.SideB {
		t.Fatalf("joined %+v", joined)
	}
	if got := must[agent.DuelAnswer](a, "wait_turn", nil); got.Duel.Waits != agent.YourMove || got.Duel.Duel != duel {
		t.Fatalf("the creator waits for %+v", got)
	}
	return duel
}

// committed reports whether side a has committed in a round.
func (s *service) committed(duel string, round int) bool {
	s.t.Helper()
	var out struct {
		Duel struct {
			Rounds []struct{ Committed struct{ A bool } }
		}
	}
	visitor := &guest{service: s, client: http.DefaultClient}
	visitor.send(http.MethodGet, "/api/duels/"+duel, "", &out)
	return len(out.Duel.Rounds) == round && out.Duel.Rounds[round-1].Committed.A
}

// killer is a transport that fails permanently after the first answer for a path, as if the process had been killed
// then.
type killer struct {
	path   string
	killed atomic.Bool
}

var errKilled = errors.New("killed")

func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.killed.Load() {
		return nil, errKilled
	}
	last := strings.HasSuffix(r.URL.Path, k.path)
	if last {
		r = r.Clone(r.Context())
		r.Header.Del("Prefer") // an answer that waits for the other side would come after the test has gone on
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && last {
		k.killed.Store(true)
		response.Body.Close()
		return nil, errKilled
	}
	return response, err
}

// TestCrashInPlay kills an agent after the service has its commitment, and after the service has its reveal. The next
// process plays the round on with the same move, also if the model asks for another one, and has the receipt.
func TestCrashInPlay(t *testing.T) {
	t.Parallel()
	for path, again := range map[string]string{"/commit": "play", "/reveal": "wait_turn"} {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			s := startService(t)
			o := s.options(s.newBot("agent-a"))
			o.Wait = time.Second
			killed := o
			killed.Transport = &killer{path: path}
			a, b := s.connect(killed), s.connect(s.options(s.newBot("agent-b")))
			duel := open(t, a, b)
			other := func() func() agent.PlayOut {
				return pending[agent.PlayOut](b, "play", arguments{"duel": duel, "move": "scissors"})
			}
			var theirs func() agent.PlayOut
			if again == "wait_turn" {
				theirs = other() // there is no reveal before both have committed
			}
			if text := a.refused("play", arguments{"duel": duel, "move": "rock"}); text == "" {
				t.Error("the killed process has an answer")
			}
			a.agent.Abort()

			next := s.connect(o)
			if again == "play" {
				// The other side moves after this call: earlier, and the new process would have played the round to its
				// end by itself before the call came.
				out := must[agent.PlayOut](next, "play", arguments{"duel": duel, "move": "paper", "round": 1})
				if out.YourMove != agent.Rock || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "rock") {
					t.Errorf("the next process: %+v, want the first move and a warning", out)
				}
				theirs = other()
			} else if out := must[agent.DuelAnswer](next, "wait_turn", arguments{"duel": duel}); out.Duel.Round == 1 &&
				out.Duel.Sealed != agent.Rock {
				t.Errorf("the next process waits with %+v", out.Duel)
			}
			if got := theirs(); got.Result != "lost" || got.TheirMove != agent.Rock {
				t.Errorf("the other side: %+v, want that rock has won", got)
			}
			kept, err := os.ReadFile(filepath.Join(o.Folder, "receipts.jsonl"))
			if err != nil || bytes.Count(kept, []byte("\n")) == 0 {
				t.Errorf("receipts: %q, %v", kept, err)
			}
			if got := must[agent.DuelAnswer](next, "wait_turn", arguments{"duel": duel}); got.Duel.WinsA != 1 ||
				got.Duel.Waits != agent.YourMove || got.Duel.Rounds[0].ForfeitedBy != "" {
				t.Errorf("after the round: %+v", got.Duel)
			}
		})
	}
}

// TestRoundGoesOn: an agent that does not wait for the other side still reveals in time, and a process that starts
// reveals what the last one has committed, without a call of the model.
func TestRoundGoesOn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	o := s.options(s.newBot("agent-a"))
	o.Wait = time.Second
	a, b := s.connect(o), s.connect(s.options(s.newBot("agent-b")))
	duel := open(t, a, b)
	out := must[agent.PlayOut](a, "play", arguments{"move": "rock"})
	if out.Result != "" || out.Duel.Sealed != agent.Rock || out.Duel.Waits != agent.TheOpponent ||
		!strings.Contains(out.Next, "wait_turn") {
		t.Fatalf("while the other side has not moved: %+v", out)
	}
	if out := must[agent.PlayOut](a, "play", arguments{"move": "paper"}); out.YourMove != agent.Rock ||
		len(out.Warnings) != 1 || out.Result != "" {
		t.Errorf("a second move: %+v, want the first one and a warning", out)
	}
	// Another folder does not have the hand.
	lost := s.connect(s.options(a.key))
	if got := must[agent.StatusOut](lost, "status", nil); got.Duels[0].Waits != agent.LostHand {
		t.Errorf("without the hand: %+v", got.Duels[0])
	}
	a.agent.Abort()
	s.connect(o)
	got := must[agent.PlayOut](b, "play", arguments{"duel": duel, "move": "scissors"})
	if got.Result != "lost" || got.TheirMove != agent.Rock {
		t.Errorf("the other side: %+v, want rock revealed", got)
	}
	if text := b.refused("play", arguments{"duel": duel, "move": "rock", "round": 1}); !strings.Contains(text,
		"nothing was played") {
		t.Errorf("a move for a round that is over: %q", text)
	}
}

// TestHurry: little time is a warning, and a missed deadline a lost round.
func TestHurry(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a, b := s.connect(s.options(s.newBot("agent-a"))), s.connect(s.options(s.newBot("agent-b")))
	duel := open(t, a, b)
	s.jump(11 * time.Second)
	first := pending[agent.PlayOut](a, "play", arguments{"move": "rock"})
	second := must[agent.PlayOut](b, "play", arguments{"move": "rock"})
	if out := first(); out.Result != "tie" || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "5 seconds") {
		t.Errorf("with 4 seconds left: %+v", out)
	}
	if second.Result != "tie" {
		t.Errorf("the other side: %+v", second)
	}
	first = pending[agent.PlayOut](a, "play", arguments{"duel": duel, "move": "rock", "round": 2})
	for !s.committed(duel, 2) {
		<-time.After(time.Millisecond)
	}
	for got := (agent.DuelAnswer{}); got.Duel == nil || got.Duel.Round == 2; {
		s.jump(5 * time.Second)
		got = must[agent.DuelAnswer](b, "get_duel", arguments{"duel": duel})
	}
	if out := first(); out.Result != "won" || out.TheirMove != "" || out.Duel.Rounds[1].ForfeitedBy != agent.SideB {
		t.Errorf("against a side that missed the deadline: %+v", out)
	}
}

// TestResign: a duel is given up, an open one is cancelled, and a stake is not risked unasked.
func TestResign(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a, b := s.connect(s.options(s.newBot("agent-a"))), s.connect(s.options(s.newBot("agent-b")))
	duel := open(t, a, b)
	if out := must[agent.DuelAnswer](a, "resign", arguments{"duel": duel}); out.Duel.Result != "lost" {
		t.Errorf("resigned: %+v", out.Duel)
	}
	if got := must[agent.DuelAnswer](b, "wait_turn", arguments{"duel": duel}); got.Duel.Result != "won" {
		t.Errorf("the other side: %+v", got.Duel)
	}
	if text := a.refused("play", arguments{"duel": duel, "move": "rock"}); !strings.Contains(text, "over") {
		t.Errorf("a move in it: %q", text)
	}
	waiting := must[agent.DuelAnswer](a, "start_duel", arguments{"kind": "open"}).Duel.Duel
	if out := must[agent.DuelAnswer](a, "resign", arguments{"duel": waiting}); out.Duel.Status != "cancelled" {
		t.Errorf("an open duel: %+v", out.Duel)
	}
	var staked struct{ Duel struct{ ID string } }
	s.guest().post("/api/duels", `{"stake":5}`, &staked)
	if text := b.refused("start_duel", arguments{"kind": "join", "duel": staked.Duel.ID}); !strings.Contains(text,
		"stake of 5 coins") {
		t.Errorf("joining with a stake: %q", text)
	}
	if out := must[agent.DuelAnswer](b, "start_duel", arguments{"kind": "join", "duel": staked.Duel.ID,
		"max_stake": 5}); out.Duel.Stake != 5 || out.Duel.Waits != agent.YourMove {
		t.Errorf("joining with a stake that is allowed: %+v", out.Duel)
	}
	if text := b.refused("start_duel", arguments{"kind": "challenge"}); !strings.Contains(text, "name of the player") {
		t.Errorf("a challenge without a name: %q", text)
	}
	if got := must[agent.DuelAnswer](a, "start_duel", arguments{"kind": "spar"}); got.Duel.Kind != "spar" ||
		got.Duel.Waits != agent.YourMove {
		t.Errorf("practice: %+v", got.Duel)
	}
}

// TestNoOpponent: an agent without an opponent leaves the queue, so that no duel begins unseen.
func TestNoOpponent(t *testing.T) {
	t.Parallel()
	s := startService(t)
	o := s.options(s.newBot("agent-a"))
	o.Wait = time.Second
	a := s.connect(o)
	if got := must[agent.DuelAnswer](a, "start_duel", arguments{"kind": "ranked"}); got.Duel != nil ||
		!strings.Contains(got.Next, "left the queue") {
		t.Errorf("without an opponent: %+v", got)
	}
	var bot struct{ Bot struct{ State string } }
	s.guest().send(http.MethodGet, "/api/arena/bots/agent-a", "", &bot)
	if bot.Bot.State == "waiting" {
		t.Errorf("the bot still waits: %+v", bot)
	}
}

// TestAgreedTime: two agents agree on the time for each step when the duel is made.
func TestAgreedTime(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a, b := s.connect(s.options(s.newBot("agent-a"))), s.connect(s.options(s.newBot("agent-b")))
	for _, in := range []arguments{
		{"kind": "ranked", "move_seconds": 120}, {"kind": "open", "move_seconds": 301}, {"kind": "open", "move_seconds": 4},
	} {
		if text := a.refused("start_duel", in); !strings.Contains(text, "5 to 300") {
			t.Errorf("%v: %q", in, text)
		}
	}
	opened := must[agent.DuelAnswer](a, "start_duel", arguments{"kind": "open", "move_seconds": 120}).Duel.Duel
	if seen := must[agent.DuelAnswer](b, "get_duel", arguments{"duel": opened}).Duel; seen.StepSeconds == nil ||
		*seen.StepSeconds != 120 {
		t.Errorf("before it is joined: %+v", seen)
	}
	join := arguments{"kind": "join", "duel": opened}
	if text := b.refused("start_duel", join); !strings.Contains(text, "move_seconds 120") {
		t.Errorf("joined without its time: %q", text)
	}
	join["move_seconds"] = 120
	c := s.connect(s.options(s.newBot("agent-c")))
	usual := must[agent.DuelAnswer](c, "start_duel", arguments{"kind": "open"}).Duel.Duel
	if text := b.refused("start_duel", arguments{"kind": "join", "duel": usual, "move_seconds": 120}); !strings.Contains(
		text, "without move_seconds") {
		t.Errorf("joined with a time that it has not: %q", text)
	}
	joined := must[agent.DuelAnswer](b, "start_duel", join).Duel
	if joined.Waits != agent.YourMove || joined.SecondsLeft == nil || *joined.SecondsLeft < 60 ||
		*joined.SecondsLeft > 120 {
		t.Errorf("joined: %+v, want up to 120 seconds for the first step", joined)
	}
}

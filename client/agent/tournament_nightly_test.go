//go:build nightly

package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"roshambo/client/agent"
	"roshambo/docs"
)

// TestTournament plays the tournament of docs/agents.md: a private cup that agents join with its code, play and
// verify. Its moves.ndjson has each round as the files of --measure have it.
func TestTournament(t *testing.T) {
	t.Parallel()
	s := startService(t)
	cup := regexp.MustCompile("`(\\{\"kind\":\"bots\".*\\})`").FindStringSubmatch(string(docs.All()["agents.md"]))
	host := s.guest()
	host.signIn("/api/auth/register", `{"username":"the-host","password":"battery staple"}`)
	var opened struct {
		Code string
		Cup  struct{ Number int64 }
	}
	host.post("/api/cups", cup[1], &opened)
	agents, measures := make([]*session, 3), make([]*lockedBuffer, 3)
	for i := range agents {
		o := s.options(s.newBot(fmt.Sprintf("agent-%d", i)))
		measures[i] = &lockedBuffer{}
		o.Measures, o.Wait = measures[i], time.Second
		agents[i] = s.connect(o)
		in := arguments{"number": opened.Cup.Number}
		if text := agents[i].refused("join_cup", in); !strings.HasPrefix(text, "cup_private") {
			t.Errorf("without the code: %q", text)
		}
		in["code"] = opened.Code
		if got := must[agent.CupAnswer](agents[i], "join_cup", in); got.You != "in" {
			t.Fatalf("joined: %+v", got)
		}
	}
	host.post(fmt.Sprintf("/api/cups/%d/start", opened.Cup.Number), "", &struct{}{})
	ended := make(chan int, len(agents))
	for i, a := range agents {
		go func() { ended <- s.tourney(a, agent.Move([]string{"rock", "paper", "scissors"}[i])) }()
	}
	games := 0
	for range agents {
		games += <-ended
	}
	var table agent.CupAnswer
	for table.Cup.Status != "finished" {
		s.jump(time.Second)
		<-time.After(10 * time.Millisecond)
		table = must[agent.CupAnswer](agents[0], "cup_table", arguments{"number": opened.Cup.Number})
	}
	lines := measuredRounds(t, measures)
	rounds := 0
	for line := range strings.Lines(s.fetched(fmt.Sprintf("/api/cups/%d/moves.ndjson", opened.Cup.Number))) {
		var round struct {
			Duel string
			N    int64
		}
		if err := json.Unmarshal([]byte(line), &round); err != nil {
			t.Fatal(err)
		}
		if rounds++; lines[fmt.Sprint(round.Duel, round.N)] != 2 {
			t.Errorf("%d measures of the line %s, want those of both sides", lines[fmt.Sprint(round.Duel, round.N)], line)
		}
	}
	// Each pair plays once, and no round is a tie: three of them decide a duel.
	if games != 6 || rounds != 9 || len(lines) != rounds {
		t.Errorf("%d games of a side and %d rounds, %d of them measured, want 6 and 9", games, rounds, len(lines))
	}
}

// measuredRounds returns the number of lines about each round, by duel and round.
func measuredRounds(t *testing.T, measures []*lockedBuffer) map[string]int {
	t.Helper()
	lines := map[string]int{}
	for _, m := range measures {
		for _, line := range m.lines() {
			var move agent.MoveLine
			if err := json.Unmarshal([]byte(line), &move); err != nil {
				t.Fatal(err)
			}
			if move.Kind == "move" {
				lines[fmt.Sprint(move.Duel, move.Round)]++
			}
		}
	}
	return lines
}

// tourney plays all games of an agent's cup with one move, verifies the proof of each, and returns their number.
func (s *service) tourney(a *session, move agent.Move) (games int) {
	played := map[string]bool{}
	for {
		var next agent.DuelAnswer
		if err := a.call("start_duel", arguments{"kind": "cup"}, &next); err != nil {
			return len(played) // the cup is over
		}
		switch {
		case next.Duel == nil && strings.Contains(next.Next, "over"):
			return len(played)
		case next.Duel == nil || next.Duel.Waits == agent.Over:
			s.jump(100 * time.Millisecond) // the service begins rounds of cups seconds later; steps have 120
			<-time.After(10 * time.Millisecond)
			continue
		}
		duel := next.Duel.Duel
		for waits := next.Duel.Waits; waits != agent.Over; {
			var out agent.DuelAnswer
			in := arguments{"duel": duel}
			tool := "wait_turn"
			if waits == agent.YourMove {
				tool, in["move"] = "play", move
			}
			if err := a.call(tool, in, &out); err != nil {
				s.t.Errorf("%s %v: %v", tool, in, err)
				return len(played)
			}
			waits = out.Duel.Waits
		}
		played[duel] = true
		for verdict := "PENDING"; verdict == "PENDING"; {
			var report agent.VerifyOut
			if err := a.call("verify", arguments{"duel": duel}, &report); err != nil || report.Verdict == "NOT VALID" {
				s.t.Errorf("the proof of %s: %+v, %v", duel, report, err)
			}
			verdict = report.Verdict
		}
	}
}

// fetched returns a public document of the service.
func (s *service) fetched(path string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s: %s, %v", path, response.Status, text, err)
	}
	return string(text)
}

package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestRestoreForgetsSeeds restores a backup after its player has seen later seeds. The run in play is
// void and its entry given back, once, and the next run shows other seeds than those that were seen. The
// duel in play goes on, with other hands of the sparring bot.
func TestRestoreForgetsSeeds(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, backup, again := filepath.Join(folder, "data"), filepath.Join(folder, "backup"), filepath.Join(folder, "again")
	p := &seedReader{T: t, visitor: visitor{client: &http.Client{}}}
	p.serve(data)
	if err := p.arrive(t.Context()); err != nil {
		t.Fatal(err)
	}
	rich := p.me().Balance
	open, spar := p.start(), p.spar()
	command(t, "backup", "--data", data, "--keys", backup)
	seen := map[string]bool{p.throw(open): true} // by seeds that the backup has not revealed
	var thrown struct{ Run runView }
	if p.ask("GET", "/api/runs/"+open, "", &thrown); thrown.Run.Status != "lost" { // one throw in three loses
		p.ask("POST", "/api/runs/"+open+"/abandon", "", nil)
	}
	seen[p.throw(p.start())] = true
	for _, salt := range p.playDuel(spar) {
		seen[salt] = true
	}
	p.end()

	command(t, "restore", "--data", again, backup)
	commitments := map[string]bool{}
	for range 2 { // the second start has nothing to recover
		p.serve(again)
		var run struct{ Run runView }
		p.ask("GET", "/api/runs/"+open, "", &run)
		me := p.me()
		if run.Run.Status != "void" || me.Balance != rich {
			t.Errorf("the run in play is %s, of %d coins are left %d", run.Run.Status, rich, me.Balance)
		}
		commitments[me.NextCommitment.Commitment] = true
		p.end()
	}
	p.serve(again)
	if seed := p.throw(p.start()); seen[seed] || len(commitments) != 1 {
		t.Errorf("the run shows seed %s, seen are %v; commitments %v", seed, seen, commitments)
	}
	for n, salt := range p.playDuel(spar) {
		if seen[salt] {
			t.Errorf("round %d of the duel shows a hand again", n+1)
		}
	}
	p.end()
	command(t, "verify-chain", again)
	command(t, "doctor", "--data", again)
}

// seedReader plays at one server after the other.
type seedReader struct {
	*testing.T
	visitor
	server *process
}

func (p *seedReader) serve(data string, args ...string) {
	p.Helper()
	var err error
	if p.server, err = serve(p.Context(), data, append(args, "--house-bots=false")...); err != nil {
		p.Fatal(err)
	}
	p.url = p.server.url
}

func (p *seedReader) end() {
	p.Helper()
	if err := p.server.stop(); err != nil {
		p.Fatalf("the server ended with %v:\n%s", err, p.server.logged())
	}
}

// ask makes a call that must succeed.
func (p *seedReader) ask(method, path, body string, out any) {
	p.Helper()
	var nothing any
	if out == nil {
		out = &nothing
	}
	if err := p.visitor.call(p.Context(), method, path, body, out); err != nil {
		p.Fatalf("%s %s: %v\n%s", method, path, err, p.server.logged())
	}
}

// balanceAndSeeds are the parts of GET /api/me that a recovery changes.
type balanceAndSeeds struct {
	Balance        int64
	NextCommitment struct{ Commitment string } `json:"next_commitment"`
}

func (p *seedReader) me() (out balanceAndSeeds) {
	p.Helper()
	p.ask("GET", "/api/me", "", &out)
	return out
}

// start starts a run for coins and returns its id. After a recovery it repeats the call until the rotation of
// the commitment is in a block: before, a start is 503 recovering.
func (p *seedReader) start() string {
	p.Helper()
	for {
		var out struct{ Run runView }
		err := p.visitor.call(p.Context(), "POST", "/api/runs", `{"entry":"fee"}`, &out)
		if err == nil {
			return out.Run.ID
		}
		if !strings.Contains(err.Error(), `"recovering"`) {
			p.Fatalf("start: %v\n%s", err, p.server.logged())
		}
	}
}

// throw plays the first throw of a run and returns its seed.
func (p *seedReader) throw(id string) string {
	p.Helper()
	var out struct{ Run runView }
	p.ask("GET", "/api/runs/"+id, "", &out)
	if err := p.visitor.throw(p.Context(), &out.Run, `{"move":"rock"}`); err != nil {
		p.Fatalf("throw: %v\n%s", err, p.server.logged())
	}
	if len(out.Run.Throws) != 1 {
		p.Fatalf("after the first throw: %+v", out.Run)
	}
	return out.Run.Throws[0].Seed
}

// spar begins a practice duel and returns its code.
func (p *seedReader) spar() string {
	p.Helper()
	var out struct{ Duel struct{ ID string } }
	p.ask("POST", "/api/duels/spar", "", &out)
	return out.Duel.ID
}

// playDuel plays a practice duel to its end, and returns the bot's salts.
func (p *seedReader) playDuel(code string) (salts []string) {
	p.Helper()
	for n := 1; ; n++ {
		salt := fmt.Sprintf("%032d", n)
		sum := sha256.Sum256([]byte("rock:" + salt))
		p.ask("POST", "/api/duels/"+code+"/commit", fmt.Sprintf(`{"commitment":"%x"}`, sum), nil)
		var out struct {
			Duel struct {
				Status string
				Rounds []struct {
					Salt *string `json:"salt_b"`
				}
			}
		}
		p.ask("POST", "/api/duels/"+code+"/reveal", fmt.Sprintf(`{"move":"rock","salt":"%s"}`, salt), &out)
		if len(out.Duel.Rounds) < n || out.Duel.Rounds[n-1].Salt == nil {
			p.Fatalf("after round %d: %+v", n, out.Duel)
		}
		salts = append(salts, *out.Duel.Rounds[n-1].Salt)
		if out.Duel.Status != "active" {
			return salts
		}
	}
}

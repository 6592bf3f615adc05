//go:build nightly

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/verify"
)

// player is a bot of a cup: the command that plays, in a folder of its own.
type player struct {
	name    string
	command []string
	folder  string
	out     string
	err     error
}

// TestCupOfAllSDKs lets bots of all clients, and a program behind roshambo bot --exec, play a cup on a real service: no
// step is missed, the points follow from the duels, and each bot's receipts agree with the proofs of its duels.
func TestCupOfAllSDKs(t *testing.T) {
	t.Parallel()
	inPython, inTypeScript := installPython(t), installTypeScript(t)
	service := startService(t)
	players := []*player{
		{name: "in-go", command: []string{"roshambo", "bot", "--strategy", "random", "--receipts", "receipts.jsonl", "--url",
			service, "--duels", "4"}},
		{name: "in-python", command: append(inPython.program("bot.py"), service, "4")},
		{name: "in-typescript", command: append(inTypeScript.program("bot.mjs"), service, "4")},
		{name: "in-asyncio", command: append(inPython.program("bot_async.py"), service, "4")},
		{name: "a-program", command: []string{"roshambo", "bot", "--exec", inPython.python + " " +
			filepath.Join(root(t), "starter/program/bot.py"), "--receipts", "receipts.jsonl", "--url", service, "--duels", "4"}},
	}
	script := inPython.python + " " + filepath.Join(root(t), "cmd/roshambo/testdata/sdk_cup.py") + " " + service
	for _, p := range players {
		script += " " + p.name
	}
	var cup struct {
		Number int64
		Keys   []string
	}
	if err := json.Unmarshal([]byte(shell(t, t.TempDir(), nil, script)), &cup); err != nil {
		t.Fatal(err)
	}
	var playing sync.WaitGroup
	for i, p := range players {
		p.folder = t.TempDir()
		playing.Go(func() {
			command := bash(t, p.folder, []string{"ROSHAMBO_KEY=" + cup.Keys[i], "ROSHAMBO_KEYS=" + cup.Keys[i]}, `"$@"`)
			command.Args = append(append(command.Args, "bash"), p.command...)
			out, err := command.CombinedOutput()
			p.out, p.err = string(out), err
		})
	}
	playing.Wait()
	for _, p := range players {
		if p.err != nil {
			t.Errorf("%s: %v\n%s", p.name, p.err, p.out)
		}
	}
	if t.Failed() {
		return
	}
	checkCup(t, service, cup.Number, players)
}

// checkCup requires that all have met, that no step was missed, and that the receipts agree with the proofs.
func checkCup(t *testing.T, service string, number int64, players []*player) {
	t.Helper()
	c, err := client.New(client.Options{URL: service})
	if err != nil {
		t.Fatal(err)
	}
	cup := eventually(t, func() (*api.CupOut, bool) {
		out, err := client.Read[api.CupOut](c.API.GetCup(t.Context(), number))
		if err != nil {
			t.Fatal(err)
		}
		return out, out.Cup.Status == api.CupStatusFinished
	})
	byes, allMeet := 0, len(players)*(len(players)-1)/2
	receipts := map[string][]byte{}
	for _, p := range players {
		file := filepath.Join(p.folder, "receipts.jsonl")
		if p.name == "in-asyncio" {
			file = filepath.Join(p.folder, "receipts-0.jsonl")
		}
		if receipts[p.name], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, game := range cup.Games {
		if game.Duel == nil {
			byes++
			continue
		}
		checkCupDuel(t, c, *game.Duel, receipts)
	}
	if odd := len(players) % 2; byes != odd*len(players) || len(cup.Games)-byes != allMeet {
		t.Errorf("%d games and %d byes, want %d games, and a bye for each of an odd number of players", len(cup.Games)-byes,
			byes, allMeet)
	}
}

// checkCupDuel checks one duel of a cup.
func checkCupDuel(t *testing.T, c *client.Client, code string, receipts map[string][]byte) {
	t.Helper()
	out, err := client.Read[api.GetDuelOut](c.API.GetDuel(t.Context(), code, nil))
	if err != nil {
		t.Fatal(err)
	}
	d := &out.Duel
	if d.Status != api.DuelStatusFinished || d.Kind != "cup" {
		t.Errorf("duel %s is %s, %s", code, d.Status, d.Kind)
	}
	for _, r := range d.Rounds {
		if r.ForfeitedBy != nil {
			t.Errorf("duel %s of %s and %s: round %d was forfeited by %s", code, d.A.Username, d.B.Username, r.Round,
				*r.ForfeitedBy)
		}
	}
	for _, side := range []string{d.A.Username, d.B.Username} {
		report := eventually(t, func() (verify.Report, bool) {
			proof, err := client.ReadText(c.API.GetDuelProof(t.Context(), code))
			if err != nil {
				t.Fatal(err)
			}
			r := verify.Duel(proof, verify.Options{Receipts: receipts[side]})
			return r, r.Verdict != verify.Pending
		})
		if last := report.Checks[len(report.Checks)-1]; !report.Valid || last.ID != "receipts" || last.Result != verify.Pass {
			t.Errorf("duel %s with the receipts of %s: %+v", code, side, report)
		}
	}
}

// eventually repeats a look until it is conclusive.
func eventually[T any](t *testing.T, look func() (T, bool)) T {
	t.Helper()
	for {
		found, done := look()
		if done {
			return found
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("still %+v", found)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

//go:build nightly

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/internal/service/cup"
)

// groupsFor is how long the groups play.
var groupsFor = flag.Duration("groups.for", 5*time.Minute, "how long groups of starters play")

// wholeCup is how long groups have to play for the service's first cup to be over.
const wholeCup = cup.FirstLead + 20*time.Minute

// TestGroupsOfStarters lets starters play ranked duels beside the house's bots, all from one address: twelve at
// an address that many people share, and four under the limit of a single one, while a person at another address sends
// all that is allowed, and more. None forfeits a round. In more than ten minutes (-groups.for) the service's first cup
// begins, in which all of them play, and in half an hour it is over: none is put out of it.
func TestGroupsOfStarters(t *testing.T) {
	t.Parallel()
	long := *groupsFor
	if testing.Short() {
		long = time.Minute
	}
	languages := groupLanguages(t)
	for name, tt := range map[string]struct {
		bots    int
		args    []string
		refuses bool // the other person's calls beyond 240 a minute
	}{
		"twelve at a shared address": {12, nil, false}, "four under one limit": {4, []string{"--limit-private"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := serve(t.Context(), t.TempDir(), append(tt.args, "--house-bots", "--rate-limit", "240")...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.kill() })
			g := newGroup(t, server.url, tt.bots)
			ctx, stop := context.WithTimeout(t.Context(), long)
			defer stop()
			noise := newFlood(t, server.url)
			var flooding sync.WaitGroup
			flooding.Go(func() { noise.run(ctx) })
			g.play(ctx, languages)
			flooding.Wait()
			g.check(t, long)
			if noise.answered == 0 || tt.refuses && noise.refused == 0 {
				t.Errorf("the flood: %d calls were answered, %d refused", noise.answered, noise.refused)
			}
			t.Logf("the flood: %d calls were answered, %d refused", noise.answered, noise.refused)
		})
	}
}

// groupLanguages returns the commands of a group's starters: one in Python, one in TypeScript, and the others in Go.
func groupLanguages(t *testing.T) (commands [][]string) {
	t.Helper()
	for _, s := range []starter{starters[0], others[0], starters[1]} {
		commands = append(commands, s.command(t, filepath.Join(root(t), "starter", s.file), t.TempDir()))
	}
	return commands
}

// group are starters at one address.
type group struct {
	url     string
	keys    []string
	folders []string       // of receipts
	outputs []bytes.Buffer // what each prints
	active  []*api.Duel    // the duels that were in progress at the end
	reads   int            // calls so far; see reader
	failed  error
}

// newGroup makes the bots of a group, each of which has joined the service's first cup.
func newGroup(t *testing.T, url string, bots int) *group {
	t.Helper()
	g := &group{url: url, outputs: make([]bytes.Buffer, bots)}
	for i := range bots {
		key := mustBot(t, url, fmt.Sprint("group-", i))
		joinFirstCup(t, url, key)
		g.keys, g.folders = append(g.keys, key), append(g.folders, t.TempDir())
	}
	return g
}

// play lets the starters play until ctx ends. Then it reads the duels that are in progress, and kills the starters:
// what they forfeit afterwards is not their fault.
func (g *group) play(ctx context.Context, languages [][]string) {
	alive, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	var playing sync.WaitGroup
	for i := range g.outputs {
		command := languages[min(i, len(languages)-1)]
		cmd := exec.CommandContext(alive, command[0], slices.Concat(command[1:], []string{g.url, "100000"})...)
		cmd.Env, cmd.Dir = append(os.Environ(), "ROSHAMBO_KEY="+g.keys[i], "PYTHONUNBUFFERED=1"), g.folders[i]
		cmd.Stdout, cmd.Stderr = &g.outputs[i], os.Stderr
		playing.Go(func() { _ = cmd.Run() }) // until it is killed
	}
	<-ctx.Done()
	for _, key := range g.keys {
		g.readActive(alive, key)
	}
	kill()
	playing.Wait()
}

// readActive reads the duels that a bot plays.
func (g *group) readActive(ctx context.Context, key string) {
	mine, status := true, api.ListDuelsParamsStatusActive
	c, err := g.reader(key)
	if err == nil {
		var list *api.DuelsOut
		list, err = client.Read[api.DuelsOut](c.API.ListDuels(ctx, &api.ListDuelsParams{Mine: &mine, Status: &status}))
		for i := 0; err == nil && i < len(list.Duels); i++ {
			var d *api.Duel
			if d, err = g.read(ctx, list.Duels[i].ID); err == nil {
				g.active = append(g.active, d)
			}
		}
	}
	if err != nil && g.failed == nil {
		g.failed = err
	}
}

// check requires that each starter has played, that no round was forfeited, and that the cup took its course.
func (g *group) check(t *testing.T, long time.Duration) {
	t.Helper()
	if g.failed != nil {
		t.Errorf("reading the duels in progress: %v", g.failed)
	}
	rounds, duels := 0, g.active
	for i := range g.outputs {
		lines := lineOfResult.FindAllStringSubmatch(g.outputs[i].String(), -1)
		if len(lines) < 3 {
			t.Errorf("bot %d has played %d duels in %v", i, len(lines), long)
		}
		for _, line := range lines {
			d, err := g.read(t.Context(), line[3])
			if err != nil {
				t.Fatal(err)
			}
			duels = append(duels, d)
		}
	}
	for _, d := range duels {
		for _, r := range d.Rounds {
			if rounds++; r.ForfeitedBy != nil {
				t.Errorf("duel %s of %s and %s: %s has forfeited round %d", d.ID, d.A.Username, d.B.Username, *r.ForfeitedBy,
					r.Round)
			}
		}
	}
	first := firstCup(t, g.url)
	for _, row := range first.Table {
		if row.Out {
			t.Errorf("%s is out of the cup", row.Username)
		}
	}
	t.Logf("%d bots have played %d duels with %d rounds in %v, %d of them in progress; the cup is %s after %d rounds",
		len(g.keys), len(duels), rounds, long, len(g.active), first.Cup.Status, first.Cup.Round)
	if long > cup.FirstLead+time.Minute && first.Cup.Round == 0 {
		t.Error("the cup has not begun")
	}
	if long >= wholeCup && first.Cup.Status != api.CupStatusFinished {
		t.Errorf("the cup is %s after %v", first.Cup.Status, long)
	}
}

// joinFirstCup makes a bot a player of the service's first cup, once that is open.
func joinFirstCup(t *testing.T, url, key string) {
	t.Helper()
	c, err := client.New(client.Options{URL: url, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		_, err := client.Read[api.CupOut](c.API.JoinCup(t.Context(), 1, api.JoinCupJSONRequestBody{}))
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// firstCup reads the service's first cup.
func firstCup(t *testing.T, url string) *api.CupOut {
	t.Helper()
	c, err := client.New(client.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.Read[api.CupOut](c.API.GetCup(t.Context(), 1))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reader returns a client at a loopback address of its own, a new one for each 100 calls. The key may be empty.
func (g *group) reader(key string) (*client.Client, error) {
	host := g.reads / 100
	g.reads++
	return client.New(client.Options{URL: g.url, Key: key, Transport: from(net.IPv4(127, 251, byte(host>>8),
		byte(1+host%250)))})
}

// read reads a duel as a spectator.
func (g *group) read(ctx context.Context, code string) (*api.Duel, error) {
	c, err := g.reader("")
	if err != nil {
		return nil, err
	}
	out, err := client.Read[api.GetDuelOut](c.API.GetDuel(ctx, code, nil))
	if err != nil {
		return nil, err
	}
	return &out.Duel, nil
}

// from returns a transport whose connections come from an address.
func from(address net.IP) *http.Transport {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}
	return &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
}

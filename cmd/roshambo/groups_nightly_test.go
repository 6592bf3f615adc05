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
	"sync"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/internal/service/cup"
)

// groupsFor is how long the groups play.
var groupsFor = flag.Duration("groups.for", 5*time.Minute, "how long groups of starters play")

// TestGroupsOfStarters lets starters play ranked duels beside the house's bots, all from one address: twelve at
// an address that many people share, and four under the limit of a single one. None forfeits a round. In more than
// ten minutes (-groups.for) the service's first cup begins, in which all of them play: none is put out of it.
func TestGroupsOfStarters(t *testing.T) {
	t.Parallel()
	long := *groupsFor
	if testing.Short() {
		long = time.Minute
	}
	command := goStarter(t, filepath.Join(root(t), "starter/go/bot.go"), t.TempDir())
	for name, tt := range map[string]struct {
		bots int
		args []string
	}{
		"twelve at a shared address": {12, nil}, "four under one limit": {4, []string{"--limit-private"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := serve(t.Context(), t.TempDir(), append(tt.args, "--house-bots", "--rate-limit", "240")...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.kill() })
			ctx, stop := context.WithTimeout(t.Context(), long)
			defer stop()
			outputs := make([]bytes.Buffer, tt.bots)
			var playing sync.WaitGroup
			for i := range outputs {
				cmd := exec.CommandContext(ctx, command[0], server.url, "100000")
				key := mustBot(t, server.url, fmt.Sprint("group-", i))
				joinFirstCup(t, server.url, key)
				cmd.Env, cmd.Dir = append(os.Environ(), "ROSHAMBO_KEY="+key), t.TempDir()
				cmd.Stdout, cmd.Stderr = &outputs[i], os.Stderr
				playing.Go(func() { _ = cmd.Run() }) // until it is killed
			}
			playing.Wait()
			rounds, duels := 0, 0
			for i := range outputs {
				lines := lineOfResult.FindAllStringSubmatch(outputs[i].String(), -1)
				if len(lines) < 3 {
					t.Errorf("bot %d has played %d duels in %v", i, len(lines), long)
				}
				for _, line := range lines {
					duels++
					for _, r := range readAs(t, server.url, duels/100, line[3]).Rounds {
						if rounds++; r.ForfeitedBy != nil {
							t.Errorf("bot %d, duel %s: %s has forfeited round %d", i, line[3], *r.ForfeitedBy, r.Round)
						}
					}
				}
			}
			first := firstCup(t, server.url)
			for _, row := range first.Table {
				if row.Out {
					t.Errorf("%s is out of the cup", row.Username)
				}
			}
			t.Logf("%d bots have played %d duels with %d rounds in %v; the cup is %s after %d rounds", tt.bots, duels, rounds,
				long, first.Cup.Status, first.Cup.Round)
			if long > cup.FirstLead+time.Minute && first.Cup.Round == 0 {
				t.Error("the cup has not begun")
			}
		})
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

// readAs reads a duel from a loopback address of its own.
func readAs(t *testing.T, url string, host int, code string) *api.Duel {
	t.Helper()
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 251, byte(host>>8), byte(1+host%250))}}
	transport := &http.Transport{DialContext: from.DialContext, DisableKeepAlives: true}
	c, err := client.New(client.Options{URL: url, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.Read[api.GetDuelOut](c.API.GetDuel(t.Context(), code, nil))
	if err != nil {
		t.Fatal(err)
	}
	return &out.Duel
}

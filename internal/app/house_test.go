package app

import (
	"context"
	"errors"
	"math"
	"net"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/game"
	"roshambo/internal/app/housebot"
	"roshambo/internal/service/account"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// TestHouse starts the service with the house bots, twice on one folder, and checks their public
// state.
func TestHouse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var before map[string]string
	for range 2 {
		c := config(folder)
		c.HouseBots, c.RateLimit = true, DefaultRateLimit
		ready := make(chan string, 1)
		c.Ready = func(address string) { ready <- address }
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, c) }()
		outside, err := client.New(client.Options{URL: "http://" + <-ready})
		if err != nil {
			t.Fatal(err)
		}
		addresses := awaitHouse(t, outside, len(before) == 0)
		for name, address := range before {
			if addresses[name] != address {
				t.Errorf("%s was %s, and is %s", name, address, addresses[name])
			}
		}
		before = addresses
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service ended with %v", err)
		}
	}
}

// TestHouseFinishesDuel checks that house bots whose duel was interrupted by a crash finish it after
// the next start, although the service has no visitors.
func TestHouseFinishesDuel(t *testing.T) {
	t.Parallel()
	s, err := Build(t.Context(), config(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range housebot.Bots(account.HousePrefix)[:2] {
		key, err := houseKey(s.secret, b.Name)
		if err != nil {
			t.Fatal(err)
		}
		err = s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			bot, err := s.Accounts.EnsureHouseBot(ctx, tx, b.Name, key)
			if err != nil {
				return err
			}
			_, err = s.Arena.JoinQueue(ctx, tx, bot.Address, nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Arena.MatchOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := func() (d *duel.Duel) {
		err := s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			list, err := s.Duels.List(ctx, tx, duel.Filter{Before: math.MaxInt64, Count: 1})
			if err != nil {
				return err
			}
			d = list[0]
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	code := read().Code
	if read().Status != duel.Active {
		t.Fatalf("duel %s is %s before the start", code, read().Status)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.playHouse(ctx) }()
	for read().Status != duel.Finished {
		<-time.After(10 * time.Millisecond)
	}
	if d := read(); d.Code != code || len(d.Rounds) == 0 || d.Rounds[0].Outcome == game.Void {
		t.Errorf("the duel ended as %+v, want rounds that were played", d)
	}
	stop()
	if err := errors.Join(<-ended, s.Close()); err != nil {
		t.Error(err)
	}
}

// awaitHouse waits until all house bots are listed and, if duel is set, two of them have finished a
// duel. It returns their addresses by name.
func awaitHouse(t *testing.T, c *client.Client, duel bool) map[string]string {
	t.Helper()
	addresses := map[string]string{}
	for _, b := range housebot.Bots(account.HousePrefix) {
		for {
			out, err := client.Read[api.ArenaBotOut](c.API.GetArenaBot(t.Context(), b.Name))
			if err == nil && out.Bot.House && out.Bot.Owner == nil {
				addresses[b.Name] = out.Bot.Address
				break
			}
			if err != nil && client.Code(err) != "not_found" {
				t.Fatal(err)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
	for duel {
		board, err := client.Read[api.ArenaLeaderboardOut](c.API.ArenaLeaderboard(t.Context(), nil))
		if err != nil {
			t.Fatal(err)
		}
		if duel = len(board.Rows) < 2; duel {
			<-time.After(10 * time.Millisecond)
		}
	}
	return addresses
}

func TestPipeListenerRefusesAfterClose(t *testing.T) {
	t.Parallel()
	listener := newPipeListener()
	go func() {
		c, err := listener.Accept()
		if err == nil {
			_, _ = c.Write([]byte("welcome"))
		}
	}()
	c, err := listener.dial(t.Context(), "tcp", "anything")
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 7)
	if n, err := c.Read(b); err != nil || string(b[:n]) != "welcome" {
		t.Errorf("read %q, %v", b[:n], err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if c, err := listener.dial(ctx, "tcp", "anything"); err == nil {
		t.Errorf("after Close: got %v", c)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func() (net.Conn, error){
		listener.Accept, func() (net.Conn, error) { return listener.dial(t.Context(), "tcp", "anything") },
	} {
		if c, err := open(); err == nil {
			t.Errorf("closed: got %v", c)
		}
	}
}

func TestHouseKeys(t *testing.T) {
	t.Parallel()
	secret, other := make([]byte, 32), append(make([]byte, 31), 1)
	seen := map[account.KeySecret]string{}
	for what, derive := range map[string]func() (account.KeySecret, error){
		"one": func() (account.KeySecret, error) { return houseKey(secret, "house-rock") },
		"two": func() (account.KeySecret, error) { return houseKey(secret, "house-random") },
		"own": func() (account.KeySecret, error) { return houseKey(other, "house-rock") },
	} {
		key, err := derive()
		again, _ := derive()
		if err != nil || key != again || seen[key] != "" {
			t.Errorf("%s: %q, then %q, %v; it is that of %q too", what, key, again, err, seen[key])
		}
		seen[key] = what
	}
}

// TestHouseSalts: each round of each bot has its own salt, derived from the secret and the last recovery.
func TestHouseSalts(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i, secret := range []string{"one", "another", "one"} {
		recovery := int64(i / 2)
		salt, err := houseSalts([]byte(secret), recovery)
		if err != nil {
			t.Fatal(err)
		}
		again, err := houseSalts([]byte(secret), recovery)
		if err != nil {
			t.Fatal(err)
		}
		for _, bot := range []string{"house-rock", "house-random"} {
			for _, duel := range []string{"AAAAAAAA", "AAAAAAAB"} {
				for round := range int64(3) {
					s := salt(bot, duel, round)
					if len(s) != 64 || seen[s] || s != again(bot, duel, round) {
						t.Errorf("secret %s, %s, duel %s, round %d: salt %q was there before, or is another the second time", secret,
							bot, duel, round, s)
					}
					seen[s] = true
				}
			}
		}
	}
}

package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"roshambo/chain"
	"roshambo/internal/app/housebot"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// class is a public service for a class, all of whose calls come from one address.
type class struct{ *Service }

// newClass builds the service.
func newClass(t *testing.T) class {
	t.Helper()
	c := config(t.TempDir())
	c.PublicURL, c.Class = "https://class.example.org", true
	c.RateLimit, c.FreeStarts = DefaultRateLimit, DefaultFreeStarts
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return class{s}
}

// call sends a request, with a key unless it is "", and decodes the answer, which must be 200.
func (s class) call(t *testing.T, method, path, key string, out any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.RemoteAddr = "192.0.2.1:1"
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	s.Edge.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
		t.Fatal(err)
	}
}

// bot opens a guest's account with a bot.
func (s class) bot(t *testing.T, name string) (address chain.Address, key string) {
	t.Helper()
	err := s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		guest, err := s.Accounts.OpenGuest(ctx, tx, "", account.FreeStart)
		if err != nil {
			return err
		}
		b, secret, err := s.Accounts.CreateBot(ctx, tx, guest.Account.Address, name, account.FreeStart)
		address, key = b.Account.Address, secret.Text()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return address, key
}

// TestClass: a class behind one public address has free starts without a limit, its bots meet in rated duels, the
// house's bots play for practice alone, and the service opens no cup.
func TestClass(t *testing.T) {
	t.Parallel()
	s := newClass(t)
	type budget struct{ Action string }
	var limits struct {
		Shared  bool `json:"address_is_shared"`
		Budgets []budget
	}
	s.call(t, "GET", "/api/limits", "", &limits)
	starts := slices.ContainsFunc(limits.Budgets, func(b budget) bool { return b.Action == "free_starts" })
	if !limits.Shared || starts {
		t.Errorf("the limits are %+v, want a shared address and none of free starts", limits)
	}
	for range 2 * accountsPerHour {
		var guest struct{ Account struct{ Address string } }
		s.call(t, "POST", "/api/guest", "", &guest)
	}
	var tiers struct{ Class bool }
	if s.call(t, "GET", "/api/tiers", "", &tiers); !tiers.Class {
		t.Error("pages are not told that the service is for a class")
	}
	ann, annKey := s.bot(t, "ann-bot")
	_, benKey := s.bot(t, "ben-bot")
	var queue struct {
		Status string
		Duel   struct{ Rated bool }
	}
	s.call(t, "POST", "/api/arena/queue", annKey, &queue)
	if s.call(t, "POST", "/api/arena/queue", benKey, &queue); queue.Status != "matched" || !queue.Duel.Rated {
		t.Errorf("two bots of one address: %+v, want a rated duel", queue)
	}
	s.practice(t, ann)
	if err := s.Cups.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		list, err := s.Cups.List(ctx, tx, math.MaxInt64, 1)
		if err == nil && len(list) != 0 {
			err = fmt.Errorf("the service has opened cup %d", list[0].Number)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// practice checks that ranked duels of a bot with one of the house are not rated, whichever is first.
func (s class) practice(t *testing.T, bot chain.Address) {
	t.Helper()
	name := housebot.Bots(account.HousePrefix)[0].Name
	key, err := houseKey(s.secret, name)
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		house, err := s.Accounts.EnsureHouseBot(ctx, tx, name, key)
		if err != nil {
			return err
		}
		for _, sides := range [][2]chain.Address{{bot, house.Address}, {house.Address, bot}} {
			code, err := rankedDuels{s.Service}.StartRanked(ctx, tx, sides[0], sides[1])
			if err != nil {
				return err
			}
			d, _, err := s.Duels.Get(ctx, tx, code)
			if err != nil {
				return err
			}
			if d.Rated || d.Kind != "ranked" {
				t.Errorf("a duel with the house's bot: %s, rated %t, want a ranked one that is not rated", d.Kind, d.Rated)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

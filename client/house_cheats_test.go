package client_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/client"
	"roshambo/client/api"
)

// dishonest is a house that states any commitment it likes and records the texts that it received last.
type dishonest struct {
	offered  string // the next commitment of the account
	answered string // the commitment of the run; "" is the offered one
	run      api.Run
	refuses  string // the code of a 503 for starts and throws; "" accepts them
	seeds    []string
	entropy  []string
}

// ServeHTTP answers the three requests of a House.
func (d *dishonest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var sent sentTexts
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	var out any
	switch r.URL.Path {
	case "/api/me":
		me := api.MeOut{}
		me.NextCommitment.Commitment = d.offered
		out = me
	case "/api/runs":
		d.seeds = append(d.seeds, sent.ClientSeed)
		d.run = api.Run{ID: "one", Commitment: cmp.Or(d.answered, d.offered),
			ClientSeedHash: chain.HashText(sent.ClientSeed).String()}
		out = api.StartRunOut{Run: d.run}
	default:
		d.entropy = append(d.entropy, sent.Entropy)
		run := d.run
		run.Throws = []api.Throw{{N: 1, EntropyHash: chain.HashText(sent.Entropy).String()}}
		out = api.ThrowOut{Run: run}
	}
	if d.refuses != "" && r.Method == http.MethodPost {
		w.WriteHeader(http.StatusServiceUnavailable)
		out = map[string]string{"code": d.refuses, "message": "not now"}
	}
	if err := json.NewEncoder(w).Encode(out); err != nil {
		panic(err)
	}
}

// cheats starts a dishonest house and returns a House that plays against it, as after a restart.
func cheats(t *testing.T, d *dishonest, budget time.Duration) (restarted func() *client.House) {
	t.Helper()
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	state := filepath.Join(t.TempDir(), "house.json")
	return func() *client.House {
		h, err := client.NewHouse(client.HouseOptions{State: state,
			Client: newClient(t, client.Options{URL: server.URL, Key: "rsb_key", RetryBudget: budget})})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
}

// commitmentOf returns a commitment.
func commitmentOf(n int) string { return fmt.Sprintf("%064d", n) }

// TestHouseDrawsOnce gives no second text to a house that refuses a throw, shows another commitment and
// then the first one again.
func TestHouseDrawsOnce(t *testing.T) {
	t.Parallel()
	d := &dishonest{offered: commitmentOf(1)}
	restarted := cheats(t, d, time.Millisecond)
	h := restarted()
	if _, err := h.Start(t.Context(), api.StartRunIn{}); err != nil {
		t.Fatal(err)
	}
	d.refuses = "unavailable"
	if _, err := h.Throw(t.Context(), &d.run, api.ThrowIn{}); client.Code(err) != d.refuses {
		t.Fatalf("got %v, want %s", err, d.refuses)
	}
	d.refuses = ""
	for _, h := range []*client.House{h, restarted()} {
		d.run.Commitment = commitmentOf(2)
		if out, err := h.Throw(t.Context(), &d.run, api.ThrowIn{}); out != nil || !errors.Is(err, client.ErrTexts) {
			t.Errorf("another commitment: got %v, %v, want %v", out, err, client.ErrTexts)
		}
		d.run.Commitment = commitmentOf(1)
		if _, err := h.Throw(t.Context(), &d.run, api.ThrowIn{}); err != nil {
			t.Error(err)
		}
	}
	if len(d.entropy) != 3 || d.entropy[0] != d.entropy[1] || d.entropy[0] != d.entropy[2] {
		t.Errorf("the house has received %q for one throw", d.entropy)
	}
	d.run.ID = "two"
	if _, err := h.Throw(t.Context(), &d.run, api.ThrowIn{}); !errors.Is(err, client.ErrTexts) {
		t.Errorf("another run with the commitment: got %v, want %v", err, client.ErrTexts)
	}
}

// TestHouseDrawsOneSeed gives no second client seed to a house that offers another commitment and then the
// first one again, and finds a run that has another commitment than the one that its seed was sent for.
func TestHouseDrawsOneSeed(t *testing.T) {
	t.Parallel()
	d := &dishonest{refuses: "unavailable"}
	restarted := cheats(t, d, time.Millisecond)
	h := restarted()
	for _, offered := range []int{1, 2, 1} {
		d.offered = commitmentOf(offered)
		if _, err := h.Start(t.Context(), api.StartRunIn{}); client.Code(err) != d.refuses {
			t.Fatalf("got %v, want %s", err, d.refuses)
		}
	}
	if d.seeds[0] != d.seeds[2] || d.seeds[0] == d.seeds[1] {
		t.Errorf("the house has received the client seeds %q for the commitments 1, 2, 1", d.seeds)
	}
	d.refuses, d.answered = "", commitmentOf(3)
	if _, err := h.Start(t.Context(), api.StartRunIn{}); !errors.Is(err, client.ErrTexts) {
		t.Errorf("a run with another commitment than was offered: got %v, want %v", err, client.ErrTexts)
	}
	for _, h := range []*client.House{h, restarted()} {
		if out, err := h.Throw(t.Context(), &d.run, api.ThrowIn{}); out != nil || !errors.Is(err, client.ErrTexts) {
			t.Errorf("its throw: got %v, %v, want %v", out, err, client.ErrTexts)
		}
	}
}

// TestHouseDrawsAgainAfterRecovery draws another client seed once a recovery has replaced the commitment.
func TestHouseDrawsAgainAfterRecovery(t *testing.T) {
	t.Parallel()
	d := &dishonest{offered: commitmentOf(1), refuses: "recovering"}
	h := cheats(t, d, time.Second)()
	if _, err := h.Start(t.Context(), api.StartRunIn{}); client.Code(err) != d.refuses {
		t.Fatalf("got %v, want %s", err, d.refuses)
	}
	d.offered, d.refuses = commitmentOf(2), ""
	if _, err := h.Start(t.Context(), api.StartRunIn{}); err != nil {
		t.Fatal(err)
	}
	if len(d.seeds) != 2 || d.seeds[0] == d.seeds[1] {
		t.Errorf("the house has received the client seeds %q, want one for each commitment", d.seeds)
	}
}

package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// sentTexts are the texts in the body of a start or a throw.
type sentTexts struct {
	ClientSeed string `json:"client_seed"`
	Entropy    string `json:"entropy"`
}

// runRequests is a transport that records the texts of starts and throws, drops those requests while
// lost is true, and changes their answers if change is not nil.
type runRequests struct {
	lost   bool
	change func(answer []byte) []byte
	sent   []sentTexts
}

func (c *runRequests) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/api/runs") {
		return http.DefaultTransport.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var texts sentTexts
	if err := json.Unmarshal(body, &texts); err != nil {
		return nil, err
	}
	c.sent = append(c.sent, texts)
	if c.lost {
		return nil, errLost
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || c.change == nil {
		return response, err
	}
	answer, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(c.change(answer)))
	return response, err
}

// newHouse returns a House of a bot whose requests go through the transport.
func newHouse(t *testing.T, s *service, key, state string, through http.RoundTripper) *client.House {
	t.Helper()
	h, err := client.NewHouse(client.HouseOptions{State: state,
		Client: newClient(t, client.Options{URL: s.url, Key: key, Transport: through, RetryBudget: time.Millisecond})})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestHouseSendsFreshTexts plays until a run ends: each throw has entropy of its own, and a request
// that was lost before a restart is repeated with the stored texts.
func TestHouseSendsFreshTexts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	key, state := s.newBot("one"), filepath.Join(t.TempDir(), "house.json")
	rock, then := api.StartRunInMoveRock, api.ThrowInThenContinue
	start := api.StartRunIn{Move: &rock, Then: (*api.StartRunInThen)(&then)}
	throw := api.ThrowIn{Move: api.ThrowInMoveRock, Then: &then}
	network := &runRequests{}
	texts := map[string]int{} // how often each text was sent
	// again sends a request that is lost, and then, after a restart, once more.
	again := func(send func(*client.House) error) {
		t.Helper()
		first := len(network.sent)
		network.lost = true
		if err := send(newHouse(t, s, key, state, network)); !errors.Is(err, errLost) {
			t.Fatalf("got %v, want %v", err, errLost)
		}
		network.lost = false
		if err := send(newHouse(t, s, key, state, network)); err != nil {
			t.Fatal(err)
		}
		for _, sent := range network.sent[first:] {
			if sent != network.sent[first] || len(sent.Entropy) != 32 {
				t.Errorf("the requests of one throw have the texts %+v", network.sent[first:])
			}
		}
		texts[network.sent[first].Entropy]++
	}
	seeds := map[string]bool{}
	for len(texts) < 5 {
		var run api.Run
		again(func(h *client.House) error {
			out, err := h.Start(t.Context(), start)
			if err == nil {
				run = out.Run
			}
			return err
		})
		if seed := network.sent[len(network.sent)-1].ClientSeed; len(seed) != 32 || seeds[seed] || seed != run.ClientSeed {
			t.Errorf("the client seed is %q, that of the run %q, after %v", seed, run.ClientSeed, seeds)
		}
		seeds[run.ClientSeed] = true
		for run.Status == api.RunStatusActive {
			s.jump(time.Second) // the spacing of throws
			again(func(h *client.House) error {
				out, err := h.Throw(t.Context(), &run, throw)
				if err == nil {
					run = out.Run
				}
				return err
			})
		}
	}
	if most := slices.Max(slices.Collect(maps.Values(texts))); most > 1 {
		t.Errorf("an entropy was sent with %d throws", most)
	}
}

// TestHouseFindsAlteredTexts answers with other texts than were sent.
func TestHouseFindsAlteredTexts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	rock := api.StartRunInMoveRock
	for _, member := range []string{"client_seed_hash", "entropy_hash"} {
		network := &runRequests{change: func(answer []byte) []byte {
			before, value, found := bytes.Cut(answer, []byte(`"`+member+`":"`))
			if !found {
				t.Errorf("no %s in %s", member, answer)
				return answer
			}
			return slices.Concat(before, []byte(`"`+member+`":"`+strings.Repeat("0", 64)), value[64:])
		}}
		h := newHouse(t, s, s.newBot(strings.ReplaceAll(member, "_", "-")), "", network)
		if _, err := h.Start(t.Context(), api.StartRunIn{Move: &rock}); !errors.Is(err, client.ErrTexts) {
			t.Errorf("another %s: got %v, want %v", member, err, client.ErrTexts)
		}
	}
}

// TestHouseKeepsGivenTexts sends the caller's texts, and refuses to be made without a client.
func TestHouseKeepsGivenTexts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	network := &runRequests{}
	h := newHouse(t, s, s.newBot("one"), "", network)
	seed, entropy, rock := "grüße", "rook", api.StartRunInMoveRock
	if _, err := h.Start(t.Context(), api.StartRunIn{ClientSeed: &seed, Entropy: &entropy, Move: &rock}); err != nil {
		t.Fatal(err)
	}
	if want := (sentTexts{seed, entropy}); network.sent[0] != want {
		t.Errorf("sent %+v, want %+v", network.sent[0], want)
	}
	if h, err := client.NewHouse(client.HouseOptions{}); err == nil {
		t.Errorf("without a client: got %v, want an error", h)
	}
}

// TestHouseReceipts: a House keeps receipts that state what its answers show, and reports others, which it keeps
// too: the house has signed them.
func TestHouseReceipts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	file := filepath.Join(t.TempDir(), "receipts")
	network, key := &runRequests{}, s.newBot("one")
	h, err := client.NewHouse(client.HouseOptions{State: filepath.Join(t.TempDir(), "house.json"), Receipts: file,
		Client: newClient(t, client.Options{URL: s.url, Key: key, Transport: network, RetryBudget: time.Millisecond})})
	if err != nil {
		t.Fatal(err)
	}
	var earlier json.RawMessage // the receipts of the answer before
	network.change = func(answer []byte) []byte {
		var out map[string]json.RawMessage
		if err := json.Unmarshal(answer, &out); err != nil {
			t.Error(err)
			return answer
		}
		own := out["receipts"]
		if earlier != nil {
			out["receipts"] = earlier
		}
		earlier = own
		changed, err := json.Marshal(out)
		if err != nil {
			t.Error(err)
		}
		return changed
	}
	// The run is active or lost, whatever the house throws.
	rock, then := api.StartRunInMoveRock, api.StartRunInThenContinue
	start := api.StartRunIn{Move: &rock, Then: &then}
	out, err := h.Start(t.Context(), start)
	if err != nil || out.Receipts == nil || len(*out.Receipts) < 2 {
		t.Fatalf("the receipts of a start with a throw: %+v, %v", out, err)
	}
	kept, err := os.ReadFile(file)
	if err != nil || bytes.Count(kept, []byte("\n")) != len(*out.Receipts) {
		t.Errorf("the file has %q, %v", kept, err)
	}
	// again starts another run, whose answer has receipts of the one before, and returns the file.
	again := func() []byte {
		t.Helper()
		if out.Run.Status == api.RunStatusActive {
			c := newClient(t, client.Options{URL: s.url, Key: key})
			if _, err := client.Read[api.AbandonOut](c.API.AbandonRun(t.Context(), out.Run.ID)); err != nil {
				t.Fatal(err)
			}
		}
		s.jump(time.Second) // throws have a spacing
		out, err = h.Start(t.Context(), start)
		if !errors.Is(err, client.ErrReceipt) || !strings.Contains(err.Error(), file) {
			t.Errorf("receipts of an earlier run: %v", err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if now := again(); !bytes.Equal(now, kept) {
		t.Errorf("a receipt that is in the file already is written again: %q, after %q", now, kept)
	}
	unseen := out.Run.ID // whose receipts come with the next answer
	now := again()
	if after, found := bytes.CutPrefix(now, kept); !found || !bytes.Contains(after, []byte(unseen)) {
		t.Errorf("the file has %q, want a receipt of the run %s after %q", now, unseen, kept)
	}
}

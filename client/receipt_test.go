package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/verify"
)

// lyingHouse is a transport that changes answers about duels, and notes whether a reveal was sent.
type lyingHouse struct {
	change   func(answer map[string]any)
	revealed bool
}

func (l *lyingHouse) RoundTrip(r *http.Request) (*http.Response, error) {
	l.revealed = l.revealed || strings.HasSuffix(r.URL.Path, "/reveal")
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !strings.HasPrefix(r.URL.Path, "/api/duels/") {
		return response, err
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	l.change(answer)
	text, err := json.Marshal(answer)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	response.Header.Del("Content-Length")
	return response, err
}

// TestNoRevealWithoutReceipt checks that a bot reveals nothing to a house that does not sign the
// commitments of the round, signs with another key, or signs other commitments than it answers.
func TestNoRevealWithoutReceipt(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	receipts := func(answer map[string]any, change func(receipt map[string]any)) {
		list, _ := answer["receipts"].([]any)
		for _, one := range list {
			change(one.(map[string]any))
		}
	}
	const other = "roshambo-vectors-1+0f5fb250+AZ9zxyjGTinRO2Arz83wjAugkdHfnDEW/7ZGnK1Qf8rr"
	for name, tt := range map[string]struct {
		key    string // pinned
		kept   int    // the receipts in the file: of those that are signed and state something else
		change func(answer map[string]any)
	}{
		"none": {"", 0, func(answer map[string]any) { delete(answer, "receipts") }},
		"another signature": {"", 0, func(answer map[string]any) {
			receipts(answer, func(r map[string]any) { r["signature"] = strings.Repeat("A", 86) + "==" })
		}},
		"another text": {"", 0, func(answer map[string]any) {
			receipts(answer, func(r map[string]any) { r["raw"] = strings.Replace(r["raw"].(string), `"n":1`, `"n":2`, 1) })
		}},
		"other commitments than answered": {"", 1, func(answer map[string]any) {
			rounds := answer["duel"].(map[string]any)["rounds"].([]any)
			last := rounds[len(rounds)-1].(map[string]any)
			if last["commitment_b"] != nil {
				last["commitment_b"] = strings.Repeat("ab", 32)
			}
		}},
		"another key than the pinned one": {other, 0, func(map[string]any) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			house := &lyingHouse{change: tt.change}
			o := s.plays("", "rock")
			bot := strings.ReplaceAll(name, " ", "-")
			o.Client = newClient(t, client.Options{URL: s.url, Key: s.newBot(bot), Transport: house})
			o.VerifierKey, o.Receipts = tt.key, filepath.Join(t.TempDir(), "receipts.jsonl")
			b := newBot(t, o)
			out, err := client.Read[api.DuelOut](b.Client.API.Spar(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = b.Play(t.Context(), &out.Duel); !errors.Is(err, client.ErrReceipt) || house.revealed {
				t.Errorf("got %v, and revealed is %v; want %v and no reveal", err, house.revealed, client.ErrReceipt)
			}
			kept, errRead := os.ReadFile(o.Receipts)
			if errRead != nil && !errors.Is(errRead, fs.ErrNotExist) {
				t.Fatal(errRead)
			}
			if n := bytes.Count(kept, []byte(out.Duel.ID)); n != tt.kept || n != bytes.Count(kept, []byte("\n")) {
				t.Errorf("the file has %q, want %d receipts", kept, tt.kept)
			}
			if strings.Contains(err.Error(), o.Receipts) != (tt.kept > 0) {
				t.Errorf("%v, with %d kept receipts", err, tt.kept)
			}
		})
	}
}

// TestReceiptsAreKept checks that the file of a bot holds a receipt of each round, which agree with
// the proof of the duel.
func TestReceiptsAreKept(t *testing.T) {
	t.Parallel()
	s := startSlow(t)
	file := filepath.Join(t.TempDir(), "receipts.jsonl")
	o := s.plays(s.newBot("one"), "random")
	o.Receipts = file
	b := newBot(t, o)
	out, err := client.Read[api.DuelOut](b.Client.API.Spar(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Play(t.Context(), &out.Duel)
	checkDuel(t, played{d, err})
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(kept, []byte("\n")); n != len(d.Rounds) {
		t.Errorf("%d receipts of %d rounds", n, len(d.Rounds))
	}
	response, err := b.Client.API.GetDuelProof(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	proof, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	report := verify.Duel(proof, verify.Options{Receipts: kept})
	if last := report.Checks[len(report.Checks)-1]; last.ID != "receipts" || last.Result != verify.Pass {
		t.Errorf("%+v", report)
	}
}

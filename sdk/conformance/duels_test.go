package conformance

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
)

// duel is a scenario in which a bot plays a ranked duel.
type duel struct {
	name   string
	lie    lie
	faults map[string]answer
	// killed is the kind of request that fails for as long as the first process lives; a second one goes on then, with
	// little of the request limit left and many past duels.
	killed string
	// seconds is the move_seconds of the duel; 0 for none.
	seconds int
	// late is the round in which the other side commits once the client reads the duel; 0 for none.
	late int64
	// frugal is set if the duel takes two calls a round and two more at most: the queue and the head of the chain.
	frugal bool
	// command is what the driver does; nil for play 1.
	command []string
	// lost is how many attempts of the first commit find no service, and within those seconds one must come that finds it.
	// A backoff that doubles beyond a second takes longer.
	lost, within int
	err          string // the error as JSON; "" for a duel that is won
	reveals      int    // before the error
}

// few says that nothing is left of 240 requests in a minute: without a deadline a client would wait for them.
var few = map[string]string{"RateLimit": `"ip";r=0;t=60`, "RateLimit-Policy": `"ip";q=240;w=60`}

// little says that an eighth of them is left: reads that are no steps would come two seconds apart.
var little = map[string]string{"RateLimit": `"ip";r=30;t=60`, "RateLimit-Policy": `"ip";q=240;w=60`}

// plenty says that most of them are left.
var plenty = map[string]string{"RateLimit": `"ip";r=239;t=1`, "RateLimit-Policy": `"ip";q=240;w=60`}

// none is the error of a bot that has no receipt.
const none = `{"type":"receipt"}`

// duels are the scenarios of bots.
var duels = []duel{
	{name: "a duel", frugal: true},
	{name: "the pace passes no deadline", faults: map[string]answer{"commit 1": {header: few}}},
	{name: "a long Retry-After passes no deadline", faults: map[string]answer{
		"reveal 1": refused(429, "rate_limited").after(60, false)}},
	{name: "the backoff passes no deadline", lost: 12, within: 36},
	{name: "an answer that is held for too long", faults: map[string]answer{"commit 1": {broken: "held"}}},
	{name: "steps of five seconds", seconds: 5, faults: map[string]answer{
		"commit 1": {broken: "held"},
		"reveal 1": refused(429, "rate_limited").after(60, false),
		"commit 2": {header: few},
		"reveal 3": refused(503, "unavailable").after(60, true),
	}},
	{name: "steps of a minute", seconds: 60, faults: map[string]answer{
		"commit 1": {broken: "held"}, "reveal 1": refused(429, "rate_limited").after(60, false)}},
	{name: "a duel that is no ranked one of the loop", command: []string{"duel", duelCode}},
	{name: "a version", command: []string{"play", "1", version}},
	{name: "a process that ends before its commitment is answered", killed: "commit 1"},
	{name: "a process that ends before its reveal is answered", killed: "reveal 2"},
	{name: string(silent), lie: silent, err: none},
	{name: string(otherKey), lie: otherKey, err: none},
	{name: string(otherHand), lie: otherHand, err: none},
	{name: string(otherRound), lie: otherRound, err: none},
	{name: string(brokenSigned), lie: brokenSigned, err: none},
	{name: string(secondHand), lie: secondHand, err: none, reveals: 1},
}

// play lets a driver play the scenario.
func (d *duel) play(t *testing.T, p *process) {
	t.Helper()
	h := newDuelHouse(t, d.lie)
	maps.Copy(h.faults, d.faults)
	h.late, h.lost, h.grace = d.late, d.lost, max(0, time.Duration(d.within)*time.Second-deadline)
	if h.seconds = d.seconds; testing.Short() {
		h.step = atGate
	} else if d.seconds > 0 {
		h.step = min(deadline, time.Duration(d.seconds)*time.Second)
	}
	command := d.command
	if command == nil {
		command = []string{"play", "1"}
	}
	k := task{URL: serve(t, h), Key: "rsb_caller", Folder: t.TempDir(), Budget: 60, Command: command[0],
		Arguments: command[1:]}
	if d.killed != "" {
		h.faults[d.killed], h.always[d.killed] = answer{broken: "closed"}, true
		first := k
		first.Budget = 0.3
		if got := p.do(t, first); got.Error == nil || got.Error.Type != "connection" {
			t.Fatalf("the first process ends with %s, %v, want no connection", got.Result, got.Error)
		}
		h.mu.Lock()
		h.faults, h.left, h.past = map[string]answer{}, little, 20
		h.mu.Unlock()
	}
	s := scenario{err: d.err, result: `["won"]`}
	s.compare(t, p.do(t, k))
	file := filepath.Join(k.Folder, "receipts.jsonl")
	if d.err != "" {
		s.compare(t, p.do(t, k)) // a bot that is started again gets the same receipt, which is kept once
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.reveals != d.reveals {
			t.Errorf("%d reveals, want %d", h.reveals, d.reveals)
		}
		checkEvidence(t, file, h.against, d.lie == secondHand)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wins != 3 || len(h.faults) > 0 {
		t.Errorf("%d rounds are won, and no request met %v", h.wins, h.faults)
	}
	if most := 2*int(h.round) + 2; d.frugal && h.calls > most {
		t.Errorf("%d rounds take %d calls, want at most %d", h.round, h.calls, most)
	}
	if want := strings.Join(command, " ") == "play 1 "+version; want != (h.named == version) {
		t.Errorf("the version is %q", h.named)
	}
	checkReceipts(t, file, h.log, 3)
}

// checkEvidence requires that a file has a receipt that contradicts its answer once, after others if there were good
// ones, and that there is nothing else in it: "" stands for a house that has signed nothing.
func checkEvidence(t *testing.T, file, against string, others bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	before, found := strings.CutSuffix(string(text), against)
	if !found || others != (before != "") || against != "" && strings.Contains(before, against) {
		t.Errorf("the file has\n%swant at its end, and once\n%s", text, against)
	}
}

// checkReceipts requires that a file has receipts of that many statements at least, signed by the log.
func checkReceipts(t *testing.T, file string, log signer, least int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var receipt struct{ Raw, Signature string }
		if err := json.Unmarshal([]byte(line), &receipt); err != nil {
			t.Fatal(err)
		}
		signature, err := base64.StdEncoding.DecodeString(receipt.Signature)
		public := log.private.Public().(ed25519.PublicKey)
		if err != nil || !ed25519.Verify(public, chain.ReceiptMessage(receipt.Raw), signature) {
			t.Errorf("the receipt %s is not signed", line)
		}
		if _, err := chain.ParseStatement([]byte(receipt.Raw)); err != nil {
			t.Errorf("the receipt %s: %v", line, err)
		}
		said[receipt.Raw] = true
	}
	if len(said) < least {
		t.Errorf("%d statements are kept, want %d", len(said), least)
	}
}

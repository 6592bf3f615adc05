package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// reader executes commands of docs/verify.md line by line and substitutes values of responses for the
// variables of later lines.
type reader struct {
	t      *testing.T
	folder string
	host   string
	env    []string
	text   string
}

// run executes the lines of the document with the given prefixes in document order and returns their
// output. Each prefix must match exactly one line.
func (r *reader) run(beginnings ...string) string {
	r.t.Helper()
	script := ""
	for _, beginning := range beginnings {
		found := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(beginning)+`.*$`).FindAllString(r.text, -1)
		if len(found) != 1 {
			r.t.Fatalf("the document has %d lines that begin with %q, want one", len(found), beginning)
		}
		script += found[0] + "\n"
	}
	script = strings.ReplaceAll(script, "localhost:8080", r.host)
	// Use the test binary, which is the same program, instead of a second build.
	script = strings.ReplaceAll(script, "go run ./cmd/roshambo ", "roshambo ")
	return shell(r.t, r.folder, r.env, script)
}

// response runs lines of which the last one prints a response, and decodes it.
func (r *reader) response(beginnings ...string) (answer struct {
	Next    map[string]any `json:"next_commitment"`
	Code    string         `json:"code"`
	Run     struct{ ID, Status string }
	Duel    struct{ ID, Status string }
	Message string
}) {
	r.t.Helper()
	out := r.run(beginnings...)
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		r.t.Fatalf("%q returns %q: %v", beginnings, out, err)
	}
	return answer
}

// assign runs the line that sets a variable, for later lines, and before it those with other beginnings.
func (r *reader) assign(name string, before ...string) {
	r.t.Helper()
	text := r.text
	r.text += "\necho $" + name // what the reader's shell holds from then on
	value := strings.TrimSpace(r.run(append(before, name+"=", "echo $")...))
	r.text = text
	if !regexp.MustCompile(`^[\w-]+$`).MatchString(value) {
		r.t.Fatalf("%s is %q", name, value)
	}
	r.env = append(r.env, name+"="+value)
}

// readByHand starts a service on the data folder that the commands of docs/verify.md use.
func readByHand(t *testing.T) *reader {
	t.Helper()
	folder := likeRoot(t)
	server, err := serve(t.Context(), filepath.Join(folder, "roshambo-data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	return &reader{t: t, folder: folder, host: strings.TrimPrefix(server.url, "http://"),
		text: readDocument(t, "docs/verify.md")}
}

const (
	getMe    = "curl -b jar localhost:8080/api/me"
	header   = `curl -b jar -H "X-CSRF-Token: $TOKEN" `
	seed     = "SEED="
	entropy  = "ENTROPY="
	throwRun = header + `--json "{\"move\":\"rock\",\"entropy\":\"$ENTROPY\"}" localhost:8080/api/runs/$RUN/throw`
	claimRun = header + `-X POST localhost:8080/api/runs/$RUN/claim`
	runProof = "curl localhost:8080/api/runs/$RUN/proof > proof.json"
	hash     = "HASH="
	commit   = header + `--json "{\"commitment\":\"$HASH\"}" localhost:8080/api/duels/$DUEL/commit`
	reveal   = header + `--json '{"move":"rock","salt":"my own salt"}' localhost:8080/api/duels/$DUEL/reveal`
	proof    = "curl localhost:8080/api/duels/$DUEL/proof > proof.json"
)

// TestVerifyDocument runs the commands of docs/verify.md: a run against the house until it is claimed, a duel
// until it is finished, the proofs of both by both verifiers, and the verification of the chain.
func TestVerifyDocument(t *testing.T) {
	t.Parallel()
	r := readByHand(t)
	r.assign("TOKEN")
	if me := r.response(getMe); me.Next["commitment"] == "" || me.Next["commitment"] == nil {
		t.Fatalf("/api/me returns %+v, want the next commitment", me)
	}
	r.assign("RUN", seed)
	for status := "active"; status != "deciding"; {
		out := r.response(entropy, throwRun)
		switch {
		case out.Code == "too_fast": // the interval between throws is 250 ms
		case out.Run.Status == "lost":
			r.assign("RUN", seed)
		case out.Run.Status == "":
			t.Fatalf("a throw returns %+v", out)
		default:
			status = out.Run.Status
		}
	}
	if out := r.response(claimRun); out.Run.Status != "claimed" {
		t.Fatalf("the claim returns %+v", out)
	}
	r.sealed(runProof)
	r.verify()

	r.assign("DUEL")
	document := r.text
	for n, status := 1, "active"; status == "active"; n++ {
		// The comment on the line asks for a new salt in every round.
		r.text = strings.ReplaceAll(document, "my own salt", fmt.Sprint("my own salt ", n))
		r.response(hash, commit)
		status = r.response(strings.ReplaceAll(reveal, "my own salt", fmt.Sprint("my own salt ", n))).Duel.Status
	}
	r.text = document
	r.sealed(proof)
	r.verify()

	r.run("go run ./cmd/roshambo export chain.jsonl")
	for _, line := range []string{"go run ./cmd/roshambo verify-chain chain.jsonl",
		"go run ./cmd/roshambo audit chain.jsonl", "python3 verify/python/verify.py chain.jsonl"} {
		r.run(line) // fails if the chain is invalid
	}
}

// sealed runs the line that downloads proof.json until every transaction of the proof is in a block.
func (r *reader) sealed(line string) {
	r.t.Helper()
	for {
		r.run(line)
		text, err := os.ReadFile(filepath.Join(r.folder, "proof.json"))
		if err != nil {
			r.t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(`"height":null`)) {
			return
		}
		select {
		case <-r.t.Context().Done():
			r.t.Fatal("the proof stays in no block")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// verify checks proof.json with both verifiers, as README.md and this document type them. They fail if it is invalid.
func (r *reader) verify() {
	r.t.Helper()
	document := r.text
	for _, r.text = range []string{readDocument(r.t, "README.md"), document} {
		for _, line := range []string{"go run ./cmd/roshambo verify proof.json",
			"python3 verify/python/verify.py proof.json"} {
			r.run(line)
		}
	}
}

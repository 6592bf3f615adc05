package witness

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// forest is a log in memory that can be forked.
type forest struct {
	signer   note.Signer
	verifier note.Verifier
	hashes   []tlog.Hash
	size     int64
	kept     chan string // stored lines
	had      int64       // size of the last stored cosignature
}

func newForest(t *testing.T, name string) *forest {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	f := &forest{kept: make(chan string, 100)}
	if f.signer, err = note.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	if f.verifier, err = note.NewVerifier(public); err != nil {
		t.Fatal(err)
	}
	return f
}

// ReadHashes makes the log its own HashReader.
func (f *forest) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		list[i] = f.hashes[x]
	}
	return list, nil
}

func (f *forest) grow(t *testing.T, entries ...string) *forest {
	t.Helper()
	for _, e := range entries {
		more, err := tlog.StoredHashes(f.size, []byte(e), f)
		if err != nil {
			t.Fatal(err)
		}
		f.hashes = append(f.hashes, more...)
		f.size++
	}
	return f
}

// Checkpoint, Consistency and Keep make it a Log.

func (f *forest) Checkpoint(context.Context) ([]byte, error) {
	root, err := tlog.TreeHash(f.size, f)
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n", f.signer.Name(), f.size, root)}, f.signer)
}

func (f *forest) Consistency(_ context.Context, old, size int64) (tlog.TreeProof, error) {
	return tlog.ProveTree(size, old, f)
}

func (f *forest) StoreCosignature(_ context.Context, who string, size int64, checkpoint []byte, lines string) error {
	f.kept <- fmt.Sprintf("%s %d %s", who, size, append(bytes.Clone(checkpoint), lines...))
	return nil
}

// CosignedSize returns the size that a test sets.
func (f *forest) CosignedSize(context.Context, string) (int64, error) { return f.had, nil }

// request returns a request for a cosignature of the present log.
func (f *forest) request(t *testing.T, old int64) *request {
	t.Helper()
	checkpoint, err := f.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := &request{old: old, checkpoint: checkpoint}
	if 0 < old && old < f.size {
		if r.proof, err = f.Consistency(t.Context(), old, f.size); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// served is a witness behind HTTP.
type served struct {
	*Client
	witness *Witness
	config  Config
}

func serve(t *testing.T, logs ...note.Verifier) *served {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, "witness.example/w1")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := cosign.NewSignerForCosignatureV1(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := cosign.NewVerifierForCosignatureV1(public)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{
		config: Config{
			Signer: signer, Logs: logs, File: filepath.Join(t.TempDir(), "seen.json"),
			Logger: slog.New(slog.DiscardHandler),
		},
	}
	if err := Begin(s.config.File); err != nil {
		t.Fatal(err)
	}
	s.restart(t)
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.witness.ServeHTTP(w, r) }),
	)
	t.Cleanup(server.Close)
	s.Client = &Client{URL: server.URL + "/", Verifier: verifier, HTTP: server.Client()}
	return s
}

// restart opens the witness again from its files, as after a crash.
func (s *served) restart(t *testing.T) {
	t.Helper()
	var err error
	if s.witness, err = New(s.config); err != nil {
		t.Fatal(err)
	}
}

// TestCosign checks that a witness cosigns only extensions of its last cosigned tree, also after a
// restart.
func TestCosign(t *testing.T) {
	t.Parallel()
	log := newForest(t, "log.example").grow(t, "a", "b", "c")
	w := serve(t, log.verifier)
	ask := func(r *request) (string, error) { return w.add(t.Context(), r) }
	wantSize := func(r *request, size int64) {
		t.Helper()
		_, err := ask(r)
		if known, ok := errors.AsType[*conflictError](err); !ok || known.size != size {
			t.Errorf("got %v, want a conflict with size %d", err, size)
		}
	}
	wantSize(log.request(t, 2), 0)
	first := log.request(t, 0)
	for range 2 { // a repeated request is cosigned again
		lines, err := ask(first)
		if err != nil || strings.Count(lines, "\n") != 1 {
			t.Fatalf("got %q, %v", lines, err)
		}
		w.restart(t)
		wantSize(log.request(t, 0), 3)
		first = log.request(t, 3)
	}
	log.grow(t, "d", "e")
	wantSize(log.request(t, 4), 3)
	if _, err := ask(log.request(t, 3)); err != nil {
		t.Error(err)
	}
	w.restart(t)
	wantSize(log.request(t, 3), 5)
}

// TestRefused checks that invalid requests get the status of the specification and change nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	log := newForest(t, "log.example").grow(t, "a", "b", "c")
	w := serve(t, log.verifier)
	if _, err := w.add(t.Context(), log.request(t, 0)); err != nil {
		t.Fatal(err)
	}
	fork := &forest{signer: log.signer}
	fork.grow(t, "a", "b", "x")
	stranger := newForest(t, "log.example").grow(t, "a", "b", "c", "d")
	longer := &forest{signer: log.signer}
	longer.grow(t, "a", "b", "c", "d", "e")
	longerFork := &forest{signer: log.signer}
	longerFork.grow(t, "a", "b", "x", "d", "e")
	superfluous := longer.request(t, 3)
	superfluous.proof = append(superfluous.proof, tlog.Hash{})
	noProof := longer.request(t, 3)
	noProof.proof = nil
	proofOfSame := log.request(t, 3)
	proofOfSame.proof = tlog.TreeProof{{}}
	for name, c := range map[string]struct {
		body   []byte
		status int
	}{
		"another log":         {newForest(t, "other.example").grow(t, "a").request(t, 0).body(), 404},
		"another key":         {stranger.request(t, 3).body(), 403},
		"not signed":          {[]byte("old 3\n\nlog.example\n4\n"), 403},
		"an old size above":   {(&request{old: 4, checkpoint: log.request(t, 3).checkpoint}).body(), 400},
		"a fork":              {fork.request(t, 3).body(), 409},
		"a longer fork":       {longerFork.request(t, 3).body(), 422},
		"no proof":            {noProof.body(), 422},
		"a hash too many":     {superfluous.body(), 422},
		"a proof of the same": {proofOfSame.body(), 422},
		"nothing":             {nil, 400},
		"no old size":         {[]byte("\n\nlog.example\n"), 400},
		"a leading zero":      {[]byte("old 03\n\nlog.example\n"), 400},
		"no hash":             {[]byte("old 3\nAAAA\n\nlog.example\n"), 400},
		"too much":            {bytes.Repeat([]byte("x"), maxRequest+1), 400},
	} {
		response, err := http.Post(w.URL+"add-checkpoint", "text/plain", bytes.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.status {
			t.Errorf("%s: got %d, want %d", name, response.StatusCode, c.status)
		}
	}
	for path, status := range map[string]int{"add-checkpoint": 405, "": 404, "x": 404} {
		response, err := http.Get(w.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("GET /%s: got %d, want %d", path, response.StatusCode, status)
		}
	}
	if _, err := w.add(t.Context(), longer.request(t, 3)); err != nil {
		t.Errorf("after all that the true log is not cosigned: %v", err)
	}
}

// TestStoreFails checks that a checkpoint is not cosigned if the state cannot be stored.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	log := newForest(t, "log.example").grow(t, "a")
	w := serve(t, log.verifier)
	w.witness.file = filepath.Join(t.TempDir(), "no such folder", "seen.json")
	if lines, err := w.add(t.Context(), log.request(t, 0)); err == nil {
		t.Errorf("got %q", lines)
	}
	if len(w.witness.latest) != 1 || w.witness.latest["log.example"].Size != 0 {
		t.Errorf("it remembers %+v", w.witness.latest)
	}
	if err := os.Remove(w.config.File); err != nil {
		t.Fatal(err)
	}
	if _, err := New(w.config); err == nil {
		t.Error("a witness without its memory starts")
	}
}

// TestExample reads the example of the specification.
func TestExample(t *testing.T) {
	t.Parallel()
	const example = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
`
	r, err := parseRequest([]byte(example))
	if err != nil || r.old != 20852014 || len(r.proof) != 4 || string(r.body()) != example {
		t.Fatalf("got %+v, %v", r, err)
	}
	text := textOf(r.checkpoint)
	if tree, err := parseTree(text); err != nil || tree.origin != "example.com/behind-the-sofa" || tree.N != 20852163 {
		t.Errorf("got %+v, %v of %q", tree, err, text)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte("old 1\n\nx\n1\nroot\n\n"))
	f.Add((&request{old: 7, proof: tlog.TreeProof{{}}, checkpoint: []byte("x")}).body())
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := parseRequest(body)
		if err == nil && !bytes.Equal(r.body(), body) {
			t.Errorf("%q was read as %q", body, r.body())
		}
	})
}

// collector collects from some witnesses, quickly.
func collector(log Log, woken chan struct{}, witnesses ...*Client) *Collector {
	return &Collector{
		Log: log, Witnesses: witnesses, Logger: slog.New(slog.DiscardHandler), Every: time.Nanosecond,
		First: time.Nanosecond, Most: time.Millisecond,
		Watch: func() (<-chan struct{}, func()) { return woken, func() {} },
	}
}

// TestCollect checks that each new checkpoint is cosigned, also by a new collector, and that the
// stored lines open as a note of both signers.
func TestCollect(t *testing.T) {
	t.Parallel()
	log := newForest(t, "log.example").grow(t, "a")
	w := serve(t, log.verifier)
	for round := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		woken := make(chan struct{})
		done := make(chan struct{})
		go func() { defer close(done); collector(log, woken, w.Client).Run(ctx) }()
		for i := range 3 {
			var who string
			var size int64
			line := <-log.kept
			if _, err := fmt.Sscan(line, &who, &size); err != nil || size != log.size {
				t.Fatalf("round %d.%d: %v, kept %q", round, i, err, line)
			}
			signed := strings.TrimPrefix(line, fmt.Sprint(who, " ", size, " "))
			n, err := note.Open([]byte(signed), note.VerifierList(log.verifier, w.Verifier))
			if err != nil || len(n.Sigs) != 2 {
				t.Fatalf("round %d.%d: %v of %q", round, i, err, signed)
			}
			log.grow(t, fmt.Sprint(round, i), "more") // the loop waits to be woken
			woken <- struct{}{}
		}
		<-log.kept
		cancel()
		<-done
	}
}

// TestCollectFromLiars checks that only valid cosignatures are stored, and that a failing witness
// does not affect the others.
func TestCollectFromLiars(t *testing.T) {
	t.Parallel()
	log := newForest(t, "log.example").grow(t, "a", "b")
	honest := serve(t, log.verifier)
	other := serve(t, log.verifier)
	answers := []func(w http.ResponseWriter, r *http.Request){
		func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "— witness.example/w1 AAAA\n") },
		func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Repeat("x", maxAnswer+1)) },
		func(w http.ResponseWriter, _ *http.Request) { (&refusal{409, wrongSize, 7}).write(w) },
		func(w http.ResponseWriter, _ *http.Request) { (&refusal{409, wrongSize, -1}).write(w) },
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		func(w http.ResponseWriter, r *http.Request) { other.witness.ServeHTTP(w, r) }, // by another key
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	tried := make(chan struct{}, 1000)
	var asked atomic.Int64 // a call that is torn down orders nothing between two handlers
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		select {
		case tried <- struct{}{}:
		default: // there were more than enough
		}
		answers[n%len(answers)](w, r)
	}))
	t.Cleanup(liar.Close)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	bad := &Client{URL: liar.URL, Verifier: honest.Verifier, HTTP: liar.Client()}
	go func() { defer close(done); collector(log, make(chan struct{}), bad, honest.Client).Run(ctx) }()
	<-log.kept // the honest witness's cosignature, whenever it comes
	for range 3 * len(answers) {
		<-tried
	}
	cancel()
	<-done
	if n := len(log.kept); n != 0 {
		t.Errorf("%d more were kept than that of the honest witness", n)
	}
}

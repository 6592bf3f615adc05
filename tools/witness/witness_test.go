package witness_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	cosign "github.com/transparency-dev/formats/note"
	client "github.com/transparency-dev/witness/client/http"
	"github.com/transparency-dev/witness/persistence/inmemory"
	theirs "github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	ours "roshambo/internal/ledger/witness"
)

// key is a witness's key for cosignatures, with both halves.
func key(t *testing.T, name string) (private, public string) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	return private, public
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// log is a log in memory.
type log struct {
	signer note.Signer
	hashes []tlog.Hash
	size   int64
	kept   chan string // signed notes with cosignatures
}

// ReadHashes makes the log its own HashReader.
func (l *log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var list []tlog.Hash
	for _, i := range indexes {
		list = append(list, l.hashes[i])
	}
	return list, nil
}

func (l *log) grow(entries ...string) {
	for _, e := range entries {
		l.hashes = append(l.hashes, must(tlog.StoredHashes(l.size, []byte(e), l))...)
		l.size++
	}
}

// Checkpoint signs the tree.
func (l *log) Checkpoint(context.Context) ([]byte, error) {
	text := fmt.Sprintf("%s\n%d\n%s\n", l.signer.Name(), l.size, must(tlog.TreeHash(l.size, l)))
	return note.Sign(&note.Note{Text: text}, l.signer)
}

// Consistency proves that the log only grew.
func (l *log) Consistency(_ context.Context, old, size int64) (tlog.TreeProof, error) {
	return tlog.ProveTree(size, old, l)
}

// StoreCosignature passes on the cosigned checkpoint.
func (l *log) StoreCosignature(_ context.Context, _ string, _ int64, checkpoint []byte, lines string) error {
	l.kept <- string(checkpoint) + lines
	return nil
}

// CosignedSize says that nothing was kept before.
func (l *log) CosignedSize(context.Context, string) (int64, error) { return 0, nil }

func (l *log) proof(old int64) (list [][]byte) {
	for _, h := range must(l.Consistency(context.Background(), old, l.size)) {
		list = append(list, h[:])
	}
	return list
}

// TestTheirWitness: our collector gets every checkpoint cosigned by their witness, also
// when it begins anew and does not know the cosigned checkpoints.
func TestTheirWitness(t *testing.T) {
	t.Parallel()
	logKey, logPublic := key(t, "log.example")
	witnessKey, witnessPublic := key(t, "witness.example/theirs")
	logVerifier := must(note.NewVerifier(logPublic))
	w := must(theirs.New(t.Context(), theirs.Opts{
		Persistence: inmemory.New(), Signers: []note.Signer{must(cosign.NewSignerForCosignatureV1(witnessKey))},
		VerifierForLog: func(_ context.Context, origin string) (note.Verifier, bool, error) {
			return logVerifier, origin == "log.example", nil
		},
	}))
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", theirs.NewHTTPHandler(w).AddCheckpoint)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	verifier := must(cosign.NewVerifierForCosignatureV1(witnessPublic))
	l := &log{signer: must(note.NewSigner(logKey)), kept: make(chan string, 1)}
	l.grow("a")
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		woken, done := make(chan struct{}), make(chan struct{})
		c := &ours.Collector{
			Log: l, Logger: slog.New(slog.DiscardHandler), Every: 1, First: 1, Most: 1,
			Witnesses: []*ours.Client{{URL: server.URL, Verifier: verifier, HTTP: server.Client()}},
			Watch:     func() (<-chan struct{}, func()) { return woken, func() {} },
		}
		go func() { defer close(done); c.Run(ctx) }()
		for i := range 5 {
			if i > 0 {
				l.grow("b", "c", "d")
				woken <- struct{}{}
			}
			signed := <-l.kept
			n, err := note.Open([]byte(signed), note.VerifierList(logVerifier, verifier))
			if err != nil || len(n.Sigs) != 2 || !strings.HasPrefix(n.Text, fmt.Sprintf("log.example\n%d\n", l.size)) {
				t.Fatalf("%v of %q", err, signed)
			}
		}
		stop()
		<-done
	}
}

// TestOurWitness: their client is answered by our witness as by theirs.
func TestOurWitness(t *testing.T) {
	t.Parallel()
	logKey, logPublic := key(t, "log.example")
	witnessKey, witnessPublic := key(t, "witness.example/ours")
	logVerifier := must(note.NewVerifier(logPublic))
	file := filepath.Join(t.TempDir(), "seen.json")
	if err := ours.Begin(file); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(must(ours.New(ours.Config{
		Signer: must(cosign.NewSignerForCosignatureV1(witnessKey)), Logs: []note.Verifier{logVerifier}, File: file,
		Logger: slog.New(slog.DiscardHandler),
	})))
	t.Cleanup(server.Close)
	c := client.NewWitness(must(url.Parse(server.URL)), server.Client())
	l := &log{signer: must(note.NewSigner(logKey))}
	checkpoint := func() []byte { return must(l.Checkpoint(t.Context())) }
	l.grow("a", "b", "c")
	for old := int64(0); l.size < 20; l.grow("d", "e", "f") {
		var proof [][]byte
		if old > 0 {
			proof = l.proof(old)
		}
		line, _, err := c.Update(t.Context(), uint64(old), checkpoint(), proof)
		if err != nil {
			t.Fatal(err)
		}
		n, err := note.Open(append(checkpoint(), line...),
			note.VerifierList(logVerifier, must(cosign.NewVerifierForCosignatureV1(witnessPublic))))
		if err != nil || len(n.Sigs) != 2 {
			t.Fatalf("%v: %q", err, line)
		}
		old = l.size
	}
	if _, size, err := c.Update(t.Context(), 3, checkpoint(), l.proof(3)); !errors.Is(err, theirs.ErrCheckpointStale) ||
		size != 18 {
		t.Errorf("stale: got %v, %d", err, size)
	}
	if _, _, err := c.Update(t.Context(), 18, checkpoint(), l.proof(3)); !errors.Is(err, theirs.ErrInvalidProof) {
		t.Errorf("wrong proof: got %v", err)
	}
	fork := &log{signer: l.signer}
	for range 18 {
		fork.grow("x")
	}
	if _, _, err := c.Update(t.Context(), 18, must(fork.Checkpoint(t.Context())), nil); !errors.Is(err,
		theirs.ErrRootMismatch) {
		t.Errorf("fork: got %v", err)
	}
	strangerKey, _ := key(t, "other.example")
	stranger := &log{signer: must(note.NewSigner(strangerKey))}
	stranger.grow("a")
	if _, _, err := c.Update(t.Context(), 0, must(stranger.Checkpoint(t.Context())), nil); !errors.Is(err,
		theirs.ErrUnknownLog) {
		t.Errorf("unknown: got %v", err)
	}
}

package app

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

// TestWitnessed runs a service and two witnesses of it: the checkpoint is served with their
// cosignatures.
func TestWitnessed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	k, err := loadKeys(folder)
	if err != nil {
		t.Fatal(err)
	}
	verifiers := []note.Verifier{}
	add := func(v note.Verifier, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		verifiers = append(verifiers, v)
	}
	add(note.NewVerifier(k.VerifierKey))
	c := config(folder)
	for range 2 {
		key, url := startWitness(t, k.VerifierKey)
		add(cosign.NewVerifierForCosignatureV1(key))
		c.Witnesses = append(c.Witnesses, key+" "+url)
	}
	ready := make(chan string, 1)
	c.Ready = func(address string) { ready <- address }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, c) }()
	url := "http://" + <-ready
	for size := 1; size < 3; size++ {
		for _, path := range []string{"/log/checkpoint", "/log/witnessed-checkpoint"} {
			untilSigned(t, url+path, verifiers)
		}
		response, err := http.Post(url+"/api/guest", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// startWitness starts a witness of one log.
func startWitness(t *testing.T, logKey string) (key, url string) {
	t.Helper()
	type up struct{ address, key string }
	ready, ended := make(chan up, 1), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	c := WitnessConfig{
		Listen: "127.0.0.1:0", Data: t.TempDir(), Logs: []string{logKey}, Log: slog.New(slog.DiscardHandler),
		Ready: func(address, key string) { ready <- up{address, key} },
	}
	go func() { ended <- ServeWitness(ctx, c) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	w := <-ready
	return w.key, "http://" + w.address
}

// untilSigned fetches a note until all have signed it.
func untilSigned(t *testing.T, url string, verifiers []note.Verifier) {
	t.Helper()
	// A tight loop would take processor time from the signers.
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		err = response.Write(&text)
		_ = response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(text.String(), "\r\n\r\n")
		n, err := note.Open([]byte(body), note.VerifierList(verifiers...))
		if err == nil && len(n.Sigs) == len(verifiers) {
			return
		}
		if err != nil && response.StatusCode == http.StatusOK {
			t.Fatalf("%v: %q", err, body)
		}
	}
}

// TestWitnessKeys: a witness keeps its key, and does not start without its record.
func TestWitnessKeys(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first, err := loadWitnessKeys(folder, "witness.example/w1")
	if err != nil || !strings.HasPrefix(first.VerifierKey, "witness.example/w1+") {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := loadWitnessKeys(folder, "other"); err != nil || again != first {
		t.Errorf("got %+v, %v, want %+v", again, err, first)
	}
	// Readers of the published policy refuse other spellings: an id of another key, and a log's key.
	parts := strings.Split(first.VerifierKey, "+")
	const log = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
	for _, wrong := range []string{"", first.VerifierKey, "https://witness.example",
		first.VerifierKey + " witness.example", "key https://witness.example", log + " https://witness.example",
		parts[0] + "+WITNESS1+" + parts[2] + " https://witness.example"} {
		if _, err := ParseWitness(wrong); err == nil {
			t.Errorf("%q was taken for a witness", wrong)
		}
	}
	one := first.VerifierKey + " https://witness.example"
	if err := checkWitnesses([]string{one, one}, 0); err == nil {
		t.Error("the same witness twice was taken")
	}
}

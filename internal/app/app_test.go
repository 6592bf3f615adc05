package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roshambo/internal/service/run"
)

// config returns the configuration of a service in a folder, on a free port.
func config(folder string) Config {
	return Config{
		Listen: "127.0.0.1:0", Data: folder, LogFormat: "text", Drain: DefaultDrain, Log: io.Discard, Now: time.Now,
		MailFrom: "house@example.org",
	}
}

// TestServe starts the shipped service, and checks what depends on its composition: the page, the
// rules, and the end when its context ends.
func TestServe(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "made", "when", "missing")
	c := config(folder)
	ready := make(chan string, 1)
	c.Ready = func(address string) { ready <- address }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, c) }()
	var url string
	select {
	case address := <-ready:
		url = "http://" + address
	case err := <-ended:
		t.Fatalf("the service ended before it was ready: %v", err)
	}
	if page := fetch(t, url+"/"); !strings.Contains(page, "<!doctype html>") {
		t.Errorf("the page is %.200s", page)
	}
	var got struct {
		Tiers []struct {
			Tier     int
			Material string
			Value    int64
		}
		EntryFee        int64 `json:"entry_fee"`
		StartingBalance int64 `json:"starting_balance"`
		FaucetAmount    int64 `json:"faucet_amount"`
		BuybackBPS      int64 `json:"buyback_bps"`
		MarketFeeBPS    int64 `json:"market_fee_bps"`
		ThrowSpacingMS  int64 `json:"throw_spacing_ms"`
	}
	if err := json.Unmarshal([]byte(fetch(t, url+"/api/tiers")), &got); err != nil {
		t.Fatal(err)
	}
	if got.EntryFee != 50 || got.StartingBalance != 1000 || got.FaucetAmount != 200 || got.BuybackBPS != 8000 ||
		got.MarketFeeBPS != 250 || got.ThrowSpacingMS != 250 {
		t.Errorf("the numbers of the game are %+v", got)
	}
	if n := len(got.Tiers); n != 16 || got.Tiers[0].Material != "Clay" || got.Tiers[0].Value != 96 ||
		got.Tiers[15].Material != "Stardust" || got.Tiers[15].Value != 48<<16 {
		t.Errorf("the ladder is %+v", got.Tiers)
	}
	if err := Serve(t.Context(), c); err == nil || !strings.Contains(err.Error(), "another node uses "+c.Data) {
		t.Errorf("a second service on the folder: %v, want that it is locked", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", url, response.Status, text, err)
	}
	return string(text)
}

// TestFirstStartsAtOnce creates the keys of one folder many times concurrently: all successful
// starts have the same keys, so that no chain begins with keys that are lost.
func TestFirstStartsAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var made [16]keys
	var errs [16]error
	var wait sync.WaitGroup
	for i := range made {
		wait.Go(func() { made[i], errs[i] = loadKeys(folder) })
	}
	wait.Wait()
	kept, err := loadKeys(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range made {
		if errs[i] == nil && k != kept {
			t.Errorf("start %d has the keys %v, kept are %v", i, k.VerifierKey, kept.VerifierKey)
		}
	}
	names, err := os.ReadDir(folder)
	if err != nil || len(names) != 1 {
		t.Errorf("the folder holds %v, %v, want the keys alone", names, err)
	}
	if _, err := kept.signer(); err != nil {
		t.Error(err)
	}
	if key, err := kept.seedKey(); err != nil || len(key) != 32 {
		t.Errorf("a seed key of %d bytes, %v", len(key), err)
	}
}

// TestKeysThatDoNotFit: mismatched keys are refused before they sign anything.
func TestKeysThatDoNotFit(t *testing.T) {
	t.Parallel()
	one, err := loadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other, err := loadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one.VerifierKey = other.VerifierKey
	if _, err := one.signer(); err == nil || !strings.Contains(err.Error(), "do not belong together") {
		t.Errorf("a signer of mixed keys: %v", err)
	}
	one.SeedKey = "not hex"
	if _, err := one.seedKey(); err == nil {
		t.Error("a seed key that is not hex is taken")
	}
}

// TestSeedKeyOfAnotherFolder: a wrong seed key beside the right log key stops the start, not the
// first throw.
func TestSeedKeyOfAnotherFolder(t *testing.T) {
	t.Parallel()
	c := Config{Data: t.TempDir(), Log: io.Discard, LogFormat: "text", Now: time.Now}
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.DB.Close(), s.unlockFolder()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.Data, keysFile)
	k, err := loadKeys(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	k.SeedKey = strings.Repeat("0a", 32)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := writeSecret(path, k); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), c); !errors.Is(err, run.ErrSeedKey) || !strings.Contains(err.Error(), keysFile) {
		t.Errorf("error %v", err)
	}
}

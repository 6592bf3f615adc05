package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/ledger/witness"
)

// WitnessConfig says how to run a witness.
type WitnessConfig struct {
	Listen string
	Data   string   // folder of its key and of what it has seen
	Name   string   // of its key, when that is made; "" makes one up
	Logs   []string // verifier keys of the logs that it cosigns
	Log    *slog.Logger
	Ready  func(address, verifierKey string) // when set, is told the address once it is served
}

// The files of a witness. To lose the second is to forget what was cosigned: then a new
// key is needed, and the old one is removed with it.
const (
	witnessKeyFile  = "witness-key.json"
	witnessSeenFile = "witness-seen.json"
)

// witnessKeys are the keys of a witness.
type witnessKeys struct {
	Key         string `json:"key"` // secret
	VerifierKey string `json:"verifier_key"`
}

// ServeWitness runs a witness until ctx ends.
func ServeWitness(ctx context.Context, c WitnessConfig) error {
	var logs []note.Verifier
	for _, text := range c.Logs {
		v, err := note.NewVerifier(text)
		if err != nil {
			return fmt.Errorf("log: %q: %w", text, err)
		}
		logs = append(logs, v)
	}
	k, err := loadWitnessKeys(c.Data, c.Name)
	if err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	signer, err := cosign.NewSignerForCosignatureV1(k.Key)
	if err != nil {
		return fmt.Errorf("witness: %s: %w", witnessKeyFile, err)
	}
	w, err := witness.New(witness.Config{Signer: signer, Logs: logs, File: filepath.Join(c.Data, witnessSeenFile), Logger: c.Log})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: w, ReadHeaderTimeout: readHeaders, ReadTimeout: readHeaders, IdleTimeout: idle, MaxHeaderBytes: maxHeaders}
	c.Log.Info("the witness is up", "url", "http://"+listener.Addr().String(), "verifier_key", k.VerifierKey, "logs", len(logs))
	if c.Ready != nil {
		c.Ready(listener.Addr().String(), k.VerifierKey)
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return drain(server, witnessDrain)
	}
}

// witnessDrain is how long requests under way may take when a witness stops.
const witnessDrain = 5 * time.Second

// loadWitnessKeys reads the keys, making them when there are none and nothing was seen.
func loadWitnessKeys(folder, name string) (k witnessKeys, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return k, err
	}
	path := filepath.Join(folder, witnessKeyFile)
	text, err := os.ReadFile(path)
	if err == nil {
		if err := json.Unmarshal(text, &k); err != nil {
			return k, fmt.Errorf("%s: %w", path, err)
		}
		return k, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := witness.Begin(filepath.Join(folder, witnessSeenFile)); err != nil {
		return k, err
	}
	if name == "" {
		var random [8]byte
		if _, err := rand.Read(random[:]); err != nil {
			return k, err
		}
		name = "roshambo-witness-" + hex.EncodeToString(random[:])
	}
	if k.Key, k.VerifierKey, err = note.GenerateKey(rand.Reader, name); err != nil {
		return k, err
	}
	// Those who configure a witness are told the key of its cosignatures.
	if k.VerifierKey, err = cosign.VKeyToCosignatureV1(k.VerifierKey); err != nil {
		return k, err
	}
	return k, writeSecret(path, k)
}

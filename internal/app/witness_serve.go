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
	"roshambo/internal/server/api"
)

// WitnessConfig configures a witness.
type WitnessConfig struct {
	Listen string
	Data   string   // folder of the key and of the record of seen checkpoints
	Name   string   // of a new key; "" generates one
	Logs   []string // verifier keys of the logs to cosign
	Log    *slog.Logger
	Ready  func(address, verifierKey string) // when set, called once the address is served
}

// Files of a witness. Losing the second loses the record of the cosigned checkpoints: the
// operator then removes the old key and creates a new one.
const (
	witnessKeyFile  = "witness-key.json"
	witnessSeenFile = "witness-seen.json"
)

// witnessKeys is the content of witnessKeyFile.
type witnessKeys struct {
	Key         string `json:"key"` // a secret
	VerifierKey string `json:"verifier_key"`
}

// ServeWitness runs a witness until ctx ends, as ServeAlone does.
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
	w, err := witness.New(witness.Config{Signer: signer, Logs: logs, File: filepath.Join(c.Data, witnessSeenFile),
		Logger: c.Log})
	if err != nil {
		return err
	}
	return ServeAlone(ctx, c.Listen, w, func(address string) {
		c.Log.Info("the witness is up", "url", "http://"+address, "verifier_key", k.VerifierKey, "logs", len(logs))
		if c.Ready != nil {
			c.Ready(address, k.VerifierKey)
		}
	})
}

// ServeAlone serves h on an address until ctx ends, and then waits up to aloneDrain for requests in
// progress. It calls up once the address is served. It is for handlers without the service around them.
func ServeAlone(ctx context.Context, listen string, h http.Handler, up func(address string)) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: readHeaders, ReadTimeout: readHeaders, IdleTimeout: idle,
		MaxHeaderBytes: api.MaxHeaderBytes}
	up(listener.Addr().String())
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return drain(server, aloneDrain)
	}
}

// aloneDrain is how long requests in progress may take when a witness or a mirror stops.
const aloneDrain = 5 * time.Second

// loadWitnessKeys reads the keys of a witness, and creates them when there are neither keys nor a
// record of seen checkpoints.
func loadWitnessKeys(folder, name string) (k witnessKeys, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return k, err
	}
	path := filepath.Join(folder, witnessKeyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createWitnessKeys(folder, name)
	}
	if err != nil {
		return k, err
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return k, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// createWitnessKeys creates the keys and the record of seen checkpoints, of which there is none yet.
func createWitnessKeys(folder, name string) (k witnessKeys, err error) {
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
	// Operators who configure a witness need the key of its cosignatures.
	if k.VerifierKey, err = cosign.VKeyToCosignatureV1(k.VerifierKey); err != nil {
		return k, err
	}
	return k, writeSecret(filepath.Join(folder, witnessKeyFile), k)
}

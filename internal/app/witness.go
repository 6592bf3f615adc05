package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger"
	"roshambo/internal/ledger/witness"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/api"
	"roshambo/internal/store"
	"roshambo/verify"
)

// ParseWitness parses a configured witness: its verifier key, a space, and the base URL for
// submitting checkpoints.
func ParseWitness(text string) (*witness.Client, error) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return nil, fmt.Errorf("%q is not a verifier key, a space and a URL", text)
	}
	v, err := cosign.NewVerifierForCosignatureV1(words[0])
	if err != nil {
		return nil, fmt.Errorf("%q is not a verifier key: %w", words[0], err)
	}
	if _, err := verify.ParseWitnessKey(words[0]); err != nil { // readers would refuse the policy
		return nil, fmt.Errorf("%q: %w", words[0], err)
	}
	u, err := url.Parse(words[1])
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not a URL such as https://witness.example.org", words[1])
	}
	return &witness.Client{URL: words[1], Verifier: v, HTTP: http.DefaultClient}, nil
}

// checkWitnesses returns an error when a witness is malformed or listed twice, or the quorum out of reach.
func checkWitnesses(list []string, quorum int) error {
	if quorum < 0 || quorum > len(list) {
		return errors.New("--witness-quorum: 1 to the number of witnesses")
	}
	seen := map[string]bool{}
	for _, text := range list {
		w, err := ParseWitness(text)
		if err != nil {
			return err
		}
		name := keyName(w)
		if seen[name] {
			return errors.New(name + " is listed twice")
		}
		seen[name] = true
	}
	return nil
}

// witnessPolicy returns the policy that the service publishes: the verifier keys of its witnesses, and how
// many of them have to cosign a checkpoint that a reader believes.
func (c *Config) witnessPolicy() api.WitnessPolicy {
	p := api.WitnessPolicy{Keys: []string{}, Quorum: int64(c.WitnessQuorum)}
	for _, text := range c.Witnesses {
		p.Keys = append(p.Keys, strings.Fields(text)[0])
	}
	if p.Quorum == 0 && len(p.Keys) > 0 {
		p.Quorum = int64(len(p.Keys)/2 + 1)
	}
	return p
}

// collect collects cosignatures of the log's checkpoints until ctx ends.
func (s *Service) collect(ctx context.Context) {
	log := cosignedLog{Service: s, keys: map[string]string{}}
	c := &witness.Collector{Log: log, Logger: s.log, Watch: func() (<-chan struct{}, func()) {
		w := s.Hub.Watch(event.Blocks)
		return w.C(), w.Close
	}}
	for _, text := range s.config.Witnesses {
		w, err := ParseWitness(text)
		if err != nil {
			panic("app: Check accepted a malformed witness: " + err.Error())
		}
		c.Witnesses = append(c.Witnesses, w)
		log.keys[keyName(w)] = strings.Fields(text)[0]
	}
	c.Run(ctx)
}

// keyName returns a witness's name and the id of its key.
func keyName(w *witness.Client) string {
	return fmt.Sprintf("%s+%08x", w.Verifier.Name(), w.Verifier.KeyHash())
}

// cosignedLog implements witness.Log on the ledger.
type cosignedLog struct {
	*Service
	keys map[string]string // verifier keys of the witnesses, by keyName
}

// Checkpoint returns the newest checkpoint.
func (l cosignedLog) Checkpoint(ctx context.Context) ([]byte, error) {
	return store.Read(ctx, l.DB, l.Ledger.SignedHead)
}

// Consistency returns the proof that the tree of old is a prefix of the tree of size.
func (l cosignedLog) Consistency(ctx context.Context, old, size int64) (tlog.TreeProof, error) {
	return store.Read(ctx, l.DB, func(ctx context.Context, tx *store.Tx) (tlog.TreeProof, error) {
		return l.Ledger.Consistency(ctx, tx, old, size)
	})
}

// StoreCosignature stores a cosignature.
func (l cosignedLog) StoreCosignature(ctx context.Context, name string, size int64, checkpoint []byte,
	lines string) error {
	return l.DB.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		return l.Ledger.KeepCosignature(ctx, tx, ledger.Cosignature{Witness: l.keys[name], Size: size,
			Checkpoint: checkpoint, Lines: lines})
	})
}

// CosignedSize returns the size of the last checkpoint that a witness has cosigned.
func (l cosignedLog) CosignedSize(ctx context.Context, name string) (int64, error) {
	return store.Read(ctx, l.DB, func(ctx context.Context, tx *store.Tx) (int64, error) {
		return l.Ledger.CosignedBy(ctx, tx, l.keys[name])
	})
}

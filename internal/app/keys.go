package app

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/ledger"
)

// keys are the secrets that belong to a chain. They are made at the first start and
// kept beside the database, not in it: who gets hold of a copy of the database alone
// can neither sign for the chain nor look at seeds.
type keys struct {
	// LogKey signs checkpoints, as golang.org/x/mod/sumdb/note writes it.
	LogKey string `json:"log_key"`
	// VerifierKey is its public half.
	VerifierKey string `json:"verifier_key"`
	// SeedKey encrypts seeds that nobody has seen yet: 32 bytes in hex.
	SeedKey string `json:"seed_key"`
}

const (
	keysFile    = "keys.json"
	seedKeySize = 32
)

// KeysEnv is the environment variable that may hold the keys, as the file has them, so that
// nodes need not share a file. There is no option of its kind: the command line of a
// process is not secret.
const KeysEnv = "ROSHAMBO_KEYS"

// keys returns the keys that are configured, or those of the data folder. begun returns an
// error when there is a chain already, so that no new ones may be made.
func (c *Config) keys(begun func() error) (keys, error) {
	if c.Keys == "" {
		return readOrMakeKeys(filepath.Join(c.Data, keysFile), begun)
	}
	k, err := parseKeys(c.Keys)
	if err != nil {
		return keys{}, err
	}
	stored, err := readKeys(filepath.Join(c.Data, keysFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k, nil
	case err != nil:
		return keys{}, err
	case stored != k: // one of the two is a mistake that would come out too late
		return keys{}, fmt.Errorf("keys: those of %s are not those of %s", KeysEnv, filepath.Join(c.Data, keysFile))
	}
	return k, nil
}

// parseKeys reads the keys from the environment. Its errors do not repeat them.
func parseKeys(text string) (k keys, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&k) != nil || d.More() {
		return k, fmt.Errorf("keys: %s is not the text of a %s", KeysEnv, keysFile)
	}
	if _, err := k.signer(); err != nil {
		return k, fmt.Errorf("%s: log_key and verifier_key do not belong together, or are none", KeysEnv)
	}
	if key, err := k.seedKey(); err != nil || len(key) != seedKeySize {
		return k, fmt.Errorf("%s: seed_key is not 32 bytes in hex", KeysEnv)
	}
	return k, nil
}

// loadKeys reads the keys of a data folder, making them when there are none.
func loadKeys(folder string) (keys, error) {
	return readOrMakeKeys(filepath.Join(folder, keysFile), func() error { return begun(folder) })
}

func readOrMakeKeys(path string, begun func() error) (keys, error) {
	k, err := readKeys(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := begun(); err != nil {
		return keys{}, fmt.Errorf("keys: %s is missing: %w", path, err)
	}
	return makeKeys(path)
}

func readKeys(path string) (k keys, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return keys{}, fmt.Errorf("keys: %w", err)
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return keys{}, fmt.Errorf("keys: %s: %w", path, err)
	}
	return k, nil
}

// begun returns an error when the folder holds a database. Its chain can be gone on
// with by its own keys alone, and new ones in their place would only hide that.
func begun(folder string) error {
	path := filepath.Join(folder, databaseFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0: // empty after a crash of the first start
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("the database %s belongs to other keys; put the file back from a backup", path)
}

func makeKeys(path string) (keys, error) {
	var random [40]byte
	if _, err := rand.Read(random[:]); err != nil {
		return keys{}, fmt.Errorf("keys: %w", err)
	}
	// The chain's name is unique because it is random.
	name := "roshambo-" + hex.EncodeToString(random[:8])
	signer, verifier, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return keys{}, fmt.Errorf("keys: %w", err)
	}
	k := keys{LogKey: signer, VerifierKey: verifier, SeedKey: hex.EncodeToString(random[8:])}
	return k, writeSecret(path, k)
}

// writeSecret stores keys so that they are either there whole or not at all, also after
// a crash: the database is begun only after they are on disk, as a chain without its
// keys is of no use.
func writeSecret(path string, k any) error {
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	folder := filepath.Dir(path)
	f, err := os.CreateTemp(folder, filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		// Link rather than rename: of two first starts at the same time, one fails.
		err = os.Link(f.Name(), path)
	}
	err = errors.Join(err, os.Remove(f.Name()), syncFolder(folder))
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}

// keysMissing reports whether keys are to be made, unless a chain has begun.
func (c *Config) keysMissing() bool {
	_, err := os.Stat(filepath.Join(c.Data, keysFile))
	return c.Keys == "" && errors.Is(err, fs.ErrNotExist)
}

// otherKeys says what to do about a chain of other keys. Those that were made in this
// start are taken away: between finding no chain and beginning one, another node has begun
// it, and so they have signed nothing. After a crash before that they are still there, and
// the next start says what to do.
func (c *Config) otherKeys(err error, made bool) error {
	if !errors.Is(err, ledger.ErrOtherKey) {
		return err
	}
	path := filepath.Join(c.Data, keysFile)
	switch {
	case c.Keys != "":
		path = KeysEnv
	case made:
		err = errors.Join(fmt.Errorf("another node has begun the chain at the same time: %w", err), os.Remove(path), syncFolder(c.Data))
	}
	return fmt.Errorf("keys: %w; put the keys.json of the node that began the chain in place of %s, or its text into %s, and start again", err, path, KeysEnv)
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (k keys) signer() (note.Signer, error) {
	s, err := note.NewSigner(k.LogKey)
	if err != nil {
		return nil, fmt.Errorf("keys: log_key: %w", err)
	}
	v, err := note.NewVerifier(k.VerifierKey)
	if err != nil {
		return nil, fmt.Errorf("keys: verifier_key: %w", err)
	}
	if s.Name() != v.Name() || s.KeyHash() != v.KeyHash() {
		return nil, errors.New("keys: log_key and verifier_key do not belong together")
	}
	return s, nil
}

func (k keys) seedKey() ([]byte, error) {
	key, err := hex.DecodeString(k.SeedKey)
	if err != nil {
		return nil, errors.New("keys: seed_key is not hex")
	}
	return key, nil
}

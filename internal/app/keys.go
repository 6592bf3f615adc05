package app

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/durable"
)

// keys are the secrets of a chain. The first start creates them beside the database, not in it: a
// copy of the database alone suffices neither to sign for the chain nor to read seeds.
type keys struct {
	// LogKey signs checkpoints, in the format of golang.org/x/mod/sumdb/note.
	LogKey string `json:"log_key"`
	// VerifierKey is its public half.
	VerifierKey string `json:"verifier_key"`
	// SeedKey encrypts unrevealed seeds: 32 bytes in hex.
	SeedKey string `json:"seed_key"`
}

const (
	keysFile    = "keys.json"
	seedKeySize = 32
)

// KeysEnv is the environment variable that may hold the text of the keys file, so that nodes need
// not share a file. There is no such option: the command line of a process is not secret.
const KeysEnv = "ROSHAMBO_KEYS"

// keys returns the configured keys, or the keys in the data folder, which it creates when there
// are none. begun returns an error when a chain exists already; then no new keys may be created.
func (c *Config) keys(begun func() error) (keys, error) {
	if c.Keys == "" {
		return readOrMakeKeys(filepath.Join(c.Data, keysFile), c.chainPrefix(), begun)
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
	case stored != k: // one of the two is a mistake, found here rather than at the next start without one of them
		return keys{}, fmt.Errorf("keys: those of %s are not those of %s", KeysEnv, filepath.Join(c.Data, keysFile))
	}
	return k, nil
}

// Prefixes of the names of new chains. The prefix of a demo stays in its checkpoints, so a demo
// cannot pass for anything else, and the page shows it.
const (
	chainPrefix     = "roshambo-"
	demoChainPrefix = "roshambo-demo-"
)

// chainPrefix returns the prefix of the name of a new chain.
func (c *Config) chainPrefix() string {
	if c.Demo {
		return demoChainPrefix
	}
	return chainPrefix
}

// errNoDemo reports the option demo for a service with a chain of its own.
var errNoDemo = errors.New("demo: the data folder belongs to a service that is no demo; use an empty one")

// parseKeys reads the text of a keys file from the environment. Its errors do not repeat the text.
func parseKeys(text string) (k keys, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&k) != nil || d.More() {
		return k, fmt.Errorf("keys: %s is not the text of a %s", KeysEnv, keysFile)
	}
	if _, err := k.signer(); err != nil {
		return k, fmt.Errorf("%s: log_key and verifier_key are malformed or do not match", KeysEnv)
	}
	if key, err := k.seedKey(); err != nil || len(key) != seedKeySize {
		return k, fmt.Errorf("%s: seed_key is not 32 bytes in hex", KeysEnv)
	}
	return k, nil
}

// readOrMakeKeys reads the keys file at path, and creates it when it is missing, unless begun
// returns an error.
func readOrMakeKeys(path, prefix string, begun func() error) (keys, error) {
	k, err := readKeys(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := begun(); err != nil {
		return keys{}, fmt.Errorf("keys: %s is missing: %w", path, err)
	}
	return makeKeys(path, prefix)
}

// readKeys reads the keys file at path. Errors: fs.ErrNotExist.
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

// warnOfWideKeys logs a warning when other users of this machine can read the keys or the certificate's private
// key. Windows has no such modes.
func (c *Config) warnOfWideKeys(log *slog.Logger) {
	for _, path := range []string{filepath.Join(c.Data, keysFile), c.TLSKey} {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			log.Warn("other users of this machine can read a key; its mode should be 0600", "file", path,
				"mode", info.Mode().Perm())
		}
	}
}

// begun returns an error when the folder holds a database: only its own keys can continue its
// chain, and new keys would hide that they are missing.
func begun(folder string) error {
	path := filepath.Join(folder, databaseFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0: // left empty by a crash of the first start
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("the database %s belongs to other keys; put the file back from a backup", path)
}

func makeKeys(path, prefix string) (keys, error) {
	var random [40]byte
	if _, err := rand.Read(random[:]); err != nil {
		return keys{}, fmt.Errorf("keys: %w", err)
	}
	// The chain's name is unique because it is random.
	name := prefix + hex.EncodeToString(random[:8])
	// signer returns the signer of checkpoints, after checking that both halves of the log key
	// match.
	signer, verifier, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return keys{}, fmt.Errorf("keys: %w", err)
	}
	k := keys{LogKey: signer, VerifierKey: verifier, SeedKey: hex.EncodeToString(random[8:])}
	return k, writeSecret(path, k)
}

// writeSecret writes a new file with secrets. After a crash the file is either complete or absent.
// It fails when the file exists. The database is created only after the keys are on disk: a chain
// without its keys is useless.
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
	err = writeAndLink(f, append(text, '\n'), path)
	if err = errors.Join(err, os.Remove(f.Name()), durable.SyncFolder(folder)); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}

// writeAndLink writes text to f, closes it and gives it the name path, too.
func writeAndLink(f *os.File, text []byte, path string) error {
	_, err := f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	// Link, unlike Rename, fails when the file exists: of two first starts at the same time, one fails.
	return os.Link(f.Name(), path)
}

// keysMissing reports whether the start has to create keys, provided that no chain exists.
func (c *Config) keysMissing() bool {
	_, err := os.Stat(filepath.Join(c.Data, keysFile))
	return c.Keys == "" && errors.Is(err, fs.ErrNotExist)
}

// otherKeys adds advice to ledger.ErrOtherKey. It removes keys that this start has created (made):
// between the check for a chain and its creation, another node has created it, so these keys have
// signed nothing. After a crash before that point they remain, and the next start gives the same
// advice.
func (c *Config) otherKeys(err error, made bool) error {
	if !errors.Is(err, ledger.ErrOtherKey) {
		return err
	}
	path := filepath.Join(c.Data, keysFile)
	switch {
	case c.Keys != "":
		path = KeysEnv
	case made:
		err = errors.Join(fmt.Errorf("another node has begun the chain at the same time: %w", err), os.Remove(path),
			durable.SyncFolder(c.Data))
	}
	return fmt.Errorf("keys: %w; put the keys.json of the node that began the chain in place of %s, or its text into "+
		"%s, and start again", err, path, KeysEnv)
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

// seedKey returns the 32 bytes of the seed key.
func (k keys) seedKey() ([]byte, error) {
	key, err := hex.DecodeString(k.SeedKey)
	if err != nil {
		return nil, errors.New("keys: seed_key is not hex")
	}
	return key, nil
}

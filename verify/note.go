package verify

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"roshambo/canon"
	"roshambo/chain"
)

// The checkpoint is a signed note (c2sp.org/signed-note) around a tree head
// (c2sp.org/tlog-checkpoint):
//
//	<origin>
//	<number of blocks, decimal>
//	<root hash, base64>
//
//	— <name> <base64 of key id and signature>
//
// Signature lines by other keys are checked in witness.go.

// Key is an Ed25519 verifier key of a signed note: of a log (algorithm 1) or of a witness
// (algorithm 4).
type Key struct {
	// Name is the signer's name, for a log also its origin: 1 to 64 characters of printable ASCII
	// without space and plus.
	Name string
	// ID is the first 4 bytes of SHA-256(name || "\n" || algorithm || public key), big-endian.
	ID     uint32
	Public ed25519.PublicKey
}

// maxSignatures is the largest number of signature lines of a checkpoint, and maxCheckpoint its largest
// size in bytes. Every signature covers the body, so both together bound the work on a checkpoint.
const (
	maxSignatures = 100
	maxCheckpoint = 64 << 10
)

// keyEd25519 is the number of the algorithm of log keys.
const keyEd25519 = 1

// errKey reports a malformed log key. ParseWitnessKey has its own error.
var errKey = errors.New("verify: a verifier key is name+hex id+base64, of an Ed25519 key")

// ParseKey reads the verifier key of a log, "name+id+base64(1 || public key)". The id must follow
// from name and key. The error is the same for every malformed key.
func ParseKey(s string) (Key, error) {
	key, ok := parseKey(s, keyEd25519)
	if !ok {
		return Key{}, errKey
	}
	return key, nil
}

// parseKey reads a verifier key of the given algorithm, and reports whether it is well formed.
func parseKey(s string, algorithm byte) (Key, bool) {
	name, rest, _ := strings.Cut(s, "+")
	id, encoded, _ := strings.Cut(rest, "+")
	key, ok := strictBase64(encoded)
	if !ok || !isName(name) || len(key) != 1+ed25519.PublicKeySize || key[0] != algorithm {
		return Key{}, false
	}
	// The id binds the name to the key (c2sp.org/signed-note); key begins with the algorithm.
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	if hex.EncodeToString(sum[:4]) != id {
		return Key{}, false
	}
	return Key{Name: name, ID: binary.BigEndian.Uint32(sum[:4]), Public: key[1:]}, true
}

// isName reports whether s can name a chain and its key: 1 to 64 characters of printable ASCII
// without space and plus.
func isName(s string) bool {
	for _, c := range s {
		if c < '!' || c > '~' || c == '+' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// strictBase64 decodes standard base64 with padding, in the one text that each value has.
func strictBase64(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") { // encoding/base64 ignores them
		return nil, false
	}
	data, err := base64.StdEncoding.Strict().DecodeString(s)
	return data, err == nil
}

// signature is a signature line of a note, not yet checked.
type signature struct {
	name  string
	id    uint32 // of the key
	bytes []byte // after the id, at least 1
}

// signer identifies the key of a signature line.
type signer struct {
	name string
	id   uint32
}

// signatureLines are the signature lines of a note.
type signatureLines []signature

// check checks every line with the name and id of k by valid, and returns the last one; nil when there is none.
// A line that occurs again is checked once. ok is false when a line is wrong.
func (list signatureLines) check(k Key, valid func(line []byte) bool) (last []byte, ok bool) {
	checked := map[string]bool{}
	for _, s := range list {
		if (signer{s.name, s.id}) != (signer{k.Name, k.ID}) {
			continue
		}
		if last = s.bytes; !checked[string(last)] && !valid(last) {
			return last, false
		}
		checked[string(last)] = true
	}
	return last, true
}

// parseNote splits a signed note into its body, the text that is signed, and its signature lines.
// It checks the form of every line and no signature.
func parseNote(s string) (body string, signatures signatureLines, err error) {
	if len(s) > maxCheckpoint {
		return "", nil, fmt.Errorf("the checkpoint is larger than %d bytes", maxCheckpoint)
	}
	// The last blank line separates body and signatures; the body keeps its final newline.
	at := strings.LastIndex(s, "\n\n")
	tail, ended := strings.CutSuffix(s[at+1:], "\n")
	lines := strings.Split(strings.TrimPrefix(tail, "\n"), "\n")
	if at < 0 || !ended || tail == "" || len(lines) > maxSignatures || strings.ContainsFunc(s, isControl) {
		return "", nil, errors.New("the checkpoint is not a signed note")
	}
	for _, line := range lines {
		words := strings.Split(line, " ") // em dash, name, base64 of key id and signature
		if len(words) != 3 || words[0] != "—" || words[1] == "" || strings.ContainsFunc(words[1], notInName) {
			return "", nil, errSignatureLine
		}
		data, ok := strictBase64(words[2])
		if !ok || len(data) < 5 {
			return "", nil, errSignatureLine
		}
		signatures = append(signatures, signature{words[1], binary.BigEndian.Uint32(data), data[4:]})
	}
	return s[:at+1], signatures, nil
}

// errSignatureLine reports a line that is not "— name base64".
var errSignatureLine = errors.New("the checkpoint has a malformed signature line")

// notInName reports whether the name of a signer cannot have c: a plus, or a space as Unicode defines it.
func notInName(c rune) bool { return c == '+' || unicode.IsSpace(c) }

// isControl reports whether c is a control character other than the newline.
func isControl(c rune) bool { return c < ' ' && c != '\n' }

// tree is the content of a checkpoint.
type tree struct {
	origin string
	size   int64 // blocks
	root   chain.Hash
}

// errTree reports a body that is not a tree head, for whatever reason.
var errTree = errors.New("the checkpoint does not state an origin, a size and a root")

// parseTree reads the body of a checkpoint. Lines after the third are extensions, which are
// ignored but must not be empty.
func parseTree(body string) (tree, error) {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if len(lines) < 3 || slices.Contains(lines[3:], "") || !isName(lines[0]) {
		return tree{}, errTree
	}
	// Formatting the size again refuses signs and leading zeros.
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || size > canon.MaxInt || strconv.FormatInt(size, 10) != lines[1] {
		return tree{}, errTree
	}
	root, ok := strictBase64(lines[2])
	if !ok || len(root) != len(chain.Hash{}) {
		return tree{}, errTree
	}
	return tree{lines[0], size, chain.Hash(root)}, nil
}

// Checkpoint is a tree head that the key of a log has signed.
type Checkpoint struct {
	Size int64      // blocks
	Root chain.Hash // of the tree of their headers
}

// Checkpoint reads a checkpoint of the log with the key k. It returns an error for a malformed one, for one
// of another log, without a line by k, and when any line with its name and id is wrong: one wrong line
// is enough to fail, as in the check checkpoint of proofs.
func (k Key) Checkpoint(text string) (Checkpoint, error) {
	body, signatures, err := parseNote(text)
	if err != nil {
		return Checkpoint{}, err
	}
	stated, err := parseTree(body)
	if err != nil {
		return Checkpoint{}, err
	}
	line, right := signatures.check(k, func(line []byte) bool { return ed25519.Verify(k.Public, []byte(body), line) })
	switch {
	case !right:
		return Checkpoint{}, errors.New("the checkpoint's signature is wrong")
	case line == nil:
		return Checkpoint{}, errors.New("the checkpoint is not signed by the verifier key")
	case stated.origin != k.Name:
		return Checkpoint{}, errors.New("the checkpoint is of another origin than the verifier key")
	}
	return Checkpoint{stated.size, stated.root}, nil
}

// signature is the check checkpoint. The proof's key must be well formed and the pinned one, if
// one is pinned. The checkpoint must have its origin and a signature by it; every line with its
// name and id must be right, so that a forged line cannot hide among correct ones. With a pinned key
// everything that the proof claims must be in a block. pinned is nil without a pinned key.
func (r *parsedProof) signature(pinned *string) finding {
	if pinned != nil {
		if _, err := ParseKey(*pinned); err != nil {
			return fail("the pinned key is malformed")
		}
	}
	key, err := ParseKey(r.verifierKey)
	if err != nil {
		return fail("the proof's verifier key is malformed")
	}
	if pinned != nil && *pinned != r.verifierKey {
		return fail("the proof names another verifier key than the pinned one")
	}
	waiting := r.errUnanchored()
	if r.checkpoint == nil {
		if pinned != nil && waiting != nil {
			return fail("%v", waiting)
		}
		return note("no checkpoint: no transaction is in a block yet")
	}
	body, signatures, err := parseNote(*r.checkpoint)
	if err != nil {
		return fail("%v", err)
	}
	tree, err := parseTree(body)
	if err != nil {
		return fail("%v", err)
	}
	if tree.origin != key.Name {
		return fail("the checkpoint is of another origin than the verifier key")
	}
	// Lines of other keys are not evidence: they neither pass nor fail this check.
	line, right := signatures.check(key, func(line []byte) bool { return ed25519.Verify(key.Public, []byte(body), line) })
	if !right {
		return fail("the checkpoint's signature is wrong")
	}
	if line == nil {
		return fail("the checkpoint is not signed by the verifier key")
	}
	text := "a tree of %d blocks, signed by %v, "
	if pinned == nil {
		return note(text+"the key in the proof: key not pinned", tree.size, key)
	}
	if waiting != nil {
		return fail("%v", waiting)
	}
	return pass(text+"the pinned key", tree.size, key)
}

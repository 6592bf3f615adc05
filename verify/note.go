package verify

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

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
// Signature lines of others, witnesses say, are another check's matter.

// Key is a verifier key of a log, Ed25519, algorithm 1 of signed notes, or of a witness,
// algorithm 4.
type Key struct {
	Name   string // of a log its origin, too: printable ASCII without space and plus
	ID     uint32 // first 4 bytes of SHA-256(name || "\n" || algorithm || public key)
	Public ed25519.PublicKey
}

// maxSignatures is how many signature lines a checkpoint may have.
const maxSignatures = 100

// keyEd25519 is the number of the algorithm.
const keyEd25519 = 1

var errKey = errors.New("verify: a verifier key is name+hex id+base64, of an Ed25519 key")

// ParseKey reads a verifier key, "name+id+base64(1 || public key)".
func ParseKey(s string) (Key, error) {
	key, ok := parseKey(s, keyEd25519)
	if !ok {
		return Key{}, errKey
	}
	return key, nil
}

// parseKey reads a verifier key of an algorithm whose public keys are Ed25519's.
func parseKey(s string, algorithm byte) (Key, bool) {
	name, rest, _ := strings.Cut(s, "+")
	id, encoded, _ := strings.Cut(rest, "+")
	key, ok := strictBase64(encoded)
	if !ok || !isName(name) || len(key) != 1+ed25519.PublicKeySize || key[0] != algorithm {
		return Key{}, false
	}
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	if hex.EncodeToString(sum[:4]) != id {
		return Key{}, false
	}
	return Key{Name: name, ID: binary.BigEndian.Uint32(sum[:4]), Public: key[1:]}, true
}

// isName says whether s may name a chain and its key.
func isName(s string) bool {
	for _, c := range s {
		if c < '!' || c > '~' || c == '+' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// strictBase64 reads standard base64 of which there is one text for each value.
func strictBase64(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") { // encoding/base64 passes over them
		return nil, false
	}
	data, err := base64.StdEncoding.Strict().DecodeString(s)
	return data, err == nil
}

// signature is a signature line of a note.
type signature struct {
	name  string
	id    uint32
	bytes []byte
}

// parseNote splits a signed note into the text that is signed and the
// signatures, of which none is checked yet.
func parseNote(s string) (body string, signatures []signature, err error) {
	at := strings.LastIndex(s, "\n\n")
	tail, ended := strings.CutSuffix(s[at+1:], "\n")
	lines := strings.Split(strings.TrimPrefix(tail, "\n"), "\n")
	if at < 0 || !ended || tail == "" || len(lines) > maxSignatures || strings.ContainsFunc(s, isControl) {
		return "", nil, errors.New("the checkpoint is not a signed note")
	}
	for _, line := range lines {
		words := strings.Split(line, " ")
		if len(words) != 3 || words[0] != "—" || words[1] == "" || strings.Contains(words[1], "+") {
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

var errSignatureLine = errors.New("the checkpoint has a malformed signature line")

func isControl(c rune) bool { return c < ' ' && c != '\n' }

// tree is what a checkpoint states.
type tree struct {
	origin string
	size   int64 // blocks
	root   chain.Hash
}

var errTree = errors.New("the checkpoint does not state an origin, a size and a root")

// parseTree reads the body of a checkpoint. Lines after the third are extensions.
func parseTree(body string) (tree, error) {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if len(lines) < 3 || slices.Contains(lines[3:], "") || !isName(lines[0]) {
		return tree{}, errTree
	}
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

// signature checks the checkpoint's signature, by the pinned key if there is one.
func (r *parsedProof) signature(pinned string) finding {
	key, err := ParseKey(r.verifierKey)
	if err != nil {
		return fail("the proof's verifier key is malformed")
	}
	if pinned != "" && pinned != r.verifierKey {
		return fail("the proof names another verifier key than the pinned one")
	}
	if r.checkpoint == nil {
		return note("no checkpoint: nothing here is in a block yet")
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
	ours := 0
	for _, s := range signatures {
		if s.name != key.Name || s.id != key.ID {
			continue
		}
		if !ed25519.Verify(key.Public, []byte(body), s.bytes) {
			return fail("the checkpoint's signature is wrong")
		}
		ours++
	}
	if ours == 0 {
		return fail("the checkpoint is not signed by the verifier key")
	}
	statement := "a tree of %d blocks, signed by %v, "
	if pinned == "" {
		return note(statement+"the key in the proof: key not pinned", tree.size, key)
	}
	return pass(statement+"the pinned key", tree.size, key)
}

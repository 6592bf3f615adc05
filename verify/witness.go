package verify

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A witness cosigns a checkpoint that is consistent with the last one that it saw of the log
// (c2sp.org/tlog-cosignature). It adds a signature line, whose bytes after the key id are the Unix
// time in seconds, 8 bytes big-endian, and an Ed25519 signature of
//
//	cosignature/v1
//	time <the time, decimal>
//	<the checkpoint's body>
//
// Only the witness keys that the caller trusts identify witnesses.

// keyCosignature is the number of the algorithm of witness keys.
const keyCosignature = 4

// errWitnessKey reports a malformed witness key, a log's key included.
var errWitnessKey = errors.New("verify: a witness key is name+hex id+base64, of an Ed25519 key for cosignatures")

// ParseWitnessKey reads the verifier key of a witness, "name+id+base64(4 || public key)". The id
// must be that of name and key.
func ParseWitnessKey(s string) (Key, error) {
	key, ok := parseKey(s, keyCosignature)
	if !ok {
		return Key{}, errWitnessKey
	}
	return key, nil
}

// Cosigned returns the time at which the witness with the key k cosigned a checkpoint, in Unix
// seconds; of several cosignatures, that of the last line. It returns an error when the checkpoint
// has no line by k, or when any line with its name and id is wrong.
func (k Key) Cosigned(checkpoint string) (time uint64, err error) {
	body, signatures, err := parseNote(checkpoint)
	if err != nil {
		return 0, err
	}
	cosigned := false
	for _, s := range signatures {
		if s.name != k.Name || s.id != k.ID {
			continue
		}
		// 8 bytes of time, then the signature over it and the body.
		if len(s.bytes) != 8+ed25519.SignatureSize {
			return 0, k.wrong()
		}
		time = binary.BigEndian.Uint64(s.bytes)
		message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, body)
		if !ed25519.Verify(k.Public, []byte(message), s.bytes[8:]) {
			return 0, k.wrong()
		}
		cosigned = true
	}
	if !cosigned {
		return 0, fmt.Errorf("the checkpoint is not cosigned by %v", k)
	}
	return time, nil
}

// wrong is the error for a line with k's name and id that k did not sign.
func (k Key) wrong() error { return fmt.Errorf("the cosignature of %v is wrong", k) }

// String returns the name and the id in 8 hex digits, "name+id".
func (k Key) String() string { return fmt.Sprintf("%s+%08x", k.Name, k.ID) }

// hasWitnessCheck reports whether the report has the check witnesses.
func (r *parsedProof) hasWitnessCheck(keys []string) bool {
	return len(keys) > 0 || len(r.otherSigners()) > 0
}

// otherSigners returns the signers of the checkpoint other than the log, each once, as "name+id" in
// the order of their lines. A name that is not printable is shown as "?". With a malformed key in the
// proof every signer counts, so that the key cannot hide the lines of witnesses. The list is empty
// when the checkpoint cannot be read; the checkpoint check reports that.
func (r *parsedProof) otherSigners() (list []string) {
	if r.checkpoint == nil {
		return nil
	}
	_, signatures, err := parseNote(*r.checkpoint)
	key, errKey := ParseKey(r.verifierKey)
	if err != nil {
		return nil
	}
	for _, s := range signatures {
		if errKey == nil && s.name == key.Name && s.id == key.ID {
			continue
		}
		// The report is printable ASCII, and a signer may choose any name.
		name := s.name
		if !isName(name) {
			name = "?"
		}
		if signer := fmt.Sprintf("%s+%08x", name, s.id); !slices.Contains(list, signer) {
			list = append(list, signer)
		}
	}
	return list
}

// witnesses is the check of the same name: each of the given witnesses has cosigned the checkpoint, and
// everything that the proof claims is in a block.
// A proof without a checkpoint fails it, because otherwise a house could avoid its witnesses by
// leaving the checkpoint out.
func (r *parsedProof) witnesses(keys []string) finding {
	others := r.otherSigners()
	if len(keys) == 0 {
		return note("not checked, as no witness key was given: lines of %s", strings.Join(others, ", "))
	}
	var cosigned []string
	for _, text := range keys {
		key, err := ParseWitnessKey(text)
		if err != nil {
			return fail("a witness key is malformed")
		}
		if r.checkpoint == nil {
			return fail("no checkpoint to cosign: no transaction is in a block yet")
		}
		// A line of this witness is checked now, so it leaves the list of unchecked ones.
		time, err := key.Cosigned(*r.checkpoint)
		if err != nil {
			return fail("%v", err)
		}
		cosigned = append(cosigned, fmt.Sprintf("%v at %d", key, time))
		others = slices.DeleteFunc(others, func(signer string) bool { return signer == key.String() })
	}
	if waiting := r.errUnanchored(); waiting != nil {
		return fail("%v", waiting)
	}
	text := "cosigned by " + strings.Join(cosigned, ", ")
	if len(others) > 0 {
		text += "; not checked: lines of " + strings.Join(others, ", ")
	}
	return pass("%s", text)
}

package verify

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A witness cosigns a checkpoint when it goes on from the last one that it has seen of
// the log (c2sp.org/tlog-cosignature): a signature line of its own, whose bytes are the
// time in seconds, 8 bytes big-endian, and an Ed25519 signature of
//
//	cosignature/v1
//	time <the time, decimal>
//	<the checkpoint without its signatures>
//
// Of whom the lines are is known by witness keys that the caller trusts alone.

// keyCosignature is the number of the algorithm in a witness's verifier key.
const keyCosignature = 4

var errWitnessKey = errors.New("verify: a witness key is name+hex id+base64, of an Ed25519 key for cosignatures")

// ParseWitnessKey reads the verifier key of a witness, "name+id+base64(4 || public key)".
func ParseWitnessKey(s string) (Key, error) {
	key, ok := parseKey(s, keyCosignature)
	if !ok {
		return Key{}, errWitnessKey
	}
	return key, nil
}

// Cosigned says when a witness, whose key k is, has cosigned a checkpoint, in Unix
// seconds. The error says that it has not, or that a line that should be its is wrong.
func (k Key) Cosigned(checkpoint string) (time uint64, err error) {
	body, signatures, err := parseNote(checkpoint)
	if err != nil {
		return 0, err
	}
	found := false
	for _, s := range signatures {
		if s.name != k.Name || s.id != k.ID {
			continue
		}
		if len(s.bytes) != 8+ed25519.SignatureSize {
			return 0, k.wrong()
		}
		time = binary.BigEndian.Uint64(s.bytes)
		message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, body)
		if !ed25519.Verify(k.Public, []byte(message), s.bytes[8:]) {
			return 0, k.wrong()
		}
		found = true
	}
	if !found {
		return 0, fmt.Errorf("the checkpoint is not cosigned by %v", k)
	}
	return time, nil
}

func (k Key) wrong() error { return fmt.Errorf("the cosignature of %v is wrong", k) }

// String returns the name and id of a key, as signature lines have them.
func (k Key) String() string { return fmt.Sprintf("%s+%08x", k.Name, k.ID) }

// mayBeWitnessed says whether there is anything to say of witnesses.
func (r *parsedProof) hasWitnessCheck(keys []string) bool {
	return len(keys) > 0 || len(r.others()) > 0
}

// others are those who have lines on the checkpoint beside the log, in their order.
func (r *parsedProof) others() (list []string) {
	if r.checkpoint == nil {
		return nil
	}
	_, signatures, err := parseNote(*r.checkpoint)
	key, errKey := ParseKey(r.verifierKey)
	if err != nil || errKey != nil {
		return nil
	}
	for _, s := range signatures {
		if s.name == key.Name && s.id == key.ID {
			continue
		}
		name := s.name
		if !isName(name) {
			name = "?"
		}
		if who := fmt.Sprintf("%s+%08x", name, s.id); !slices.Contains(list, who) {
			list = append(list, who)
		}
	}
	return list
}

// witnesses checks that each of the witnesses has cosigned the checkpoint.
func (r *parsedProof) witnesses(keys []string) finding {
	others := r.others()
	if len(keys) == 0 {
		return note("not checked, as no witness key was given: lines of %s", strings.Join(others, ", "))
	}
	var statement []string
	for _, text := range keys {
		key, err := ParseWitnessKey(text)
		if err != nil {
			return fail("a witness key is malformed")
		}
		if r.checkpoint == nil {
			return fail("no checkpoint, so nothing is cosigned: nothing here is in a block yet")
		}
		time, err := key.Cosigned(*r.checkpoint)
		if err != nil {
			return fail("%v", err)
		}
		statement = append(statement, fmt.Sprintf("%v at %d", key, time))
		others = slices.DeleteFunc(others, func(who string) bool { return who == key.String() })
	}
	text := "cosigned by " + strings.Join(statement, ", ")
	if len(others) > 0 {
		text += "; not checked: lines of " + strings.Join(others, ", ")
	}
	return pass("%s", text)
}

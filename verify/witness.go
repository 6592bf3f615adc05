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
// must follow from name and key.
func ParseWitnessKey(s string) (Key, error) {
	key, ok := parseKey(s, keyCosignature)
	if !ok {
		return Key{}, errWitnessKey
	}
	return key, nil
}

// Cosigned returns the time at which the witness with the key k cosigned a checkpoint, in Unix
// seconds; of several cosignatures, the time in the last line. It returns an error when the
// checkpoint has no line by k, or when any line with its name and id is wrong.
func (k Key) Cosigned(checkpoint string) (time uint64, err error) {
	body, signatures, err := parseNote(checkpoint)
	if err != nil {
		return 0, err
	}
	time, cosigned, err := k.cosignature(body, signatures)
	if err != nil {
		return time, err
	}
	// The checkpoint has no line of this witness.
	if !cosigned {
		return time, k.missing()
	}
	return time, nil
}

// cosignature is Cosigned of a note that parseNote has split, but for one without a line by k, which is no error.
func (k Key) cosignature(body string, signatures signatureLines) (time uint64, cosigned bool, err error) {
	// A line has 8 bytes of time, then the signature over it and the body.
	line, right := signatures.check(k, func(line []byte) bool {
		if len(line) != 8+ed25519.SignatureSize {
			return false
		}
		message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(line), body)
		return ed25519.Verify(k.Public, []byte(message), line[8:])
	})
	switch {
	case !right:
		return 0, false, k.wrong()
	case line == nil:
		return 0, false, nil
	}
	return binary.BigEndian.Uint64(line), true, nil
}

// missing is the error for a checkpoint without a line by k.
func (k Key) missing() error { return fmt.Errorf("the checkpoint is not cosigned by %v", k) }

// maxApart is how much later than a cosignature of its tree a block may be, or earlier than one of a tree before
// it, in seconds.
const maxApart = 60

// witnessPolicy says which witnesses must have cosigned a checkpoint: quorum of the keys, all of them when
// it is 0.
type witnessPolicy struct {
	keys   []string
	quorum int
}

// asked reports whether the policy asks for anything. A quorum without keys does, and no checkpoint meets it.
func (w witnessPolicy) asked() bool { return len(w.keys) > 0 || w.quorum != 0 }

// witnessKeys are the parsed keys of a policy, and how many of them must have cosigned, at least 1.
type witnessKeys struct {
	keys   []Key
	quorum int
}

// parse checks the policy. Its error is the text of the failure.
func (w witnessPolicy) parse() (k witnessKeys, err error) {
	if k.quorum = w.quorum; k.quorum == 0 {
		k.quorum = len(w.keys)
	}
	if k.quorum < 1 || k.quorum > len(w.keys) {
		return k, errQuorum
	}
	// A key that is named twice would count twice.
	known := map[string]bool{}
	for _, text := range w.keys {
		key, err := ParseWitnessKey(text)
		switch {
		case err != nil:
			return k, errors.New("a witness key is malformed")
		case known[key.String()]:
			return k, errors.New("a witness is named twice")
		}
		known[key.String()] = true
		k.keys = append(k.keys, key)
	}
	return k, nil
}

// cosigned are the lines of a policy's witnesses on a checkpoint, of a quorum or more. At least one witness of
// any quorum is honest, so both bounds hold by its clock: the quorum-th lowest time is not before its own, and
// the quorum-th highest not after it.
type cosigned struct {
	keys  []Key
	times []uint64 // of their lines, in Unix seconds
	by    uint64   // the tree was seen by then: its blocks are not later
	from  uint64   // and the blocks behind it are not earlier than that
}

// late reports whether a block of the tree, at a time in Unix milliseconds, is dated ahead. Whole seconds are
// compared, as the witnesses state them; no difference can underflow.
func (c *cosigned) late(ms int64) bool {
	at := uint64(ms) / 1000
	return at > c.by && at-c.by > maxApart
}

// early reports whether a block behind the tree is dated back.
func (c *cosigned) early(ms int64) bool {
	at := uint64(ms) / 1000
	return at < c.from && c.from-at > maxApart
}

// fewError reports that fewer witnesses than the quorum have cosigned, and that no line is wrong.
type fewError string

// Error implements error.
func (e fewError) Error() string { return string(e) }

// check returns the lines of the witnesses on a checkpoint; nil for none. blocks are the times of blocks in its
// tree, in Unix milliseconds. Its error is the text of the failure, a fewError when too few have cosigned.
func (w witnessKeys) check(checkpoint *string, blocks []int64) (c cosigned, err error) {
	if checkpoint == nil {
		return c, errNoCheckpoint
	}
	body, signatures, err := parseNote(*checkpoint)
	if err != nil {
		return c, err
	}
	var missing error
	for _, key := range w.keys {
		time, found, err := key.cosignature(body, signatures)
		switch {
		case err != nil:
			return c, err
		case found:
			c.keys, c.times = append(c.keys, key), append(c.times, time)
		case missing == nil:
			missing = key.missing()
		}
	}
	switch {
	case missing != nil && w.quorum == len(w.keys):
		return c, fewError(missing.Error())
	case len(c.keys) < w.quorum:
		return c, fewError(fmt.Sprintf("%d of %d witnesses have cosigned, %d must", len(c.keys), len(w.keys), w.quorum))
	}
	sorted := slices.Sorted(slices.Values(c.times))
	c.by, c.from = sorted[w.quorum-1], sorted[len(sorted)-w.quorum]
	if slices.ContainsFunc(blocks, c.late) {
		return c, errors.New("a block is later than the cosignatures by more than a minute")
	}
	return c, nil
}

// check is witnessKeys.check of the parsed policy.
func (w witnessPolicy) check(checkpoint *string, blocks []int64) (cosigned, error) {
	k, err := w.parse()
	if err != nil {
		return cosigned{}, err
	}
	return k.check(checkpoint, blocks)
}

// CheckWitnesses returns an error unless quorum of the witnesses with these verifier keys have cosigned a
// checkpoint, all of them when quorum is 0. No key at all is an error.
func CheckWitnesses(checkpoint string, keys []string, quorum int) error {
	_, err := witnessPolicy{keys, quorum}.check(&checkpoint, nil)
	return err
}

// errNoCheckpoint reports a proof without a checkpoint whose witnesses are required.
var errNoCheckpoint = errors.New("no checkpoint to cosign: no transaction is in a block yet")

// errQuorum reports a quorum that no checkpoint can reach, or that any has reached.
var errQuorum = errors.New("the quorum is not 1 to the number of witnesses")

// wrong is the error for a line with k's name and id that k did not sign.
func (k Key) wrong() error { return fmt.Errorf("the cosignature of %v is wrong", k) }

// String returns the name and the id in 8 hex digits, "name+id".
func (k Key) String() string { return fmt.Sprintf("%s+%08x", k.Name, k.ID) }

// hasWitnessCheck reports whether the report has the check witnesses.
func (r *parsedProof) hasWitnessCheck(w witnessPolicy) bool {
	return w.asked() || len(r.otherSigners()) > 0
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

// witnesses is the check of the same name: a quorum of the given witnesses has cosigned the checkpoint, no
// block of the proof is later, and everything that the proof claims is in a block.
// A proof without a checkpoint fails it, because otherwise a house could avoid its witnesses by
// leaving the checkpoint out.
func (r *parsedProof) witnesses(w witnessPolicy) finding {
	others := r.otherSigners()
	if !w.asked() {
		return note("not checked, as no witness key was given: lines of %s", strings.Join(others, ", "))
	}
	var blocks []int64
	add := func(raw *string) {
		if at, ok := headerTime(raw); ok { // else inclusion or recovery fails
			blocks = append(blocks, at)
		}
	}
	for _, p := range r.parts {
		add(p.Header)
	}
	if r.crossed != nil {
		add(r.crossed.kept)
	}
	by, err := w.check(r.checkpoint, blocks)
	if err != nil {
		return fail("%v", err)
	}
	// The report names each cosigner with the time that it states.
	lines := make([]string, len(by.keys))
	for i, key := range by.keys {
		// A line of this witness is checked now, so it leaves the list of unchecked ones.
		lines[i] = fmt.Sprintf("%v at %d", key, by.times[i])
		others = slices.DeleteFunc(others, func(signer string) bool { return signer == key.String() })
	}
	if waiting := r.errUnanchored(); waiting != nil {
		return fail("%v", waiting)
	}
	text := "cosigned by " + strings.Join(lines, ", ")
	if len(others) > 0 {
		text += "; not checked: lines of " + strings.Join(others, ", ")
	}
	return pass("%s", text)
}

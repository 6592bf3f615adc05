package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
)

// witness is a witness with its signing key.
type witness struct {
	name string
	key  ed25519.PrivateKey
}

var (
	first  = witness{"witness.example/1", keyOf("witness")}
	second = witness{"witness.example/2", keyOf("second witness")}
	third  = witness{"witness.example/3", keyOf("third witness")}
)

// public returns the algorithm byte 4, for cosignatures, then the public key.
func (w witness) public() []byte { return append([]byte{4}, w.key.Public().(ed25519.PublicKey)...) }

// id returns the 4 bytes of the key id.
func (w witness) id() []byte {
	sum := sha256.Sum256(append([]byte(w.name+"\n"), w.public()...))
	return sum[:4]
}

// verifierKey returns the verifier key of the witness, name+id+base64.
func (w witness) verifierKey() string {
	return fmt.Sprintf("%s+%s+%s", w.name, hex.EncodeToString(w.id()), base64.StdEncoding.EncodeToString(w.public()))
}

// signature returns the time and the signature of a cosignature line: c2sp.org/tlog-cosignature.
func (w witness) signature(head string, time uint64) []byte {
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, head)
	return append(binary.BigEndian.AppendUint64(nil, time), ed25519.Sign(w.key, []byte(message))...)
}

// line returns a signature line of the witness with the given bytes after the key id.
func (w witness) line(signature []byte) string {
	return fmt.Sprintf("— %s %s\n", w.name, base64.StdEncoding.EncodeToString(append(w.id(), signature...)))
}

// cosign returns the witness's line for the checkpoint body head.
func (w witness) cosign(head string, time uint64) string { return w.line(w.signature(head, time)) }

// cosigned is a lost run whose checkpoint has the given lines after the house's.
func cosigned(lines func(head string) string) *run {
	return lost(run{note: func(h *house) string { return sign(h.head(), h.name, h.key) + lines(h.head()) }})
}

// cosignTime is the time of most cosignatures, in Unix seconds.
const cosignTime = 1_790_000_000

// blockTime is the time of the last block in the proofs of runs, in Unix seconds.
const blockTime = (firstTime + 6999) / 1000

// cosignedRuns are honest runs with checkpoints that witnesses have cosigned, the last with an end that
// is in no block yet.
func cosignedRuns() []vector {
	both := []string{first.verifierKey(), second.verifierKey()}
	byBoth := func(head string) string { return second.cosign(head, blockTime-60) + first.cosign(head, cosignTime) }
	return []vector{
		// Lines that the required witnesses have signed.
		{file: "run/cosigned", about: "two witnesses have cosigned, and both are asked for", witnesses: both,
			make: cosigned(byBoth)},
		{file: "run/cosigned-not-asked", about: "two witnesses have cosigned, and none is asked for", notes: "witnesses",
			make: cosigned(byBoth)},
		{file: "run/cosigned-by-others-too",
			about:     "one is asked for; lines of a second, and of one whose name is not ASCII, cannot be checked",
			witnesses: both[:1], make: cosigned(func(head string) string {
				return byBoth(head) + "— witness.éxample/3 " + base64.StdEncoding.EncodeToString([]byte("12345")) + "\n"
			})},
		{file: "run/cosigned-in-turns", about: "a witness has cosigned at two times, at the first one again, and the last counts",
			witnesses: both[:1], make: cosigned(func(head string) string {
				return first.cosign(head, cosignTime) + first.cosign(head, cosignTime+1) + first.cosign(head, cosignTime)
			})},
		{file: "run/cosigned-twice", about: "a witness has cosigned twice, and the last counts", witnesses: both[:1],
			make: cosigned(func(head string) string {
				return first.cosign(head, cosignTime) + first.cosign(head, cosignTime+1)
			})},
		{file: "run/cosigned-at-the-end-of-time", about: "the last second that 64 bits can say", witnesses: both[:1],
			make: cosigned(func(head string) string {
				return first.cosign(head, 1<<64-1)
			})},
		{file: "run/cosigned-with-extension", about: "a cosigned checkpoint with a line of extension", witnesses: both[:1],
			make: lost(run{note: func(h *house) string {
				head := h.head() + "an extension\n"
				return sign(head, h.name, h.key) + first.cosign(head, cosignTime)
			}})},
		{file: "run/cosigned-by-a-quorum", about: "two of three witnesses have cosigned, and two must", quorum: 2,
			witnesses: append(both, third.verifierKey()),
			make:      cosigned(byBoth)},
		{file: "run/cosigned-end-unsealed", about: "a witness is asked for, and the end waits for its block",
			fails: "witnesses", notes: "inclusion checkpoint order", unpinned: true, pending: true, witnesses: both[:1],
			make: lost(run{place: map[string]int{"end": -1}, note: func(h *house) string {
				return sign(h.head(), h.name, h.key) + first.cosign(h.head(), cosignTime)
			}})},
	}
}

// tamperedCosignatures are runs and duels with a wrong or missing cosignature.
func tamperedCosignatures() []vector {
	asked := []string{first.verifierKey()}
	list := []vector{
		// Cosignatures that are missing.
		{file: "run/cosignature-missing", about: "the witness has not cosigned", witnesses: asked,
			make: cosigned(func(string) string { return "" })},
		{file: "run/cosignature-of-one-of-two", about: "one of two witnesses has cosigned",
			witnesses: []string{first.verifierKey(), second.verifierKey()},
			make:      cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		// Cosignatures of another text, at another time or by another key.
		{file: "run/cosignature-at-another-time", about: "the time was changed", witnesses: asked,
			make: cosigned(func(head string) string {
				signature := first.signature(head, cosignTime)
				signature[7]++
				return first.line(signature)
			})},
		{file: "run/cosignature-of-another-checkpoint", about: "a cosignature of another checkpoint", witnesses: asked,
			make: cosigned(func(head string) string { return first.cosign(head+"more\n", cosignTime) })},
		{file: "run/cosignature-of-the-text-alone", about: "signed as a log signs, with a time before it", witnesses: asked,
			make: cosigned(func(head string) string {
				return first.line(append(make([]byte, 8), ed25519.Sign(first.key, []byte(head))...))
			})},
		{file: "run/cosignature-without-time", about: "a log's signature under the witness's name and id", witnesses: asked,
			make: cosigned(func(head string) string {
				return first.line(ed25519.Sign(first.key, []byte(head)))
			})},
		{file: "run/cosignature-by-another-key", about: "another key that wears the witness's name and id", witnesses: asked,
			make: cosigned(func(head string) string {
				return first.line(witness{first.name, keyOf("other")}.signature(head, cosignTime))
			})},
		{file: "run/cosignature-by-a-namesake", about: "another witness of the same name", notes: "", witnesses: asked,
			make: cosigned(func(head string) string {
				return witness{first.name, keyOf("other")}.cosign(head, cosignTime)
			})},
		{file: "run/cosignature-right-and-wrong", about: "two lines of the witness, of which one is wrong", witnesses: asked,
			make: cosigned(func(head string) string {
				return first.cosign(head, cosignTime) + first.cosign("another text\n", cosignTime)
			})},
	}
	list = slices.Concat(list, malformedCosignatures(asked), brokenPolicies(asked))
	for i := range list {
		list[i].fails = "witnesses"
	}
	waiting := "inclusion checkpoint order"
	return append(list,
		vector{file: "run/cosigned-unsealed", about: "a witness is asked for, and nothing is in a block yet",
			fails: "witnesses", notes: waiting, unpinned: true, pending: true, witnesses: asked,
			make: &run{plan: "ww", end: chain.RunClaimed, clientSeed: "quick", place: allPending, note: noNote}},
		vector{file: "run/cosigned-unsealed-no-key",
			about: "something that is no key is asked for, and nothing is in a block yet", fails: "witnesses", notes: waiting,
			unpinned: true, pending: true, witnesses: []string{verifierKey(first.name, first.key)},
			make: lost(run{place: allPending, note: noNote})},
		vector{file: "duel/cosigned-unsealed", about: "two witnesses are asked for, and nothing is in a block yet",
			fails: "witnesses", notes: waiting, unpinned: true, pending: true,
			witnesses: []string{first.verifierKey(), second.verifierKey()}, make: &duel{rounds: "rsrsrs", stake: 50,
				place: map[string]int{"stake_a": -1, "stake_b": -1, "settle": -1}, note: noNote}},
		vector{file: "run/cosignature-of-what-is-no-note", about: "a witness is asked for, and the checkpoint cannot be read",
			fails: "checkpoint witnesses", notes: "inclusion", witnesses: asked, make: onProof(
				func(p object) { p["checkpoint"] = "" })})
}

// malformedCosignatures have a line or a witness key of the wrong form, or none at all.
func malformedCosignatures(asked []string) []vector {
	return []vector{
		// Lines of the wrong length or in another form.
		{file: "run/cosignature-short", about: "a cosignature without its last byte", witnesses: asked,
			make: cosigned(func(head string) string {
				return first.line(first.signature(head, cosignTime)[:71])
			})},
		{file: "run/cosignature-long", about: "a cosignature with a byte more", witnesses: asked,
			make: cosigned(func(head string) string {
				return first.line(append(first.signature(head, cosignTime), 0))
			})},
		{file: "run/cosignature-second-form", about: "a cosignature with the group's order added to its second half",
			witnesses: asked, make: cosigned(func(head string) string {
				signature := first.signature(head, cosignTime)
				return first.line(append(signature[:8:8], secondForm(signature[8:])...))
			})},
		// Keys that do not belong to a witness.
		{file: "run/witness-key-of-a-log", about: "the key of a log is given for that of a witness",
			witnesses: []string{verifierKey(first.name, first.key)},
			make:      cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		{file: "run/witness-key-with-wrong-id", about: "the witness's key has an id that is not its own",
			witnesses: []string{strings.Replace(asked[0], hex.EncodeToString(first.id()), "00000000", 1)},
			make:      cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		{file: "run/witness-key-empty", about: "an empty key is given", witnesses: []string{""},
			make: cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		{file: "duel/cosignature-missing", about: "the witness has not cosigned", witnesses: asked,
			make: &duel{rounds: "rsrsrs", stake: 50}},
	}
}

// brokenPolicies have too few cosignatures for their policy, or a block that is later than one.
func brokenPolicies(asked []string) []vector {
	return []vector{
		// Policies that are not met.
		{file: "run/cosigned-by-too-few", about: "one of three witnesses has cosigned, and two must", quorum: 2,
			witnesses: []string{first.verifierKey(), second.verifierKey(), third.verifierKey()},
			make:      cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		{file: "run/cosigned-wrong-in-a-quorum", about: "enough witnesses have cosigned, and the line of another is wrong",
			quorum:    1,
			witnesses: []string{first.verifierKey(), second.verifierKey()},
			make: cosigned(func(head string) string {
				return first.cosign(head, cosignTime) + second.cosign("another text\n", cosignTime)
			})},
		{file: "run/witness-counted-twice", about: "one witness named twice, and two must have cosigned", quorum: 2,
			witnesses: []string{first.verifierKey(), first.verifierKey(), second.verifierKey()},
			make:      cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		{file: "run/quorum-of-more", about: "more witnesses must have cosigned than are named", quorum: 2, witnesses: asked,
			make: cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		{file: "run/quorum-without-keys", about: "a witness must have cosigned, and none is named", quorum: 1,
			make: cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		{file: "run/quorum-without-keys-or-lines", about: "a witness must have cosigned, none is named, and none has", quorum: 1,
			make: cosigned(func(string) string { return "" })},
		{file: "run/quorum-negative", about: "a quorum below 0", quorum: -1, witnesses: asked,
			make: cosigned(func(head string) string { return first.cosign(head, cosignTime) })},
		// A block that is dated ahead.
		{file: "run/cosigned-before-its-block", about: "a block is 61 seconds later than the cosignature", witnesses: asked,
			make: cosigned(func(head string) string { return first.cosign(head, blockTime-61) })},
	}
}

package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"math/big"
	"slices"
	"strings"
)

// onNote changes the signed checkpoint of a lost run.
func onNote(change func(note string) string) *run {
	return lost(run{note: func(h *house) string { return change(sign(h.head(), h.name, h.key)) }})
}

// onHead changes the checkpoint of a lost run before it is signed.
func onHead(change func(head string) string) *run {
	return lost(run{note: func(h *house) string { return sign(change(h.head()), h.name, h.key) }})
}

// onKey changes the verifier key in the proof of a lost run.
func onKey(change func(key string) string) *run {
	return onProof(func(p object) { p["verifier_key"] = change(p["verifier_key"].(string)) })
}

// tamperedCheckpoints change the checkpoint, its signatures or the verifier key.
func tamperedCheckpoints() []vector {
	list := append(tamperedSignatures(), tamperedKeys()...)
	for i := range list {
		list[i].fails = "checkpoint"
	}
	for _, v := range append(brokenNotes(), brokenTrees()...) {
		if v.fails = "checkpoint"; v.notes == "" {
			v.notes = "inclusion"
		}
		list = append(list, v)
	}
	return list
}

// tamperedSignatures change the signatures of the checkpoint.
func tamperedSignatures() []vector {
	return []vector{
		// Signatures by the wrong key or of the wrong text.
		{file: "run/signature-of-another-text", about: "the house's signature, of another checkpoint",
			make: lost(run{note: func(h *house) string {
				return h.head() + "\n" + signatureLine(h.name+"\n1\n", h.name, h.key)
			}})},
		{file: "run/signature-by-another-key", about: "a signature by another key under the house's name",
			notes: "witnesses", make: lost(run{note: func(h *house) string {
				return sign(h.head(), h.name, keyOf("other"))
			}})},
		{file: "run/signature-under-another-name", about: "the house's key under another name", notes: "witnesses",
			make: lost(run{note: func(h *house) string {
				return sign(h.head(), "roshambo-vectors-2", h.key)
			}})},
		{file: "run/signature-with-a-stolen-id", about: "a signature by another key that wears the id of the house's",
			make: lost(run{note: func(h *house) string {
				forged := append(keyID(h.name, h.key), ed25519.Sign(keyOf("other"), []byte(h.head()))...)
				return h.head() + "\n— " + h.name + " " + base64.StdEncoding.EncodeToString(forged) + "\n"
			}})},
		// Signatures in another form.
		{file: "run/signature-short", about: "63 of the signature's bytes", make: lost(run{note: func(h *house) string {
			return h.head() + "\n— " + h.name + " " +
				base64.StdEncoding.EncodeToString(append(keyID(h.name, h.key), ed25519.Sign(h.key, []byte(h.head()))[:63]...)) +
				"\n"
		}})},
		{file: "run/signature-second-form", about: "the house's signature with the group's order added to its second half",
			make: lost(run{note: func(h *house) string {
				signature := secondForm(ed25519.Sign(h.key, []byte(h.head())))
				return h.head() + "\n— " + h.name + " " +
					base64.StdEncoding.EncodeToString(append(keyID(h.name, h.key), signature...)) + "\n"
			}})},
		{file: "run/signature-right-and-wrong", about: "two signatures by the house's key, of which one is wrong",
			make: lost(run{note: func(h *house) string {
				return sign(h.head(), h.name, h.key) + signatureLine("another text\n", h.name, h.key)
			}})},
		{file: "run/signature-by-a-witness-alone", about: "signed by a witness and not by the house", notes: "witnesses",
			make: lost(run{note: func(h *house) string {
				return sign(h.head(), "witness.example/1", keyOf("witness"))
			}})},
		// Checkpoints of another origin, or altered after signing.
		{file: "run/checkpoint-of-another-origin", about: "a checkpoint of another log, signed by the house",
			make: onHead(sub("roshambo-vectors-1", "roshambo-vectors-2"))},
		{file: "run/checkpoint-changed", about: "an extension added after the checkpoint was signed",
			make: onNote(sub("\n\n", "\nmore\n\n"))},
	}
}

// secondForm adds the order of the group to s. A verifier that does not compare s with the order
// accepts the result as a second form of the signature (RFC 8032 section 5.1.7).
func secondForm(signature []byte) []byte {
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	s := slices.Clone(signature[32:])
	slices.Reverse(s)
	sum := new(big.Int).Add(new(big.Int).SetBytes(s), order)
	s = sum.FillBytes(s)
	slices.Reverse(s)
	return append(signature[:32:32], s...)
}

// tamperedKeys change the verifier key in the proof or pin another one.
func tamperedKeys() []vector {
	h := newHouse()
	other := verifierKey(h.name, keyOf("other"))
	return []vector{
		// Keys other than the pinned one.
		{file: "run/key-is-not-the-pinned-one",
			about: "a house with another key: its proof is sound, but not of the one whose key was pinned", key: other,
			make: lost(run{})},
		{file: "run/key-replaced", about: "key and signature replaced by those of an impostor with the same name",
			make: lost(run{
				note: func(h *house) string { return sign(h.head(), h.name, keyOf("other")) }, proof: func(p object) {
					p["verifier_key"] = other
				}})},
		{file: "run/key-replaced-alone", about: "another key than the one that signed", notes: "witnesses", unpinned: true,
			make: onKey(func(string) string { return other })},
		{file: "run/key-pinned-unsealed", about: "another key than the pinned one, nothing in a block",
			notes: "inclusion order", make: lost(run{
				place: allPending, note: noNote, proof: func(p object) { p["verifier_key"] = other }})},
		// Malformed keys.
		{file: "run/key-with-wrong-id", about: "a key whose id is not its own", notes: "witnesses", unpinned: true,
			make: onKey(func(key string) string {
				name, rest, _ := strings.Cut(key, "+")
				return name + "+00000000" + rest[strings.Index(rest, "+"):]
			})},
		{file: "run/key-with-upper-case-id", about: "a key whose id is in upper case", notes: "witnesses", unpinned: true,
			make: onKey(func(key string) string {
				parts := strings.SplitN(key, "+", 3)
				return parts[0] + "+" + strings.ToUpper(parts[1]) + "+" + parts[2]
			})},
		{file: "run/key-of-another-algorithm", about: "a key whose algorithm is not Ed25519",
			notes: "witnesses", unpinned: true,
			make: onKey(func(key string) string {
				parts := strings.SplitN(key, "+", 3)
				data, _ := base64.StdEncoding.DecodeString(parts[2])
				data[0] = 2
				return parts[0] + "+" + parts[1] + "+" + base64.StdEncoding.EncodeToString(data)
			})},
		{file: "run/key-empty", about: "an empty key",
			notes: "witnesses", unpinned: true, make: onKey(func(string) string { return "" })},
		{file: "run/key-without-base64", about: "a key that is no base64", notes: "witnesses", unpinned: true,
			make: onKey(func(key string) string { return key[:len(key)-2] + "!!" })},
		{file: "run/key-with-line-end", about: "a key with a line end in its base64", notes: "witnesses", unpinned: true,
			make: onKey(func(key string) string { return key + "\n" })},
		{file: "run/key-with-space-in-name", about: "a key whose name has a space", notes: "witnesses", unpinned: true,
			make: onKey(func(key string) string { return "a " + key })},
	}
}

// largeNote is a signed checkpoint of a number of bytes, with a line of extension.
func largeNote(h *house, size int) string {
	line := signatureLine("", h.name, h.key)
	more := strings.Repeat("x", size-len(h.head())-len("\n")-len("\n")-len(line))
	return sign(h.head()+more+"\n", h.name, h.key)
}

// brokenNotes are malformed checkpoints.
func brokenNotes() []vector {
	return []vector{
		// Texts that are not signed notes.
		{file: "run/note-empty", about: "an empty checkpoint", make: onProof(func(p object) { p["checkpoint"] = "" })},
		{file: "run/note-without-signature", about: "a checkpoint without any signature",
			make: lost(run{note: func(h *house) string { return h.head() }})},
		{file: "run/note-without-signature-line", about: "a checkpoint with a blank line and nothing after it",
			make: lost(run{note: func(h *house) string { return h.head() + "\n" }})},
		{file: "run/note-without-last-line-end", about: "a checkpoint cut off before its last line end",
			make: onNote(func(s string) string { return s[:len(s)-1] })},
		{file: "run/note-with-carriage-returns", about: "line ends of another system",
			make: onNote(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })},
		{file: "run/note-with-tab", about: "a control character in the checkpoint",
			make: onHead(func(s string) string { return s + "\textension\n" })},
		// Malformed signature lines.
		{file: "run/note-with-hyphen", about: "a hyphen where a dash must be", make: onNote(sub("— ", "- "))},
		{file: "run/note-with-two-spaces", about: "two spaces in a signature line", make: onNote(sub("— ", "—  "))},
		{file: "run/note-with-words", about: "a word too many in a signature line",
			make: onNote(func(s string) string { return s[:len(s)-1] + " more\n" })},
		{file: "run/note-with-plus-in-name", about: "a plus in a signer's name",
			make: onNote(func(s string) string { return s + "— a+b AAAAAAA=\n" })},
		{file: "run/note-with-next-line-in-name", about: "U+0085 in a signer's name",
			make: onNote(func(s string) string { return s + "— a\u0085b AAAAAAA=\n" })},
		{file: "run/note-with-hard-space-in-name", about: "U+00A0 in a signer's name",
			make: onNote(func(s string) string { return s + "— a\u00a0b AAAAAAA=\n" })},
		{file: "run/note-with-line-separator-in-name", about: "U+2028 in a signer's name",
			make: onNote(func(s string) string { return s + "— a\u2028b AAAAAAA=\n" })},
		{file: "run/note-with-wide-space-in-name", about: "U+3000 in a signer's name",
			make: onNote(func(s string) string { return s + "— a\u3000b AAAAAAA=\n" })},
		{file: "run/note-too-large", about: "a checkpoint of 65,537 bytes", make: lost(run{note: func(h *house) string {
			return largeNote(h, 64<<10+1)
		}})},
		{file: "run/note-with-broken-base64", about: "a signature line of a witness that is no base64",
			make: onNote(func(s string) string { return s + "— witness AAA\n" })},
		{file: "run/note-with-loose-base64", about: "base64 with bits behind its end",
			make: onNote(func(s string) string { return s + "— witness AAAAAAF=\n" })},
		{file: "run/note-with-id-alone", about: "a signature of no bytes",
			make: onNote(func(s string) string { return s + "— witness AAAAAA==\n" })},
		{file: "run/note-with-many-signatures", about: "101 signatures",
			make: onNote(func(s string) string { return s + strings.Repeat("— witness AAAAAAA=\n", 100) })},
	}
}

// brokenTrees are checkpoints whose bodies are not a tree head.
func brokenTrees() []vector {
	return []vector{
		{file: "run/tree-with-leading-zero", about: "a size with a leading zero", make: onHead(sub("\n8\n", "\n08\n"))},
		{file: "run/tree-with-plus", about: "a size with a sign", make: onHead(sub("\n8\n", "\n+8\n"))},
		{file: "run/tree-negative", about: "a negative size", make: onHead(sub("\n8\n", "\n-8\n"))},
		{file: "run/tree-huge", about: "a size of 2^53", make: onHead(sub("\n8\n", "\n9007199254740992\n"))},
		{file: "run/tree-huger", about: "a size of forty digits",
			make: onHead(sub("\n8\n", "\n"+strings.Repeat("8", 40)+"\n"))},
		{file: "run/tree-without-size", about: "a checkpoint without a size", make: onHead(sub("\n8\n", "\n"))},
		{file: "run/tree-with-short-root", about: "a root of 31 bytes", make: onHead(func(s string) string {
			return s[:strings.Index(s, "8\n")+2] + base64.StdEncoding.EncodeToString(make([]byte, 31)) + "\n"
		})},
		{file: "run/tree-with-root-in-hex", about: "a root in hex", make: onHead(func(s string) string {
			return s[:strings.Index(s, "8\n")+2] + strings.Repeat("00", 32) + "\n"
		})},
		{file: "run/tree-without-root", about: "a checkpoint without a root",
			make: onHead(func(s string) string { return s[:strings.Index(s, "8\n")+2] })},
		{file: "run/tree-without-origin", about: "a checkpoint without an origin",
			make: onHead(sub("roshambo-vectors-1\n", "\n"))},
		{file: "run/tree-with-space-in-origin", about: "an origin that is no name of a chain",
			make: onHead(sub("roshambo-vectors-1\n", "roshambo vectors\n"))},
		{file: "run/tree-beside-a-witness", about: "a size with a leading zero, and a line that a witness may have signed",
			notes: "inclusion witnesses", make: lost(run{note: func(h *house) string {
				head := sub("\n8\n", "\n08\n")(h.head())
				return sign(head, h.name, h.key) + signatureLine(head, "witness.example/1", keyOf("witness"))
			}})},
	}
}

package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// list is a list of plain values, each an object.
type list []object

// values returns values.json: inputs and results of every step of a verifier, so that an author can
// find the step that makes a vector fail.
func values() object {
	return object{
		"format": "roshambo/values/v1",
		"seeds":  seedValues(), "chains": chainValues(), "moves": moveValues(), "streams": streamValues(),
		"outcomes": outcomeValues(), "addresses": addressValues(), "escrows": escrowValues(), "hashes": hashValues(),
		"trees": treeValues(), "json": jsonValues(), "canonical": canonicalValues(), "keys": keyValues(),
		"signatures": signatureValues(), "commitments": commitmentValues(), "intervals": intervalValues(),
	}
}

// counting returns the seed 00 01 02 … 1f.
func counting() (s fair.Seed) {
	for i := range s {
		s[i] = byte(i)
	}
	return s
}

func hexOf(s fair.Seed) string { return chain.Hash(s).String() }

// seedValues are seeds and the seed before each.
func seedValues() (v list) {
	for _, n := range []int{1, 2, 128, 255, 256} {
		for _, s := range []fair.Seed{{}, counting(), digest("seed")} {
			v = append(v, object{"n": n, "seed": hexOf(s), "previous": hexOf(fair.Previous(n, s))})
		}
	}
	return v
}

// chainValues are last seeds and the first seeds of their chains.
func chainValues() (v list) {
	for _, last := range []fair.Seed{{}, counting(), digest("last")} {
		c := fair.NewChain(last)
		v = append(v,
			object{"last": hexOf(last), "seed_2": hexOf(c.Seed(2)), "seed_1": hexOf(c.Seed(1)),
				"commitment": hexOf(c.Commitment())})
	}
	return v
}

// moveValues are house moves for texts of different lengths and scripts.
func moveValues() (v list) {
	texts := []string{"", "a", "ab", "grüße", "石頭剪刀布", "🪨", "\x00", "e\u0301", "é", strings.Repeat("x", 64),
		strings.Repeat("🎲", 64)}
	for i, client := range texts {
		for j, entropy := range texts {
			if i != 1 && j > 2 && i != j {
				continue
			}
			seed, n := fair.Seed(digest(fmt.Sprintf("move/%d/%d", i, j))), 1+(17*i+5*j)%256
			v = append(v, object{"seed": hexOf(seed), "n": n, "client_seed": client, "entropy": entropy,
				"move": fair.HouseMove(seed, n, textHash(client), textHash(entropy)).String()})
		}
	}
	return v
}

// streamValues are streams of bytes and the move of each, null where the stream must be hashed again. No
// seed is known that gives such a stream.
func streamValues() (v list) {
	for _, s := range []struct {
		stream string
		move   any
	}{
		{"00", "rock"}, {"01", "paper"}, {"02", "scissors"}, {"03", "rock"}, {"fd", "paper"}, {"fe", "scissors"},
		{"ff00", "rock"}, {"ffff04", "paper"}, {"ff", nil},
	} {
		fill := map[bool]string{true: "ff", false: "07"}[s.move == nil]
		v = append(v, object{"stream": (s.stream + strings.Repeat(fill, 32))[:64], "move": s.move})
	}
	return append(v, object{"stream": strings.Repeat("ff", 31) + "05", "move": "scissors"})
}

// outcomeValues are all nine pairs of moves.
func outcomeValues() (v list) {
	for _, move := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		for _, house := range []game.Move{game.Rock, game.Paper, game.Scissors} {
			v = append(v, object{"move": move.String(), "house": house.String(), "outcome": move.Against(house).String()})
		}
	}
	return v
}

// addressValues are valid addresses, and texts with one fault each.
func addressValues() (v list) {
	good := addressOf("player").String()
	for _, payload := range []chain.Address{addressOf("player"), addressOf("rival"), {19: 1}, {0: 0xff, 19: 0xff}} {
		v = append(v, object{"address": payload.String(), "payload": hex.EncodeToString(payload[:]), "valid": true})
	}
	// Each text differs from a valid address in one way.
	for about, address := range map[string]string{
		"20 zero bytes stand for nobody": chain.Address{}.String(), "upper case": strings.ToUpper(good),
		"mixed case": strings.ToUpper(good[:1]) +
			good[1:], "a wrong character": wrongAddress(), "too short": good[:len(good)-1],
		"too long": good + "q", "empty": "", "prefix alone": "rps1", "another prefix": "bc1" + good[4:],
		"a space before": " " + good, "a line end after": good + "\n", "bech32 instead of bech32m": bech32Twin,
		"two characters exchanged": good[:8] + good[9:10] + good[8:9] + good[10:], "a character that is none": good[:12] +
			"b" + good[13:],
	} {
		v = append(v, object{"address": address, "valid": false, "about": about})
	}
	return sortedBy(v, "address")
}

// bech32Twin is an address with the checksum of BIP 173 instead of BIP 350.
const bech32Twin = "rps1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnaud7ne"

// escrowValues are duel ids and their escrow addresses.
func escrowValues() (v list) {
	for _, id := range []string{duelID, "0", "AAAAAAAA"} {
		v = append(v, object{"duel_id": id, "address": chain.Escrow(id).String()})
	}
	return v
}

// hashValues are texts and their hash in each domain.
func hashValues() (v list) {
	tx := (&chain.Tx{Actor: addressOf("player"),
		Data: &chain.AccountCreate{Commitment: digest("c"), AccountKind: chain.Guest}}).Raw()
	for _, raw := range []string{"", "[]", string(tx), string(chain.Header{Height: 3, TxCount: 1}.Raw()), "grüße"} {
		v = append(v,
			object{"raw": raw, "tx": chain.HashTx([]byte(raw)).String(), "block": chain.HashBlock([]byte(raw)).String(),
				"transcript": chain.HashTranscript([]byte(raw)).String()})
	}
	return v
}

// treeValues are inclusion proofs, right and wrong. Leaf i of a tree holds the text "leaf i".
func treeValues() (v list) {
	for _, size := range []int{1, 2, 3, 4, 5, 7, 8, 9, 33} {
		var leaves [][]byte
		for i := range size {
			leaves = append(leaves, fmt.Appendf(nil, "leaf %d", i))
		}
		root := treeHash(leaves).String()
		for _, i := range []int{0, size / 2, size - 1} {
			proof := treePath(i, leaves)
			add := func(index, size int, proof []string, included bool) {
				v = append(v,
					object{"leaf": string(leaves[i]), "index": index, "size": size, "proof": proof, "root": root,
						"included": included})
			}
			// The right proof, then one with an extra hash, a wrong index, a missing hash.
			add(i, size, proof, true)
			add(i, size, append(slices.Clip(proof), root), false)
			add(size, size, proof, false)
			if size > 1 {
				add(i, size, proof[1:], false)
				add((i+1)%size, size, proof, false)
			}
		}
		v = append(v, object{"leaf": "leaf 0", "index": 0, "size": 0, "proof": []string{}, "root": root, "included": false})
	}
	return v
}

// keyValues are well-formed and malformed verifier keys.
func keyValues() (v list) {
	h := newHouse()
	good := verifierKey(h.name, h.key)
	odd := verifierKey("!#$~", keyOf("odd"))
	v = list{{"key": good, "valid": true}, {"key": odd, "valid": true},
		{"key": verifierKey(strings.Repeat("n", 64), h.key), "valid": true}}
	for _, bad := range []string{
		"", "+", "++", good[1:], good + "=", good + " ", good + "\n", " " + good, good[:len(good)-4],
		strings.Replace(good, "+", " ", 1),
		strings.Replace(good, "+", "++", 1), verifierKey(strings.Repeat("n", 65), h.key), verifierKey("", h.key),
		verifierKey("a b", h.key), verifierKey("a\tb", h.key), verifierKey("é", h.key), verifierKey("a+b", h.key),
	} {
		v = append(v, object{"key": bad, "valid": false})
	}
	return v
}

// signatureValues are Ed25519 signatures: the first three tests of RFC 8032 section 7.1, and edge cases
// on which implementations differ.
func signatureValues() (v list) {
	for _, s := range [][3]string{
		{"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
			"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
		{"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
			"92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
		{"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
			"6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
	} {
		v = append(v, signatureValue("RFC 8032", s[0], s[1], s[2]))
	}
	key := keyOf("values")
	public := hex.EncodeToString(key.Public().(ed25519.PublicKey))
	// Valid signatures of messages of different lengths, each with one bit changed too.
	for i := range 8 {
		message := []byte(strings.Repeat("m", 37*i))
		signature := ed25519.Sign(key, message)
		v = append(v, signatureValue("", public, hex.EncodeToString(message), hex.EncodeToString(signature)))
		signature[8*i] ^= 1
		v = append(v, signatureValue("one bit changed", public, hex.EncodeToString(message), hex.EncodeToString(signature)))
	}
	signature := ed25519.Sign(key, nil)
	zeros := strings.Repeat("00", 32)
	return append(v,
		signatureValue("the group's order added", public, "", hex.EncodeToString(secondForm(signature))),
		signatureValue("63 bytes", public, "", hex.EncodeToString(signature[:63])),
		signatureValue("65 bytes", public, "", hex.EncodeToString(append(signature[:64:64], 0))),
		signatureValue("no bytes", public, "", ""),
		signatureValue("a key that is no point", "02"+zeros[2:], "", hex.EncodeToString(signature)),
		signatureValue("the neutral point for key and R", "01"+zeros[2:], "", "01"+zeros[2:]+zeros),
		signatureValue("the neutral point, its sign bit set", "01"+zeros[4:]+"80", "", "01"+zeros[2:]+zeros),
		signatureValue("y = p + 1, the neutral point once more", "ee"+strings.Repeat("ff", 30)+"7f", "",
			"01"+zeros[2:]+zeros),
		signatureValue("R not in its one form", "01"+zeros[2:], "", "ee"+strings.Repeat("ff", 30)+"7f"+zeros),
		signatureValue("a key of order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "",
			"01"+zeros[2:]+zeros),
	)
}

// signatureValue takes the result from crypto/ed25519, the reference for all verifiers.
func signatureValue(about, public, message, signature string) object {
	unhex := func(s string) []byte {
		data, err := hex.DecodeString(s)
		if err != nil {
			panic(fmt.Sprintf("gen: %v", err))
		}
		return data
	}
	o := object{"public": public, "message": message, "signature": signature,
		"valid": ed25519.Verify(unhex(public), unhex(message), unhex(signature))}
	if about != "" {
		o["about"] = about
	}
	return o
}

// commitmentValues are commitments to each move with different salts.
func commitmentValues() (v list) {
	for _, salt := range []string{"", "salt", "a:b", "🧂", "\x00"} {
		for _, move := range []string{"rock", "paper", "scissors"} {
			v = append(v, object{"move": move, "salt": salt, "commitment": sha256Hex(move + ":" + salt)})
		}
	}
	return v
}

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// Package fair makes house moves verifiable: it derives seed chains, the commitment to a
// chain, and the house moves that follow from its seeds (docs/protocol.md, section 1).
//
// A run uses one seed chain of N = 256 seeds. The last seed s_N is 32 bytes of
// the operating system's randomness; each earlier one is a hash of the next:
//
//	s_(i-1)    = SHA-256("roshambo/seed/v1" || u32(i-1) || s_i)      i = N .. 1
//	commitment = s_0
//
// The house publishes the commitment before the run starts. Throw i reveals s_i. A verifier
// that holds s_(i-1) hashes s_i and compares: the house could not choose s_i later. SHA-256
// is one-way, so the revealed seeds say nothing about the later ones.
//
// The house move of throw i follows from s_i and the player's texts:
//
//	msg    = "roshambo/move/v1" || u32(i) || u32(len(client_seed)) || client_seed
//	         || u32(len(entropy)) || entropy
//	stream = HMAC-SHA-256(key = s_i, msg)
//	house  = first byte b of stream with b < 255, modulo 3
//	         (no such byte: stream = HMAC-SHA-256(key = s_i, stream), again)
//
// 255 = 3 * 85, so the three moves are exactly equally likely. Lengths are in bytes and
// u32 is big-endian. The length prefixes keep ("ab", "c") and ("a", "bc") apart.
//
// The package is pure: standard library only, no clock and no randomness of its own. The
// server and the verifiers share it.
package fair

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"roshambo/game"
)

// Length is N, the number of throws that one seed chain serves.
const Length = 256

const (
	seedDomain = "roshambo/seed/v1"
	moveDomain = "roshambo/move/v1"
)

// Seed is one link of a seed chain, 32 bytes. The seed with index 0 is the
// commitment.
type Seed [32]byte

// Previous returns the seed with index i-1, given the seed s with index i, for i in
// 1 .. Length. It is one SHA-256 over 52 bytes.
func Previous(i int, s Seed) Seed {
	var msg [len(seedDomain) + 4 + len(s)]byte
	n := copy(msg[:], seedDomain)
	binary.BigEndian.PutUint32(msg[n:], uint32(i-1))
	copy(msg[n+4:], s[:])
	return sha256.Sum256(msg[:])
}

// HouseMove returns the house's move of throw n (1, 2, …; ties count), given the seed of
// that throw, the client seed of the run and the entropy sent with the throw. A text that
// the player did not give is "". Any texts are accepted; their limits belong to the API.
func HouseMove(seed Seed, n int, clientSeed, entropy string) game.Move {
	msg := make([]byte, 0, len(moveDomain)+12+len(clientSeed)+len(entropy))
	msg = append(msg, moveDomain...)
	msg = binary.BigEndian.AppendUint32(msg, uint32(n))
	msg = binary.BigEndian.AppendUint32(msg, uint32(len(clientSeed)))
	msg = append(msg, clientSeed...)
	msg = binary.BigEndian.AppendUint32(msg, uint32(len(entropy)))
	msg = append(msg, entropy...)

	for stream := msg; ; {
		mac := hmac.New(sha256.New, seed[:])
		mac.Write(stream)
		stream = mac.Sum(nil)
		if m, ok := drawMove(stream); ok {
			return m
		}
	}
}

// drawMove derives a move from the first byte of stream below 255. It reports false when
// every byte is 255. That happens once in 2^256 streams; the rule exists so that verifiers
// in other languages agree on every input.
func drawMove(stream []byte) (game.Move, bool) {
	for _, b := range stream {
		if b < 255 {
			return game.Move(b % 3), true
		}
	}
	return 0, false
}

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
// The house move of throw i follows from s_i and the hashes of the player's texts:
//
//	msg    = "roshambo/move/v1" || u32(i) || SHA-256(client_seed) || SHA-256(entropy)
//	stream = HMAC-SHA-256(key = s_i, msg)
//	house  = first byte b of stream with b < 255, modulo 3
//	         (no such byte: stream = HMAC-SHA-256(key = s_i, stream), again)
//
// 255 = 3 * 85, so the three moves are exactly equally likely. u32 is big-endian. The message
// has a fixed length, and the hashes keep the player's texts off the public log.
//
// The package is pure: standard library only, no clock and no randomness of its own. The
// server and the verifiers share it.
package fair

import (
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
// that throw and the hashes of the player's texts: the client seed of the run and the entropy
// sent with the throw. HashText hashes them; a text that the player did not give is "".
func HouseMove(seed Seed, n int, clientSeed, entropy [32]byte) game.Move {
	var msg [len(moveDomain) + 4 + 2*sha256.Size]byte
	end := copy(msg[:], moveDomain)
	binary.BigEndian.PutUint32(msg[end:], uint32(n))
	copy(msg[end+4:], clientSeed[:])
	copy(msg[end+4+sha256.Size:], entropy[:])

	for stream := msg[:]; ; {
		mac := hmacOf(seed, stream)
		stream = mac[:]
		if m, ok := drawMove(stream); ok {
			return m
		}
	}
}

// HashText returns SHA-256 of a player's text, the form in which a text enters a move and is
// published.
func HashText(text string) [32]byte { return sha256.Sum256([]byte(text)) }

// hmacOf returns HMAC-SHA-256 of a message of at most 84 bytes (RFC 2104). crypto/hmac takes any
// hash and allocates four objects per call, which dominates the verification of a long log.
func hmacOf(key Seed, msg []byte) [sha256.Size]byte {
	var inner [sha256.BlockSize + len(moveDomain) + 4 + 2*sha256.Size]byte
	var outer [sha256.BlockSize + sha256.Size]byte
	for i := range sha256.BlockSize {
		inner[i], outer[i] = 0x36, 0x5c
	}
	for i, k := range key {
		inner[i] ^= k
		outer[i] ^= k
	}
	digest := sha256.Sum256(inner[:sha256.BlockSize+copy(inner[sha256.BlockSize:], msg)])
	copy(outer[sha256.BlockSize:], digest[:])
	return sha256.Sum256(outer[:])
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

package run

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"roshambo/chain"
	"roshambo/fair"
)

// Seeds makes seed chains, and keeps those that nobody has seen yet encrypted in
// the database, with a key that is not in it. A run that is being played keeps the next
// of its seeds in memory (hand).
type Seeds struct {
	aead        cipher.AEAD
	fingerprint string // of the key
	rand        io.Reader
	ready       chan fresh
}

// fresh is a seed chain that no account has yet.
type fresh struct {
	commitment chain.Hash
	sealed     []byte
}

// NewSeeds returns Seeds with a key of 32 bytes and a source of cryptographic
// quality.
func NewSeeds(key []byte, random io.Reader) (*Seeds, error) {
	if len(key) != 32 {
		return nil, fmt.Errorf("run: the seed key has %d bytes, not 32", len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Seeds{aead: aead, fingerprint: fingerprint(key), rand: random, ready: make(chan fresh, 128)}, nil
}

// Fill keeps some seed chains ready until ctx ends. Working one out takes 256
// hashes, and is best not done while the database waits.
func (s *Seeds) Fill(ctx context.Context) error {
	for {
		f, err := s.make()
		if err != nil {
			return err
		}
		select {
		case s.ready <- f:
		case <-ctx.Done():
			return nil
		}
	}
}

// take returns a seed chain that was never given to anyone.
func (s *Seeds) take() (fresh, error) {
	select {
	case f := <-s.ready:
		return f, nil
	default:
		return s.make()
	}
}

func (s *Seeds) make() (fresh, error) {
	var last fair.Seed
	if _, err := io.ReadFull(s.rand, last[:]); err != nil {
		return fresh{}, fmt.Errorf("run: randomness: %w", err)
	}
	c := fair.NewChain(last)
	// The nonce is random: 2^32 seeds under one key before the odds of a repeat
	// reach 2^-32 (NIST SP 800-38D 8.3). It is not taken from s.rand, so that a test
	// with a fixed source cannot teach anyone to repeat it.
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(last)+s.aead.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return fresh{}, fmt.Errorf("run: randomness: %w", err)
	}
	commitment := chain.Hash(c.Commitment())
	// The commitment is authenticated with it: a row put in another's place is found.
	return fresh{commitment, s.aead.Seal(nonce, nonce, last[:], commitment[:])}, nil
}

// open returns the seed chain behind a commitment. It costs as many hashes as working
// one out.
func (s *Seeds) open(commitment chain.Hash, sealed []byte) (*fair.Chain, error) {
	size := s.aead.NonceSize()
	if len(sealed) < size {
		return nil, errors.New("run: the stored seed is damaged")
	}
	plain, err := s.aead.Open(nil, sealed[:size], sealed[size:], commitment[:])
	if err != nil || len(plain) != len(fair.Seed{}) {
		return nil, errors.New("run: the stored seed cannot be decrypted: wrong seed key, or a damaged row")
	}
	c := fair.NewChain(fair.Seed(plain))
	if c.Commitment() != fair.Seed(commitment) {
		return nil, errors.New("run: the stored seed does not lead to its commitment")
	}
	return c, nil
}

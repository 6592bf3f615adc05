package run

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"roshambo/chain"
	"roshambo/fair"
)

// Seeds makes seed chains and keeps those that nobody has seen yet: encrypted in
// the database, with a key that is not in it, and in memory while a run is played.
type Seeds struct {
	aead  cipher.AEAD
	rand  io.Reader
	ready chan fresh
	cache seedCache
}

// fresh is a seed chain that no account has yet.
type fresh struct {
	chain  *fair.Chain
	sealed []byte
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
	return &Seeds{aead: aead, rand: random, ready: make(chan fresh, 128)}, nil
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
	var f fresh
	var err error
	select {
	case f = <-s.ready:
	default:
		f, err = s.make()
	}
	if err == nil {
		// The run that will use it is likely the next thing that its account does.
		s.cache.put(chain.Hash(f.chain.Commitment()), f.chain)
	}
	return f, err
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
	commitment := c.Commitment()
	// The commitment is authenticated with it: a row put in another's place is found.
	return fresh{c, s.aead.Seal(nonce, nonce, last[:], commitment[:])}, nil
}

// open returns the seed chain behind a commitment.
func (s *Seeds) open(commitment chain.Hash, sealed []byte) (*fair.Chain, error) {
	if c := s.cache.get(commitment); c != nil {
		return c, nil
	}
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
	s.cache.put(commitment, c)
	return c, nil
}

// cacheSize is how many seed chains are kept in each of two generations; one takes
// some 600 bytes.
const cacheSize = 8192

// seedCache keeps the chains that were used of late, by their commitments: when the young
// generation is full it becomes the old one, and the old one is forgotten.
type seedCache struct {
	mu         sync.Mutex
	young, old map[chain.Hash]*fair.Chain
}

func (c *seedCache) get(id chain.Hash) *fair.Chain {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.young[id]; found != nil {
		return found
	}
	found := c.old[id]
	if found != nil {
		c.putLocked(id, found)
	}
	return found
}

func (c *seedCache) put(id chain.Hash, seeds *fair.Chain) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putLocked(id, seeds)
}

func (c *seedCache) putLocked(id chain.Hash, seeds *fair.Chain) {
	if c.young == nil || len(c.young) >= cacheSize {
		c.old, c.young = c.young, make(map[chain.Hash]*fair.Chain)
	}
	c.young[id] = seeds
}

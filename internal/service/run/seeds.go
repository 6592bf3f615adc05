package run

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"roshambo/chain"
	"roshambo/fair"
)

// Seeds generates seed chains. It encrypts unrevealed seeds for the database with a key
// that is not stored there. For a run in play the next seeds are also in memory (liveRun).
type Seeds struct {
	aead        cipher.AEAD
	fingerprint string // of the key
	rand        io.Reader
	prepared    chan sealedChain
}

// sealedChain is a new seed chain in its stored form.
type sealedChain struct {
	commitment chain.Hash
	sealed     []byte // nonce, then the encrypted last seed and seed number stride
	// thrownAt is when the account threw last; zero for never.
	thrownAt time.Time
	// thrownUnknown reports that thrownAt is unknown: a run goes on, or has ended on another node.
	thrownUnknown bool
}

// seedKeySize is the size of the seed key in bytes: AES-256.
const seedKeySize = 32

// preparedChains is how many seed chains Fill keeps ready.
const preparedChains = 128

// NewSeeds returns Seeds with a key of seedKeySize bytes and a source of cryptographically
// secure randomness.
func NewSeeds(key []byte, random io.Reader) (*Seeds, error) {
	if len(key) != seedKeySize {
		return nil, fmt.Errorf("run: the seed key has %d bytes, not %d", len(key), seedKeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	prepared := make(chan sealedChain, preparedChains)
	return &Seeds{aead: aead, fingerprint: fingerprint(key), rand: random, prepared: prepared}, nil
}

// Fill keeps preparedChains seed chains ready until ctx ends. Generating one takes
// fair.Length hashes, which should not happen inside a database transaction.
func (s *Seeds) Fill(ctx context.Context) error {
	for {
		c, err := s.generate()
		if err != nil {
			return err
		}
		select {
		case s.prepared <- c:
		case <-ctx.Done():
			return nil
		}
	}
}

// next returns a seed chain that no other call has returned.
func (s *Seeds) next() (sealedChain, error) {
	select {
	case c := <-s.prepared:
		return c, nil
	default:
		return s.generate()
	}
}

// generate returns a new random seed chain.
func (s *Seeds) generate() (sealedChain, error) {
	var last fair.Seed
	if _, err := io.ReadFull(s.rand, last[:]); err != nil {
		return sealedChain{}, fmt.Errorf("run: randomness: %w", err)
	}
	c := fair.NewChain(last)
	// The nonce is random: the odds of a repeat stay below 2^-32 for 2^32 seeds under one
	// key (NIST SP 800-38D, 8.3). It does not come from s.rand: a test with a fixed source
	// must not repeat a nonce.
	nonce := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+2*len(last)+s.aead.Overhead())
	rand.Read(nonce)
	commitment := chain.Hash(c.Commitment())
	// Few runs last longer than stride throws. Their seeds follow from seed number stride, which
	// follows from the last seed: storing both spares the later throws fair.Length hashes, and a
	// reader with the key to one can decrypt the other. The commitment is the additional data: seeds
	// that were copied to another row fail to decrypt.
	early := c.Seed(stride)
	plain := append(last[:], early[:]...)
	return sealedChain{commitment: commitment, sealed: s.aead.Seal(nonce, nonce, plain, commitment[:])}, nil
}

// errMisled is the error of a stored seed that is not the one behind its commitment.
var errMisled = errors.New("run: the stored seed does not lead to its commitment")

// open decrypts a stored seed and returns the seed chain behind a commitment. It takes
// fair.Length hashes.
func (s *Seeds) open(commitment chain.Hash, sealed []byte) (*fair.Chain, error) {
	last, _, err := s.decrypt(commitment, sealed)
	if err != nil {
		return nil, err
	}
	c := fair.NewChain(last)
	if c.Commitment() != fair.Seed(commitment) {
		return nil, errMisled
	}
	return c, nil
}

// openEarly decrypts a stored seed and returns seed number stride. It takes stride hashes.
func (s *Seeds) openEarly(commitment chain.Hash, sealed []byte) (fair.Seed, error) {
	_, early, err := s.decrypt(commitment, sealed)
	if err != nil {
		return fair.Seed{}, err
	}
	first := early
	for i := stride; i > 0; i-- {
		first = fair.Previous(i, first)
	}
	if first != fair.Seed(commitment) {
		return fair.Seed{}, errMisled
	}
	return early, nil
}

// decrypt returns the last seed of a chain and seed number stride, as generate has stored them.
func (s *Seeds) decrypt(commitment chain.Hash, sealed []byte) (last, early fair.Seed, err error) {
	size := s.aead.NonceSize()
	if len(sealed) < size {
		return last, early, errors.New("run: the stored seed is damaged")
	}
	plain, err := s.aead.Open(nil, sealed[:size], sealed[size:], commitment[:])
	if err != nil || len(plain) != len(last)+len(early) {
		return last, early, errors.New("run: the stored seed cannot be decrypted: wrong seed key, or a damaged row")
	}
	return fair.Seed(plain[:len(last)]), fair.Seed(plain[len(last):]), nil
}

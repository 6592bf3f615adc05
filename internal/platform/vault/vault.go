// Package vault encrypts values that the database stores and must not reveal, with AES-256-GCM and
// a key for each purpose: tokens that wait to be mailed, stored answers with a secret. The key is
// not in the database, so a copy of the database alone reveals none of them.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Vault encrypts for one purpose: AES-256-GCM with a random nonce before each ciphertext. Its
// methods are safe for concurrent use.
type Vault struct{ aead cipher.AEAD }

// ErrDamaged reports a ciphertext of another key, purpose or binding, or a changed one.
var ErrDamaged = errors.New("vault: decryption failed: wrong key or corrupted data")

// New returns the vault of a purpose. Its key is derived from secret, of at least 32 bytes, with
// HKDF-SHA-256: one secret serves many purposes, and a ciphertext of one does not open for
// another. After 2^32 texts of one purpose the probability that two share a nonce reaches 2^-32
// (NIST SP 800-38D, section 8.3).
func New(secret []byte, purpose string) (*Vault, error) {
	if len(secret) < 32 {
		return nil, fmt.Errorf("vault: a secret has 32 bytes or more, not %d", len(secret))
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "roshambo/vault/v1/"+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	return &Vault{aead}, nil
}

// Seal encrypts plain and binds it to bound: Open needs the same bound.
func (v *Vault) Seal(plain, bound []byte) []byte { return v.aead.Seal(nil, nil, plain, bound) }

// Open decrypts a text of Seal. Errors: ErrDamaged.
func (v *Vault) Open(sealed, bound []byte) ([]byte, error) {
	plain, err := v.aead.Open(nil, nil, sealed, bound)
	if err != nil {
		return nil, ErrDamaged
	}
	return plain, nil
}

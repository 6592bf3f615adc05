// Package vault encrypts what the database must hold and may not show: seeds that
// nobody has seen, tokens on their way into a mail, answers with a secret. Its key is
// not in the database, so that a copy of the database alone is of no use.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Vault encrypts for one purpose: AES-256-GCM with a random nonce before each text.
// Its methods are safe for concurrent use.
type Vault struct{ aead cipher.AEAD }

// ErrDamaged says that a text was not sealed by this vault, or not bound to this.
var ErrDamaged = errors.New("vault: a sealed text does not open: another key, or it was changed")

// New returns the vault of a purpose. Its key is derived from secret (HKDF-SHA-256), so
// that one secret serves many purposes and what is sealed for one does not open for
// another. 2^32 texts may be sealed for a purpose before the odds that two share a
// nonce reach 2^-32 (NIST SP 800-38D, 8.3).
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

// Seal encrypts plain and binds it to what it belongs to: in another place it does not
// open.
func (v *Vault) Seal(plain, bound []byte) []byte { return v.aead.Seal(nil, nil, plain, bound) }

// Open decrypts. Errors: ErrDamaged.
func (v *Vault) Open(sealed, bound []byte) ([]byte, error) {
	plain, err := v.aead.Open(nil, nil, sealed, bound)
	if err != nil {
		return nil, ErrDamaged
	}
	return plain, nil
}

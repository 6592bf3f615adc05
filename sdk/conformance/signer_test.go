package conformance

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"roshambo/chain"
)

// signer signs receipts as the log of a service.
type signer struct {
	private     ed25519.PrivateKey
	verifierKey string
}

// newSigner returns the log of a name, always with the same key.
func newSigner(name string) signer {
	seed := sha256.Sum256([]byte(name))
	private := ed25519.NewKeyFromSeed(seed[:])
	key := append([]byte{1}, private.Public().(ed25519.PublicKey)...)
	id := sha256.Sum256(append([]byte(name+"\n"), key...))
	return signer{private, name + "+" + hex.EncodeToString(id[:4]) + "+" + base64.StdEncoding.EncodeToString(key)}
}

// sign returns the receipt of a statement.
func (s signer) sign(said chain.Statement) map[string]string {
	raw := string(chain.StatementRaw(said))
	signature := ed25519.Sign(s.private, chain.ReceiptMessage(raw))
	return map[string]string{"raw": raw, "signature": base64.StdEncoding.EncodeToString(signature)}
}

// line returns a receipt as a line of the file that every client writes.
func line(t *testing.T, receipt map[string]string) string {
	t.Helper()
	text, err := json.Marshal(receipt) // in the canonical order, without characters that are escaped in HTML
	if err != nil {
		t.Error(err)
	}
	return string(text) + "\n"
}

// address returns an address of the chain, always the same for a name.
func address(name string) (a chain.Address) {
	sum := sha256.Sum256([]byte(name))
	copy(a[:], sum[:])
	return a
}

// hash returns the hash of a text that is 64 hexadecimal digits.
func hash(t *testing.T, text string) chain.Hash {
	t.Helper()
	h, err := chain.ParseHash(text)
	if err != nil {
		t.Error(err)
	}
	return h
}

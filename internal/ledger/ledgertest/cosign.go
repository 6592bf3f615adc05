package ledgertest

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// witnessKey returns the keys of a witness of a name. They follow from the name, so that tests need no state for
// their witnesses and two runs of one test sign alike.
func witnessKey(t testing.TB, name string) (private, verifier string) {
	t.Helper()
	// A key by name alone lets two calls cosign as the same witness.
	seed := sha256.Sum256([]byte(name))
	private, public, err := note.GenerateKey(strings.NewReader(string(seed[:])), name)
	if err != nil {
		t.Fatal(err)
	}
	if verifier, err = cosign.VKeyToCosignatureV1(public); err != nil {
		t.Fatal(err)
	}
	return private, verifier
}

// Cosignature returns the cosignature of the newest checkpoint by a witness of a name.
func (l *Ledger) Cosignature(t testing.TB, name string) (c ledger.Cosignature) {
	t.Helper()
	private, key := witnessKey(t, name)
	c.Witness = key
	signer, err := cosign.NewSignerForCosignatureV1(private)
	if err != nil {
		t.Fatal(err)
	}
	l.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		head, err := l.Head(ctx, tx)
		if err != nil {
			return err
		}
		c.Size = head.Block.Header.Height + 1
		c.Checkpoint, err = l.SignedHead(ctx, tx)
		return err
	})
	text, _, _ := strings.Cut(string(c.Checkpoint), "\n\n")
	n, err := note.Sign(&note.Note{Text: text + "\n"}, signer)
	if err != nil {
		t.Fatal(err)
	}
	_, c.Lines, _ = strings.Cut(string(n), "\n\n")
	return c
}

// CosignatureAt is Cosignature with a time of its own: the clock's time plus an offset.
func (l *Ledger) CosignatureAt(t testing.TB, name string, offset time.Duration) ledger.Cosignature {
	t.Helper()
	c := l.Cosignature(t, name)
	seed := sha256.Sum256([]byte(name))
	private := ed25519.NewKeyFromSeed(seed[:])
	// The signed text and the line follow c2sp.org/tlog-cosignature; the line has the key's id, the time and the
	// signature.
	at := uint64(l.Clock.Now().Add(offset).Unix())
	text, _, _ := strings.Cut(string(c.Checkpoint), "\n\n")
	signed := ed25519.Sign(private, fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s\n", at, text))
	id, err := hex.DecodeString(strings.Split(c.Witness, "+")[1])
	if err != nil {
		t.Fatal(err)
	}
	line := append(binary.BigEndian.AppendUint64(id, at), signed...)
	c.Lines = fmt.Sprintf("— %s %s\n", name, base64.StdEncoding.EncodeToString(line))
	return c
}

// Keep stores a cosignature.
func (l *Ledger) Keep(t testing.TB, c ledger.Cosignature) {
	t.Helper()
	l.Update(t, func(ctx context.Context, tx *store.Tx) error { return l.KeepCosignature(ctx, tx, c) })
}

// Cosign stores cosignatures of the newest checkpoint by witnesses of these names, and returns
// the checkpoint with their lines, as it is served.
func (l *Ledger) Cosign(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		l.Keep(t, l.Cosignature(t, name))
	}
	var served []byte
	l.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		served, err = l.Checkpoint(ctx, tx)
		return err
	})
	if got := strings.Count(string(served), "\n— "); got != len(names)+1 {
		t.Errorf("%d lines on the checkpoint, want those of %d witnesses and the log's:\n%s", got, len(names), served)
	}
	return string(served)
}

package vault

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SliceOfN(rapid.Byte(), 32, 40).Draw(t, "secret")
		plain, bound := rapid.SliceOf(rapid.Byte()).Draw(t, "plain"), rapid.SliceOf(rapid.Byte()).Draw(t, "bound")
		v, err := New(secret, "test")
		if err != nil {
			t.Fatal(err)
		}
		sealed := v.Seal(plain, bound)
		if got, err := v.Open(sealed, bound); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("got %x, %v, want %x", got, err, plain)
		}
		i := rapid.IntRange(0, len(sealed)-1).Draw(t, "byte to flip")
		sealed[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if got, err := v.Open(sealed, bound); !errors.Is(err, ErrDamaged) {
			t.Fatalf("a changed text opened: %x, %v", got, err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{7}, 32)
	v, err := New(secret, "one")
	if err != nil {
		t.Fatal(err)
	}
	other, err := New(secret, "two")
	if err != nil {
		t.Fatal(err)
	}
	sealed := v.Seal([]byte("text"), []byte("place"))
	for what, open := range map[string]func() ([]byte, error){
		"another place":   func() ([]byte, error) { return v.Open(sealed, []byte("elsewhere")) },
		"another purpose": func() ([]byte, error) { return other.Open(sealed, []byte("place")) },
		"nothing":         func() ([]byte, error) { return v.Open(nil, []byte("place")) },
		"a part":          func() ([]byte, error) { return v.Open(sealed[:len(sealed)-1], []byte("place")) },
	} {
		if got, err := open(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %x, %v, want ErrDamaged", what, got, err)
		}
	}
	if _, err := New(secret[:31], "one"); err == nil {
		t.Error("a secret of 31 bytes: accepted")
	}
}

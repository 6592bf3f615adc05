package duel

import (
	"encoding/base32"
	"io"
	"strings"
)

// crockford is Crockford's base32: digits and capitals without I, L, O and U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// codeLength is the length of a code: 8 characters hold 40 random bits.
const codeLength = 8

var encoding = base32.NewEncoding(crockford).WithPadding(base32.NoPadding)

// newCode returns a random code.
func newCode(rand io.Reader) (string, error) {
	var b [codeLength * 5 / 8]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return "", err
	}
	return encoding.EncodeToString(b[:]), nil
}

// likeDigits replaces the letters that look like digits.
var likeDigits = strings.NewReplacer("I", "1", "L", "1", "O", "0")

// ParseCode returns the canonical form of a code. It accepts either case, I and L for 1, and
// O for 0. It returns false if s is not a code.
func ParseCode(s string) (string, bool) {
	if len(s) != codeLength {
		return "", false
	}
	s = likeDigits.Replace(strings.ToUpper(s))
	for _, c := range s {
		if !strings.ContainsRune(crockford, c) {
			return "", false
		}
	}
	return s, true
}

package account

import (
	_ "embed"
	"errors"
	"strings"
	"sync"
	"unicode"
)

// commonPasswords are the passwords of 8 characters or more among the 10,000 commonest ones, in lower
// case, one a line. tools/common-passwords makes the file; the page warns of the same ones.
//
//go:embed common-passwords.txt
var commonPasswords string

// common is the set of commonPasswords, built with the first new password that is checked.
var common = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonPasswords) {
		set[strings.TrimSuffix(line, "\n")] = true
	}
	return set
})

// ErrWeakPassword reports a new password that an attacker tries first.
var ErrWeakPassword = errors.New("account: a weak password")

// CheckNewPassword checks a new password of the account with a username: it is none of the commonest in
// any letter case, not the username, and not blank. Errors: ErrWeakPassword, only with RefuseWeak.
func (s *Service) CheckNewPassword(password, username string) error {
	if !s.RefuseWeak {
		return nil
	}
	if strings.TrimFunc(password, blank) == "" || common()[strings.ToLower(password)] ||
		nameKey(password) == nameKey(username) {
		return ErrWeakPassword
	}
	return nil
}

// blankBraille is the one blank pattern of Braille, which Unicode counts as a symbol.
const blankBraille = '\u2800'

// blank reports whether a character shows nothing: space, control and format characters, fillers of Hangul, and
// selectors of variants.
func blank(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == blankBraille ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

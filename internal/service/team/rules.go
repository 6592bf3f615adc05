package team

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"roshambo/chain"
	"roshambo/internal/platform/names"
)

// This file holds the rules of teams: functions of what Service has loaded, without the database. That
// a name is unique, that an account is in one team and that a team has a free seat is decided once more
// by the statements that store the outcome, against concurrent use cases.

// maxName is the length of a name in characters. A name may be longer once it is normalized.
const maxName = 60

// newTeam returns a team with its founder as the only member. Errors: ErrName, ErrNameTaken,
// names.ErrText, names.ErrScripts.
func newTeam(name string, private bool, founder chain.Address, now time.Time) (*Team, error) {
	name, err := names.Clean(name)
	if err != nil {
		return nil, err
	}
	t := &Team{Name: name, Slug: Slug(name), Private: private, Founder: founder, Members: 1, CreatedAt: now}
	if t.Slug == "" || names.Fold(name) == "" || utf8.RuneCountInString(name) > maxName {
		return nil, ErrName
	}
	if names.Reserved(name) || reserved(t.Slug) {
		return nil, ErrNameTaken
	}
	return t, nil
}

// mayJoin returns nil if an account may join the team with a slug and a code, one of which may be "".
// current is the account's team, 0 for none. Errors: ErrPrivate, ErrInTeam, ErrFull.
func (t *Team) mayJoin(slug, code string, current int64) error {
	switch {
	case code == "" && t.Private, code != "" && slug != "" && slug != t.Slug:
		return ErrPrivate
	case current != 0:
		return ErrInTeam
	case t.Members >= MaxMembers:
		return ErrFull
	}
	return nil
}

// Slug returns the form of a name for URL paths: its letters and digits in lower case and NFKC, with
// a hyphen between words; "" for a name without any. An apostrophe does not separate words.
func Slug(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFKC.String(name)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r != '\'' && r != '’':
			gap = true
		}
	}
	return b.String()
}

// ParseCode normalizes a code as members type it: upper case, without spaces and hyphens,
// with O read as 0, and I and L as 1.
func ParseCode(code string) string {
	return strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(code))
}

package account

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// A secret is what it was issued as. Each kind has a Go type of its own, which the compiler keeps
// apart from issuing through lookup to use; a table of its own, which holds hashes only; and a
// prefix, so that a text of another kind is refused before any lookup.

// Secret is a secret of kind K. Its zero value is none. It prints as the name of its kind; only Text
// returns the secret itself.
type Secret[K kind] struct {
	_    [0]K // makes secrets of two kinds inconvertible
	text string
}

type (
	// SessionToken is the secret of a browser's session, in its cookie.
	SessionToken = Secret[sessionKind]
	// KeySecret is a player's or a bot's API key.
	KeySecret = Secret[keyKind]
	// LinkToken is the secret of a mailed link that signs in.
	LinkToken = Secret[linkKind]
	// ResetToken is the secret of a mailed link that resets a password.
	ResetToken = Secret[resetKind]
	// DeviceToken is the secret of a browser that has signed in.
	DeviceToken = Secret[deviceKind]
	// CSRF is the secret that a page sends with unsafe methods, derived from its session's token.
	CSRF = Secret[csrfKind]
)

// kind describes the texts of a kind of secret.
type kind interface {
	// form returns the name of the kind and the prefixes of its secrets; new secrets have the
	// first one. The prefix "" accepts secrets that were issued before they had one.
	form() (name string, prefixes []string)
}

type (
	sessionKind struct{}
	keyKind     struct{}
	linkKind    struct{}
	resetKind   struct{}
	deviceKind  struct{}
	csrfKind    struct{}
)

func (sessionKind) form() (string, []string) { return "session", []string{"rss_", ""} }
func (keyKind) form() (string, []string)     { return "key", []string{playerKeyPrefix, botKeyPrefix} }
func (linkKind) form() (string, []string)    { return "link", []string{"rsl_"} }
func (resetKind) form() (string, []string)   { return "reset link", []string{"rsr_"} }
func (deviceKind) form() (string, []string)  { return "device", []string{"rsd_", ""} }
func (csrfKind) form() (string, []string)    { return "CSRF token", []string{"rsc_"} }

// Prefixes of API keys, which name the kind of their account.
const (
	playerKeyPrefix = "rsk_"
	botKeyPrefix    = "rsb_"
)

// secretLength is the length of a secret behind its prefix: 256 bits in base64url.
const secretLength = 43

// ParseSecret returns the secret of kind K with a text, and whether the text has the form of one.
// The caller names the kind that belongs to the position in which the text was sent.
func ParseSecret[K kind](text string) (Secret[K], bool) {
	var k K
	_, prefixes := k.form()
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) && len(text) == len(prefix)+secretLength {
			return Secret[K]{text: text}, true
		}
	}
	return Secret[K]{}, false
}

// ParseSession is ParseSecret for the token of a session.
func ParseSession(text string) (SessionToken, bool) { return ParseSecret[sessionKind](text) }

// ParseKey is ParseSecret for an API key.
func ParseKey(text string) (KeySecret, bool) { return ParseSecret[keyKind](text) }

// ParseLink is ParseSecret for the token of a link that signs in. A text of another form gives the
// zero token, which no link has.
func ParseLink(text string) LinkToken { return secretOrNone[linkKind](text) }

// ParseReset is ParseLink for the token of a reset link.
func ParseReset(text string) ResetToken { return secretOrNone[resetKind](text) }

// ParseDevice is ParseLink for the token of a browser.
func ParseDevice(text string) DeviceToken { return secretOrNone[deviceKind](text) }

// ParseCSRF is ParseLink for a CSRF token.
func ParseCSRF(text string) CSRF { return secretOrNone[csrfKind](text) }

func secretOrNone[K kind](text string) Secret[K] {
	s, _ := ParseSecret[K](text)
	return s
}

// newSecret returns a random secret of kind K with its first prefix.
func newSecret[K kind](s *Service) (Secret[K], error) {
	var k K
	_, prefixes := k.form()
	return drawSecret[K](s, prefixes[0])
}

// drawSecret returns a random secret of kind K with one of its prefixes.
func drawSecret[K kind](s *Service, prefix string) (Secret[K], error) {
	var random [32]byte
	if err := s.random(random[:]); err != nil {
		return Secret[K]{}, err
	}
	return formatSecret[K](prefix, random), nil
}

// formatSecret returns the secret of kind K with these random bytes.
func formatSecret[K kind](prefix string, random [32]byte) Secret[K] {
	return Secret[K]{text: prefix + base64.RawURLEncoding.EncodeToString(random[:])}
}

// Text returns the secret itself, for its owner alone.
func (s Secret[K]) Text() string { return s.text }

// None reports whether s is the zero value.
func (s Secret[K]) None() bool { return s.text == "" }

// String returns the name of the kind, never the secret: logs and errors must not hold it.
func (s Secret[K]) String() string {
	var k K
	name, _ := k.form()
	return "secret of a " + name
}

// GoString is String.
func (s Secret[K]) GoString() string { return s.String() }

// hash returns the stored form of a secret. A plain hash suffices: a secret has 256 random bits, so
// guessing is infeasible.
func (s Secret[K]) hash() [sha256.Size]byte { return sha256.Sum256([]byte(s.text)) }

// OfBot reports whether a key is a bot's, by its prefix: keys are made with the prefix of their account's
// kind.
func OfBot(key KeySecret) bool { return strings.HasPrefix(key.text, botKeyPrefix) }

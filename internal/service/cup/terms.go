package cup

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"
	"unicode/utf8"

	"roshambo/chain/tables"
	"roshambo/internal/platform/names"
)

// Terms is what a cup's host decides when opening it.
type Terms struct {
	Kind       Kind
	Name       string        // "" for none; unique among unfinished cups
	System     string        // tables.Swiss or tables.RoundRobin
	MostRounds int64         // 0 for as many as the system has
	Code       string        // of a private cup: only with it can one join, and it is in no list; "" for a public one
	HouseBots  bool          // they join a cup for bots at its start
	Seats      int64         // for players, the house's bots not counted
	Step       time.Duration // the time for a step of its duels; 0 for the default
	Replay     bool          // a duel that a side has missed is played once more
	HostPlays  bool          // the host is its first player
	ByHand     bool          // it waits for its host
	StartsAt   time.Time     // of a cup by hand: when it is cancelled
}

// serviceTerms returns the terms of the service's own cups.
func serviceTerms(startsAt time.Time) Terms {
	return Terms{Kind: Bots, System: tables.Swiss, HouseBots: true, Seats: MaxPlayers, StartsAt: startsAt}
}

// maxName is the length of a cup's name in characters.
const maxName = 60

// withName returns terms with a cleaned name. Errors: ErrName, ErrNameTaken, names.ErrText, names.ErrScripts.
func (t Terms) withName() (Terms, error) {
	if t.Name == "" {
		return t, nil
	}
	name, err := names.Clean(t.Name)
	switch {
	case err != nil:
		return t, err
	case names.Fold(name) == "" || utf8.RuneCountInString(name) > maxName:
		return t, ErrName
	case names.Reserved(name):
		return t, ErrNameTaken
	}
	t.Name = name
	return t, nil
}

// Private reports whether only callers with the code can join.
func (t *Terms) Private() bool { return t.Code != "" }

// networkSeats returns how many players one network may seat, an IPv6 /48 as well: a quarter, but at least one.
func (t *Terms) networkSeats() int { return max(1, int(t.Seats/4)) }

// crockford encodes codes in Crockford's Base32 alphabet, without I, L, O and U.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// NewCode returns a random code of 40 bits, 8 characters.
func NewCode() string {
	var b [5]byte
	rand.Read(b[:])
	return crockford.EncodeToString(b[:])
}

// parseCode normalizes a code as players type it: upper case, without spaces and hyphens, with O read as 0, and I
// and L as 1.
func parseCode(code string) string {
	return strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(code))
}

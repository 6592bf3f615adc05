package account

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// The words of generated names: friendly and short; no combination is offensive.
var (
	adjectives = [...]string{
		"agile", "amber", "bold", "brave", "breezy", "bright", "brisk", "calm", "candid", "cheery", "clever", "cosmic",
		"crimson", "crisp", "curious", "daring", "dapper", "eager", "early", "easy", "fabled", "fair", "fancy", "fleet",
		"fond", "frosty", "gentle", "gilded", "glad", "golden", "happy", "hardy", "hazel", "honest", "humble", "jolly",
		"keen", "kind", "lively", "lofty", "loyal", "lucky", "lunar", "mellow", "merry", "mighty", "misty", "neat",
		"nimble", "noble", "patient", "plucky", "polite", "proud", "quick", "quiet", "royal", "silver", "snowy", "steady",
		"sunny", "swift", "tidy", "witty",
	}
	nouns = [...]string{
		"acorn", "badger", "beacon", "beetle", "birch", "bison", "breeze", "brook", "canyon", "cedar", "cobra", "comet",
		"condor", "coral", "crane", "cricket", "dolphin", "dune", "eagle", "ember", "falcon", "fern", "finch", "fox",
		"gecko", "glacier", "harbor", "hawk", "heron", "ibis", "island", "jaguar", "kestrel", "koala", "lagoon", "lark",
		"lemur", "lynx", "maple", "marten", "meadow", "meteor", "moose", "newt", "ocelot", "orca", "osprey", "otter",
		"panda", "pebble", "pelican", "puffin", "quartz", "raven", "river", "robin", "salmon", "sparrow", "stork", "tiger",
		"walrus", "willow", "wren", "yak",
	}
)

// generateName returns a random name such as "brisk-otter-481907".
func (s *Service) generateName() (string, error) {
	var b [6]byte
	if err := s.random(b[:]); err != nil {
		return "", err
	}
	number := binary.BigEndian.Uint32(b[2:]) % 1_000_000
	return fmt.Sprintf("%s-%s-%d", adjectives[b[0]%64], nouns[b[1]%64], number), nil
}

// nameKey returns the form in which usernames are compared: lower case, without - and _, so
// that no two names differ only in these. It is "" for a name of separators alone.
func nameKey(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer("-", "", "_", "")

// lookalikes maps digits and l to the letter that they resemble.
var lookalikes = strings.NewReplacer("0", "o", "1", "i", "l", "i", "2", "z", "3", "e", "4", "a", "5", "s", "6", "g",
	"7", "t", "8", "b", "9", "g", "_", "-")

// reservedNames are the names that pass for the service or its staff, in the form of
// reservedKey.
var reservedNames = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range []string{
		"abuse", "admin", "administrator", "bank", "faucet", "helpdesk", "house", "hostmaster", "mod", "moderator",
		"no-reply", "official", "operator", "postmaster", "root", "roshambo", "security", "service", "sparring",
		"sparring-bot", "staff", "superuser", "support", "sysadmin", "system", "webmaster",
	} {
		names[reservedKey(name)] = true
	}
	return names
}()

// reservedKey returns the form in which a name is compared with reserved ones: as nameKey,
// with letters for the digits that resemble them.
func reservedKey(name string) string { return lookalikes.Replace(nameKey(name)) }

// reserved reports whether no caller may choose a name: it is reserved, in any spelling, or
// looks like that of a house bot, or has neither letters nor digits.
func (s *Service) reserved(name string) bool {
	key := reservedKey(name)
	for extra := range s.Reserved {
		if key == reservedKey(extra) {
			return true
		}
	}
	if strings.HasPrefix(key, reservedKey(deletedPrefix)) {
		return true
	}
	houseBot := strings.HasPrefix(lookalikes.Replace(strings.ToLower(name)), HousePrefix)
	return key == "" || reservedNames[key] || houseBot
}

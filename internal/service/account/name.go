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

// nameKey returns the form in which a caller finds an account by its name: lower case, without - and
// _. Accounts with equal keys have equal folds (names.Fold), so a key finds one account at most.
func nameKey(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer("-", "", "_", "")

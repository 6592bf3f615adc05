package archtest

import (
	"slices"
	"testing"
)

var importSamples = []sample{
	{
		"imports", "a noun uses another",
		map[string]string{"internal/ledger/x.go": "package ledger\n\nimport _ \"roshambo/internal/service/run\"\n"},
		"internal/ledger/x.go:3: internal/ledger may not import roshambo/internal/service/run",
	},
	{
		"imports", "the ring reaches inward",
		map[string]string{"chain/x.go": "package chain\n\nimport _ \"roshambo/internal/store\"\n"},
		"chain/x.go:3: chain may not import roshambo/internal/store",
	},
	{
		"imports", "a noun knows the contract",
		map[string]string{"internal/service/run/x.go": "package run\n\nimport _ \"roshambo/contract\"\n"},
		"internal/service/run/x.go:3: internal/service/run may not import roshambo/contract",
	},
	{
		"imports", "a package without a row",
		map[string]string{"internal/new/a.go": "package new\n", "internal/new/b.go": "package new\n"},
		"internal/new/a.go: package internal/new has no row in the import table",
	},
	{
		"imports", "a module away from home",
		map[string]string{"internal/service/run/x.go": "package run\n\nimport _ \"modernc.org/sqlite/lib\"\n"},
		"internal/service/run/x.go:3: internal/service/run may not import modernc.org/sqlite/lib: its home is internal/store/sqlite, internal/store/storetest",
	},
	{
		"imports", "a module without a home",
		map[string]string{"game/x.go": "package game\n\nimport _ \"example.com/dice\"\n"},
		"game/x.go:3: no package is named as the home of example.com/dice",
	},
	{
		"imports", "tests may do more",
		map[string]string{
			"fair/x_test.go": "package fair_test\n\nimport (\n_ \"example.com/dice\"\n_ \"roshambo/fair\"\n" +
				"_ \"roshambo/vectors\"\n)\n",
		},
		"",
	},
	{
		"pure", "a clock",
		map[string]string{"game/x.go": "package game\n\nimport _ \"time\"\n"},
		"game/x.go:3: not pure: imports time",
	},
	{
		"pure", "embedding is for the vectors",
		map[string]string{"fair/x.go": "package fair\n\nimport _ \"embed\"\n",
			"vectors/x.go": "package vectors\n\nimport _ \"embed\"\n"},
		"fair/x.go:3: not pure: imports embed",
	},
	{
		"pure", "chance in an allowed package",
		map[string]string{"chain/x.go": "package chain\n\nimport \"crypto/ed25519\"\n\nvar f = ed25519.GenerateKey\n"},
		"chain/x.go:5: not pure: uses ed25519.GenerateKey",
	},
	{
		"pure", "tests and the inside have clocks",
		map[string]string{"game/x_test.go": "package game\n\nimport _ \"time\"\n",
			"internal/service/run/x.go": "package run\n\nimport _ \"time\"\n"},
		"",
	},
}

// TestStalePermits checks that an entry of the table which no import uses is found, in code and in
// tests, and that the ring may stay.
func TestStalePermits(t *testing.T) {
	t.Parallel()
	rows := []row{{pkg: "a", may: []string{"b", "c", "game"}, tests: []string{"c", "d"}}}
	used := map[permit]bool{{"a", "b", false}: true, {"a", "c", true}: true, {"a", "example.com/x", true}: true}
	var got []string
	for _, p := range stalePermits(rows, map[string][]string{"example.com/x": {"a"}}, used) {
		got = append(got, p.What)
	}
	want := []string{"a no longer imports c", "a: its tests no longer import d", "a no longer imports example.com/x"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

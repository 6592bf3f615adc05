package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestOptions: each flag of serve is an option with a variable, a key and a value that a file can have, but for those
// that concern the file itself. docs/operations.md promises it.
func TestOptions(t *testing.T) {
	t.Parallel()
	commands, code := &cli{}, 0
	parsed, err := parse(t.Context(), commands, &code, []string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	options := map[string]option{}
	for _, o := range commands.Serve.options() {
		options[o.key] = o
	}
	serve := slices.IndexFunc(parsed.Model.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	for _, flag := range parsed.Model.Children[serve].Flags {
		if flag.Name == "config" || flag.Name == "print-config" {
			continue
		}
		o, found := options[flag.Name]
		if variable := variablePrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")); !found ||
			!slices.Equal(flag.Envs, []string{variable}) {
			t.Errorf("--%s has the variables %v, want %s, and is a key: %v", flag.Name, flag.Envs, variable, found)
			continue
		}
		delete(options, flag.Name)
		if o.text() == "" { // it panics for a type that no file can have
			t.Errorf("%s has no value", flag.Name)
		}
	}
	if len(options) > 0 {
		t.Errorf("%v are no flags", options)
	}
}

package conformance

import (
	"os/exec"
	"testing"
)

// TestPublicNamesAreDocumented requires a docstring of each public name in Python, and a doc comment of each in
// TypeScript, so that the languages' own tools render a whole reference. For package client the linter requires them.
func TestPublicNamesAreDocumented(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{
		{python(t), "testdata/documented.py", "../python/src/roshambo"},
		{"node", "testdata/documented.mjs", "../../web/node_modules/typescript", "../typescript"},
	} {
		out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%v: %v, without a text are:\n%s", command, err, out)
		}
	}
}

//go:build nightly

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestExportWaitsForAWitness checks that --witnessed waits a minute for a cosigned checkpoint and then says that there is
// none, and that without it the chain is exported at once.
func TestExportWaitsForAWitness(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p, err := serve(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newBot(p.url, "counted"); err != nil {
		t.Fatal(err)
	}
	if err := p.kill(); err != nil {
		t.Fatal(err)
	}
	export := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), "roshambo",
			append([]string{"export", "--data", folder}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := export(); err != nil || !strings.HasPrefix(out, `{"blocks":`) {
		t.Errorf("without --witnessed: %v\n%.200s", err, out)
	}
	const want = "no checkpoint is cosigned yet"
	if out, err := export("--witnessed"); err == nil || !strings.Contains(out, want) {
		t.Errorf("with --witnessed: %v, want %q\n%.200s", err, want, out)
	}
}

package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestManual: the manual page has each command and each of its flags, and roff accepts it.
func TestManual(t *testing.T) {
	t.Parallel()
	code := 0
	parsed, err := parse(t.Context(), &cli{}, &code, []string{"man"})
	if err != nil {
		t.Fatal(err)
	}
	text := manual(parsed.Model, "0.1.0")
	commands, flags := 0, 0
	for _, command := range parsed.Model.Leaves(true) {
		commands++
		_, section, found := strings.Cut(text, "\n.SS "+roff(command.FullPath()+arguments(command))+"\n")
		if !found {
			t.Errorf("the page has no section %s", command.FullPath())
		}
		section, _, _ = strings.Cut(section, "\n.S")
		for _, group := range command.AllFlags(true) {
			for _, flag := range group {
				flags++
				if flag.Name != "help" && flag.Name != "version" && !strings.Contains(section, "\n.B "+roff(flag.String())+"\n") {
					t.Errorf("the section of %s lacks --%s", command.Name, flag.Name)
				}
			}
		}
	}
	if commands < 20 || flags < 100 {
		t.Errorf("only %d commands and %d flags", commands, flags)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !request(line) {
			t.Errorf("%q is no request", line)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("Not set: groff is not here.")
		return
	}
	set := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-Kutf8", "-ww", "-P-cbu")
	set.Stdin = strings.NewReader(text)
	var page, warnings bytes.Buffer
	set.Stdout, set.Stderr = &page, &warnings
	if err := set.Run(); err != nil || warnings.Len() > 0 {
		t.Errorf("groff: %v\n%s", err, &warnings)
	}
	for _, want := range []string{"roshambo verify <proof>", "ROSHAMBO_WITNESS_QUORUM"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

// request reports whether a line begins with a request that the page uses.
func request(line string) bool {
	name, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	switch name {
	case ".TH", ".SH", ".SS", ".TP", ".B", ".I", ".nh", ".ad":
		return true
	}
	return false
}

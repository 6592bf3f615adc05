package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"roshambo/internal/platform/release"
)

// TestNPMPackages: the packages of the page are those that npm installs for it, and what Svelte leaves in it.
func TestNPMPackages(t *testing.T) {
	t.Parallel()
	list, err := npmPackages("../../web/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
		if c.Version == "" || c.PURL != "pkg:npm/"+c.Name+"@"+c.Version || len(c.Properties) != 1 {
			t.Errorf("the package is %+v", c)
		}
	}
	want := []string{"clsx", "esm-env", "fancy-canvas", "lightweight-charts", "svelte"}
	if !slices.Equal(names, want) {
		t.Errorf("the page has %q, want %q", names, want)
	}
	file := filepath.Join(t.TempDir(), "package-lock.json")
	const lacks = `{"packages": {"node_modules/svelte": {"version": "5.0.0"}}}`
	if err := os.WriteFile(file, []byte(lacks), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := npmPackages(file); err == nil {
		t.Errorf("a lock file without a package gave %v", list)
	}
}

// TestBOM: what a build has recorded appears: the commit, its time, replaced modules, versions with a plus sign.
func TestBOM(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "roshambo"},
		Deps: []*debug.Module{
			{Path: "example.org/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/new", Version: "v1.1.0"}},
			{Path: "example.org/plus", Version: "v2.0.0+incompatible", Sum: "h1:abc="},
		},
		Settings: []debug.BuildSetting{{Key: "-trimpath", Value: "true"}, {Key: "GOARCH", Value: "arm64"},
			{Key: "vcs.revision", Value: "0a1b"}, {Key: "vcs.time", Value: "2026-11-29T10:00:00Z"}}}
	b := newBOM(info, "0.1.0", release.Digest{1}, nil)
	var got []string
	for _, c := range b.Components {
		got = append(got, c.PURL)
	}
	want := []string{"pkg:golang/std@1.26.8", "pkg:golang/example.org/new@v1.1.0",
		"pkg:golang/example.org/plus@v2.0.0%2Bincompatible"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p := b.Components[2].Properties; !slices.Equal(p, []property{{"go.sum", "h1:abc="}}) {
		t.Errorf("the sum is %v", p)
	}
	properties := []property{{"build:GOARCH", "arm64"}, {"build:vcs.revision", "0a1b"}}
	if m := b.Metadata; m.Timestamp != "2026-11-29T10:00:00Z" || !slices.Equal(m.Component.Properties, properties) {
		t.Errorf("the metadata are %+v", m)
	}
}

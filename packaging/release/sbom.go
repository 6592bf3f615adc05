package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"roshambo/internal/platform/release"
)

// bom is a bill of materials of CycloneDX 1.5, with the members that are used here.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   bomMetadata `json:"metadata"`
	Components []component `json:"components"`
}

// bomMetadata describes the program.
type bomMetadata struct {
	Timestamp string    `json:"timestamp,omitempty"` // of the commit, so that the same commit gives the same bytes
	Component component `json:"component"`
}

// component is the program, or a part of it.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"` // github.com/package-url
	Hashes     []bomHash  `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// served names the packages of the lock file that npm counts as development, although parts of them are served: the
// runtime of Svelte and what it imports.
var served = []string{"svelte", "clsx", "esm-env"}

// writeSBOM writes the bill of materials of a program into a file: the modules that the linker has recorded in it,
// the standard library, and the npm packages of the page that it serves, by their lock file.
func writeSBOM(program, version, lock, file string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	digest, err := sum(program)
	if err != nil {
		return err
	}
	packages, err := npmPackages(lock)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(newBOM(info, version, digest, packages), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644) // it is published
}

// newBOM returns the bill of materials of a program with a digest. Its modules are in the order of their paths, as in
// the program, and the packages of the page follow.
func newBOM(info *debug.BuildInfo, version string, digest release.Digest, packages []component) *bom {
	program := component{Type: "application", Name: info.Main.Path, Version: version,
		Hashes: []bomHash{{"SHA-256", digest.String()}}}
	program.PURL = golangURL(program.Name, version)
	b := &bom{Format: "CycloneDX", Spec: "1.5", Version: 1}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.time":
			b.Metadata.Timestamp = s.Value
		case "GOOS", "GOARCH", "CGO_ENABLED", "vcs.revision":
			program.Properties = append(program.Properties, property{"build:" + s.Key, s.Value})
		}
	}
	std := component{Type: "library", Name: "std", Version: info.GoVersion}
	std.PURL = golangURL(std.Name, strings.TrimPrefix(info.GoVersion, "go"))
	b.Components = append(b.Components, std)
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		c := component{Type: "library", Name: module.Path, Version: module.Version,
			PURL: golangURL(module.Path, module.Version)}
		if module.Sum != "" {
			c.Properties = []property{{"go.sum", module.Sum}}
		}
		b.Components = append(b.Components, c)
	}
	b.Components = append(b.Components, packages...)
	for i := range b.Components {
		b.Components[i].Ref = b.Components[i].PURL
	}
	program.Ref = program.PURL
	b.Metadata.Component = program
	return b
}

// golangURL returns the package URL of a Go module.
func golangURL(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// npmPackages returns the packages of a lock file of npm that are in the page, by name.
func npmPackages(lock string) ([]component, error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return nil, err
	}
	var locked struct {
		Packages map[string]struct {
			Version, Integrity string
			Dev                bool
		}
	}
	if err := json.Unmarshal(text, &locked); err != nil {
		return nil, fmt.Errorf("%s: %w", lock, err)
	}
	var list []component
	found := 0
	for _, path := range slices.Sorted(maps.Keys(locked.Packages)) {
		name, isPackage := strings.CutPrefix(path, "node_modules/")
		p := locked.Packages[path]
		named := slices.Contains(served, name)
		if !isPackage || p.Dev && !named {
			continue
		}
		if named {
			found++
		}
		list = append(list, component{Type: "library", Name: name, Version: p.Version,
			PURL:       "pkg:npm/" + strings.ReplaceAll(name, "@", "%40") + "@" + p.Version,
			Properties: []property{{"npm:integrity", p.Integrity}}})
	}
	if found != len(served) {
		return nil, fmt.Errorf("%s: some of %v are not there", lock, served)
	}
	return list, nil
}

// sum returns the digest of a file.
func sum(path string) (d release.Digest, err error) {
	f, err := os.Open(path)
	if err != nil {
		return d, err
	}
	defer f.Close() //nolint:errcheck // read only
	return release.Sum(f)
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"roshambo/packaging"
)

// stage is a folder with all that the packages contain beside the program, and with the tool that makes them.
type stage struct {
	folder    string
	version   string // of the packages
	publisher string // the maintainer that the packages name
	epoch     string // time of all files in the packages, in seconds since 1970
}

// nfpm is the tool that makes the packages, pinned in tools/nfpm/go.mod.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm"

// prepare fills the stage, which is for the program of the sources in the current folder.
func (s *stage) prepare(ctx context.Context) error {
	native := s.path("native")
	err := run(ctx, nil, "go", "-C", "tools/nfpm", "build", "-trimpath", "-o", s.path("nfpm"), nfpm)
	if err != nil {
		return err
	}
	if err := run(ctx, nil, "go", "build", "-trimpath", "-o", native, "./cmd/roshambo"); err != nil {
		return err
	}
	// The unit that init writes is for another path.
	if err := run(ctx, nil, native, "init", s.path("init")); err != nil {
		return err
	}
	if err := os.Rename(s.path("init/roshambo.toml"), s.path("roshambo.toml")); err != nil {
		return err
	}
	page := exec.CommandContext(ctx, native, "man")
	page.Env = append(os.Environ(), "USER=$USER") // a default of an option, which is not to be the builder's name
	page.Stderr = os.Stderr
	manual, err := page.Output()
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path("roshambo.1"), manual, 0o600); err != nil {
		return err
	}
	unit := strings.ReplaceAll(packaging.Unit, "/usr/local/bin/", "/usr/bin/")
	return os.WriteFile(s.path("roshambo.service"), []byte(unit), 0o600)
}

// path returns the path of a file of the stage.
func (s *stage) path(name string) string { return filepath.Join(s.folder, name) }

// pack makes the packages of a program for Linux on a processor, and returns their names in folder.
func (s *stage) pack(ctx context.Context, program, processor, folder string) ([]string, error) {
	// RPM has names of its own for processors.
	known := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
	named, ok := known[processor]
	if !ok {
		return nil, fmt.Errorf("no packages for the processor %s", processor)
	}
	names := []string{fmt.Sprintf("roshambo_%s_%s.deb", s.version, processor),
		fmt.Sprintf("roshambo-%s-1.%s.rpm", s.version, named)}
	for _, name := range names {
		format := strings.TrimPrefix(filepath.Ext(name), ".")
		err := run(ctx, []string{"ARCH=" + processor, "VERSION=" + s.version, "PROGRAM=" + program, "STAGE=" + s.folder,
			"MAINTAINER=" + s.publisher, "SOURCE_DATE_EPOCH=" + s.epoch},
			s.path("nfpm"), "package", "--config", "packaging/nfpm.yaml", "--packager", format,
			"--target", filepath.Join(folder, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return names, nil
}

// run runs a command with further environment variables. Its output is shown when it fails.
func run(ctx context.Context, env []string, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

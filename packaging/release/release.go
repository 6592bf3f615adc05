// Command release builds the files of a release and signs the list of their digests (package
// internal/platform/release):
//
//	go run ./packaging/release --new-key NAME KEYFILE    a key; prints its verifier key, which is published
//	go run ./packaging/release --key KEYFILE FOLDER      builds the commit that is checked out
//
// Beside each program is its bill of materials, NAME.cdx.json, and for Linux there are packages for Debian and for RPM.
// KEYFILE and FOLDER are outside the checkout, which must have no changes; FOLDER is new or empty.
//
// Builds are reproducible: the same commit with the same compiler gives the same files.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/platform/release"
	"roshambo/internal/server/api"
	"roshambo/internal/server/pagecheck"
)

// platforms are the platforms of a release: operating system and processor.
const platforms = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	newKey := flag.String("new-key", "", "make a key of this `name` in the file that is named")
	key := flag.String("key", "", "`file` of the signing key")
	list := flag.String("platforms", platforms, "the platforms to build for")
	flag.Parse()
	err := errors.New("name one file or folder; see go doc ./packaging/release")
	switch {
	case flag.NArg() == 1 && *newKey != "":
		err = makeKey(*newKey, flag.Arg(0))
	case flag.NArg() == 1 && *key != "":
		err = build(context.Background(), *key, strings.Fields(*list), flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// makeKey writes a new signing key and prints its verifier key.
func makeKey(name, file string) error {
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return err
	}
	// O_EXCL: an existing key is never replaced.
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(private + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, public)
	return err
}

// build builds the program for all platforms into a folder, beside the signed list release.txt.
func build(ctx context.Context, keyFile string, platforms []string, folder string) error {
	private, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(private)))
	if err != nil {
		return fmt.Errorf("%s: %w", keyFile, err)
	}
	commit, err := output(ctx, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	// The list would name a commit that does not give these files.
	if changes, err := output(ctx, "git", "status", "--porcelain"); err != nil || changes != "" {
		return errors.Join(errors.New("there are changes that are not committed"), err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	// The files of another build would be beside a list that does not name them.
	if there, err := os.ReadDir(folder); err != nil || len(there) > 0 {
		return errors.Join(fmt.Errorf("%s is not empty", folder), err)
	}
	work, err := os.MkdirTemp("", "roshambo-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a temporary folder
	b := &builder{folder: folder, stage: stage{folder: work, version: api.Version, publisher: signer.Name()}}
	if b.stage.epoch, err = output(ctx, "git", "show", "--no-patch", "--format=%ct", "HEAD"); err != nil {
		return err
	}
	r := &release.Release{Version: api.Version, Commit: commit, Go: runtime.Version()}
	for _, platform := range platforms {
		names, err := b.build(ctx, platform)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		for _, name := range names {
			digest, err := sum(filepath.Join(folder, name))
			if err != nil {
				return err
			}
			r.Files = append(r.Files, release.File{Name: name, Digest: digest})
		}
	}
	// The page is in each program; its files are listed, so that roshambo verify-page can compare those that a
	// service serves.
	page := pagecheck.Embedded()
	for _, name := range slices.Sorted(maps.Keys(page)) {
		r.Files = append(r.Files, release.File{Name: release.PagePrefix + name, Digest: page[name]})
	}
	signed, err := release.Sign(r, signer)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "release.txt"), signed, 0o644) // it is published
}

// builder builds the files of a release.
type builder struct {
	folder string
	stage  stage
	staged bool // the stage is prepared
}

// build builds the files for a platform, and returns their names.
func (b *builder) build(ctx context.Context, platform string) ([]string, error) {
	system, processor, _ := strings.Cut(platform, "/")
	name := "roshambo-" + system + "-" + processor
	if system == "windows" {
		name += ".exe"
	}
	program := filepath.Join(b.folder, name)
	// The commit and its date belong to the bytes, whatever GOFLAGS says.
	err := run(ctx, []string{"GOOS=" + system, "GOARCH=" + processor},
		"go", "build", "-trimpath", "-buildvcs=true", "-o", program, "./cmd/roshambo")
	if err != nil {
		return nil, err
	}
	names := []string{name, name + ".cdx.json"}
	if err := writeSBOM(program, b.stage.version, "web/package-lock.json", filepath.Join(b.folder, names[1])); err != nil {
		return nil, err
	}
	if system != "linux" {
		return names, nil
	}
	if !b.staged {
		if err := b.stage.prepare(ctx); err != nil {
			return nil, err
		}
		b.staged = true
	}
	packages, err := b.stage.pack(ctx, program, processor, b.folder)
	return append(names, packages...), err
}

// output runs a command and returns its output without the last newline.
func output(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Stderr = os.Stderr
	text, err := c.Output()
	return string(bytes.TrimSuffix(text, []byte("\n"))), err
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"roshambo/internal/app"
	"roshambo/internal/platform/release"
)

// versionCommand prints the version, and checks that this program is of a signed release.
type versionCommand struct {
	Verify string `help:"Check that this program is a file of the release with this signed list; - for standard input." placeholder:"FILE"`
	Key    string `help:"The verifier key of those who publish the releases, from a source you trust." placeholder:"KEY"`
}

// maxList bounds the signed list of a release, in bytes.
const maxList = 1 << 20

// Run prints, and sets the exit status: 0 without --verify and for a program of the release, 1 for another
// program and for a list that the key has not signed, 2 for wrong usage.
func (c *versionCommand) Run(code *int) error {
	if (c.Verify == "") != (c.Key == "") {
		*code = 2
		return errors.New("version: --verify needs --key, and --key needs --verify")
	}
	if _, err := fmt.Println("roshambo " + app.Version()); err != nil || c.Verify == "" {
		return err
	}
	signed, err := readList(c.Verify)
	if err != nil {
		*code = 2
		return err
	}
	list, err := release.Open(signed, c.Key)
	if errors.Is(err, release.ErrKey) {
		*code = 2
	}
	if err != nil {
		return err
	}
	digest, err := ownDigest()
	if err != nil {
		return err
	}
	name, found := list.Find(digest)
	if !found {
		return fmt.Errorf("NOT VERIFIED: this program has SHA-256 %v, which release %s does not list", digest, list.Version)
	}
	_, err = fmt.Printf("VERIFIED: this program is %s of release %s, built from commit %s by %s\n", name, list.Version,
		list.Commit, list.Go)
	return err
}

// readList reads a signed list.
func readList(name string) ([]byte, error) {
	r := io.Reader(os.Stdin)
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // read only
		r = f
	}
	return io.ReadAll(io.LimitReader(r, maxList))
}

// ownDigest returns the digest of the file of this program.
func ownDigest() (d release.Digest, err error) {
	name, err := os.Executable()
	if err != nil {
		return d, err
	}
	f, err := os.Open(name)
	if err != nil {
		return d, err
	}
	defer f.Close() //nolint:errcheck // read only
	return release.Sum(f)
}

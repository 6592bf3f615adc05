// Package release writes and checks the list of the files of a release: a signed note
// (c2sp.org/signed-note) with the SHA-256 of each. Builds are reproducible, so anyone can make the same
// files from the commit that the list names.
package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Release is the content of a list.
type Release struct {
	Version string // of the program, such as 0.1.0
	Commit  string // 40 hex digits
	Go      string // version of the compiler, such as go1.26.8
	Files   []File
}

// File is a file of a release.
type File struct {
	Name   string
	Digest Digest
}

// Digest is the SHA-256 of a file.
type Digest [sha256.Size]byte

// String returns d in lowercase hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Sum reads r to its end and returns the digest.
func Sum(r io.Reader) (d Digest, err error) {
	h := sha256.New()
	_, err = io.Copy(h, r)
	return Digest(h.Sum(nil)), err
}

// The text of a list, which is signed as it is:
//
//	roshambo release 0.1.0
//	commit 0123456789abcdef0123456789abcdef01234567
//	go go1.26.8
//	<64 hex digits>  roshambo-linux-amd64
//	<64 hex digits>  roshambo-windows-amd64.exe
//	<64 hex digits>  page/assets/first-CNhcXXtk.js
//
// The files of the page have the prefix page/, and the documents page/docs/. The digest of page/index.html is taken
// from its canonical form (web.Canonical), as the head of a document depends on what it shows.
//
// The lines of files have the format of sha256sum.
var (
	first = regexp.MustCompile(`^roshambo release ([0-9A-Za-z.+-]{1,64})$`)
	// The second and third line bind the files to what they were made of.
	second = regexp.MustCompile(`^commit ([0-9a-f]{40})$`)
	third  = regexp.MustCompile(`^go (go[0-9A-Za-z.-]{1,64})$`)
	file   = regexp.MustCompile(`^([0-9a-f]{64})  ((?:page/(?:assets/|verify/|docs/(?:adr/|pictures/)?)?)?[0-9A-Za-z._-]{1,128})$`)
)

// Errors of Open. A malformed list that is signed is ErrMalformed.
var (
	ErrKey       = errors.New("release: the key is not a verifier key, name+id+base64")
	ErrSignature = errors.New("release: the list is not signed by this key")
	ErrMalformed = errors.New("release: the list is malformed")
)

// text returns the text of the list.
func (r *Release) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "roshambo release %s\ncommit %s\ngo %s\n", r.Version, r.Commit, r.Go)
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%v  %s\n", f.Digest, f.Name)
	}
	return b.String()
}

// Sign returns the signed list. It returns ErrMalformed for values that a list cannot state.
func Sign(r *Release, signer note.Signer) ([]byte, error) {
	text := r.text()
	if _, err := parse(text); err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: text}, signer)
}

// Open checks the signature of a list by a verifier key, and returns the list.
func Open(signed []byte, key string) (*Release, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	}
	n, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return parse(n.Text)
}

// parse reads the text of a list.
func parse(text string) (*Release, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 4 {
		return nil, ErrMalformed
	}
	r := &Release{}
	for i, field := range []*string{&r.Version, &r.Commit, &r.Go} {
		match := []*regexp.Regexp{first, second, third}[i].FindStringSubmatch(lines[i])
		if match == nil {
			return nil, fmt.Errorf("%w: line %d", ErrMalformed, i+1)
		}
		*field = match[1]
	}
	named := map[string]bool{}
	for i, line := range lines[3:] {
		match := file.FindStringSubmatch(line)
		if len(match) < 3 || named[match[2]] { // a name with two digests would fit two files
			return nil, fmt.Errorf("%w: line %d", ErrMalformed, i+4)
		}
		named[match[2]] = true
		f := File{Name: match[2]}
		_, _ = hex.Decode(f.Digest[:], []byte(match[1])) // the pattern has 64 hex digits
		r.Files = append(r.Files, f)
	}
	return r, nil
}

// PagePrefix begins the names of the files of the page.
const PagePrefix = "page/"

// Page returns the digests of the files of the page, by their paths below the root.
func (r *Release) Page() map[string]Digest {
	files := map[string]Digest{}
	for _, f := range r.Files {
		if name, found := strings.CutPrefix(f.Name, PagePrefix); found {
			files[name] = f.Digest
		}
	}
	return files
}

// Find returns the name of the file with a digest.
func (r *Release) Find(d Digest) (name string, found bool) {
	for _, f := range r.Files {
		if f.Digest == d {
			return f.Name, true
		}
	}
	return "", false
}

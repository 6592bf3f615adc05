// Package pagecheck compares the page that a service serves with the files of a build.
//
// The page verifies what the service states, so a service that changes the page can change the
// verification. Check requests the page as a browser does, every document and file in every encoding, and
// compares each with the build of a release, which its readers trust. It sees what one visitor at one time is
// served: a service that recognizes the check can serve another page to others.
package pagecheck

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	"roshambo/web"
)

// Digest is the SHA-256 of a file.
type Digest = [sha256.Size]byte

// Build are the digests of the files of a build by their paths below the root, such as assets/first.js. For
// index.html it is the digest of its canonical form (web.Canonical).
type Build map[string]Digest

// index is the document of every page; its head depends on the page.
const index = "index.html"

// Embedded returns the build in this program, and the verifiers and documents that it serves beside it.
func Embedded() Build {
	b := Build{}
	for name, content := range web.Files() {
		b.add(name, content)
	}
	return b
}

// Folder returns the build in a folder, such as web/dist. Packed forms of files are left out, and it has no
// verifiers and documents, which Vite does not build.
func Folder(folder string) (Build, error) {
	b := Build{}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, web.PackedSuffix) {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, name)
		b.add(filepath.ToSlash(below), content)
		return err
	})
	if _, found := b[index]; err == nil && !found {
		err = fmt.Errorf("%s has no %s", folder, index)
	}
	return b, err
}

// add adds a file.
func (b Build) add(name string, content []byte) {
	if name == index {
		content = web.Canonical(content)
	}
	b[name] = sha256.Sum256(content)
}

// Report is the result of a check.
type Report struct {
	Documents, Files int      // that were compared
	Problems         []string // in the order in which they were found
}

// The encodings that browsers accept, and none.
var encodings = []string{"gzip, deflate, br, zstd", "gzip", "identity"}

// maxBody bounds a file, in bytes after decoding.
const maxBody = 32 << 20

// Check compares the page of the service at origin, such as https://example.org, with a build. The error
// comes from a request that was not answered.
func Check(ctx context.Context, client *http.Client, origin string, build Build) (*Report, error) {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &check{client: &own, origin: strings.TrimSuffix(origin, "/"), build: build, found: map[string]bool{}}
	for _, address := range append(web.Documents(), missing) {
		if err := c.document(ctx, address); err != nil {
			return nil, err
		}
	}
	for name := range build {
		c.found["/"+name] = name != index
	}
	// Files that are served refer to further ones.
	for done := map[string]bool{}; ; {
		address := c.next(done)
		if address == "" {
			return &c.report, nil
		}
		done[address] = true
		if err := c.file(ctx, address); err != nil {
			return nil, err
		}
	}
}

// missing is a page that no build has: the service answers 404 with the document.
const missing = "/there-is-no-such-page"

// check is a check under way.
type check struct {
	client *http.Client
	origin string
	build  Build
	found  map[string]bool // paths of files: of the build, and of those that served files name
	report Report
}

// next returns the first path that is not done, "" for none.
func (c *check) next(done map[string]bool) string {
	var open []string
	for address, wanted := range c.found {
		if wanted && !done[address] {
			open = append(open, address)
		}
	}
	if len(open) == 0 {
		return ""
	}
	return slices.Min(open)
}

// problem adds a problem.
func (c *check) problem(format string, args ...any) {
	c.report.Problems = append(c.report.Problems, fmt.Sprintf(format, args...))
}

// document compares the document at an address, for visitors with and without a session.
func (c *check) document(ctx context.Context, address string) error {
	c.report.Documents++
	for _, cookie := range []string{"", "roshambo_session=none"} {
		for _, encoding := range encodings {
			r, err := c.get(ctx, address, encoding, cookie)
			if err != nil {
				return err
			}
			document := web.Canonical(r.body)
			switch want := http.StatusOK; {
			case address == missing && r.status != http.StatusNotFound, address != missing && r.status != want:
				c.problem("%s: status %d (%s)", address, r.status, encoding)
			case sha256.Sum256(document) != c.build[index]:
				c.problem("%s: the document is not that of the build (%s)", address, encoding)
			case r.header.Get("Content-Security-Policy") != web.PolicyFor(document):
				c.problem("%s: the Content-Security-Policy is not that of the build (%s)", address, encoding)
			}
			for _, name := range []string{"Link", "Refresh"} {
				if r.header.Get(name) != "" {
					c.problem("%s: the header %s loads something else (%s)", address, name, encoding)
				}
			}
			c.follow(address, r.body)
		}
	}
	return nil
}

// file compares the file at an address.
func (c *check) file(ctx context.Context, address string) error {
	c.report.Files++
	want, known := c.build[strings.TrimPrefix(address, "/")]
	for _, encoding := range encodings {
		r, err := c.get(ctx, address, encoding, "")
		if err != nil {
			return err
		}
		switch {
		case !known && r.status == http.StatusNotFound: // a text that only looks like a path
		case !known:
			c.problem("%s: the build has no such file (%s)", address, encoding)
		case r.status != http.StatusOK:
			c.problem("%s: status %d (%s)", address, r.status, encoding)
		case sha256.Sum256(r.body) != want:
			c.problem("%s: not the file of the build (%s)", address, encoding)
		}
		c.follow(address, r.body)
	}
	return nil
}

// reference finds the paths that documents, scripts, style sheets and manifests name.
var reference = regexp.MustCompile(
	`["'(=](\.{0,2}/[A-Za-z0-9._/-]+\.(?:css|html|js|mjs|png|svg|wasm|webmanifest|woff2))["'\s)?#>]`)

// follow adds the files that a file names.
func (c *check) follow(address string, content []byte) {
	for _, match := range reference.FindAllSubmatch(content, -1) {
		name := string(match[1])
		if !strings.HasPrefix(name, "/") {
			name = path.Join(path.Dir(address), name)
		}
		if strings.HasPrefix(name, "//") || strings.HasPrefix(name, "/og/") { // another site, and pictures of previews
			continue
		}
		c.found[name] = name != "/"+index
	}
}

// response is a decoded response.
type response struct {
	status int
	header http.Header
	body   []byte
}

// get requests an address as a browser does. A body that cannot be decoded is returned as it is.
func (c *check) get(ctx context.Context, address, encoding, cookie string) (*response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.origin+address, http.NoBody)
	if err != nil {
		return nil, err
	}
	h := request.Header
	h.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	h.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	h.Set("Accept-Language", "en-US,en;q=0.5")
	h.Set("Accept-Encoding", encoding) // also keeps net/http from decoding
	if cookie != "" {
		h.Set("Cookie", cookie)
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	packed, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return nil, err
	}
	body, err := decode(packed, answer.Header.Get("Content-Encoding"))
	if err != nil {
		body = packed
	}
	return &response{answer.StatusCode, answer.Header, body}, nil
}

// errEncoding reports a Content-Encoding that the check did not accept.
var errEncoding = errors.New("pagecheck: an unknown encoding")

// decode decodes a body.
func decode(packed []byte, encoding string) ([]byte, error) {
	r := io.Reader(bytes.NewReader(packed))
	switch encoding {
	case "":
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		r = unpacked
	default:
		return nil, errEncoding
	}
	return io.ReadAll(io.LimitReader(r, maxBody))
}

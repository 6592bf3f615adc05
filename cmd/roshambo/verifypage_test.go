package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/platform/release"
	"roshambo/internal/server/pagecheck"
)

// TestVerifyPage compares the page of a running service with this program, with a signed list and with a
// folder, then behind a proxy that changes one file.
func TestVerifyPage(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, err := url.Parse(server.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(home)
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.URL.Path == "/sw.js" && r.Header.Get("Content-Encoding") == "" {
			served, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(served, []byte("self"), []byte("Self"), 1)))
			return err
		}
		return nil
	}
	tampered := httptest.NewServer(proxy)
	t.Cleanup(tampered.Close)
	list, key := signedPage(t, nil)
	older, _ := signedPage(t, func(r *release.Release) { r.Files[0].Digest[0] ^= 1 })
	programs, _ := signedPage(t, func(r *release.Release) { r.Files = r.Files[:1]; r.Files[0].Name = "roshambo" })
	for name, tt := range map[string]struct {
		args   []string
		status int
		prints string
	}{
		"this program":         {[]string{server.url}, 0, "VERIFIED: "},
		"a release":            {[]string{"--release", list, "--key", key, server.url}, 0, "are those of release 9.9.9"},
		"a folder":             {[]string{"--build", "../../web/dist", server.url + "/"}, 0, "VERIFIED: "},
		"one file tampered":    {[]string{tampered.URL}, 1, "problem  /sw.js: not the file of the build (identity)\nNOT VERIFIED"},
		"another release":      {[]string{"--release", older, "--key", key, server.url}, 1, "NOT VERIFIED"},
		"unreachable":          {[]string{"http://127.0.0.1:1"}, 1, ""},
		"a list of programs":   {[]string{"--release", programs, "--key", key, server.url}, 2, ""},
		"no URL":               {[]string{"roshambo.example.org"}, 2, ""},
		"a malformed key":      {[]string{"--release", list, "--key", "house", server.url}, 2, ""},
		"a list without a key": {[]string{"--release", list, server.url}, 2, ""},
		"no such list":         {[]string{"--release", list + ".none", "--key", key, server.url}, 2, ""},
		"no such folder":       {[]string{"--build", list + ".none", server.url}, 2, ""},
		"two builds":           {[]string{"--build", "../../web/dist", "--release", list, "--key", key, server.url}, 2, ""},
		"nothing":              {nil, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), "roshambo", append([]string{"verify-page"}, tt.args...)...).Output()
			status := 0
			if failed := new(exec.ExitError); errors.As(err, &failed) {
				status = failed.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if status != tt.status || !strings.Contains(string(out), tt.prints) {
				t.Errorf("status %d, want %d:\n%s\nwant %q", status, tt.status, out, tt.prints)
			}
		})
	}
}

// signedPage returns a file with the signed list of a release of this program's page, and the verifier key.
func signedPage(t *testing.T, change func(r *release.Release)) (file, key string) {
	t.Helper()
	private, public, err := note.GenerateKey(strings.NewReader(strings.Repeat("seed", 16)), "releases.example.org")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	r := &release.Release{Version: "9.9.9", Commit: strings.Repeat("0f", 20), Go: "go1.26.8"}
	for name, digest := range pagecheck.Embedded() {
		r.Files = append(r.Files, release.File{Name: release.PagePrefix + name, Digest: digest})
	}
	if change != nil {
		change(r)
	}
	signed, err := release.Sign(r, signer)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "release.txt")
	if err := os.WriteFile(file, signed, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, public
}

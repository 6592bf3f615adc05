package web_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"roshambo/web"
)

// TestVerifiersAreServedWithTheirDigests: the served files agree with the list of digests, with the
// repository and with this program.
func TestVerifiersAreServedWithTheirDigests(t *testing.T) {
	t.Parallel()
	page := web.Handler()
	get := func(address string, headers ...string) *httptest.ResponseRecorder {
		t.Helper()
		if !page.Has(address) {
			t.Errorf("%s: the page has no such file", address)
		}
		r := httptest.NewRequest(http.MethodGet, address, nil)
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{
		"verify.py": "../verify/python/verify.py",
		"verify.ts": "../verify/ts/verify.ts",
		"roshambo-" + runtime.GOOS + "-" + runtime.GOARCH: program,
	}
	lines := strings.Split(strings.TrimSuffix(get("/verify/SHA256SUMS").Body.String(), "\n"), "\n")
	if len(lines) != len(sources) {
		t.Errorf("SHA256SUMS: got %q, want a line for each of %v", lines, sources)
	}
	for _, line := range lines {
		digest, name, _ := strings.Cut(line, "  ")
		want, err := os.ReadFile(filepath.Clean(sources[name]))
		if err != nil {
			t.Errorf("SHA256SUMS lists %q: %v", name, err)
			continue
		}
		w := get("/verify/" + name)
		got := fmt.Sprintf("%x", sha256.Sum256(w.Body.Bytes()))
		if w.Code != http.StatusOK || got != digest || w.Body.String() != string(want) {
			t.Errorf("%s: status %d, %d bytes with digest %s; want %d bytes with %s", name, w.Code, w.Body.Len(), got,
				len(want), digest)
		}
		if again := get("/verify/"+name, "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s: a client that has it gets status %d", name, again.Code)
		}
	}
	part := get("/verify/roshambo-"+runtime.GOOS+"-"+runtime.GOARCH, "Range", "bytes=1-3")
	if part.Code != http.StatusPartialContent || part.Body.Len() != 3 {
		t.Errorf("a part of the program: status %d, %d bytes", part.Code, part.Body.Len())
	}
}

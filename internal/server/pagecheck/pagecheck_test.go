package pagecheck_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"roshambo/docs"
	"roshambo/internal/server/pagecheck"
	"roshambo/verify"
	"roshambo/web"
)

// chunk is a file of the build that index.html does not load at first.
func chunk(t *testing.T) string {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(web.Files())) {
		if strings.HasPrefix(name, "assets/") && strings.HasSuffix(name, ".js") {
			return name
		}
	}
	t.Fatal("the build has no chunk")
	return ""
}

// checked checks a server that changes what the honest page serves. change, which may be nil, gets the response
// before it is sent.
func checked(t *testing.T, change func(r *http.Request, w *httptest.ResponseRecorder)) []string {
	t.Helper()
	page := web.Handler()
	page.Origin = "https://roshambo.example.org"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		honest := httptest.NewRecorder()
		head := &web.Head{Title: `<b>"A" & 'b'</b>`, Description: "<script>", Image: "/og/home.png?v=1"}
		page.ServeHead(honest, r, head)
		if change != nil {
			change(r, honest)
		}
		maps.Copy(w.Header(), honest.Header())
		w.Header().Set("Content-Length", strconv.Itoa(honest.Body.Len()))
		w.WriteHeader(honest.Code)
		_, _ = w.Write(honest.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	report, err := pagecheck.Check(t.Context(), server.Client(), server.URL+"/", pagecheck.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	if report.Files < len(pagecheck.Embedded())-1 || report.Documents <= len(web.Documents()) {
		t.Errorf("%d files, %d documents", report.Files, report.Documents)
	}
	return report.Problems
}

// replaceBody replaces a response's body, in the encoding br when it had that.
func replaceBody(w *httptest.ResponseRecorder, change func(plain string) string) {
	plain := w.Body.Bytes()
	packed := w.Header().Get("Content-Encoding") == "br"
	if packed {
		var b bytes.Buffer
		_, _ = b.ReadFrom(brotli.NewReader(bytes.NewReader(plain)))
		plain = b.Bytes()
	}
	changed := []byte(change(string(plain)))
	w.Body.Reset()
	if !packed {
		w.Body.Write(changed)
		return
	}
	b := brotli.NewWriter(w.Body)
	_, _ = b.Write(changed)
	_ = b.Close()
}

// TestCheck checks the honest page, and pages in which one thing differs.
func TestCheck(t *testing.T) {
	t.Parallel()
	asset := "/" + chunk(t)
	more := func(plain string) string { return plain + "\n" }
	at := func(address string, change func(w *httptest.ResponseRecorder)) func(*http.Request, *httptest.ResponseRecorder) {
		return func(r *http.Request, w *httptest.ResponseRecorder) {
			if r.URL.Path == address {
				change(w)
			}
		}
	}
	in := func(old, with string) func(w *httptest.ResponseRecorder) {
		return func(w *httptest.ResponseRecorder) {
			if w.Header().Get("Content-Encoding") == "" {
				replaceBody(w, func(plain string) string { return strings.Replace(plain, old, with, 1) })
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(*http.Request, *httptest.ResponseRecorder)
		want   string // of the first problem; "" for none
	}{
		"honest": {nil, ""},
		"a chunk, packed with brotli alone": {at(asset, func(w *httptest.ResponseRecorder) {
			if w.Header().Get("Content-Encoding") == "br" {
				replaceBody(w, more)
			}
		}), asset + ": not the file of the build (gzip, deflate, br, zstd)"},
		"a chunk, not packed": {at(asset, in("a", "b")), asset + ": not the file of the build (identity)"},
		"the service worker":  {at("/sw.js", in("fetch", "fetsh")), "/sw.js: not the file of the build"},
		"the document of one page": {at("/verify", in("</body>", `<script src="/assets/evil.js"></script></body>`)),
			"/verify: the document is not that of the build"},
		"the document for visitors with a session": {func(r *http.Request, w *httptest.ResponseRecorder) {
			if r.URL.Path == "/" && r.Header.Get("Cookie") != "" {
				in("<body>", "<body><b></b>")(w)
			}
		}, "/: the document is not that of the build"},
		"a script in the head": {at("/", in("</title>", "</title><script>1</script>")), "/: the document is not"},
		"a tag that loads in the head": {at("/", in(`<meta name="description"`, `<meta http-equiv="refresh"`)),
			"/: the document is not"},
		"a weaker policy": {at("/market", func(w *httptest.ResponseRecorder) {
			w.Header().Set("Content-Security-Policy", "default-src *")
		}), "/market: the Content-Security-Policy is not"},
		"a header that loads": {at("/", func(w *httptest.ResponseRecorder) {
			w.Header().Set("Link", "</x.js>; rel=modulepreload")
		}), "/: the header Link loads something else"},
		"a redirect": {at("/", func(w *httptest.ResponseRecorder) {
			w.Code = http.StatusFound
			w.Header().Set("Location", "/elsewhere")
		}), "/: status 302"},
		"the page of what is missing": {at("/there-is-no-such-page", func(w *httptest.ResponseRecorder) {
			w.Code = http.StatusOK
		}), "/there-is-no-such-page: status 200"},
		"an encoding that was not asked for": {at(asset, func(w *httptest.ResponseRecorder) {
			w.Header().Set("Content-Encoding", "compress")
		}), asset + ": not the file of the build"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := checked(t, tt.change)
			if tt.want == "" && len(problems) > 0 || tt.want != "" && (len(problems) == 0 ||
				!strings.HasPrefix(problems[0], tt.want)) {
				t.Errorf("problems %q, want %q first", problems, tt.want)
			}
		})
	}
}

// TestAnotherFile checks that a file which a changed document names is requested, and reported.
func TestAnotherFile(t *testing.T) {
	t.Parallel()
	problems := checked(t, func(r *http.Request, w *httptest.ResponseRecorder) {
		switch r.URL.Path {
		case "/duels":
			replaceBody(w, func(plain string) string { return plain + `<script src="/assets/evil.js"></script>` })
		case "/assets/evil.js":
			w.Code = http.StatusOK
		}
	})
	if !slices.ContainsFunc(problems, func(p string) bool {
		return strings.HasPrefix(p, "/assets/evil.js: the build has no such file")
	}) {
		t.Errorf("problems %q", problems)
	}
}

// TestFolder checks that the build in a folder is the embedded one, without the verifiers and the documents.
func TestFolder(t *testing.T) {
	t.Parallel()
	build, err := pagecheck.Folder("../../../web/dist")
	embedded := pagecheck.Embedded()
	beside := []string{"llms.txt"}
	for name := range verify.Standalone() {
		beside = append(beside, "verify/"+name)
	}
	for name := range docs.All() {
		beside = append(beside, "docs/"+name)
	}
	for name := range docs.Pictures() {
		beside = append(beside, "docs/"+name)
	}
	for _, name := range beside {
		if _, found := embedded[name]; !found {
			t.Errorf("the embedded build has no %s", name)
		}
		delete(embedded, name)
	}
	if err != nil || !maps.Equal(build, embedded) {
		t.Errorf("%d files, %v, want the %d embedded ones", len(build), err, len(embedded))
	}
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "a.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{empty, filepath.Join(empty, "none")} {
		if _, err := pagecheck.Folder(folder); err == nil {
			t.Errorf("%s is a build", folder)
		}
	}
}

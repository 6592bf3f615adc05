package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"roshambo/web"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		address string
		status  int
		holds   string // part of the body
	}{
		{"/", 200, `<div id="app">`},
		{"/chain", 200, `<div id="app">`},
		{"/block/12", 200, `<div id="app">`},
		{"/r/0198c3a2-run", 200, `<div id="app">`},
		{"/verify", 200, `<div id="app">`},
		{"/index.html", 200, `<div id="app">`},
		{"/theme.js", 200, "localStorage"},
		{"/favicon.svg", 200, "<svg"},
		{"/duels/", 308, `"/duels"`},
		{"/block/12/", 308, `"/block/12"`},
		{"/block/", 404, `<div id="app">`},
		{"/duels//", 404, `<div id="app">`},
		{"/block/1/2", 404, `<div id="app">`},
		{"/nowhere", 404, `<div id="app">`},
		{"//", 404, `<div id="app">`},
		{"/assets/index-00000000.js", 404, "File not found"},
		{"/assets/", 404, "File not found"},
		{"/assets", 404, `<div id="app">`},
		{"/robots.txt", 404, "File not found"},
		{"/../embed.go", 404, "File not found"},
		{"/dist/index.html", 404, "File not found"},
	} {
		t.Run(test.address, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.URL.Path = test.address
			w := httptest.NewRecorder()
			handler().ServeHTTP(w, r)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.holds) {
				t.Errorf("GET %s: got %d %.60q, want %d with %q", test.address, w.Code, w.Body, test.status, test.holds)
			}
		})
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

var handler = sync.OnceValue(web.Handler)

// get makes a request with headers given as pairs.
func get(method, address string, headers ...string) answer {
	r := httptest.NewRequest(method, address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

var (
	reference = regexp.MustCompile(`(?:src|href)="([^"]+)"`)
	inline    = regexp.MustCompile(`<style|style=|<script>|javascript:| on[a-z]+=`)
)

func TestIndexNeedsNothingButThisSite(t *testing.T) {
	t.Parallel()
	index := get(http.MethodGet, "/").body
	found := reference.FindAllStringSubmatch(index, -1)
	if len(found) < 3 {
		t.Fatalf("index.html refers to %d files, want its icon, scripts and styles", len(found))
	}
	for _, match := range found {
		if r := get(http.MethodGet, match[1]); r.status != http.StatusOK {
			t.Errorf("index.html refers to %s: got %d, want 200", match[1], r.status)
		}
	}
	if found := inline.FindString(index); found != "" {
		t.Errorf("index.html holds %q, which the Content-Security-Policy forbids", found)
	}
}

func TestCaching(t *testing.T) {
	t.Parallel()
	asset := regexp.MustCompile(`/assets/index-[^"]+\.js`).FindString(get(http.MethodGet, "/").body)
	for address, want := range map[string]string{
		"/":         "no-cache",
		"/chain":    "no-cache",
		"/theme.js": "no-cache",
		asset:       "public, max-age=31536000, immutable",
	} {
		first := get(http.MethodGet, address)
		if got := first.header.Get("Cache-Control"); got != want {
			t.Errorf("GET %s: got Cache-Control %q, want %q", address, got, want)
		}
		etag := first.header.Get("ETag")
		for _, header := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} {
			again := get(http.MethodGet, address, "If-None-Match", header)
			if again.status != http.StatusNotModified || again.body != "" {
				t.Errorf("GET %s with If-None-Match %s: got %d and %d bytes, want 304 and none", address, header, again.status, len(again.body))
			}
		}
		if other := get(http.MethodGet, address, "If-None-Match", `"other"`); other.status != http.StatusOK {
			t.Errorf("GET %s with another ETag: got %d, want 200", address, other.status)
		}
	}
	if r := get(http.MethodGet, "/nowhere", "If-None-Match", "*"); r.status != http.StatusNotFound {
		t.Errorf("an unknown address with If-None-Match: got %d, want 404", r.status)
	}
}

func TestIndexWithoutSession(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/", "/chain", "/index.html"} {
		noSession := get(http.MethodGet, address)
		if !strings.Contains(noSession.body, `<html lang="en" data-no-session>`) {
			t.Errorf("GET %s without a cookie: got %.60q, want the attribute data-no-session", address, noSession.body)
		}
		if r := get(http.MethodGet, address, "Cookie", "theme=dark"); r.body != noSession.body {
			t.Errorf("GET %s with another cookie: got %.60q, want the page without a session", address, r.body)
		}
		for _, cookie := range []string{"roshambo_session=t", "a=b; __Host-roshambo_session=t"} {
			// A cached page from before the session must not match.
			r := get(http.MethodGet, address, "Cookie", cookie, "If-None-Match", noSession.header.Get("ETag"))
			if r.status != http.StatusOK || !strings.Contains(r.body, `<html lang="en">`) {
				t.Errorf("GET %s with Cookie %s: got %d %.60q, want another page", address, cookie, r.status, r.body)
			}
			if got := r.header.Values("Vary"); !slices.Contains(got, "Cookie") {
				t.Errorf("GET %s: got Vary %q, want Cookie among it", address, got)
			}
		}
	}
}

func TestTrailingSlashRedirectKeepsQuery(t *testing.T) {
	t.Parallel()
	r := get(http.MethodGet, "/t/%C3%A4%22/?x=1")
	if got := r.header.Get("Location"); r.status != http.StatusPermanentRedirect || got != "/t/%C3%A4%22?x=1" {
		t.Errorf("got %d to %q, want 308 to /t/%%C3%%A4%%22?x=1", r.status, got)
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	plain := get(http.MethodGet, "/theme.js")
	for header, packed := range map[string]bool{
		"": false, "identity": false, "br": false, "gzip;q=0": false, "gzip;q=x": false,
		"gzip": true, "br, gzip": true, "GZIP; q=0.5": true,
	} {
		r := get(http.MethodGet, "/theme.js", "Accept-Encoding", header)
		if got := r.header.Get("Content-Encoding") == "gzip"; got != packed {
			t.Errorf("Accept-Encoding %q: got gzip %v, want %v", header, got, packed)
			continue
		}
		if r.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got Vary %q", header, r.header.Get("Vary"))
		}
		if !packed {
			continue
		}
		if r.header.Get("ETag") == plain.header.Get("ETag") {
			t.Errorf("the gzipped form has the ETag of the plain one")
		}
		unpacked, err := gzip.NewReader(strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(unpacked); err != nil || string(got) != plain.body {
			t.Errorf("Accept-Encoding %q: got %q, %v, want %q", header, got, err, plain.body)
		}
	}
}

func TestHeadersAndMethods(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/", "/theme.js", "/nowhere", "/assets/none.js"} {
		r := get(http.MethodGet, address)
		policy := r.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("GET %s: got Content-Security-Policy %q", address, policy)
		}
		if got := r.header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("GET %s: got X-Content-Type-Options %q", address, got)
		}
	}
	full, head := get(http.MethodGet, "/"), get(http.MethodHead, "/")
	if head.body != "" || head.header.Get("Content-Length") != full.header.Get("Content-Length") {
		t.Errorf("HEAD /: got %d bytes, Content-Length %s, want none and %s", len(head.body), head.header.Get("Content-Length"), full.header.Get("Content-Length"))
	}
	post := get(http.MethodPost, "/")
	if post.status != http.StatusMethodNotAllowed || post.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST /: got %d, Allow %q, want 405 and GET, HEAD", post.status, post.header.Get("Allow"))
	}
}

package adminpage_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/adminpage"
)

// page returns a page without acts, which tests of internal/app cover with the whole service.
func page() *adminpage.Page {
	return adminpage.New(adminpage.Config{
		Call:     func(context.Context, adminpage.Call) adminpage.Answer { return adminpage.Answer{Status: 200} },
		Refused:  func(context.Context, string, string, string) {},
		Overview: func(context.Context) adminpage.Overview { return adminpage.Overview{Node: "node-1"} },
		Now:      time.Now, Log: slog.New(slog.DiscardHandler),
	})
}

// signIn uses a link, and returns the answer.
func signIn(
	t *testing.T, p *adminpage.Page, link string, change func(*http.Request),
) (w *httptest.ResponseRecorder, cookies []*http.Cookie) {
	t.Helper()
	_, query, _ := strings.Cut(link, "?")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/page/open", strings.NewReader(query))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	change(r)
	w = httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w, w.Result().Cookies()
}

// unchanged sends a request as it is.
func unchanged(*http.Request) {}

// TestCookie: the cookie is for this page alone, no script reads it, and over TLS it is never sent without.
func TestCookie(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		p := page()
		w, cookies := signIn(t, p, p.NewLink("ann"), func(r *http.Request) {
			if secure {
				r.TLS = &tls.ConnectionState{}
			}
		})
		if len(cookies) != 1 || w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/page/" {
			t.Fatalf("status %d, cookies %v", w.Code, cookies)
		}
		c := cookies[0]
		if c.Path != "/page/" || c.Domain != "" || c.MaxAge != 3600 || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode ||
			c.Secure != secure {
			t.Errorf("with TLS %v the cookie is %v", secure, c)
		}
		other := page()
		if _, cookies := signIn(t, other, other.NewLink("ann"), unchanged); cookies[0].Name == c.Name {
			t.Error("two nodes at one host name have one cookie")
		}
	}
}

// TestEarlierSessionEnds: a browser that signs in again has one session.
func TestEarlierSessionEnds(t *testing.T) {
	t.Parallel()
	p := page()
	_, cookies := signIn(t, p, p.NewLink("ann"), unchanged)
	first := cookies[0]
	status := func() int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/page/", nil)
		r.AddCookie(&http.Cookie{Name: first.Name, Value: "set by another port"})
		r.AddCookie(first)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		return w.Code
	}
	if got := status(); got != http.StatusOK {
		t.Errorf("signed in, beside a foreign cookie of this name: %d", got)
	}
	signIn(t, p, p.NewLink("ann"), func(r *http.Request) { r.AddCookie(first) })
	if got := status(); got != http.StatusUnauthorized {
		t.Errorf("the session before the last sign-in: %d", got)
	}
}

// TestBounds: links and sessions beyond a number end the oldest ones.
func TestBounds(t *testing.T) {
	t.Parallel()
	p := page()
	oldest, second := p.NewLink("ann"), p.NewLink("ann")
	for range adminpage.MaxLinks - 1 {
		p.NewLink("bob")
	}
	if w, _ := signIn(t, p, oldest, unchanged); w.Code != http.StatusForbidden {
		t.Errorf("the oldest of too many links: %d", w.Code)
	}
	_, cookies := signIn(t, p, second, unchanged)
	for range adminpage.MaxSessions {
		if w, _ := signIn(t, p, p.NewLink("bob"), unchanged); w.Code != http.StatusSeeOther {
			t.Fatalf("sign in: %d", w.Code)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/page/", nil)
	r.AddCookie(cookies[0])
	w := httptest.NewRecorder()
	if p.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
		t.Errorf("the oldest of too many sessions: %d", w.Code)
	}
}

// TestHeaders: no answer is stored, framed or allowed to load anything but the style sheet, and the style sheet has
// the design tokens.
func TestHeaders(t *testing.T) {
	t.Parallel()
	p := page()
	for path, status := range map[string]int{
		"/page/": 401, "/page/open": 401, "/page/open?token=a": 200, "/page/open?token=" + strings.Repeat("a", 65): 401,
		"/page/style.css": 200, "/page/none": 404,
	} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		h := w.Header()
		if w.Code != status || h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; style-src 'self'; form-action 'self'; "+
				"frame-ancestors 'none'; base-uri 'none'" || h.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: status %d, want %d, headers %v", path, w.Code, status, h)
		}
		if path == "/page/style.css" && !strings.Contains(w.Body.String(), "--accent:") {
			t.Errorf("the style sheet: %s", w.Body)
		}
	}
	hostile := url.Values{"token": {`"><script>alert(1)</script>`}}.Encode()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/page/open?"+hostile, nil))
	if strings.Contains(w.Body.String(), "<script") || !strings.Contains(w.Body.String(), "&lt;script") {
		t.Errorf("a hostile link: %s", w.Body)
	}
}

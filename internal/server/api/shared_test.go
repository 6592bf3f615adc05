package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// Addresses of these tests: many people share school and office.
const (
	school  = "198.51.100.7"
	office  = "2001:db8:5:1::7"
	carrier = "203.0.113.7"
)

// crowd is a stack with a limit of crowdLimit calls an hour, asked from any address.
type crowd struct {
	*stack

	guests int
}

const crowdLimit = 8

// newCrowd starts a crowd; change edits its configuration.
func newCrowd(t *testing.T, change ...func(*edge.Config)) *crowd {
	t.Helper()
	s := build(t, append([]func(*edge.Config){func(c *edge.Config) {
		var err error
		if c.SharedAddresses, err = limit.ParseRanges([]string{"198.51.100.0/24", "2001:db8:5::/48"}); err != nil {
			t.Fatal(err)
		}
		if c.RateLimit, err = limit.NewLog(crowdLimit, time.Hour); err != nil {
			t.Fatal(err)
		}
		if c.FileLimit, err = limit.NewLog(10*crowdLimit, time.Hour); err != nil {
			t.Fatal(err)
		}
	}}, change...)...)
	return &crowd{stack: s}
}

// ask sends a request from an address, with headers in pairs.
func (c *crowd) ask(t *testing.T, from, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.RemoteAddr = "[" + from + "]:1234"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	c.edge.ServeHTTP(w, r)
	return w
}

// guest opens an account at an address of its own, and returns its session as a header.
func (c *crowd) guest(t *testing.T) (header []string) {
	t.Helper()
	c.guests++
	w := c.ask(t, fmt.Sprintf("192.0.2.%d", c.guests), "POST", "/api/guest")
	for _, cookie := range w.Result().Cookies() {
		if strings.HasSuffix(cookie.Name, "roshambo_session") {
			return []string{"Cookie", cookie.Name + "=" + cookie.Value}
		}
	}
	t.Fatalf("a guest: %d %s", w.Code, w.Body)
	return nil
}

// answered returns how many of many reads of the own account from an address are not refused for the
// limit, and the policy that the last one was told.
func (c *crowd) answered(t *testing.T, many int, from string, header ...string) (n int, policy string) {
	t.Helper()
	for range many {
		w := c.ask(t, from, "GET", "/api/me", header...)
		if w.Code != http.StatusTooManyRequests {
			n++
		}
		policy = fmt.Sprint(w.Header()["RateLimit-Policy"]) //nolint:staticcheck // as the draft spells it
	}
	return n, policy
}

// TestSharedAddress: at an address that many people share, 16 sessions have the whole limit each, and the
// 17th meets the limit of the address, as does a call without a session.
func TestSharedAddress(t *testing.T) {
	t.Parallel()
	for _, from := range []string{school, office, "127.0.0.1", "fd00::7"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t)
			for i := range limit.SharedTimes {
				n, policy := c.answered(t, crowdLimit+3, from, c.guest(t)...)
				if want := fmt.Sprintf(`["credential";q=%d;w=3600]`, crowdLimit); n != crowdLimit || policy != want {
					t.Fatalf("session %d: %d calls were answered by %s, want %d by %s", i, n, policy, crowdLimit, want)
				}
			}
			last := c.guest(t)
			if n, _ := c.answered(t, 3, from, last...); n != 0 {
				t.Errorf("session 17: %d calls were answered, want none", n)
			}
			if n, _ := c.answered(t, 3, from); n != 0 {
				t.Errorf("without a session: %d calls were answered, want none", n)
			}
			if n, _ := c.answered(t, 3, "198.51.100.200", last...); n != 3 {
				t.Errorf("session 17 elsewhere: %d calls were answered, want 3", n)
			}
		})
	}
}

// TestWrongCredentials: keys and sessions that were never valid, or are not any more, count by the address,
// each of whose valid sessions keeps its own limit.
func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	byAddress := fmt.Sprintf(`["ip";q=%d;w=3600]`, crowdLimit)
	attempt, answered := 0, 0
	wrong := func() (header []string) {
		attempt++
		secret := fmt.Sprintf("%043d", attempt)
		return [][]string{{"Authorization", "Bearer rsk_" + secret}, {"Authorization", "Bearer rsb_" + secret},
			{"Authorization", "Basic " + secret}, {"Cookie", "roshambo_session=rss_" + secret},
			{"Cookie", "roshambo_session=" + secret}, nil}[attempt%6]
	}
	for range 5 * crowdLimit {
		n, policy := c.answered(t, 1, school, wrong()...)
		if answered += n; policy != byAddress {
			t.Fatalf("%s applies to a wrong credential, want %s", policy, byAddress)
		}
	}
	if answered != crowdLimit {
		t.Errorf("%d wrong credentials were answered, want %d", answered, crowdLimit)
	}
	honest := c.guest(t)
	if n, _ := c.answered(t, crowdLimit, school, honest...); n != crowdLimit {
		t.Errorf("a session beside them: %d calls were answered, want %d", n, crowdLimit)
	}
	var me api.MeOut
	if err := json.Unmarshal(c.ask(t, office, "GET", "/api/me", honest...).Body.Bytes(), &me); err != nil {
		t.Fatal(err)
	}
	csrf := *me.CSRFToken
	if w := c.ask(t, office, "POST", "/api/auth/logout", append(honest, "X-CSRF-Token", csrf)...); w.Code != 200 {
		t.Fatalf("logout: %d %s", w.Code, w.Body)
	}
	c.answered(t, 1, office, honest...)
	if n, policy := c.answered(t, 2*crowdLimit, office, honest...); n != crowdLimit || policy != byAddress {
		t.Errorf("a session that ended: %d calls were answered by %s, want %d by %s", n, policy, crowdLimit, byAddress)
	}
}

// TestClassBehindFlood: calls without a session that have used up the calls of a shared address keep no
// session out that the node does not remember. Wrong sessions cost the address, and find a bounded number of
// look-ups.
func TestClassBehindFlood(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	var pupils [][]string
	for range 60 {
		pupils = append(pupils, c.guest(t))
	}
	c.accounts.ForgetAddresses()
	if n, _ := c.answered(t, 3*crowdLimit, school); n != crowdLimit {
		t.Fatalf("%d calls of the flood were answered, want %d", n, crowdLimit)
	}
	for i, pupil := range pupils {
		n, policy := c.answered(t, 2, school, pupil...)
		if want := fmt.Sprintf(`["credential";q=%d;w=3600]`, crowdLimit); n != 2 || policy != want {
			t.Fatalf("pupil %d: %d of 2 calls were answered by %s, want %s", i, n, policy, want)
		}
	}
	for _, from := range []string{school, "198.51.100.8"} { // after the flood, and without one
		before, answered := c.db.Stats().Views, 0
		for i := range 20 * crowdLimit {
			n, _ := c.answered(t, 1, from, "Authorization", fmt.Sprintf("Bearer rsk_%043d", i))
			answered += n
		}
		want := map[string]int{school: 0, "198.51.100.8": crowdLimit}[from]
		// A quarter of the limit, and a look-up for each call that the address has.
		if most := int64(crowdLimit/4 + want); answered != want || c.db.Stats().Views-before > most {
			t.Errorf("%s: %d wrong keys were answered with %d look-ups, want %d with at most %d",
				from, answered, c.db.Stats().Views-before, want, most)
		}
	}
	c.accounts.ForgetAddresses() // the look-ups of the addresses are used up, their calls as well
	if n, _ := c.answered(t, 1, school, pupils[0]...); n != 0 {
		t.Error("a session that is not remembered was looked up beyond the budget")
	}
}

// TestUnsharedAddress: the sessions of all other addresses have one limit together.
func TestUnsharedAddress(t *testing.T) {
	t.Parallel()
	unshared := func(c *edge.Config) { c.SharePrivate = false }
	for name, tt := range map[string]struct {
		from   string
		change func(*edge.Config)
		header []string
	}{
		"public":                          {carrier, func(*edge.Config) {}, nil},
		"private, of a public service":    {"127.0.0.1", unshared, nil},
		"private IPv6 of such a service":  {"fd00::7", unshared, nil},
		"a proxy that is not named":       {"127.0.0.1", func(*edge.Config) {}, []string{"X-Forwarded-For", school}},
		"a header that a client can send": {carrier, func(*edge.Config) {}, []string{"X-Forwarded-For", school}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, tt.change)
			if n, policy := c.answered(t, 5, tt.from, append(tt.header, c.guest(t)...)...); n != 5 ||
				policy != fmt.Sprintf(`["ip";q=%d;w=3600]`, crowdLimit) {
				t.Errorf("%d of 5 calls were answered by %s", n, policy)
			}
			if n, _ := c.answered(t, crowdLimit, tt.from, append(tt.header, c.guest(t)...)...); n != crowdLimit-5 {
				t.Errorf("another session: %d calls were answered, want %d", n, crowdLimit-5)
			}
		})
	}
}

// TestFilesAreNoCalls: files of the page, pictures and files of the public log use up no calls, and calls no
// files.
func TestFilesAreNoCalls(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	files := []string{"/", "/assets/x.js", "/log/checkpoint", "/log/nothing", "/og/token/1.png", "/api/docs", "/d/NONE"}
	for i := range 10*crowdLimit + 5 {
		w := c.ask(t, carrier, "GET", files[i%len(files)])
		policy := fmt.Sprint(w.Header()["RateLimit-Policy"]) //nolint:staticcheck // as the draft spells it
		if refused := w.Code == http.StatusTooManyRequests; refused != (i >= 10*crowdLimit) ||
			policy != fmt.Sprintf(`["files";q=%d;w=3600]`, 10*crowdLimit) {
			t.Fatalf("file %d, %s: %d by %s", i, files[i%len(files)], w.Code, policy)
		}
	}
	if n, _ := c.answered(t, crowdLimit+1, carrier); n != crowdLimit {
		t.Errorf("%d calls were answered after the files, want %d", n, crowdLimit)
	}
	if w := c.ask(t, "203.0.113.8", "GET", "/"); w.Code != http.StatusOK {
		t.Errorf("another address: %d", w.Code)
	}
	policy := fmt.Sprintf(`["files";q=%d;w=3600]`, 160*crowdLimit)
	if w := c.ask(t, school, "GET", "/"); fmt.Sprint(w.Header()["RateLimit-Policy"]) != policy { //nolint:staticcheck // as above
		t.Errorf("a shared address: %v, want %s", w.Header(), policy)
	}
}

// TestLogBytes: the public log has a limit in bytes, by the networks of an address. HEAD sends none.
func TestLogBytes(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, func(c *edge.Config) {
		var err error
		if c.LogLimit, err = limit.New(3, time.Hour); err != nil {
			t.Fatal(err)
		}
	})
	for i, tt := range []struct {
		from, method string
		want         int
	}{
		{carrier, "HEAD", 200}, {carrier, "GET", 200}, {carrier, "GET", 200}, {carrier, "GET", 200}, {carrier, "GET", 429},
		{carrier, "HEAD", 200}, {"2001:db8::1", "GET", 200}, {"2001:db8:0:1::1", "GET", 200}, {"2001:db8:1::1", "GET", 200},
	} {
		w := c.ask(t, tt.from, tt.method, "/log/checkpoint")
		if w.Code != tt.want || (w.Header().Get("Retry-After") != "") != (tt.want == 429) {
			t.Errorf("step %d: %s from %s is %d with %v, want %d", i, tt.method, tt.from, w.Code, w.Header(), tt.want)
		}
	}
}

// TestNavigationWaits: a browser that opens a page beyond the limit gets a page that opens it again, in its
// language; scripts and programs get JSON.
func TestNavigationWaits(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	for range 10 * crowdLimit {
		c.ask(t, carrier, "GET", "/")
	}
	for range crowdLimit {
		c.ask(t, carrier, "GET", "/api/tiers")
	}
	const html = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, tt := range []struct {
		method, path, accept, language string
		want                           string // "" for JSON
	}{
		{"GET", "/", html, "", "One moment"}, {"GET", "/d/ABCD2345", html, "de-AT, en;q=0.5", "Einen Moment"},
		{"GET", "/api/docs", html, "ja", "少々"}, {"GET", "/market", html, "fr", "Un instant"},
		{"GET", "/market", html, "es-MX", "Espera un poco"}, {"GET", "/market", html, "tlh", "One moment"},
		{"GET", "/", "*/*", "de", ""}, {"GET", "/log/checkpoint", html, "de", ""}, {"GET", "/og/token/1.png", html, "", ""},
		{"POST", "/", html, "de", ""}, {"GET", "/api/tiers", html, "de", ""},
	} {
		w := c.ask(t, carrier, tt.method, tt.path, "Accept", tt.accept, "Accept-Language", tt.language)
		kind, after := w.Header().Get("Content-Type"), w.Header().Get("Retry-After")
		if w.Code != http.StatusTooManyRequests || after == "" {
			t.Errorf("%+v: %d %v", tt, w.Code, w.Header())
		}
		if tt.want == "" {
			if kind != "application/json" {
				t.Errorf("%+v: %s, want JSON", tt, kind)
			}
			continue
		}
		if text := w.Body.String(); kind != "text/html; charset=utf-8" || !strings.Contains(text, tt.want) ||
			!strings.Contains(text, `<meta http-equiv="refresh" content="`+after+`">`) || strings.Contains(text, "%!") ||
			w.Header().Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" {
			t.Errorf("%+v: %s %s", tt, kind, text)
		}
	}
}

package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// limited starts a stack behind trusted proxies with a limit on requests.
func limited(t *testing.T, n int, window time.Duration, proxies ...string) *stack {
	t.Helper()
	s := start(t, func(c *edge.Config) {
		l, err := limit.NewLog(n, window)
		if err != nil {
			t.Fatal(err)
		}
		c.RateLimit, c.TrustedProxies = l, proxies
	})
	return s
}

// rateLimit is the header as draft-ietf-httpapi-ratelimit-headers writes it: a list of
// structured fields, here of one item with two integers.
var rateLimit = regexp.MustCompile(`^"ip";r=(\d+);t=(\d+)$`)

// left returns the number of calls that the headers report as left for an address.
func (a answer) left(t *testing.T, policy string) int {
	t.Helper()
	if got := a.header.Values("RateLimit-Policy"); len(got) != 1 || got[0] != policy {
		t.Errorf("%v: RateLimit-Policy %q, want %s", a.request, got, policy)
	}
	got := a.header.Values("RateLimit")
	if len(got) != 1 || !rateLimit.MatchString(got[0]) {
		t.Fatalf("%v: RateLimit %q, want it like \"ip\";r=1;t=2", a.request, got)
	}
	n, err := strconv.Atoi(rateLimit.FindStringSubmatch(got[0])[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRateLimitOnEverything: every answer of the API reports the rest, also errors; then all are refused
// with 429.
func TestRateLimitOnEverything(t *testing.T) {
	t.Parallel()
	const n = 12
	s := limited(t, n, time.Hour) // the test itself has read the contract once
	p, policy := s.anonymous(t), fmt.Sprintf(`"ip";q=%d;w=3600`, n)
	left := n - 1
	requests := []request{
		{method: "GET", path: "/api/tiers"}, {method: "GET", path: "/api"}, {method: "GET", path: "/api/feed"},
		{method: "GET", path: "/api/me"},
		{method: "GET", path: "/api/nothing"}, {method: "DELETE", path: "/api/me"}, {method: "GET", path: "/api/season"},
		{method: "POST", path: "/api/auth/login", body: "{"}, {method: "HEAD", path: "/api/limits"},
		{method: "GET", path: "/api/openapi.json"},
		{method: "POST", path: "/api/guest"},
	}
	for _, q := range requests {
		left--
		if got := p.send(t, q).left(t, policy); got != left {
			t.Errorf("%v: %d left, want %d", q, got, left)
		}
	}
	p = s.anonymous(t)
	for _, q := range requests {
		a := p.send(t, q)
		if a.left(t, policy) != 0 || a.status != http.StatusTooManyRequests {
			t.Errorf("%v: %d %v, want 429 and none left", q, a.status, a.header)
		}
		after, err := strconv.Atoi(a.header.Get("Retry-After"))
		if err != nil || after < 1 || after > 3600 {
			t.Errorf("%v: Retry-After %q, want 1 s to an hour", q, a.header.Get("Retry-After"))
		}
		if got, want := a.header.Get("RateLimit"), `"ip";r=0;t=`+strconv.Itoa(after); got != want {
			t.Errorf("%v: RateLimit %s, want %s, as Retry-After says", q, got, want)
		}
		if q.method == "HEAD" {
			continue
		}
		if e := a.fails(t, 429, "rate_limited"); int(e.RetryAfterMS+999)/1000 != after {
			t.Errorf("%v: retry after %d ms and %d s", q, e.RetryAfterMS, after)
		}
	}
}

// TestRateLimitRecovers waits for retry_after_ms and is answered again.
func TestRateLimitRecovers(t *testing.T) {
	t.Parallel()
	s := limited(t, 2, 2*time.Second)
	tiers := request{method: "GET", path: "/api/tiers"}
	var refused []answer
	for len(refused) == 0 { // in a tight loop, so that the limit is reached on a busy machine, too
		refused = s.anonymous(t).together(t, 8, tiers)["rate_limited"]
	}
	for a := refused[0]; a.status != http.StatusOK; a = s.anonymous(t).send(t, tiers) {
		<-time.After(time.Duration(a.fails(t, 429, "rate_limited").RetryAfterMS) * time.Millisecond)
	}
}

// TestClients counts by address: the identity of a client, with all ways to forge another.
func TestClients(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		proxies []string
		a, b    string // X-Forwarded-For of two requests
		same    bool   // whether they are one client
	}{
		"no trusted proxy":          {nil, "192.0.2.1", "192.0.2.2", true},
		"loopback with and without": {nil, "", "192.0.2.2", true},
		"the same, another trusted": {[]string{"10.0.0.0/8"}, "", "192.0.2.2", true},
		"another proxy is trusted":  {[]string{"10.0.0.0/8"}, "192.0.2.1", "192.0.2.2", true},
		"two clients":               {[]string{"127.0.0.1"}, "192.0.2.1", "192.0.2.2", false},
		"one client":                {[]string{"127.0.0.0/8"}, "192.0.2.1", "192.0.2.1", true},
		"what the client wrote":     {[]string{"127.0.0.1"}, "1.1.1.1, 192.0.2.1", "2.2.2.2, 192.0.2.1", true},
		"two proxies": {[]string{"127.0.0.1", "10.1.2.3"}, "192.0.2.1, 10.1.2.3", "192.0.2.2, 10.1.2.3",
			false},
		"a proxy that is not trusted": {[]string{"127.0.0.1"}, "192.0.2.1, 10.1.2.3", "192.0.2.2, 10.1.2.3", true},
		"a client that says it is one": {[]string{"127.0.0.1", "10.0.0.0/8"}, "10.9.9.9, 192.0.2.1", "10.8.8.8, 192.0.2.1",
			true},
		"no address":      {[]string{"127.0.0.1"}, "somebody", "else", true},
		"all are proxies": {[]string{"127.0.0.1", "10.0.0.0/8"}, "10.0.0.1", "10.0.0.2", true},
		"IPv6 of one network": {[]string{"127.0.0.1"}, "2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff",
			true},
		"IPv6 of two networks":           {[]string{"127.0.0.1"}, "2001:db8:1:2::1", "2001:db8:1:3::1", false},
		"IPv6 as Windows writes it":      {[]string{"127.0.0.1"}, "2001:DB8:1:2::1", "[2001:db8:1:2::9]:443", true},
		"IPv4 inside IPv6":               {[]string{"127.0.0.1"}, "::ffff:192.0.2.1", "192.0.2.1", true},
		"two of IPv4 inside IPv6":        {[]string{"127.0.0.1"}, "::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
		"IPv4 with a port":               {[]string{"127.0.0.1"}, "192.0.2.1:1234", "192.0.2.1:4321", true},
		"link-local with and without if": {[]string{"127.0.0.1"}, "fe80::1%eth0", "fe80::2", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := limited(t, 100, time.Hour, tt.proxies...)
			p, policy := s.anonymous(t), `"ip";q=100;w=3600`
			q := request{method: "GET", path: "/api/tiers"}
			first := p.send(t, q.with(from(tt.a))).left(t, policy)
			second := p.send(t, q.with(from(tt.b))).left(t, policy)
			if same := second == first-1; same != tt.same {
				t.Errorf("%q leaves %d, then %q %d: one client: %v, want %v", tt.a, first, tt.b, second, same, tt.same)
			}
		})
	}
}

// TestLimits reads the limits, with a limit on requests and without.
func TestLimits(t *testing.T) {
	t.Parallel()
	want := api.LimitsOut{
		RequestsPerMinute: 240, AddressIsShared: true, SharedTimes: 16, ThrowSpacingMS: 250,
		KeysPerAccount: 5, BotsPerAccount: 3,
		StreamsPerAccount: 20, StreamsPerAddress: 100, HoldSeconds: 30, BodyBytes: 65536, IdempotencyHours: 24,
		ConnectionsPerAddress: 200, ConnectionsExemptPrivate: true,
		Budgets: []api.BudgetOut{
			{Action: "new_accounts", Limit: 10, WindowSeconds: 3600, PrivateExempt: true},
			{Action: "new_accounts", Limit: 30, WindowSeconds: 86400, PrivateExempt: true},
			{Action: "free_starts", Limit: 3, WindowSeconds: 86400, PrivateExempt: true},
			{Action: "free_wins", Limit: 30, WindowSeconds: 86400, PrivateExempt: true},
			{Action: "ranked_dailies", Limit: 3, WindowSeconds: 86400, PrivateExempt: true},
			{Action: "new_listings", Limit: 120, WindowSeconds: 3600, PrivateExempt: true},
			{Action: "new_duels", Limit: 240, WindowSeconds: 3600, PrivateExempt: true},
			{Action: "new_cups", Limit: 12, WindowSeconds: 3600, PrivateExempt: true},
			{Action: "emotes", Limit: 6, WindowSeconds: 60},
			{Action: "chain_verification", Limit: 12, WindowSeconds: 3600, PrivateExempt: true},
			{Action: "failed_logins", Limit: 100, WindowSeconds: 900},
			{Action: "failed_logins_of_username", Limit: 10, WindowSeconds: 900},
			{Action: "pictures", Limit: 120, WindowSeconds: 3600},
		},
		IPv6Networks: []api.IPv6Network{{PrefixLength: 64, Times: 1}, {PrefixLength: 56, Times: 4},
			{PrefixLength: 48, Times: 16}},
	}
	a := limited(t, 240, time.Minute).anonymous(t).get(t, "/api/limits").ok(t)
	if got := decode[api.LimitsOut](t, a); !reflect.DeepEqual(got, want) ||
		a.header.Get("RateLimit-Policy") != `"ip";q=240;w=60` {
		t.Errorf("got %+v with %v, want %+v", got, a.header, want)
	}
	a = shared(t).anonymous(t).get(t, "/api/limits").ok(t)
	want.RequestsPerMinute, want.StreamsPerAddress = 0, 0
	if got := decode[api.LimitsOut](t, a); !reflect.DeepEqual(got, want) ||
		strings.Contains(fmt.Sprint(a.header), "Ratelimit") {
		t.Errorf("without a limit: got %+v with %v", got, a.header)
	}
}

// TestInProcessIsNotCounted: requests within the process count for no address, and no header makes
// an outside request look like one.
func TestInProcessIsNotCounted(t *testing.T) {
	t.Parallel()
	s := limited(t, 2, time.Hour)
	ask := func(ctx context.Context, header string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/tiers", nil)
		r.RemoteAddr = "pipe"
		r.Header.Set("X-Forwarded-For", header)
		r.Header.Set("Forwarded", "for="+header)
		w := httptest.NewRecorder()
		s.edge.ServeHTTP(w, r)
		return w
	}
	for range 5 {
		if w := ask(edge.InProcess(t.Context()), ""); w.Code != http.StatusOK ||
			strings.Contains(fmt.Sprint(w.Header()), "RateLimit") {
			t.Fatalf("within the process: %d, %v", w.Code, w.Header())
		}
	}
	var last int
	for range 3 {
		last = ask(t.Context(), "indoors").Code
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("from outside: %d, want 429", last)
	}
}

// TestUsed: requests from outside are a use of the service, except for reads of the public log;
// requests of the house bots are none.
func TestUsed(t *testing.T) {
	t.Parallel()
	used := 0
	s := start(t, func(c *edge.Config) { c.Used = func() { used++ } })
	for _, c := range []struct {
		ctx  context.Context
		path string
		want int
	}{
		{t.Context(), "/api/tiers", 1},
		{t.Context(), "/", 1},
		{t.Context(), "/api/nothing", 1},
		{t.Context(), "/log/checkpoint", 0},
		{edge.InProcess(t.Context()), "/api/tiers", 0},
	} {
		used = 0
		s.edge.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(c.ctx, http.MethodGet, c.path, nil))
		if used != c.want {
			t.Errorf("%s: %d uses, want %d", c.path, used, c.want)
		}
	}
}

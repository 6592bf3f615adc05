package edge

import (
	"net/http"
	"slices"
	"strings"
)

// Cross-origin calls. A page of another site may call with an API key, which it knows only if its
// visitor entered it: such calls and their preflights are allowed from every origin. It may also read
// what every visitor may read: answers to GET and HEAD without a cookie, which cannot be about a caller.
// Credentials are never allowed: without Access-Control-Allow-Credentials a browser sends no cookie with
// such calls, and hands no answer to a page that asked for credentials. An answer to a call with a cookie
// has no header: also one that a cache has kept cannot be read by another site. An operation with an optional
// caller answers a caller and a visitor differently, so both of its answers vary by Authorization and Cookie.

// Headers and methods that calls from pages of other sites may send and read.
var (
	corsMethods = strings.Join([]string{http.MethodGet, http.MethodHead, http.MethodPost}, ", ")
	// The last three are of the server for agents.
	corsSends = []string{"Authorization", "Content-Type", "Idempotency-Key", "Prefer", "Last-Event-ID",
		"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"}
	corsReads = strings.Join([]string{
		"X-Request-Id", "RateLimit", "RateLimit-Policy", "Retry-After", "Idempotent-Replayed", "Preference-Applied", "Allow",
		"WWW-Authenticate", "ETag", "Deprecation", "Sunset", "Link",
	}, ", ")
)

// corsAge is how many seconds a browser may cache a preflight: the maximum of current browsers.
const corsAge = "7200"

// allowOrigin lets another site's page read the answer to a call with a key, or to a read without a cookie.
func allowOrigin(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Origin") // also without one: a cache must not give that answer to another site's page
	if r.Header.Get("Origin") == "" {
		return
	}
	if r.Header.Get("Authorization") != "" || reads(r.Method) && r.Header.Get("Cookie") == "" {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", corsReads)
	}
}

// reads reports whether a method only reads.
func reads(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// preflight answers a CORS preflight, and reports whether the request is one.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" ||
		r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	var asks []string
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Access-Control-Request-Headers"), ","), ",") {
		asks = append(asks, strings.ToLower(strings.TrimSpace(name)))
	}
	h := w.Header()
	keyed := slices.Contains(asks, "authorization")
	public := reads(r.Header.Get("Access-Control-Request-Method")) && !slices.ContainsFunc(asks, func(name string) bool {
		return name != "" && name != "prefer" && name != "last-event-id"
	})
	if keyed || public {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", corsMethods)
		h.Set("Access-Control-Allow-Headers", strings.Join(corsSends, ", "))
		h.Set("Access-Control-Max-Age", corsAge)
	}
	h.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
	w.WriteHeader(http.StatusNoContent)
	return true
}

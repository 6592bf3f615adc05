package httpapi

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/realclientip/realclientip-go"

	"roshambo/internal/limit"
)

// clientIP finds the network address that a request comes from. X-Forwarded-For is
// believed only as far as proxies wrote it that the operator named; anybody can send
// that header.
type clientIP struct{ strategy realclientip.Strategy }

// newClientIP takes the addresses and ranges of trusted proxies.
func newClientIP(proxies []string) (clientIP, error) {
	if len(proxies) == 0 {
		return clientIP{realclientip.RemoteAddrStrategy{}}, nil
	}
	ranges, err := realclientip.AddressesAndRangesToIPNets(proxies...)
	if err != nil {
		return clientIP{}, fmt.Errorf("httpapi: trusted proxies: %w", err)
	}
	forwarded, err := realclientip.NewRightmostTrustedRangeStrategy("X-Forwarded-For", ranges)
	if err != nil {
		return clientIP{}, fmt.Errorf("httpapi: trusted proxies: %w", err)
	}
	return clientIP{behind{forwarded, ranges}}, nil
}

// behind believes the header when the connection itself comes from a trusted proxy.
type behind struct {
	forwarded realclientip.Strategy
	proxies   []net.IPNet
}

// ClientIP returns the client's address.
func (b behind) ClientIP(headers http.Header, remoteAddr string) string {
	remote := realclientip.RemoteAddrStrategy{}.ClientIP(headers, remoteAddr)
	ip := net.ParseIP(remote)
	for i := range b.proxies {
		if ip != nil && b.proxies[i].Contains(ip) {
			if client := b.forwarded.ClientIP(headers, remoteAddr); client != "" {
				return client
			}
		}
	}
	return remote
}

// key returns what a client is counted by: its address, or the /64 of it where it has
// IPv6, as one customer has that many addresses at least.
func (c clientIP) key(r *http.Request) string {
	text := c.strategy.ClientIP(r.Header, r.RemoteAddr)
	text, _, _ = strings.Cut(text, "%") // the zone says where it is reachable, not who it is
	address, err := netip.ParseAddr(text)
	if err != nil {
		return text
	}
	address = address.Unmap()
	if address.Is4() {
		return address.String()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return address.String()
	}
	return prefix.String()
}

// rateLimitError says that a client made too many requests.
type rateLimitError struct {
	wait    time.Duration
	message string // "" for those of a network address
}

func (e *rateLimitError) Error() string { return "httpapi: too many requests" }

type indoorsKey struct{}

// Indoors marks the context of connections that the service makes to itself. They come
// from no network address, so no limit by address counts them. What marks them is the
// listener that took them; nothing in a request does.
func Indoors(ctx context.Context) context.Context {
	return context.WithValue(ctx, indoorsKey{}, true)
}

func isIndoors(ctx context.Context) bool { return ctx.Value(indoorsKey{}) != nil }

// countRequest counts a request against its client's limit, and says in the headers of
// every answer how much is left (draft-ietf-httpapi-ratelimit-headers-10).
func (a *API) countRequest(w http.ResponseWriter, r *http.Request) error {
	if a.RateLimit == nil || isIndoors(r.Context()) {
		return nil
	}
	d, err := a.RateLimit.Take(r.Context(), "ip:"+a.clients.key(r))
	if err != nil {
		return err
	}
	h := w.Header()
	// Written as the draft spells them, which Set would not.
	h["RateLimit-Policy"] = []string{ratePolicy(a.RateLimit)}
	h["RateLimit"] = []string{`"ip";r=` + strconv.Itoa(d.Remaining) + ";t=" + seconds(d.Reset)}
	if !d.OK {
		return &rateLimitError{wait: d.Wait}
	}
	return nil
}

func ratePolicy(l *limit.Limiter) string {
	return `"ip";q=` + strconv.Itoa(l.Max()) + ";w=" + seconds(l.Window())
}

// seconds rounds up, so that who waits that long has waited long enough.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

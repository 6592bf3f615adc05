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

	"roshambo/internal/platform/limit"
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

// address returns the client's network address; the zero one when it is unknown.
func (c clientIP) address(r *http.Request) (netip.Addr, string) {
	text := c.strategy.ClientIP(r.Header, r.RemoteAddr)
	plain, _, _ := strings.Cut(text, "%") // the zone says where it is reachable, not whose it is
	address, err := netip.ParseAddr(plain)
	if err != nil {
		return netip.Addr{}, plain
	}
	return address.Unmap(), plain
}

// key returns what the budgets of a client are counted by: its address, or the /64 of it
// where it has IPv6, as one customer has that many addresses at least.
func (c clientIP) key(r *http.Request) string {
	address, text := c.address(r)
	switch {
	case !address.IsValid():
		return text
	case address.Is4():
		return address.String()
	}
	prefix, _ := address.Prefix(64) // fails for no address of IPv6
	return prefix.String()
}

// rateLimitError says that a client made too many requests.
type rateLimitError struct {
	wait    time.Duration
	message string // "" for those of a network address
}

func (e *rateLimitError) Error() string { return "httpapi: too many requests" }

type inProcessKey struct{}

// Indoors marks the context of connections that the service makes to itself. They come
// from no network address, so no limit by address counts them. What marks them is the
// listener that took them; nothing in a request does.
func InProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, inProcessKey{}, true)
}

func isInProcess(ctx context.Context) bool { return ctx.Value(inProcessKey{}) != nil }

// countRequest counts a request against its client's limit, and says in the headers of
// every answer how much is left (draft-ietf-httpapi-ratelimit-headers-10): r more requests
// are answered now, and in t seconds there are more of them. So a client that spreads r
// requests over t seconds is never refused.
func (a *API) countRequest(w http.ResponseWriter, r *http.Request) error {
	if a.RateLimit == nil || isInProcess(r.Context()) {
		return nil
	}
	address, _ := a.clients.address(r)
	d := a.RateLimit.Take(r.Context(), address)
	h := w.Header()
	// Written as the draft spells them, which Set would not.
	h["RateLimit-Policy"] = a.ratePolicy
	h["RateLimit"] = []string{`"ip";r=` + strconv.Itoa(d.Remaining) + ";t=" + seconds(d.Reset)}
	if !d.OK {
		return &rateLimitError{wait: d.Wait}
	}
	return nil
}

// ratePolicy is the header RateLimit-Policy of a limit.
func ratePolicy(l *limit.Log) []string {
	if l == nil {
		return nil
	}
	return []string{`"ip";q=` + strconv.Itoa(l.Max()) + ";w=" + seconds(l.Window())}
}

// seconds rounds up, so that a caller that waits this long has waited long enough.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

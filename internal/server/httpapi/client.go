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

// Limits by network address are the service's defence against floods, so an address must not be
// easy to forge or to multiply: the header of a proxy counts only when the operator has named the
// proxy, and IPv6 addresses count by network.

// clientIP finds the network address of a request's client. It trusts X-Forwarded-For only as far
// as the operator's own proxies wrote it: any client can send that header.
type clientIP struct{ strategy realclientip.Strategy }

// newClientIP returns a clientIP for the addresses and ranges of trusted proxies.
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
	return clientIP{behind{forwarded: forwarded, proxies: ranges}}, nil
}

// behind uses the header only when the connection itself comes from a trusted proxy.
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

// address returns the client's network address and its text. The address is zero when the text is
// none.
func (c clientIP) address(r *http.Request) (netip.Addr, string) {
	text := c.strategy.ClientIP(r.Header, r.RemoteAddr)
	plain, _, _ := strings.Cut(text, "%") // the zone names an interface of this machine, not the client
	address, err := netip.ParseAddr(plain)
	if err != nil {
		return netip.Addr{}, plain
	}
	return address.Unmap(), plain
}

// key returns the name under which a client's quotas are counted: its IPv4 address, or the /64 of
// its IPv6 address, because one customer has at least that many addresses.
func (c clientIP) key(r *http.Request) string {
	address, text := c.address(r)
	switch {
	case !address.IsValid():
		return text
	case address.Is4():
		return address.String()
	}
	prefix, _ := address.Prefix(64) // never fails for IPv6
	return prefix.String()
}

// rateLimitError reports that a client exceeded a limit.
type rateLimitError struct {
	wait    time.Duration
	message string // "" for those of a network address
}

func (e *rateLimitError) Error() string { return "httpapi: too many requests" }

type inProcessKey struct{}

// InProcess marks the context of connections within the process, those of the house's bots. They
// have no network address, so limits by address do not count them. The listener sets the mark; no
// header can.
func InProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, inProcessKey{}, true)
}

func isInProcess(ctx context.Context) bool { return ctx.Value(inProcessKey{}) != nil }

// countRequest counts a request against its client's limit, and reports the rest in the headers of
// every answer (draft-ietf-httpapi-ratelimit-headers-10): r more requests are answered now, and
// more are available in t seconds. A client that spreads r requests over t seconds is never
// refused. Errors: *rateLimitError.
func (a *API) countRequest(w http.ResponseWriter, r *http.Request) error {
	if a.RateLimit == nil || isInProcess(r.Context()) {
		return nil
	}
	address, _ := a.clients.address(r)
	d := a.RateLimit.Take(r.Context(), address)
	h := w.Header()
	// Spelled as in the draft; Set would change the case.
	h["RateLimit-Policy"] = a.ratePolicy
	h["RateLimit"] = []string{`"ip";r=` + strconv.Itoa(d.Remaining) + ";t=" + seconds(d.Reset)}
	if !d.OK {
		return &rateLimitError{wait: d.Wait}
	}
	return nil
}

// ratePolicy returns the header RateLimit-Policy of a limit.
func ratePolicy(l *limit.Log) []string {
	if l == nil {
		return nil
	}
	return []string{`"ip";q=` + strconv.Itoa(l.Max()) + ";w=" + seconds(l.Window())}
}

// seconds rounds up, so that a caller that waits this long never comes early.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

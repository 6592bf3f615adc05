package edge

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"

	"roshambo/internal/platform/limit"
)

// Limits by network address are the service's defence against floods, so an address must not be
// easy to forge or to multiply: the header of a proxy counts only when the operator has named the
// proxy, and IPv6 addresses count by network. An address that many people share, a class or an office,
// is no flood: there calls count by their session or key, once the service has found it valid.

// clientIP finds the network address of a request's client. It trusts X-Forwarded-For only as far
// as the operator's own proxies wrote it: any client can send that header.
type clientIP struct{ proxies limit.Ranges }

// newClientIP returns a clientIP for the addresses and ranges of trusted proxies.
func newClientIP(proxies []string) (clientIP, error) {
	trusted, err := limit.ParseRanges(proxies)
	if err != nil {
		return clientIP{}, fmt.Errorf("edge: trusted proxies: %w", err)
	}
	return clientIP{trusted}, nil
}

// address returns the client's network address, or the zero Addr when it is unknown. Limits count
// it by the levels of package limit. A header of a connection that comes from no trusted proxy does
// not change it.
func (c clientIP) address(r *http.Request) netip.Addr {
	return c.proxies.ClientOf(r.RemoteAddr, r.Header.Values("X-Forwarded-For"))
}

// charged returns the address for limits that exempt private addresses. A private address that forwards
// requests is a proxy that the operator has not named: the clients behind it may come from anywhere. Their
// address is unknown, so all of them share one budget, and none is exempt as private.
func (c clientIP) charged(r *http.Request) netip.Addr {
	address := c.address(r)
	forwards := r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != ""
	if forwards && limit.Private(address) && address == (limit.Ranges{}).ClientOf(r.RemoteAddr, nil) &&
		!c.proxies.Contains(address) {
		return netip.Addr{}
	}
	return address
}

// inProcessKey is the key of the mark of InProcess in a context.
type inProcessKey struct{}

// InProcess marks the context of connections within the process, which the house's bots use. They
// have no network address, so limits by address do not count them. The listener sets the mark; no
// header can.
func InProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, inProcessKey{}, true)
}

// isInProcess reports whether a request comes from within the process.
func isInProcess(ctx context.Context) bool { return ctx.Value(inProcessKey{}) != nil }

package limit

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Ranges are networks that an operator names: of proxies, or of addresses that many people share.
type Ranges []netip.Prefix

// ParseRanges parses addresses and ranges. A zone is an error, as it names an interface of this machine.
func ParseRanges(texts []string) (Ranges, error) {
	var all Ranges
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if !strings.Contains(text, "/") {
			var address netip.Addr
			address, err = netip.ParseAddr(text)
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		if err != nil || strings.Contains(text, "%") {
			return nil, fmt.Errorf("%q is neither an address nor a range such as 10.0.0.0/8", text)
		}
		if prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

// Contains reports whether an address is in one of the ranges.
func (p Ranges) Contains(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// ClientOf returns the client of a connection from remote, an address with or without a port, where p are
// the proxies that the operator trusts: the last address in the values of X-Forwarded-For that is of no
// proxy, if the connection comes from a proxy, and otherwise remote. Any client can send that header, so an
// address in it counts only as far as these proxies wrote it. It returns the zero Addr for a connection
// without an address.
func (p Ranges) ClientOf(remote string, forwarded []string) netip.Addr {
	from := parseHost(remote)
	if !p.Contains(from) {
		return from
	}
	for _, value := range slices.Backward(forwarded) {
		for _, text := range slices.Backward(strings.Split(value, ",")) {
			address := parseHost(strings.TrimSpace(text))
			if !address.IsValid() {
				return from // what stands before it was written by another
			}
			if !p.Contains(address) {
				return address
			}
		}
	}
	return from
}

// parseHost parses an address as proxies write it: also with a port, in brackets or with a zone, which it
// drops. It returns the zero Addr for other text and for unspecified addresses.
func parseHost(text string) netip.Addr {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	if inner, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inner, "]") {
		text = strings.TrimSuffix(inner, "]")
	}
	if i := strings.LastIndexByte(text, '%'); i > 0 {
		text = text[:i]
	}
	address, err := netip.ParseAddr(text)
	if err != nil || address.IsUnspecified() {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

package limit_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"roshambo/internal/platform/limit"
)

// The cases of these tests come from realclientip-go 1.0.0 (BSD Zero Clause License), which read the header
// before this package did, as far as they concern a remote address and X-Forwarded-For. Zones are dropped
// here.

// TestParseRanges: addresses and ranges of both families, also IPv4 as IPv6.
func TestParseRanges(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":        "[]",
		"1.1.1.1": "[1.1.1.1/32]", "2607:f8b0:4004:83f::200e": "[2607:f8b0:4004:83f::200e/128]",
		"1.1.1.1/16": "[1.1.0.0/16]", "2607:f8b0:4004:83f::200e/48": "[2607:f8b0:4004::/48]",
		"1.1.1.1 2607:f8b0:4004:83f::200e 1.1.1.1/32 2607:f8b0:4004:83f::200e/128 1.1.1.1/16": "[1.1.1.1/32 " +
			"2607:f8b0:4004:83f::200e/128 1.1.1.1/32 2607:f8b0:4004:83f::200e/128 1.1.0.0/16]",
		"2607:f8b0:4004:83f::200e/56 ::ffff:188.0.2.128/112 ::ffff:bc15:0006/104 64:ff9b::188.0.2.128/112": "[" +
			"2607:f8b0:4004:800::/56 188.0.0.0/16 188.0.0.0/8 64:ff9b::bc00:0/112]",
		"::ffff:1.1.1.1": "[1.1.1.1/32]",
	} {
		if got, err := limit.ParseRanges(strings.Fields(text)); fmt.Sprint(got) != want || err != nil {
			t.Errorf("%s: %v (%v), want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"2607:f8b0:4004:83f::200e/nope", "fe80::abcd%nope/64", "fe80::abcd%nope", "1.1.1.nope",
		""} {
		if got, err := limit.ParseRanges([]string{text}); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// TestRemoteAddress: the address of a connection that comes from no proxy.
func TestRemoteAddress(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"2.2.2.2:1234": "2.2.2.2", "2.2.2.2": "2.2.2.2",
		"[2607:f8b0:4004:83f::18]:3838": "2607:f8b0:4004:83f::18", "2607:f8b0:4004:83f::18": "2607:f8b0:4004:83f::18",
		"fe80::1111%eth0": "fe80::1111", "[fe80::2222%eth0]:4848": "fe80::2222", "[fe80::abcd%eth0]:xyz": "fe80::abcd",
		"[::ffff:172.21.0.6]:4747": "172.21.0.6", "0:0:0:0:0:ffff:bc15:0006": "188.21.0.6",
		"[64:ff9b::188.0.2.128]:4747": "64:ff9b::bc00:280", "[2002:c000:204::]:4747": "2002:c000:204::",
		"127.0.0.1": "127.0.0.1", "::1": "::1", "1.1.1.1%": "1.1.1.1", "1.1.1.1:48944": "1.1.1.1",
		"": "", "ohno": "", "0.0.0.0": "", "::": "", "@": "", "nope%zone": "", "nope!!": "",
	} {
		for _, forwarded := range [][]string{nil, {"!!!"}, {"9.9.9.9"}} {
			got := limit.Ranges(nil).ClientOf(remote, forwarded)
			if expected, _ := netip.ParseAddr(want); got != expected {
				t.Errorf("%q, forwarded for %q: %v, want %q", remote, forwarded, got, want)
			}
		}
	}
}

// TestForwardedAddress: behind a proxy, the last address that no proxy has. Where there is none, the connection's own
// address counts, so that no header makes a client nameless.
func TestForwardedAddress(t *testing.T) {
	t.Parallel()
	const proxy = "10.0.0.1"
	own := netip.MustParseAddr(proxy)
	list := []string{"2.2.2.2:3384, 3.3.3.3", "4.4.4.4"}
	for name, c := range map[string]struct {
		forwarded []string
		proxies   string
		want      string // "" for the proxy's own address
	}{
		"no ranges": {list, "", "4.4.4.4"},
		"one range": {list, "4.4.4.0/24", "3.3.3.3"},
		"one IP":    {list, "4.4.4.4", "3.3.3.3"},
		"many kinds of ranges": {
			[]string{"99.99.99.99, 4.4.4.8, [2607:f8b0:4004:83f::200e]:4747",
				"2.2.2.2:8883, 64:ff9b::188.0.2.200, 3.3.5.5, 2001:db7::abcd"},
			"2.2.2.2/32 2607:f8b0:4004:83f::200e/128 3.3.0.0/16 2001:db7::/64 ::ffff:4.4.4.4/124 64:ff9b::188.0.2.128/112",
			"99.99.99.99",
		},
		"Cloudflare":           {append(list, "2400:cb00::1"), "2400:cb00::/32", "4.4.4.4"},
		"all are proxies":      {[]string{"2.2.2.2:3384, 2.2.2.3", "2.2.2.4"}, "2.2.2.0/24", ""},
		"the last is invalid":  {[]string{"9.9.9.9, nope, 2.2.2.2:3384, 2.2.2.3", "2.2.2.4"}, "2.2.2.0/24", ""},
		"the last is no one's": {[]string{"9.9.9.9, ::, 2.2.2.2:3384, 2.2.2.3", "2.2.2.4"}, "2.2.2.0/24", ""},
		"no values":            {[]string{}, "2.2.2.0/24", ""},
		"an empty value":       {[]string{"9.9.9.9", ""}, "2.2.2.0/24", ""},
		"what the client says": {[]string{"127.0.0.1, 10.0.0.1", "4.4.4.4"}, "", "4.4.4.4"},
	} {
		proxies, err := limit.ParseRanges(append(strings.Fields(c.proxies), proxy))
		if err != nil {
			t.Fatal(err)
		}
		want := own
		if c.want != "" {
			want = netip.MustParseAddr(c.want)
		}
		if got := proxies.ClientOf(proxy+":1234", c.forwarded); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if got := proxies.ClientOf("8.8.8.8:1234", c.forwarded); got != netip.MustParseAddr("8.8.8.8") {
			t.Errorf("%s, from elsewhere: %v, want 8.8.8.8", name, got)
		}
	}
}

//go:build nightly

package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// nodesShareLimits: what was asked of one node counts on the other, by Redis. A node that
// Redis does not answer in time counts by itself for a while, and says so: then it is tried
// again, from another address.
func nodesShareLimits(t *testing.T, url string) {
	socket := filepath.Join(t.TempDir(), "redis.sock")
	redis := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", filepath.Dir(socket))
	if err := redis.Start(); err != nil {
		t.Fatalf("redis-server: %v; tools/install-deps installs it", err)
	}
	defer func() { _ = redis.Process.Kill(); _ = redis.Wait() }()
	const limit = 20
	f := newFleet(t, url, 2, "--rate-limit", fmt.Sprint(limit), "--redis", "unix://"+socket)
	for host := byte(2); ; host++ {
		before := f.alone()
		a, b := f.nodes[0].spend(t, host, 10*limit), f.nodes[1].spend(t, host, 10*limit)
		// While it is spent on the one node, some of it comes back for the other.
		if a >= limit && a < 2*limit && b < limit/2 {
			break
		}
		for began := time.Now(); f.alone() == before; <-time.After(10 * time.Millisecond) {
			if time.Since(began) > eventTime {
				t.Fatalf("of %d a minute the first node answered %d, and then the second %d", limit, a, b)
			}
		}
		if host == 20 {
			t.Fatal("Redis is always away")
		}
		<-time.After(5 * time.Second) // far longer than a node leaves Redis alone then
	}
	f.stop(t)
}

// alone is how often nodes have said that they count their limits by themselves.
func (f *fleet) alone() (n int) {
	for _, node := range f.nodes {
		n += strings.Count(node.logged(), "Redis is away")
	}
	return n
}

// spend asks a node from an address of this machine until that is too often, and returns how
// often it was answered.
func (p *process) spend(t *testing.T, host byte, enough int) (answered int) {
	t.Helper()
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, host)}}
	v := &visitor{url: p.url, client: &http.Client{Transport: &http.Transport{DialContext: from.DialContext}}}
	defer v.client.CloseIdleConnections()
	for ; answered < enough; answered++ {
		err := v.call(t.Context(), "GET", "/api/tiers", "", &struct{}{})
		var refused *statusError
		if errors.As(err, &refused) && refused.status == http.StatusTooManyRequests {
			return answered
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return answered
}

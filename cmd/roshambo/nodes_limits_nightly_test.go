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

// nodesShareLimits checks that requests to one node count on the other one, through Redis. A node
// that gets no timely response from Redis counts on its own for a while and logs that; afterwards
// the test repeats with another address.
func nodesShareLimits(t *testing.T, url string) {
	const limit = 20
	f := newFleet(t, url, 2, "--rate-limit", fmt.Sprint(limit), "--redis", startRedis(t))
	for host := byte(2); ; host++ {
		before := f.localLimits()
		a, b := f.nodes[0].spend(t, host, 10*limit), f.nodes[1].spend(t, host, 10*limit)
		// During the requests to the first node, part of the limit is restored.
		if a >= limit && a < 2*limit && b < limit/2 {
			break
		}
		for began := time.Now(); f.localLimits() == before; <-time.After(10 * time.Millisecond) {
			if time.Since(began) > eventTime {
				t.Fatalf("limit %d a minute: the first node accepted %d, then the second %d", limit, a, b)
			}
		}
		if host == 20 {
			t.Fatal("Redis never responds")
		}
		<-time.After(5 * time.Second) // much longer than a node avoids Redis
	}
	f.stop(t)
}

// startRedis starts a server of Redis and returns its URL. It is killed when the test ends.
func startRedis(t *testing.T) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "redis.sock")
	redis := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir",
		filepath.Dir(socket))
	if err := redis.Start(); err != nil {
		t.Fatalf("redis-server: %v; tools/install-deps installs it", err)
	}
	t.Cleanup(func() { _ = redis.Process.Kill(); _ = redis.Wait() })
	return "unix://" + socket
}

// localLimits returns the number of log lines about nodes that count on their own.
func (f *fleet) localLimits() (n int) {
	for _, node := range f.nodes {
		n += strings.Count(node.logged(), "Redis is unreachable")
	}
	return n
}

// spend sends requests from one loopback address until one is rejected, and returns the number of
// accepted ones.
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

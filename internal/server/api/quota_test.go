package api

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/stream"
)

// TestStreamsByNetwork checks that streams of IPv6 addresses count by /64, /56 and /48, that shared addresses
// have sixteen times as many, and that a closed stream makes room.
func TestStreamsByNetwork(t *testing.T) {
	t.Parallel()
	requests, err := limit.NewLog(1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	a := &API{Config: Config{Limits: Limits{RateLimit: requests}}, Streams: stream.New(stream.Config{})}
	// open opens streams until one is refused, and returns the number of open ones.
	var release func()
	open := func(address string) (n int) {
		client := Client{Address: netip.MustParseAddr(address)}
		client.Shared = address == "198.51.100.7" || address == "2001:db8:2::1"
		for ; ; n++ {
			end, err := a.Streams.Acquire((&call{API: a, w: &Response{Client: client}}).slots()...)
			if errors.Is(err, stream.ErrQuota) {
				return n
			}
			if err != nil {
				t.Fatal(err)
			}
			release = end
		}
	}
	for _, step := range []struct {
		address  string
		expected int
	}{
		{"2001:db8::1", 100}, {"2001:db8::2", 0}, {"2001:db8:0:1::1", 100}, {"2001:db8:0:2::1", 100},
		{"2001:db8:0:3::1", 100}, {"2001:db8:0:4::1", 0}, {"2001:db8:0:100::1", 100}, {"2001:db8:1::1", 100},
		{"192.0.2.1", 100}, {"198.51.100.7", 1600}, {"2001:db8:2::1", 1600}, {"192.0.2.2", 100},
	} {
		if n := open(step.address); n != step.expected {
			t.Errorf("%s opened %d streams, expected %d", step.address, n, step.expected)
		}
	}
	release()
	if n := open("192.0.2.2"); n != 1 {
		t.Errorf("after one was closed %d were opened, expected 1", n)
	}
}

// TestShareOfSecondAttempt checks that a count goes back to the budget when the attempt that is stored
// does not use it, although an earlier attempt did.
func TestShareOfSecondAttempt(t *testing.T) {
	t.Parallel()
	refunds := 0
	s := &share{counted: true, refund: func() { refunds++ }}
	for attempt, uses := range []bool{true, false} {
		s.again()
		if uses && !s.take() {
			t.Errorf("attempt %d: not counted", attempt)
		}
	}
	if s.end(nil); refunds != 1 {
		t.Errorf("%d refunds, want 1", refunds)
	}
	s.again()
	s.take()
	if s.end(nil); refunds != 1 {
		t.Errorf("%d refunds after a use, want 1", refunds)
	}
}

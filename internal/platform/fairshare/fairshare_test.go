package fairshare

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

// TestTag checks which addresses are one network: an IPv4 address, in either form, and the /64 and the /48 of
// an IPv6 address, on one day.
func TestTag(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	of := func(address string, at time.Time) Tag {
		a, _ := netip.ParseAddr(address)
		return Network{[]byte("key"), a}.Tag(Days(at))
	}
	for _, c := range []struct {
		a, b string
		same int // equal levels
	}{
		{"192.0.2.1", "::ffff:192.0.2.1", 1}, {"192.0.2.1", "192.0.2.2", 0}, {"", "", 1}, {"", "192.0.2.1", 0},
		{"2001:db8::1", "2001:db8::ffff%eth0", 2}, {"2001:db8::1", "2001:db8:0:1::1", 1}, {"2001:db8::1", "2001:db8:1::1", 0},
	} {
		a, b, same := of(c.a, noon).Levels(), of(c.b, noon.Add(11*time.Hour)).Levels(), 0
		for i := range a {
			if a[i] == b[i] {
				same++
			}
		}
		if len(a) != len(b) || same != c.same {
			t.Errorf("%q and %q have %d levels in common, want %d: %x, %x", c.a, c.b, same, c.same, a, b)
		}
	}
	today, tomorrow := of("192.0.2.1", noon).Levels()[0], of("192.0.2.1", noon.Add(12*time.Hour)).Levels()[0]
	if today[0] == tomorrow[0] || today[1] != tomorrow[0] {
		t.Errorf("%x today and %x tomorrow: want another hash, which counts already", today, tomorrow)
	}
	if got := Kept(noon); !got.Equal(noon.Add(-36 * time.Hour)) {
		t.Errorf("at noon, tags from before %v are deleted, want the start of the day before", got)
	}
}

// TestCounter fills a place from networks of each size.
func TestCounter(t *testing.T) {
	t.Parallel()
	c := Share{Network: 2, Wide: 3}.Counter()
	narrow := func(n byte) Tag { return append(bytes.Repeat([]byte{n}, level), bytes.Repeat([]byte{99}, level)...) }
	other := Tag(bytes.Repeat([]byte{7}, level))
	morrow := Tag(bytes.Repeat([]byte{9}, level))
	eve := append(bytes.Repeat([]byte{8}, hashSize), morrow[:hashSize]...)
	for i, step := range []struct {
		tag  Tag
		want bool
	}{
		{narrow(1), true}, {narrow(1), true}, {narrow(1), false}, {narrow(2), true}, {narrow(3), false},
		{other, true}, {other, true}, {other, false}, {nil, true}, {nil, true}, {nil, true}, {nil, true},
		{eve, true}, {morrow, true}, {morrow, false}, {eve, true}, {eve, false},
	} {
		if got := c.Take(step.tag); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}

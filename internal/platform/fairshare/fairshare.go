// Package fairshare bounds what one network takes of a public place: the feed, a list, a cup or TV.
//
// Everything shown there is charged to the network of the caller who began it. A Tag beside it in the
// database names that network: a keyed hash of the UTC day, from which no address can be read and which
// links no two days. It is deleted once that day and the next are over.
package fairshare

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"time"
)

// Tag names a network on one UTC day: level bytes of the hash of an IPv4 address or of the /64 of an IPv6
// address, and for IPv6 as many of its /48. Nothing is charged to the nil Tag. A /56 has no level: four
// shares of it would be about the quarter of a place that a /48 may have at most.
type Tag []byte

// level is the length of one level of a Tag. Queries compare the levels, by substr.
const level = 8

// NewTag returns the tag of an address at a time, by a secret key.
func NewTag(key []byte, address netip.Addr, now time.Time) Tag {
	address = address.Unmap().WithZone("")
	sizes := []int{address.BitLen()}
	if address.Is6() {
		sizes = []int{64, 48}
	}
	var t Tag
	for _, bits := range sizes {
		network, _ := address.Prefix(bits) // of the zero Addr the zero Prefix: all unknown ones are one network
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("share " + now.UTC().Format(time.DateOnly) + " " + network.String()))
		t = append(t, mac.Sum(nil)[:level]...)
	}
	return t
}

// Levels returns what identifies the networks of a tag, the narrowest first.
func (t Tag) Levels() (list []string) {
	for i := 0; i+level <= len(t); i += level {
		list = append(list, string(t[i:i+level]))
	}
	return list
}

// Kept returns the time before which the tags of a time are to be deleted: the start of the day before.
func Kept(now time.Time) time.Time {
	const day = 24 * time.Hour
	return now.UTC().Truncate(day).Add(-day)
}

// Share is how much of a place one network may have, and how much a /48 of IPv6.
type Share struct{ Network, Wide int }

// Counter counts what networks have of a place.
type Counter struct {
	share  Share
	counts map[string]int
}

// Counter returns a counter of an empty place.
func (s Share) Counter() *Counter { return &Counter{share: s, counts: map[string]int{}} }

// Take counts one more of a network, or reports that its share is used up.
func (c *Counter) Take(t Tag) bool {
	levels := t.Levels()
	for i, network := range levels {
		if c.counts[network] >= [...]int{c.share.Network, c.share.Wide}[i] {
			return false
		}
	}
	for _, network := range levels {
		c.counts[network]++
	}
	return true
}

// tagKey is the key of a Tag in a context.
type tagKey struct{}

// With returns a context whose effects are charged to a network.
func With(ctx context.Context, t Tag) context.Context { return context.WithValue(ctx, tagKey{}, t) }

// From returns the network to which the effects of a context are charged.
func From(ctx context.Context) Tag {
	t, _ := ctx.Value(tagKey{}).(Tag)
	return t
}

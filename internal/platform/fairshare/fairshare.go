// Package fairshare bounds what one network takes of a public place: the feed, a list, a cup or TV.
//
// Each item shown there is charged to the network from which its caller began it. A Tag beside it in the
// database names that network within one scope: a UTC day and the next one, so that a place counts on at
// midnight, or one place that fills over days. It is a keyed hash, from which no address can be read. It is
// deleted once its two days are over, or its place is filled.
package fairshare

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"time"
)

// Tag names a network in one Scope: of an IPv4 address or the /64 of an IPv6 address its hashes by both names of
// the Scope, and for IPv6 also the hashes of its /48. Nothing is charged to the nil Tag. A /56 has no level, as a
// /48 has at most the four shares that a /56 may have.
type Tag []byte

// hashSize is the length of a hash in a Tag, and level the length of the hashes of a level. Queries compare
// the hashes, by substr.
const (
	hashSize = 8
	level    = 2 * hashSize
)

// Scope is the name of a scope, and of the one after it in which its Tags still count: for the last one its own.
type Scope [2]string

// Hash returns the 32 bytes that stand for a network in a scope, by a secret key.
func Hash(key []byte, scope string, network netip.Prefix) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(scope + " " + network.String()))
	return mac.Sum(nil)
}

// Day returns the name of a time's UTC day.
func Day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Days returns the Scope of a time's UTC day.
func Days(at time.Time) Scope { return Scope{Day(at), Day(at.Add(day))} }

// Join returns the Tag of the pairs of hashes of a network's levels, the narrowest first.
func Join(hashes ...[]byte) (t Tag) {
	for _, h := range hashes {
		t = append(t, h[:hashSize]...)
	}
	return t
}

// Network is the origin of a call, whose Tag each scope makes anew.
type Network struct {
	Key     []byte // secret
	Address netip.Addr
}

// Tag returns the network's tag in a scope.
func (n Network) Tag(scope Scope) Tag {
	address := n.Address.Unmap().WithZone("")
	sizes := []int{address.BitLen()}
	if address.Is6() {
		sizes = []int{64, 48}
	}
	var hashes [][]byte
	for _, bits := range sizes {
		network, _ := address.Prefix(bits) // of the zero Addr the zero Prefix: all unknown ones are one network
		hashes = append(hashes, Hash(n.Key, scope[0], network), Hash(n.Key, scope[1], network))
	}
	return Join(hashes...)
}

// Levels returns what identifies the networks of a tag, the narrowest first, each in its scope and in the next.
func (t Tag) Levels() (list [][2]string) {
	for i := 0; i+level <= len(t); i += level {
		list = append(list, [2]string{string(t[i : i+hashSize]), string(t[i+hashSize : i+level])})
	}
	return list
}

const day = 24 * time.Hour

// Kept returns the time before which the tags of a time are to be deleted: the start of the day before.
func Kept(now time.Time) time.Time {
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

// Take counts one more of a network, in its scope and in the next, or reports that its share is used up.
func (c *Counter) Take(t Tag) bool {
	levels := t.Levels()
	for i, network := range levels {
		if c.counts[network[0]] >= [...]int{c.share.Network, c.share.Wide}[i] {
			return false
		}
	}
	for _, network := range levels {
		c.counts[network[0]]++
		if network[1] != network[0] {
			c.counts[network[1]]++
		}
	}
	return true
}

// taggerKey is the key of a context's func(Scope) Tag.
type taggerKey struct{}

// With returns a context whose effects are charged to a network; to none if it is nil.
func With(ctx context.Context, n *Network) context.Context {
	if n == nil {
		return WithTag(ctx, nil)
	}
	return context.WithValue(ctx, taggerKey{}, n.Tag)
}

// WithTag returns a context whose effects are charged to a stored tag, whatever their scope.
func WithTag(ctx context.Context, t Tag) context.Context {
	return context.WithValue(ctx, taggerKey{}, func(Scope) Tag { return t })
}

// From returns the tag, in a scope, of the network to which the effects of a context are charged.
func From(ctx context.Context, scope Scope) Tag {
	if tagger, ok := ctx.Value(taggerKey{}).(func(Scope) Tag); ok {
		return tagger(scope)
	}
	return nil
}

// Known reports whether a context says what its effects are charged to; the context of a loop does not.
func Known(ctx context.Context) bool { return ctx.Value(taggerKey{}) != nil }

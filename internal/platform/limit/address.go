package limit

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Network is a size of IPv6 networks that count as one caller, at a multiple of the limit of an
// address.
type Network struct {
	Bits  int // length of the prefix
	Times int // multiple of the limit
}

// networks are the sizes that count an IPv6 address, the narrowest first: a customer controls at
// least a /64, and often a /56 or a /48.
var networks = [...]Network{{64, 1}, {56, 4}, {48, 16}}

// Networks returns the sizes of networks that count an IPv6 address, the narrowest first.
func Networks() []Network { return append([]Network(nil), networks[:]...) }

// Level is a network that counts an address, and its limit.
type Level struct {
	Prefix netip.Prefix
	Max    int
	name   string // each name of a network has a log of its own
}

// maxLevels is the most levels that count one request.
const maxLevels = 2 * len(networks)

// AppendLevels appends the levels at which an address counts against a limit of n, the narrowest
// first: an IPv4 address is one level of its own; an IPv6 address counts by its /64 at the limit,
// by its /56 at four times and by its /48 at sixteen times the limit. Every limit by network
// address uses these levels. The zero Addr, of all callers without a known address, is one level.
func AppendLevels(levels []Level, address netip.Addr, n int) []Level {
	address = address.Unmap().WithZone("") // a zone names the interface, not the owner
	if !address.Is6() {
		return append(levels, Level{Prefix: netip.PrefixFrom(address, address.BitLen()), Max: n})
	}
	for _, network := range networks {
		prefix, _ := address.Prefix(network.Bits) // fails for no address of IPv6
		levels = append(levels, Level{Prefix: prefix, Max: network.Times * n})
	}
	return levels
}

// Private reports whether an address belongs to this machine or to a private network: loopback,
// link-local, RFC 1918 and RFC 4193. Shared addresses of carriers (RFC 6598) are not private.
func Private(address netip.Addr) bool {
	address = address.Unmap()
	return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast()
}

// Rate is at most Max actions in any Window.
type Rate struct {
	Max    int
	Window time.Duration
}

// Budget limits a costly action by network address, at several rates at once: an action is counted
// at all of them, or at none. It counts like Log, exactly and by the same levels. An action may
// have a name, such as a username: each name of an address has a budget of its own. Methods are
// safe for concurrent use.
type Budget struct {
	logs          []*Log // one for each rate
	exemptPrivate bool
	shared        Ranges // addresses with SharedTimes as many
}

// maxBudgetShardKeys is maxShardKeys for budgets: 131,072 keys for each rate.
const maxBudgetShardKeys = 1024

// NewBudget returns a budget with one or more rates, kept in memory.
func NewBudget(rates ...Rate) (*Budget, error) {
	if len(rates) == 0 {
		return nil, errors.New("limit: a budget without a rate")
	}
	b := &Budget{}
	for _, rate := range rates {
		l, err := newLog(rate.Max, rate.Window, maxBudgetShardKeys)
		if err != nil {
			return nil, err
		}
		b.logs = append(b.logs, l)
	}
	return b, nil
}

// NewBudget returns a budget like the function NewBudget. All nodes that use the same name share
// it. A window is at most a week, and one of more than 15 minutes is exact to a millisecond.
func (r *Redis) NewBudget(name string, rates ...Rate) (*Budget, error) {
	b, err := NewBudget(rates...)
	if err != nil {
		return nil, err
	}
	for _, l := range b.logs {
		// The window is part of the name, as two rates of one budget have logs of their own.
		if l.inRedis, err = r.shareLog(fmt.Sprintf("%s:%v", name, l.window), l.window); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ExemptPrivate makes the budget admit every action of a Private address without counting it. It
// returns the budget, and must be called before the first use.
func (b *Budget) ExemptPrivate() *Budget {
	b.exemptPrivate = true
	return b
}

// Share makes the budget admit SharedTimes as many actions of addresses that many people share. It
// returns the budget, and must be called before the first use.
func (b *Budget) Share(addresses Ranges) *Budget {
	b.shared = addresses
	return b
}

// levels returns the levels at which an action with a name counts in a log of the budget.
func (b *Budget) levels(l *Log, name string, address netip.Addr) []Level {
	n := l.max
	if b.shared.Contains(address) {
		n *= SharedTimes
	}
	levels := AppendLevels(make([]Level, 0, len(networks)), address, n)
	for i := range levels {
		levels[i].name = name
	}
	return levels
}

// SetClock makes the budget follow a clock of the caller's, for simulations of days: now returns the
// time since the budget was made. It must be called before the first use. A budget in Redis follows
// the clock of Redis.
func (b *Budget) SetClock(now func() time.Duration) {
	for _, l := range b.logs {
		l.clock = now
	}
}

// ExemptsPrivate reports whether Private addresses are exempt.
func (b *Budget) ExemptsPrivate() bool { return b.exemptPrivate }

// Rates returns the rates in the order of NewBudget.
func (b *Budget) Rates() []Rate {
	rates := make([]Rate, len(b.logs))
	for i, l := range b.logs {
		rates[i] = Rate{l.max, l.window}
	}
	return rates
}

// Take counts one action with a name, "" for none, of an address, or refuses it. The Decision has
// the same meaning as from Log.Take, over all rates. While an action is being refused, its counts
// at the other rates may refuse a concurrent one, and never admit one too many.
func (b *Budget) Take(ctx context.Context, name string, address netip.Addr) Decision {
	if b.exemptPrivate && Private(address) {
		return Decision{OK: true, Remaining: b.logs[0].max}
	}
	all := Decision{OK: true}
	var room [2]*Log
	counted := room[:0]
	for i, l := range b.logs {
		d := l.takeAll(ctx, b.levels(l, name, address))
		if d.OK {
			counted = append(counted, l)
		}
		switch {
		case !d.OK:
			all.OK, all.Remaining, all.Wait = false, 0, max(all.Wait, d.Wait)
		case i == 0 || d.Remaining < all.Remaining:
			all.Remaining, all.Reset = d.Remaining, d.Reset
		case d.Remaining == all.Remaining:
			all.Reset = max(all.Reset, d.Reset)
		}
	}
	if !all.OK {
		for _, l := range counted {
			l.refund(ctx, b.levels(l, name, address))
		}
		all.Remaining, all.Reset = 0, all.Wait
	}
	return all
}

// Refund returns to the budget the last action that Take admitted. The caller has not had it
// refunded before.
func (b *Budget) Refund(ctx context.Context, name string, address netip.Addr) {
	if b.exemptPrivate && Private(address) {
		return
	}
	for _, l := range b.logs {
		l.refund(ctx, b.levels(l, name, address))
	}
}

// DropExpired drops the addresses without an action in any window from the memory of this node.
// Redis expires its keys by itself.
func (b *Budget) DropExpired() {
	for _, l := range b.logs {
		l.DropExpired()
	}
}

// Open counts what each address holds open, such as connections. It has the levels of every limit by
// address. The zero value is empty. It is not safe for concurrent use: the caller locks.
type Open struct{ counts map[netip.Prefix]int }

// Full reports whether an address holds as many as a limit of n admits, at any level.
func (o *Open) Full(address netip.Addr, n int) bool {
	var room [len(networks)]Level
	for _, level := range AppendLevels(room[:0], address, n) {
		if o.counts[level.Prefix] >= level.Max {
			return true
		}
	}
	return false
}

// Add counts one more of an address, also beyond its limit.
func (o *Open) Add(address netip.Addr) {
	if o.counts == nil {
		o.counts = map[netip.Prefix]int{}
	}
	var room [len(networks)]Level
	for _, level := range AppendLevels(room[:0], address, 1) {
		o.counts[level.Prefix]++
	}
}

// Remove counts one fewer of an address. The caller has added it before.
func (o *Open) Remove(address netip.Addr) {
	var room [len(networks)]Level
	for _, level := range AppendLevels(room[:0], address, 1) {
		if o.counts[level.Prefix]--; o.counts[level.Prefix] <= 0 {
			delete(o.counts, level.Prefix)
		}
	}
}

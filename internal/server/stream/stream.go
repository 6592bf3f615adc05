// Package stream holds what waits on a node: streams of events, long polls, and the watches that wake
// them. A waiting request holds neither a transaction nor a connection of the database.
//
// It knows topics, positions and the states of duels, and nothing of operations or callers: package api
// checks what a caller may follow, and gives a function that reports whether the caller may go on.
package stream

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// Config configures what waits.
type Config struct {
	DB    *store.DB
	Duels *duel.Service
	Hub   *event.Hub  // wakes long polls and streams
	Tail  *event.Tail // this node's reader of the log of events
	Now   func() time.Time
	// Heartbeat is the interval of comments on a silent stream; 0 is 15 s.
	Heartbeat time.Duration
	// Relayed reports whether the Hub receives the wake-ups of other nodes; nil on a single node.
	// While it does not, long polls poll every relayDownPoll.
	Relayed func() bool
	// Used is called with each request from outside of the process, except for reads of the public
	// log, and with each heartbeat of a stream. It must not block; nil is none.
	Used func()
	// DuelEvent returns the event of a duel's state. It is the same for all spectators.
	DuelEvent func(d *duel.Duel) any
	Logger    *slog.Logger
}

// Streams are the waiting requests of a node.
type Streams struct {
	Config
	quota

	duels     duelCache
	longPolls atomic.Int64    // requests that wait
	draining  <-chan struct{} // closed by drain
	drain     func()
}

// defaultHeartbeat is the default of Config.Heartbeat: below the minute after which
// proxies give up on silent connections.
const defaultHeartbeat = 15 * time.Second

// New returns a node's Streams, of which none is open.
func New(c Config) *Streams {
	c.Heartbeat = cmp.Or(c.Heartbeat, defaultHeartbeat)
	draining := make(chan struct{})
	return &Streams{Config: c, draining: draining,
		duels: duelCache{db: c.DB, service: c.Duels, steps: c.Hub, event: c.DuelEvent},
		drain: sync.OnceFunc(func() { close(draining) })}
}

// Waiting counts the requests that wait for events.
type Waiting struct {
	Streams   int // open streams of events
	LongPolls int // long polls
}

// Waiting returns the number of waiting requests on this node.
func (s *Streams) Waiting() Waiting {
	return Waiting{Streams: s.count(), LongPolls: int(s.longPolls.Load())}
}

// Drain ends all waiting: it answers long polls and ends streams, so that a stop of the
// service does not wait for them. Later requests are not delayed.
func (s *Streams) Drain() { s.drain() }

// UntilDrain returns a context that also ends, with store.ErrClosed as its cause, when the
// service is about to stop: for long requests that the caller can repeat.
func (s *Streams) UntilDrain(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.draining:
			cancel(store.ErrClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// sessionTopic is woken when a session or key of an account may have ended.
func sessionTopic(address chain.Address) string { return "signed:" + address.String() }

// RecheckSessions makes this node's streams of an account check their session or key. It is
// called when another node reports that one may have ended.
func (s *Streams) RecheckSessions(address chain.Address) { s.duels.woken.Wake(sessionTopic(address)) }

// RecheckAllSessions makes all streams of this node check their session or key. It is called
// when this node may have missed such a report.
func (s *Streams) RecheckAllSessions() { s.duels.woken.WakeAll() }

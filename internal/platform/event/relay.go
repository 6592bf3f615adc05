package event

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roshambo/internal/store"
)

const (
	// relayChannel is the name of the database's channel.
	relayChannel = "roshambo"
	// maxMessage is the most bytes of a message; PostgreSQL accepts fewer than 8000.
	maxMessage = 7900
	// maxQueued is the most topics that wait to be sent. Beyond it the relay sends everything
	// instead.
	maxQueued = 10_000
	// everything stands for all topics in a message. No topic has this name.
	everything = "*"

	// The bounds of the time between two attempts to connect.
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// RelayConfig configures a Relay.
type RelayConfig struct {
	DB     *store.DB
	Hub    *Hub
	Logger *slog.Logger
	// Handlers receive topics that begin with a word and a colon, instead of the Hub. They are
	// keyed by the word, and get the text after the colon.
	Handlers map[string]func(rest string)
	// Missed is called when messages of other nodes may have been lost.
	Missed func()
}

// Relay sends the topics woken on this node to the other nodes on the same database, and wakes
// here the topics that they send. A topic is sent one round trip after it was woken; topics woken
// meanwhile share a message. So a node learns of changes on other nodes within some milliseconds.
//
// Delivery is not guaranteed: without a connection nothing is sent. Watchers must therefore also
// poll. All watchers are woken once when a connection is established,
// and once when it is lost. A node that could not send for a while makes the others wake all
// watchers.
type Relay struct {
	RelayConfig
	node  string // random name, which begins this node's messages; it ignores them
	up    atomic.Bool
	woken chan struct{} // capacity 1; filled when topics are queued
	// Methods of DB, which tests replace.
	listen   func(ctx context.Context, channel string, ready func(), receive func(message string)) error
	notifier func(ctx context.Context, channel string) (store.Notifier, error)

	mu       sync.Mutex      // guards the fields below
	queue    []string        // topics to send, in their order
	queued   map[string]bool // the topics in queue
	overflow bool            // send everything instead of the queue
}

// NewRelay returns a Relay. It sends and receives nothing until Run.
func NewRelay(c RelayConfig) *Relay {
	var random [8]byte
	rand.Read(random[:])
	return &Relay{
		RelayConfig: c, node: hex.EncodeToString(random[:]), woken: make(chan struct{}, 1), queued: map[string]bool{},
		listen: c.DB.Listen, notifier: c.DB.Notifier,
	}
}

// Up reports whether this node receives messages: it has a connection, which answers every few seconds
// (store.DB.Listen).
func (r *Relay) Up() bool { return r.up.Load() }

// Publish queues a topic for the other nodes. It never blocks.
func (r *Relay) Publish(topic string) {
	r.mu.Lock()
	switch {
	case r.overflow || r.queued[topic]:
	case len(r.queue) >= maxQueued:
		r.overflow = true
	default:
		r.queue, r.queued[topic] = append(r.queue, topic), true
	}
	r.mu.Unlock()
	select {
	case r.woken <- struct{}{}:
	default: // already filled
	}
}

// Run sends and receives until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { r.receiveLoop(ctx) })
	both.Go(func() { r.sendLoop(ctx) })
	both.Wait()
}

// receiveLoop listens, and reconnects when the connection is lost.
func (r *Relay) receiveLoop(ctx context.Context) {
	pause := firstRetry
	for ctx.Err() == nil {
		err := r.listen(ctx, relayChannel, func() {
			pause = firstRetry
			r.up.Store(true)
			r.missed() // messages before this connection may be lost
		}, r.receive)
		if r.up.Swap(false) && ctx.Err() == nil {
			r.missed() // watchers start polling
		}
		if ctx.Err() != nil {
			return
		}
		r.Logger.Warn("cannot receive from other nodes", "error", err, "again_in", pause)
		wait(ctx, pause)
		pause = nextPause(pause)
	}
}

// nextPause returns the pause after another failed attempt to connect.
func nextPause(pause time.Duration) time.Duration { return min(2*pause, lastRetry) }

// missed reports that messages of other nodes may be lost.
func (r *Relay) missed() {
	if r.Missed != nil {
		r.Missed()
	}
	r.Hub.WakeAll()
}

// receive handles a message: it wakes the topics of other nodes.
func (r *Relay) receive(message string) {
	node, topics, ok := strings.Cut(message, "\n")
	if !ok || node == r.node {
		return
	}
	for topic := range strings.SplitSeq(topics, "\n") {
		word, rest, _ := strings.Cut(topic, ":")
		switch handle := r.Handlers[word]; {
		case topic == everything:
			r.missed()
		case handle != nil:
			handle(rest)
		default:
			r.Hub.WakeLocal(topic)
		}
	}
}

// sendLoop sends queued topics, and reconnects when the connection is lost.
func (r *Relay) sendLoop(ctx context.Context) {
	pause := firstRetry
	for ctx.Err() == nil {
		err := r.sendOn(ctx, func() { pause = firstRetry })
		if ctx.Err() != nil {
			return
		}
		r.Logger.Warn("cannot send to other nodes", "error", err, "again_in", pause)
		r.mu.Lock()
		r.overflow = true // parts of the last batch may not have been sent
		r.mu.Unlock()
		wait(ctx, pause)
		pause = nextPause(pause)
		r.Publish(everything)
	}
}

// sendOn sends on one connection. While one batch is on its way the next one gathers. It calls sent
// after each batch. It sends every wake-up from before the end of ctx: no later message of this node
// would make up for it.
func (r *Relay) sendOn(ctx context.Context, sent func()) (err error) {
	n, err := r.notifier(ctx, relayChannel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	for ended := false; !ended; sent() {
		select {
		case <-ctx.Done():
			ended = true
		case <-r.woken:
		}
		if err := send(context.WithoutCancel(ctx), n, r.takeBatch()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sendTimeout bounds one send; then the connection is given up.
const sendTimeout = 3 * time.Second

func send(ctx context.Context, n store.Notifier, messages []string) error {
	if len(messages) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return n.Send(ctx, messages)
}

// takeBatch empties the queue and returns its topics as messages: the node's name, then one topic
// a line.
func (r *Relay) takeBatch() []string {
	r.mu.Lock()
	list := r.queue
	if r.overflow {
		list = []string{everything}
	}
	r.queue, r.overflow = nil, false
	clear(r.queued)
	r.mu.Unlock()
	var messages []string
	var b strings.Builder
	for _, topic := range list {
		if b.Len()+1+len(topic) > maxMessage && b.Len() > 0 {
			messages = append(messages, b.String())
			b.Reset()
		}
		if b.Len() == 0 {
			b.WriteString(r.node)
		}
		b.WriteString("\n" + topic)
	}
	if b.Len() > 0 {
		messages = append(messages, b.String())
	}
	return messages
}

// wait waits for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

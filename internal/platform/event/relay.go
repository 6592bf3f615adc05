package event

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
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
	// maxMessage is how long a message may be in bytes; PostgreSQL takes less than 8000.
	maxMessage = 7900
	// mostTopics is how many topics may wait to be told. Beyond, everybody is woken.
	mostTopics = 10_000
	// everything stands in a message for all topics. No topic is called so.
	everything = "*"

	// aloud ends the name of a node in messages that it heeds itself.
	aloud = "+"

	// The bounds of the time between two attempts to connect.
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// RelayConfig is what a Relay needs.
type RelayConfig struct {
	DB     *store.DB
	Hub    *Hub
	Logger *slog.Logger
	// Heard is told of topics that begin with a word and a colon, by that word, instead
	// of the Hub; what it is given is what follows the colon.
	Heard map[string]func(rest string)
	// Missed is called when something may have been missed: nodes may have told while
	// this one could not hear them.
	Missed func()
}

// Relay tells other nodes on the same database which topics were woken here, and wakes
// here what others tell. It is quick and, but for TellWith, not sure: a topic is told a round trip after it
// was woken, those woken meanwhile go together, and while there is no connection nothing
// is told. So whoever relies on it has something slower besides; and everybody is woken
// once when a connection stands, and once when it is lost. With it a node learns of what
// happened on another in some milliseconds.
//
// A node that could not tell others for a while tells them to wake everybody.
type Relay struct {
	RelayConfig
	node  string // begins this node's messages, which it does not heed
	up    atomic.Bool
	woken chan struct{} // has one place
	deaf  atomic.Bool   // though its connection stands
	pulse pulse

	mu     sync.Mutex // guards what follows
	list   []string   // topics to be told, in their order
	listed map[string]bool
	all    bool // everything is to be told
}

// NewRelay returns a Relay, which tells and hears nothing until Run.
func NewRelay(c RelayConfig) (*Relay, error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, fmt.Errorf("event: relay: %w", err)
	}
	return &Relay{
		RelayConfig: c, node: hex.EncodeToString(random[:]), woken: make(chan struct{}, 1), pulse: newPulse(), listed: map[string]bool{},
	}, nil
}

// Up reports whether this node hears the others, as far as its connection tells and unless
// it has heard nothing of itself for ten seconds.
func (r *Relay) Up() bool { return r.up.Load() && !r.deaf.Load() }

// Tell tells other nodes of a topic. It never waits.
func (r *Relay) Tell(topic string) {
	r.mu.Lock()
	switch {
	case r.all || r.listed[topic]:
	case len(r.list) >= mostTopics:
		r.all = true
	default:
		r.list, r.listed[topic] = append(r.list, topic), true
	}
	r.mu.Unlock()
	select {
	case r.woken <- struct{}{}:
	default: // it will look later than now
	}
}

// TellWith tells other nodes of a topic as tx commits: unlike Tell it is sure, as far as
// they hear at all. It is for what is rare.
//
// This node hears it, too: should it not learn how tx has ended, that tells.
func (r *Relay) TellWith(tx *store.Tx, topic string) error {
	return tx.Notify(relayChannel, r.node+aloud+"\n"+topic)
}

// Run tells and hears until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { r.hear(ctx) })
	both.Go(func() { r.speak(ctx) })
	if !r.DB.Exclusive() {
		both.Go(func() { r.beat(ctx) })
	}
	both.Wait()
}

// hear listens, and connects again whenever the connection is lost.
func (r *Relay) hear(ctx context.Context) {
	pause := firstRetry
	for ctx.Err() == nil {
		err := r.DB.Listen(ctx, relayChannel, func() {
			pause = firstRetry
			r.pulse.listen()
			r.up.Store(true)
			r.missed() // since it was lost, or since this node has read what it knows
		}, r.heard)
		r.pulse.silence()
		if r.up.Swap(false) && ctx.Err() == nil {
			r.missed() // who waits is to look now and then by himself
		}
		if ctx.Err() != nil {
			return
		}
		r.Logger.Warn("other nodes cannot be heard", "error", err, "again_in", pause)
		wait(ctx, pause)
		pause = min(2*pause, lastRetry)
	}
}

func (r *Relay) missed() {
	if r.Missed != nil {
		r.Missed()
	}
	r.Hub.WakeAll()
}

// heard wakes what another node's message tells.
func (r *Relay) heard(message string) {
	node, topics, ok := strings.Cut(message, "\n")
	if !ok || node == r.node {
		return
	}
	for topic := range strings.SplitSeq(topics, "\n") {
		word, rest, _ := strings.Cut(topic, ":")
		switch heard := r.Heard[word]; {
		case topic == everything:
			r.missed()
		case strings.HasPrefix(topic, beat):
			if node == r.node+aloud && !r.pulse.heard(topic) {
				r.missed()
			}
		case heard != nil:
			heard(rest)
		default:
			r.Hub.WakeHere(topic)
		}
	}
}

// speak tells what is to be told, and connects again whenever the connection is lost.
func (r *Relay) speak(ctx context.Context) {
	pause := firstRetry
	for ctx.Err() == nil {
		err := r.speakOn(ctx, func() { pause = firstRetry })
		if ctx.Err() != nil {
			return
		}
		r.Logger.Warn("other nodes cannot be told", "error", err, "again_in", pause)
		r.mu.Lock()
		r.all = true // whatever of it was told
		r.mu.Unlock()
		wait(ctx, pause)
		pause = min(2*pause, lastRetry)
		r.Tell(everything)
	}
}

// speakOn tells on one connection: while one batch is on its way, the next one gathers.
func (r *Relay) speakOn(ctx context.Context, told func()) (err error) {
	n, err := r.DB.Notifier(ctx, relayChannel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.woken:
		}
		if err := send(ctx, n, r.take()); err != nil {
			return err
		}
		told()
	}
}

// sendWithin is how long telling may take before the connection is given up.
const sendWithin = 3 * time.Second

func send(ctx context.Context, n store.Notifier, messages []string) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	return n.Send(ctx, messages)
}

// take returns what is to be told, as messages.
func (r *Relay) take() []string {
	r.mu.Lock()
	list := r.list
	if r.all {
		list = []string{everything}
	}
	r.list, r.all = nil, false
	clear(r.listed)
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

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

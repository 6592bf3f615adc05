package app

import (
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/lease"
)

// eventPoll is how often a node polls the log for events of other nodes, in case it misses their
// wake-up. It reads its own events at once.
const eventPoll = time.Second

// Prefixes of the messages that nodes send each other beside topics of the Hub. They are part of
// the protocol between nodes: nodes of two releases may run side by side.
const (
	relaySignedOut = "signed"   // an account's address: its streams check their session or key
	relayPresence  = "here"     // presence.Tracker.Receive: a side watches its duel, or has left
	relayFacts     = "facts"    // score.Service.Wake: a service reported a fact
	relayUsed      = "used"     // attention.mark: a node is used from outside
	relayViewer    = "viewer"   // api.API.NoteViewer: a caller watches TV
	relayCompare   = "compare"  // an asking node (asking.go)
	relayCompared  = "compared" // the asking node, and one that has compared
)

// wireNodes builds the relay and the leases, by which nodes on one database share wake-ups and
// work.
func (s *Service) wireNodes() {
	s.relay = event.NewRelay(event.RelayConfig{
		DB: s.DB, Hub: &s.Hub, Logger: s.log,
		Handlers: map[string]func(string){
			relaySignedOut: s.recheckSessions,
			relayPresence:  func(message string) { s.presence.Receive(message) },
			relayFacts:     func(string) { s.Score.Wake() },
			relayUsed:      func(string) { s.attention.mark() },
			relayViewer:    func(key string) { s.API.NoteViewer(key) },
			relayCompare:   s.noteAsker,
		},
		Missed: func() {
			s.forget()
			s.API.Streams.RecheckAllSessions()
			s.Score.Wake()
		},
	})
	if !s.alone() {
		s.Hub.Relay = s.relay.Publish
	}
	used := s.publish(relayUsed)
	s.attention = newAttention(s.config.Now, func() { used("") })
	s.leases = lease.New(lease.Config{DB: s.DB, Logger: s.log, Released: func() { s.Hub.Wake(leaseTopic) }})
}

// publish returns a function that sends other nodes messages with a prefix. It does nothing when
// this node is the only one.
func (s *Service) publish(prefix string) func(rest string) {
	if s.alone() {
		return func(string) {}
	}
	return func(rest string) { s.relay.Publish(prefix + ":" + rest) }
}

// recheckSessions handles another node's message that sessions or keys of an account have ended.
func (s *Service) recheckSessions(address string) {
	a, err := chain.ParseAddress(address)
	if err != nil {
		s.log.Warn("message of another node: malformed address", "address", address)
		return
	}
	s.API.Streams.RecheckSessions(a)
}

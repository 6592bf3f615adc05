package app

import (
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/lease"
)

// eventPoll is how often a node looks for what was posted elsewhere, should it not be
// told. What it posts itself it sees at once.
const eventPoll = time.Second

// Words that begin what nodes tell one another beside topics of the Hub.
const (
	wordForget = "forget" // account.Service.Invalidate: who has called lately may do so no more
	wordSigned = "signed" // an account's address: streams look whether they still may
	wordFacts  = "facts"  // score.Service.Wake: something was reported
)

// wireNodes makes what nodes on the same database share their work and their news by.
func (s *service) wireNodes() (err error) {
	s.relay, err = event.NewRelay(event.RelayConfig{
		DB: s.db, Hub: &s.hub, Logger: s.log,
		Handlers: map[string]func(string){
			wordForget: func(what string) { s.accounts.Invalidate(what) },
			wordSigned: s.heardSigned,
			wordFacts:  func(string) { s.score.Wake() },
		},
		Missed: func() {
			s.accounts.Invalidate("")
			s.api.CheckSigned()
			s.score.Wake()
		},
	})
	if err != nil {
		return err
	}
	if !s.db.Exclusive() {
		s.hub.Relay = s.relay.Publish
	}
	s.leases, err = lease.New(lease.Config{DB: s.db, Logger: s.log, Released: func() { s.hub.Wake(leaseTopic) }})
	return err
}

// tell tells other nodes of what is no topic of the Hub.
func (s *service) tell(word string) func(rest string) {
	if s.db.Exclusive() {
		return func(string) {}
	}
	return func(rest string) { s.relay.Publish(word + ":" + rest) }
}

// heardSigned hears from another node that sessions or keys of an account have ended.
func (s *service) heardSigned(address string) {
	a, err := chain.ParseAddress(address)
	if err != nil {
		s.log.Warn("another node speaks of an address that is none", "address", address)
		return
	}
	s.accounts.Invalidate(address) // before a stream asks whose session it is
	s.api.SignedOut(a)
}

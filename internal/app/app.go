package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

// Serve runs the service until ctx ends, and then drains it: it answers the requests in progress
// and seals the pending transactions. It returns an error when the configuration is invalid, when
// the service cannot start, and when it ends for another reason than ctx.
func Serve(ctx context.Context, c Config) error {
	if err := c.Check(); err != nil {
		return err
	}
	s, err := buildUntil(ctx, c)
	if err != nil {
		return err
	}
	background, err := s.serve(ctx)
	return errors.Join(err, endWithin(stopTimeout, func() error { return errors.Join(background(), s.Close()) }))
}

// buildUntil is Build for a service that may be stopped meanwhile: it returns within stopTimeout then, although a
// start waits longer for the database than a service does.
func buildUntil(ctx context.Context, c Config) (*Service, error) {
	var s *Service
	var err error
	built := make(chan struct{})
	go func() {
		defer close(built)
		s, err = Build(ctx, c)
	}()
	select {
	case <-built:
		return s, err
	case <-ctx.Done():
	}
	if stuck := endWithin(stopTimeout, func() error { <-built; return nil }); stuck != nil {
		return nil, stuck
	}
	return s, err
}

// stopTimeout bounds what follows the last request of a service that stops: sealing, releasing leases, closing
// the database. Beyond it the process ends as if it was killed, which loses nothing: acknowledged changes are
// stored, the next start seals the rest, and other nodes take the leases.
const stopTimeout = 20 * time.Second

// errStuck ends a stop that took longer than stopTimeout.
var errStuck = errors.New("the stop took too long, mostly because the database does not answer: the process ends " +
	"without it; every acknowledged change is stored")

// endWithin returns the error of end, or errStuck if end takes longer than timeout.
func endWithin(timeout time.Duration, end func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(timeout):
		return errStuck
	}
}

const (
	// readHeaders bounds how long a client may take to send its headers, so that slow clients do not
	// hold connections. On a new connection it also bounds the time without any request. Whole
	// requests have no such bound: it would end long polls and streams.
	readHeaders = 10 * time.Second
	idle        = 2 * time.Minute
)

// errBroken ends a service whose database could no longer be synced: until it is started again, it
// cannot know which changes are stored.
var errBroken = errors.New("the disk failed to sync the database, so nothing can be stored any more: check the " +
	"disk and start again; every acknowledged change is stored")

// serve answers requests until ctx ends. The function that it returns ends all that goes on without requests.
func (s *Service) serve(ctx context.Context) (end func() error, err error) {
	nothing := func() error { return nil }
	listener, err := listenPlain(ctx, s.config.Listen)
	if err != nil {
		return nothing, fmt.Errorf("listen: %w", err)
	}
	secure, redirect, err := s.tlsConfig()
	if err != nil {
		return nothing, errors.Join(err, listener.Close())
	}
	server := s.newServer()
	callers := newConnections(connectionsFor(openFiles()), s.config.connectionBound(), s.Edge.Refusal, s.log)
	server.ConnState = callers.changed
	accepting := listener
	listener = &spareListener{Listener: listener, connections: callers, secure: secure != nil}
	address, scheme := listener.Addr().String(), "http"
	if secure != nil {
		listener, scheme = tls.NewListener(listener, secure), "https"
	}
	server.RegisterOnShutdown(s.API.Streams.Drain)
	stopAdmin, err := s.serveAdmin(ctx)
	if err != nil {
		return nothing, errors.Join(err, listener.Close())
	}
	stopProbes, err := s.serveProbes(ctx)
	if err != nil {
		return nothing, errors.Join(err, listener.Close(), stopAdmin())
	}
	stopRedirect, err := s.serveRedirect(ctx, redirect, callers)
	if err != nil {
		return nothing, errors.Join(err, listener.Close(), stopAdmin(), stopProbes())
	}
	debug.FreeOSMemory() // returns the memory that the start needed, about as much as the service needs
	s.log.Info("roshambo is up", "url", scheme+"://"+address, "chain", s.Ledger.Origin(), "verifier_key",
		s.Ledger.VerifierKey())
	if s.config.Ready != nil {
		s.config.Ready(address)
	}

	s.Accounts.Links.Base = cmp.Or(s.config.origin(), scheme+"://"+address)
	// The loops end after the requests, so that the transactions of the last request are sealed.
	background := s.start(context.WithoutCancel(ctx))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.Edge.Listener(listener)) }()
	stopHouse := s.openHouse(ctx)
	select {
	case err = <-failed:
	case <-s.DB.Broken():
		err = errors.Join(errBroken, s.drain(server, accepting, failed))
	case <-ctx.Done():
		err = s.drain(server, accepting, failed)
	}
	return func() error {
		stopHouse()
		err := errors.Join(background.end(), stopAdmin(), stopProbes(), stopRedirect())
		s.log.Info("roshambo is down")
		return err
	}, err
}

// listenPlain listens without Multipath TCP, whose sockets refuseNew cannot filter.
func listenPlain(ctx context.Context, address string) (net.Listener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	return c.Listen(ctx, "tcp", address)
}

// drain stops the server. It first reports the node as not ready, for DrainDelay, so that load balancers stop sending
// requests before connections are refused. Then listener, the network's listener below the layers of the server, gets
// no new ones, and those that are on their way are accepted before it is closed.
func (s *Service) drain(server *http.Server, listener net.Listener, failed <-chan error) error {
	s.draining.Store(true)
	s.log.Info("draining", "after", s.config.DrainDelay, "for", s.config.Drain)
	select {
	case err := <-failed:
		return err
	case <-time.After(s.config.DrainDelay):
	}
	if l, ok := listener.(*net.TCPListener); ok && refuseNew(l) == nil {
		select {
		case err := <-failed:
			return err
		case <-time.After(acceptRest):
		}
	}
	return drain(server, s.config.Drain)
}

// acceptRest is how long connections are accepted after refuseNew: more than a handshake in the network of a proxy
// takes, which answers at once.
const acceptRest = 100 * time.Millisecond

// drain stops accepting connections and waits for the requests in progress. After timeout it closes
// the remaining connections: an answer that was sent stays valid, and a caller without one finds
// the outcome by reading.
func drain(server *http.Server, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("drain: %w", err), server.Close())
	}
	return nil
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

// Serve runs the service until ctx ends, and then drains it: requests under way are
// answered, what is pending is sealed.
func Serve(ctx context.Context, c Config) error {
	if err := c.Check(); err != nil {
		return err
	}
	s, err := Build(ctx, c)
	if err != nil {
		return err
	}
	err = s.serve(ctx)
	return errors.Join(err, s.Close())
}

const (
	// readHeaders bounds how long a client may take over its headers, so that slow
	// ones cannot hold connections for nothing. There is no such bound on whole
	// requests: it would end those that wait for an event.
	readHeaders = 10 * time.Second
	idle        = 2 * time.Minute
	maxHeaders  = 32 << 10
)

// errBroken ends a service that could only read: started again it finds out what is stored.
var errBroken = errors.New("nothing can be stored any more, as the disk failed to sync the database: look after the disk; the next start goes on with all that was answered")

func (s *Service) serve(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := s.newServer()
	callers := newConnections(connectionsFor(openFiles()), s.API.Refusal, s.log)
	server.ConnState = callers.changed
	listener = &spareListener{Listener: listener, connections: callers}
	server.RegisterOnShutdown(s.API.Drain)
	stopAdmin, err := s.serveAdmin(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	debug.FreeOSMemory() // what getting ready took, which is as much as the service needs
	address := listener.Addr().String()
	s.log.Info("roshambo is up", "url", "http://"+address, "chain", s.Ledger.Origin(), "verifier_key", s.Ledger.VerifierKey())
	if s.config.Ready != nil {
		s.config.Ready(address)
	}

	s.Accounts.Links.Base = cmp.Or(s.config.origin(), "http://"+address)
	// The loops outlive the requests, so that what the last request posted is sealed.
	background := s.start(context.WithoutCancel(ctx))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.API.Listener(listener)) }()
	stopHouse := s.openHouse(ctx)
	select {
	case err = <-failed:
	case <-s.DB.Broken():
		err = errors.Join(errBroken, s.drain(server, failed))
	case <-ctx.Done():
		err = s.drain(server, failed)
	}
	stopHouse()
	err = errors.Join(err, background.end(), stopAdmin())
	s.log.Info("roshambo is down")
	return err
}

// drain has a server stop. Who sends requests here hears first that this node is not
// ready any more; only then are connections refused.
func (s *Service) drain(server *http.Server, failed <-chan error) error {
	s.draining.Store(true)
	s.log.Info("draining", "after", s.config.DrainDelay, "for", s.config.Drain)
	select {
	case err := <-failed:
		return err
	case <-time.After(s.config.DrainDelay):
	}
	return drain(server, s.config.Drain)
}

// drain stops taking connections and waits for the requests under way. Who is not
// done in time is cut off: what it was answered stays, what it was not did not happen
// or is found by reading.
func drain(server *http.Server, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("drain: %w", err), server.Close())
	}
	return nil
}

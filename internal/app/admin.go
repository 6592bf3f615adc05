package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
)

// serveAdmin serves what is for operators alone, on an address of its own: metrics,
// health and profiles. It is off unless an address is given, and asks for no password, so
// the address must not be one that others reach. It returns what stops it.
func (s *service) serveAdmin(ctx context.Context) (stop func() error, err error) {
	if s.config.AdminListen == "" {
		return func() error { return nil }, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.config.AdminListen)
	if err != nil {
		return nil, fmt.Errorf("admin-listen: %w", err)
	}
	s.measure()
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	mux.HandleFunc("GET /healthz", s.serveAlive)
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	// Without the command line, in which there may be passwords.
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: readHeaders}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("admin address", "error", err)
		}
	}()
	address := listener.Addr().String()
	s.log.Info("admin address", "admin", address)
	if s.config.ReadyAdmin != nil {
		s.config.ReadyAdmin(address)
	}
	return server.Close, nil
}

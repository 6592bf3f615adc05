package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strings"
)

// serveAdmin serves what is for operators alone, on an address of its own: metrics,
// health and profiles. It is off unless an address is given, and asks for no password, so
// the address must not be one that others reach. It returns what stops it.
func (s *Service) serveAdmin(ctx context.Context) (stop func() error, err error) {
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
	server := &http.Server{Handler: localNames(mux), ReadHeaderTimeout: readHeaders}
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

// localNames answers who comes by this machine's own address only if it calls it so. A
// page of any site may have its name lead there (DNS rebinding), and the browser of an
// operator would let it read what is answered to that name. Who comes by another address
// may call it as the operator's network does.
func localNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		here, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if !ok || here.IP.IsLoopback() && !localName(r.Host) {
			http.Error(w, "this address is called localhost, 127.0.0.1 or ::1", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// localName reports whether the header Host names this machine itself.
func localName(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback() || strings.EqualFold(name, "localhost")
}

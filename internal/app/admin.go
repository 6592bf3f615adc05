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

// serveAdmin serves metrics, health, profiles and the operators' page on the operators' own address, and returns a
// function that stops it. It does nothing unless an address is configured. It asks for no password but
// for the operators' API and page: the address must not be reachable by others.
func (s *Service) serveAdmin(ctx context.Context) (stop func() error, err error) {
	if s.config.AdminListen == "" {
		return func() error { return nil }, nil
	}
	s.measure()
	server := &http.Server{Handler: s.adminHandler(), ReadHeaderTimeout: readHeaders}
	return s.serveBeside(ctx, "admin", s.config.AdminListen, server, s.config.ReadyAdmin)
}

// adminHandler returns the handler of the admin address.
func (s *Service) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	mux.HandleFunc("GET /healthz", s.serveAlive)
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	// Not served: the command line may contain passwords.
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	s.operatorAPI(mux)
	return localNames(s.config.AdminListen, sameSite(mux))
}

// serveBeside serves on an address beside the players' address, and returns a function that stops it. ready, unless
// it is nil, is called with the address.
func (s *Service) serveBeside(
	ctx context.Context, name, listen string, server *http.Server, ready func(string),
) (stop func() error, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("%s-listen: %w", name, err)
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error(name+" address", "error", err)
		}
	}()
	address := listener.Addr().String()
	s.log.Info(name+" address", name, address)
	if ready != nil {
		ready(address)
	}
	return server.Close, nil
}

// sameSite refuses requests that a page of another site makes with an operator's browser, also those that
// only read: a profile costs seconds of the processor, and a picture or a script may be read by its size.
// Programs send none of these headers; a browser sends "none" when its user types the address. To an address that is
// neither loopback nor https a browser does not say which site asks: it gets no profile there.
func sameSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
		foreign := site != "" && site != "none" && site != "same-origin"
		if foreign || origin != "" && origin != "http://"+r.Host {
			http.Error(w, "a page of another site made this request", http.StatusForbidden)
			return
		}
		if site == "" && strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/") &&
			strings.HasPrefix(r.URL.Path, "/debug/") {
			http.Error(w, "this browser does not say which site asks: use curl, go tool pprof, or a loopback address",
				http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// localNames refuses requests under a host name that a page of any site could give to this address (DNS
// rebinding), with status 421: the browser of an operator would let that page read profiles and metrics. A
// request to a loopback address names it by a loopback address, another one by an IP address; both may use
// localhost, which no site can have, and the name that --admin-listen gives.
func localNames(listen string, next http.Handler) http.Handler {
	configured, _, _ := net.SplitHostPort(listen) // Config.Check has checked it
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		here, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		name := (&url.URL{Host: r.Host}).Hostname()
		ip, err := netip.ParseAddr(name)
		named := name != "" && (strings.EqualFold(name, "localhost") || strings.EqualFold(name, configured))
		if !ok || !named && (err != nil || here.IP.IsLoopback() && !ip.IsLoopback()) {
			http.Error(w, "use an IP address, localhost or the name in --admin-listen as the host",
				http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

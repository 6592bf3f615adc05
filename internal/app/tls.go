package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Without a proxy the service can speak HTTPS itself: with a certificate in files, or one that it gets by ACME.
// It speaks HTTP/1.1 inside; a proxy adds HTTP/2.

// checkTLS checks the options for HTTPS.
func (c *Config) checkTLS() error {
	files := c.TLSCert != "" || c.TLSKey != ""
	switch {
	case files && (c.TLSCert == "" || c.TLSKey == ""):
		return errors.New("tls-cert: it needs tls-key, and tls-key needs it")
	case files && c.ACME:
		return errors.New("acme: the certificate is that of tls-cert already")
	case files && !c.secure():
		return errors.New("tls-cert: set public-url to the https URL of the service")
	case c.ACME && !c.secure():
		return errors.New("acme: set public-url to the https URL of the service, whose host the certificate is for")
	case c.RedirectListen != "" && !c.secure():
		return errors.New("redirect-listen: set public-url to the https URL to redirect to")
	}
	if c.ACME {
		if u, err := url.Parse(c.ACMEDirectory); err != nil || u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("acme-directory: %q is not an https URL", c.ACMEDirectory)
		}
	}
	return nil
}

// tlsConfig returns the settings for HTTPS, nil for plain HTTP, and the handler at RedirectListen, which also
// answers the challenges of ACME.
func (s *Service) tlsConfig() (*tls.Config, http.Handler, error) {
	redirect := http.Handler(http.HandlerFunc(s.redirect))
	switch {
	case s.config.ACME:
		u, err := url.Parse(s.config.PublicURL)
		if err != nil {
			return nil, nil, fmt.Errorf("public-url: %w", err) // unreachable: Check has parsed it
		}
		m := &autocert.Manager{
			Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(u.Hostname()),
			Cache:  autocert.DirCache(filepath.Join(s.config.Data, "acme")),
			Client: &acme.Client{DirectoryURL: s.config.ACMEDirectory, UserAgent: "roshambo"},
		}
		return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: within(certificateTime, m.GetCertificate),
			NextProtos: []string{"http/1.1", acme.ALPNProto}}, m.HTTPHandler(redirect), nil
	case s.config.TLSCert != "":
		f := &certificateFiles{cert: s.config.TLSCert, key: s.config.TLSKey, every: certificateCheck, log: s.log}
		if err := f.read(); err != nil {
			return nil, nil, fmt.Errorf("tls-cert: %w", err)
		}
		return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: f.get, NextProtos: []string{"http/1.1"}},
			redirect, nil
	}
	return nil, redirect, nil
}

const (
	// certificateTime is how long a client waits for a certificate that is being issued: it comes back later.
	certificateTime = 30 * time.Second
	// certificateWaits is how many calls may wait for a certificate, also after their clients have gone.
	certificateWaits = 1000
)

// errCertificate reports a certificate that is still being issued.
var errCertificate = errors.New("the certificate is not there yet")

// within bounds the time that a client waits for get, which goes on: autocert, which takes up to five minutes, keeps
// the certificate for the next client.
func within(
	most time.Duration, get func(*tls.ClientHelloInfo) (*tls.Certificate, error),
) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	type result struct {
		certificate *tls.Certificate
		err         error
	}
	waiting := make(chan struct{}, certificateWaits)
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
			return get(hello) // the challenge, on which the others wait, is answered at once
		}
		select {
		case waiting <- struct{}{}:
		default:
			return nil, errCertificate
		}
		got := make(chan result, 1)
		go func() {
			defer func() { <-waiting }()
			c, err := get(hello)
			got <- result{c, err}
		}()
		timer := time.NewTimer(most)
		defer timer.Stop()
		select {
		case r := <-got:
			return r.certificate, r.err
		case <-timer.C:
			return nil, errCertificate
		}
	}
}

// redirect sends a browser to the same path of the public URL. Other methods than GET and HEAD are redirected with
// their body.
func (s *Service) redirect(w http.ResponseWriter, r *http.Request) {
	status := http.StatusPermanentRedirect
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		status = http.StatusMovedPermanently
	}
	w.Header().Set("Connection", "close") // the client has no further request here
	// RequestURI may be absolute, or an asterisk: the redirect keeps the path alone.
	target := url.URL{Path: "/", RawQuery: r.URL.RawQuery}
	if r.URL.Path != "" && r.URL.Path[0] == '/' {
		target.Path, target.RawPath = r.URL.Path, r.URL.RawPath
	}
	http.Redirect(w, r, s.config.origin()+target.String(), status)
}

// serveRedirect redirects at the address for plain HTTP, and returns a function that stops it. It does nothing
// unless one is configured. Its connections count as callers' do.
func (s *Service) serveRedirect(
	ctx context.Context, h http.Handler, callers *connections,
) (stop func() error, err error) {
	if s.config.RedirectListen == "" {
		return func() error { return nil }, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.config.RedirectListen)
	if err != nil {
		return nil, fmt.Errorf("redirect-listen: %w", err)
	}
	server := &http.Server{Handler: h, ReadTimeout: readHeaders, WriteTimeout: readHeaders, IdleTimeout: readHeaders,
		MaxHeaderBytes: redirectHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ConnState: callers.changed}
	go func() {
		err := server.Serve(&spareListener{Listener: listener, connections: callers})
		if !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("address that redirects", "error", err)
		}
	}()
	s.log.Info("redirecting", "address", listener.Addr().String(), "to", s.config.origin())
	if s.config.ReadyRedirect != nil {
		s.config.ReadyRedirect(listener.Addr().String())
	}
	return server.Close, nil
}

// redirectHeader bounds the bytes of a redirected request's headers.
const redirectHeader = 8 << 10

// certificateFiles is a certificate and its key in files that a program may replace at any time.
type certificateFiles struct {
	cert, key string
	every     time.Duration // the shortest interval between two looks at the files
	log       *slog.Logger

	mu      sync.Mutex // guards the fields below
	current *tls.Certificate
	stamps  [2]os.FileInfo
	checked time.Time
}

// certificateCheck is how often the files are looked at.
const certificateCheck = 10 * time.Second

// get returns the certificate for a connection. Files that have changed are read; while they cannot be used, as
// between two writes, the certificate before them stays.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.checked) >= f.every {
		f.checked = now
		switch changed, err := f.load(); {
		case err != nil:
			f.log.Error("the new TLS certificate cannot be used; the one before it stays", "error", err)
		case changed:
			f.log.Info("read a new TLS certificate", "until", f.current.Leaf.NotAfter)
		}
	}
	return f.current, nil
}

// read reads the files for the first time.
func (f *certificateFiles) read() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.load()
	return err
}

// load reads the files if they have changed since they were read. The caller holds mu.
func (f *certificateFiles) load() (changed bool, err error) {
	var stamps [2]os.FileInfo
	for i, name := range []string{f.cert, f.key} {
		if stamps[i], err = os.Stat(name); err != nil {
			return false, err
		}
		old := f.stamps[i]
		changed = changed || old == nil || !os.SameFile(old, stamps[i]) || !old.ModTime().Equal(stamps[i].ModTime()) ||
			old.Size() != stamps[i].Size()
	}
	if !changed {
		return false, nil
	}
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return false, err
	}
	f.current, f.stamps = &c, stamps
	return true, nil
}

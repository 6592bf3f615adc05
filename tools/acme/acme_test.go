package acme

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"

	"roshambo/internal/app"
)

// host is the name that the certificate is for.
const host = "roshambo.test"

// TestACME starts the service with --acme: the first connection gets a certificate, by a challenge at the port of
// the service; a restarted service has it still; and there is none for another name.
func TestACME(t *testing.T) {
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	var handler atomic.Pointer[http.Handler]
	authority := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*handler.Load()).ServeHTTP(w, r)
	}))
	defer authority.Close()
	// The process trusts the address of the authority. It reads the variables at the first use.
	trusted := filepath.Join(t.TempDir(), "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Certificate().Raw})
	if err := os.WriteFile(trusted, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", trusted)
	t.Setenv("SSL_CERT_DIR", t.TempDir())

	folder := t.TempDir()
	address, stop := serve(t, folder, authority.URL+wfe.DirectoryPath)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	tlsPort, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	logger, store := log.New(t.Output(), "pebble: ", 0), db.NewMemoryStore()
	certificates := ca.New(logger, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {}})
	// Nothing listens at port 1: only the challenge by TLS can succeed.
	validation := va.New(logger, 1, tlsPort, true, names(t), store)
	front := wfe.New(logger, store, validation, certificates, []string{"pebble.test"}, true, false, 1, 1)
	h := front.Handler()
	handler.Store(&h)
	roots := x509.NewCertPool()
	roots.AddCert(certificates.GetRootCert(0).Cert)

	first := serial(t, address, roots)
	if err := connect(t, address, &tls.Config{RootCAs: roots, ServerName: "other.test"}, func(*tls.Conn) {}); err == nil {
		t.Error("there is a certificate for another name")
	}
	stop()
	address, stop = serve(t, folder, authority.URL+wfe.DirectoryPath)
	authority.Close() // it is not asked again
	if again := serial(t, address, roots); again.Cmp(first) != 0 {
		t.Errorf("certificate %v after a restart, want %v", again, first)
	}
	stop()
}

// serve starts the service, and returns its address and a function that stops it.
func serve(t *testing.T, folder, directory string) (address string, stop func()) {
	t.Helper()
	ready, ended := make(chan string, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		ended <- app.Serve(ctx, app.Config{
			Listen: "127.0.0.1:0", Data: folder, LogFormat: "text", Log: t.Output(), Drain: app.DefaultDrain,
			MailFrom: "house@example.org", PublicURL: "https://" + host, ACME: true, ACMEDirectory: directory,
			Ready: func(address string) { ready <- address },
		})
	}()
	stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service ended with %v", err)
		}
	}
	select {
	case address = <-ready:
		return address, stop
	case err := <-ended:
		t.Fatalf("the service ended before it was ready: %v", err)
	}
	return "", nil
}

// serial connects to the service, gets the page, and returns the number of the certificate.
func serial(t *testing.T, address string, roots *x509.CertPool) (n *big.Int) {
	t.Helper()
	err := connect(t, address, &tls.Config{RootCAs: roots, ServerName: host}, func(c *tls.Conn) {
		n = c.ConnectionState().PeerCertificates[0].SerialNumber
		if _, err := io.WriteString(c, "GET /api/tiers HTTP/1.0\r\nHost: "+host+"\r\n\r\n"); err != nil {
			t.Error(err)
		}
		answer := make([]byte, len("HTTP/1.0 200 OK"))
		if _, err := io.ReadFull(c, answer); err != nil || string(answer[8:]) != " 200 OK" {
			t.Errorf("the service answered %q, %v", answer, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// connect makes a connection by TLS, which takes as long as the certificate.
func connect(t *testing.T, address string, c *tls.Config, use func(*tls.Conn)) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := (&tls.Dialer{Config: c}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	use(conn.(*tls.Conn))
	return nil
}

// names serves DNS in which every name is this machine, and returns the server's address.
func names(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // Pebble asks over TCP
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, r *dns.Msg) {
		m := new(dns.Msg).SetReply(r)
		if q := r.Question[0]; q.Qtype == dns.TypeA {
			m.Answer = append(m.Answer, &dns.A{A: net.IPv4(127, 0, 0, 1),
				Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET}})
		}
		_ = w.WriteMsg(m)
	})}
	go func() { _ = server.ActivateAndServe() }()
	t.Cleanup(func() { _ = server.Shutdown() })
	return listener.Addr().String()
}

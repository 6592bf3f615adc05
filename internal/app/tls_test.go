package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/acme"
)

// writeCertificate writes a new certificate for roshambo.test and its key into files, and returns the certificate.
func writeCertificate(t *testing.T, serial int64, certFile, keyFile string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "roshambo.test"},
		DNSNames:  []string{"roshambo.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestHTTPS serves the page over HTTPS, and redirects from HTTP.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	c.TLSCert, c.TLSKey = filepath.Join(c.Data, "cert.pem"), filepath.Join(c.Data, "key.pem")
	c.PublicURL, c.RedirectListen = "https://roshambo.test", "127.0.0.1:0"
	redirects := make(chan string, 1)
	c.ReadyRedirect = func(address string) { redirects <- "http://" + address }
	roots := x509.NewCertPool()
	roots.AddCert(writeCertificate(t, 1, c.TLSCert, c.TLSKey))
	s := begin(t, c)

	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "roshambo.test"}}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	// call returns the answer's head.
	call := func(method, url string) http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return *answer
	}
	secure := "https" + strings.TrimPrefix(s.url, "http")
	for path, want := range map[string]int{"/": 200, "/api/tiers": 200, "/api/nowhere": 404} {
		a := call(http.MethodGet, secure+path)
		if a.StatusCode != want || a.Header.Get("Strict-Transport-Security") == "" || a.ProtoMajor != 1 {
			t.Errorf("%s: %s %s, headers %v", path, a.Proto, a.Status, a.Header)
		}
	}
	plain := <-redirects
	for _, r := range []struct {
		method, path, to string
		status           int
	}{
		{"GET", "/", "/", 301},
		{"HEAD", "/leaderboard?board=teams&x=%2F", "/leaderboard?board=teams&x=%2F", 301},
		{"GET", "//example.org/%2e%2e/", "//example.org/%2e%2e/", 301},
		{"POST", "/api/guest", "/api/guest", 308},
	} {
		a := call(r.method, plain+r.path)
		if got, want := a.Header.Get("Location"), "https://roshambo.test"+r.to; a.StatusCode != r.status || got != want {
			t.Errorf("%s %s: %s to %q, want %d to %q", r.method, r.path, a.Status, got, r.status, want)
		}
	}
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("the service ended with %v", err)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(plain, "http://")); err == nil {
		t.Error("the address that redirects accepts connections after the end")
		_ = conn.Close()
	}
}

// TestCertificateChanges replaces the files of a certificate: connections get the new one; files that do not fit
// or are gone leave the one before.
func TestCertificateChanges(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := &certificateFiles{cert: filepath.Join(folder, "cert.pem"), key: filepath.Join(folder, "key.pem"),
		log: slog.New(slog.DiscardHandler)}
	serial := func() int64 {
		t.Helper()
		c, err := f.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Leaf.SerialNumber.Int64()
	}
	if err := f.read(); err == nil {
		t.Fatal("missing files were read")
	}
	writeCertificate(t, 1, f.cert, f.key)
	if err := f.read(); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name   string
		change func()
		want   int64
	}{
		{"nothing", func() {}, 1},
		{"both", func() { writeCertificate(t, 2, f.cert, f.key) }, 2},
		{"the certificate alone", func() { writeCertificate(t, 3, f.cert, filepath.Join(folder, "other.pem")) }, 2},
		{"its key", func() { rename(t, filepath.Join(folder, "other.pem"), f.key) }, 3},
		{"the key gone", func() { rename(t, f.key, filepath.Join(folder, "away.pem")) }, 3},
		{"back", func() { rename(t, filepath.Join(folder, "away.pem"), f.key) }, 3},
		{"both again", func() { writeCertificate(t, 4, f.cert, f.key) }, 4},
	} {
		step.change()
		if got := serial(); got != step.want {
			t.Errorf("after a change of %s: certificate %d, want %d", step.name, got, step.want)
		}
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestCheckTLS(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Config){
		"":                 func(c *Config) { c.TLSCert, c.TLSKey = "c", "k" },
		"tls-cert: it":     func(c *Config) { c.TLSCert = "c" },
		"tls-cert: it n":   func(c *Config) { c.TLSKey = "k" },
		"acme: the":        func(c *Config) { c.TLSCert, c.TLSKey, c.ACME = "c", "k", true },
		"tls-cert: set":    func(c *Config) { c.TLSCert, c.TLSKey, c.PublicURL = "c", "k", "http://roshambo.test" },
		"acme: set":        func(c *Config) { c.ACME, c.PublicURL = true, "" },
		"redirect-listen:": func(c *Config) { c.RedirectListen, c.PublicURL = ":80", "" },
		"redirect-listen":  func(c *Config) { c.RedirectListen = "80" },
		"acme-directory:":  func(c *Config) { c.ACME, c.ACMEDirectory = true, "http://roshambo.test" },
	} {
		c := config(t.TempDir())
		c.PublicURL = "https://roshambo.test"
		change(&c)
		err := c.Check()
		if (want == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	c := config(t.TempDir())
	c.PublicURL, c.TLSCert, c.TLSKey = "https://roshambo.test", "missing.pem", "missing.pem"
	if err := Serve(t.Context(), c); err == nil || !strings.Contains(err.Error(), "tls-cert: ") {
		t.Errorf("a missing certificate: %v", err)
	}
}

// TestCertificateWait: a client waits 30 s for a certificate that is being issued, and a later one gets it. The
// challenge of ACME does not wait behind clients.
func TestCertificateWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, issued := time.Now(), new(tls.Certificate)
		get := within(certificateTime, func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if len(hello.SupportedProtos) == 0 {
				<-time.After(time.Until(began.Add(4 * time.Minute)))
			}
			return issued, nil
		})
		for range certificateWaits {
			go func() { _, _ = get(&tls.ClientHelloInfo{}) }()
		}
		synctest.Wait()
		if c, err := get(&tls.ClientHelloInfo{}); c != nil || !errors.Is(err, errCertificate) || !time.Now().Equal(began) {
			t.Errorf("one too many waits %v, and gets %v, error %v", time.Since(began), c, err)
		}
		challenge := &tls.ClientHelloInfo{SupportedProtos: []string{acme.ALPNProto}}
		if c, err := get(challenge); c != issued || err != nil {
			t.Errorf("the challenge: %v, error %v", c, err)
		}
		<-time.After(4 * time.Minute)
		synctest.Wait()
		if c, err := get(&tls.ClientHelloInfo{}); c != issued || err != nil {
			t.Errorf("after it was issued: %v, error %v", c, err)
		}
		began = time.Now()
		if c, err := get(&tls.ClientHelloInfo{}); c != nil || !errors.Is(err, errCertificate) ||
			time.Since(began) != certificateTime {
			t.Errorf("while it is issued: after %v %v, error %v", time.Since(began), c, err)
		}
		<-time.After(4 * time.Minute) // until the call has ended
	})
}

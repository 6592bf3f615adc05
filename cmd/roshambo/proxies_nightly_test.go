//go:build nightly

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/store/pgtest"
	"roshambo/packaging/buildtest"
)

// proxy is a proxy of docs/operations.md with its file of packaging/proxy.
type proxy struct {
	name, file string
	secure     bool // it speaks TLS with the certificate of the test
	// here are texts of the file and what stands for them on this machine. Of these FRONT is the proxy's address, and
	// FOLDER the test's folder.
	here map[string]string
	// command returns the arguments of the program for the changed file in a folder.
	command func(file, folder string) []string
	env     []string
}

// nodeHosts are the addresses of the nodes in the files.
var nodeHosts = []string{"10.44.0.11", "10.44.0.12"}

var proxies = []proxy{
	{name: "haproxy", file: "haproxy.cfg", secure: true,
		here: map[string]string{"bind :80\n": "bind FRONT:8080\n", "bind :443 ": "bind FRONT:8443 ",
			"/etc/haproxy/roshambo.pem": "FOLDER/both.pem"},
		command: func(file, _ string) []string { return []string{"-db", "-f", file} }},
	// Only its name keeps it from speaking plain HTTP: the test has no authority for certificates. Without bind it
	// listens on all addresses, of which the other proxies have theirs already.
	{name: "caddy", file: "Caddyfile",
		here:    map[string]string{"roshambo.example.org {": "http://FRONT:8443 {\n\tbind FRONT"},
		command: func(file, _ string) []string { return []string{"run", "--adapter", "caddyfile", "--config", file} },
		env:     []string{"HOME=FOLDER", "CADDY_ADMIN=FRONT:2019"}},
	{name: "nginx", file: "nginx.conf", secure: true,
		here: map[string]string{"listen 80;": "listen FRONT:8080;", "listen 443 ": "listen FRONT:8443 ",
			"/etc/nginx/roshambo.crt": "FOLDER/cert.pem", "/etc/nginx/roshambo.key": "FOLDER/key.pem"},
		command: func(file, folder string) []string {
			return []string{"-e", "stderr", "-p", folder, "-c", nginxMain(file, folder)}
		}},
}

// nginxMain writes the file that includes another one, as Debian's does, for this folder and in the foreground. It
// returns its path.
func nginxMain(file, folder string) string {
	text := "daemon off;\npid nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
	if os.Geteuid() == 0 {
		text = "user root;\n" + text // this user owns the folder
	}
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		text += kind + "_temp_path " + kind + ";\n"
	}
	path := filepath.Join(folder, "main.conf")
	if err := os.WriteFile(path, []byte(text+"include "+file+";\n}\n"), 0o600); err != nil {
		panic(err) // the folder is new
	}
	return path
}

// TestProxies puts each proxy before two nodes under load. The nodes are restarted one after the other, and then
// upgraded to a release whose schema has a table more. No request fails, and every answer holds afterwards. Without
// refuseNew of package app, 2 of 22,042 requests through nginx failed.
func TestProxies(t *testing.T) {
	t.Parallel()
	later := buildtest.Later(t, root(t))
	cluster := pgtest.Start(t, pgtest.Fast)
	for _, p := range proxies {
		cluster.Exec(t, "postgres", "CREATE DATABASE "+p.name)
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, pgtest.URL(p.name, cluster))
			front := s.front(t, p)
			w := newWorld(t)
			c := s.crowd(t, w, front)
			w.until(t, nil, func() bool { return c.requests.Load() > 1000 || c.failures() > 0 })
			for _, program := range []string{"roshambo", later} {
				for i := range s.nodes {
					s.restart(t, i, program)
				}
			}
			before := c.requests.Load()
			w.until(t, nil, func() bool { return c.requests.Load() > before+1000 || c.failures() > 0 })
			c.end(t)
			w.checkFacts(t, s.nodes[0].url, w.facts)
			for i, n := range s.nodes {
				if err := n.stop(); err != nil || !strings.Contains(n.logged(), "chain=") {
					t.Errorf("node %d ended with %v:\n%s", i, err, n.logged())
				}
			}
			if log := s.nodes[0].logged(); !strings.Contains(log, buildtest.Migration) {
				t.Errorf("the schema was not migrated:\n%s", log)
			}
			t.Logf("%d requests during four restarts, %d failed", c.requests.Load(), c.failures())
		})
	}
}

// site is two nodes on one database.
type site struct {
	database string
	keys     []string // the environment with the keys
	hosts    [2]string
	folders  [2]string
	nodes    [2]*process
}

// newSite starts two nodes of this program.
func newSite(t *testing.T, database string) *site {
	t.Helper()
	s := &site{database: database}
	for i := range s.nodes {
		s.hosts[i], _, _ = strings.Cut(ownAddress(), ":")
		s.folders[i] = t.TempDir()
		s.start(t, i, "roshambo")
		if i > 0 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.folders[0], "keys.json"))
		if err != nil {
			t.Fatal(err)
		}
		s.keys = []string{app.KeysEnv + "=" + string(text)}
	}
	return s
}

// start starts a node with the options that docs/operations.md has for nodes behind a proxy.
func (s *site) start(t *testing.T, i int, program string) {
	t.Helper()
	host := s.hosts[i]
	node, err := serveProgram(t.Context(), program, s.keys, s.folders[i], "--database", s.database,
		"--listen", host+":8080", "--probe-listen", host+":9091", "--admin-listen", host+":9090",
		"--trusted-proxies", "127.0.0.0/8", "--drain-delay", "5s")
	if err != nil {
		t.Fatalf("node %d: %v", i, err)
	}
	s.nodes[i] = node
}

// restart stops a node, as systemd does, starts another program in its place, and waits until the proxy sends it
// requests, as an operator does before the next node.
func (s *site) restart(t *testing.T, i int, program string) {
	t.Helper()
	if err := s.nodes[i].stop(); err != nil {
		t.Errorf("node %d ended with %v:\n%s", i, err, s.nodes[i].logged())
	}
	s.start(t, i, program)
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) {
		text, err := fetch(t.Context(), "http://"+s.hosts[i]+":9090/metrics")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range counterLine.FindAllStringSubmatch(string(text), -1) {
			if m[1] == "roshambo_http_requests_total" && m[3] != "0" {
				return
			}
		}
		if time.Since(began) > answerTime {
			t.Fatalf("the proxy sends node %d no requests", i)
		}
	}
}

// front is a running proxy.
type front struct {
	url       string
	transport *http.Transport // trusts its certificate
}

// front starts a proxy before the nodes, and waits until it passes requests on.
func (s *site) front(t *testing.T, p proxy) *front {
	t.Helper()
	host, _, _ := strings.Cut(ownAddress(), ":")
	folder := t.TempDir()
	f := &front{url: "http://" + host + ":8443", transport: &http.Transport{}}
	if p.secure {
		f.url, f.transport.TLSClientConfig = "https://"+host+":8443", certificate(t, folder)
	}
	text, err := os.ReadFile(filepath.Join(root(t), "packaging/proxy", p.file))
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]string{nodeHosts[0]: s.hosts[0], nodeHosts[1]: s.hosts[1]}
	local := strings.NewReplacer("FRONT", host, "FOLDER", folder)
	for old, here := range p.here {
		changes[old] = local.Replace(here)
	}
	config := string(text)
	for old, here := range changes {
		if !strings.Contains(config, old) {
			t.Fatalf("packaging/proxy/%s has not %q", p.file, old)
		}
		config = strings.ReplaceAll(config, old, here)
	}
	file := filepath.Join(folder, p.file)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	runProxy(t, p, file, folder, local)
	client := &http.Client{Transport: f.transport}
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url+"/api/tiers", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return f
			}
		}
		if time.Since(began) > answerTime {
			t.Fatalf("%s passes no request on: %v, %v", p.name, response, err)
		}
	}
}

// runProxy runs the program of a proxy, of Debian's package, until the test ends.
func runProxy(t *testing.T, p proxy, file, folder string, local *strings.Replacer) {
	t.Helper()
	program, err := exec.LookPath(p.name)
	if err != nil {
		program = "/usr/sbin/" + p.name // not on the path of users other than root
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(context.WithoutCancel(t.Context()), program, p.command(file, folder)...)
	c.Env, c.Stdout, c.Stderr = os.Environ(), log, log
	for _, variable := range p.env {
		c.Env = append(c.Env, local.Replace(variable))
	}
	if err := c.Start(); err != nil {
		t.Fatalf("%s: run tools/install-deps --nightly: %v", p.name, err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it ends its own processes
		_ = c.Wait()
		if text, err := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("%s: %v\n%s", p.name, err, text[max(0, len(text)-8000):])
		}
		_ = log.Close()
	})
}

// certificate writes a certificate and its key into files of a folder, and returns what a client needs to trust it.
func certificate(t *testing.T, folder string) *tls.Config {
	t.Helper()
	lender := httptest.NewTLSServer(http.NotFoundHandler())
	defer lender.Close()
	lent := lender.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(lent.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lent.Certificate[0]})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	for name, text := range map[string][]byte{
		"cert.pem": certPEM, "key.pem": keyPEM, "both.pem": append(append([]byte{}, certPEM...), keyPEM...),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	roots.AddCert(lender.Certificate())
	return &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS12}
}

// crowd is the load: players without a pause, and one client that waits for blocks by long polls.
type crowd struct {
	requests atomic.Int64
	stopping atomic.Bool
	players  sync.WaitGroup

	mu     sync.Mutex // guards failed
	failed []error
}

// crowd starts the load through a proxy.
func (s *site) crowd(t *testing.T, w *world, f *front) *crowd {
	t.Helper()
	c := &crowd{}
	client := func() *http.Client {
		transport := f.transport.Clone()
		transport.MaxIdleConnsPerHost = 1
		return &http.Client{Transport: counting{transport, &c.requests}}
	}
	for _, g := range w.gamblers {
		g.client = client()
		c.players.Go(func() { c.play(t.Context(), g, f.url) })
	}
	c.players.Go(func() { c.wait(t.Context(), &visitor{url: f.url, client: client()}) })
	return c
}

// counting counts requests.
type counting struct {
	http.RoundTripper

	n *atomic.Int64
}

// RoundTrip makes a request, and repeats none beyond the repetitions of http.Transport.
func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

// play plays until the end. Beside a throw that comes too early, every answer but success is a failure.
func (c *crowd) play(ctx context.Context, g *gambler, url string) {
	for !c.stopping.Load() {
		s := g.pick(url)
		err := g.step(ctx, s)
		var refused *statusError
		switch {
		case errors.As(err, &refused) && refused.code == "too_fast":
			s.next = time.Now().Add(250 * time.Millisecond)
		case err != nil:
			c.fail(err)
			s.unknown = s.cookie != ""
		}
	}
}

// wait waits for blocks until the end.
func (c *crowd) wait(ctx context.Context, v *visitor) {
	var out struct{ Head struct{ Height int64 } }
	for !c.stopping.Load() {
		url := fmt.Sprint(v.url, "/api/chain/head?height=", out.Head.Height)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			c.fail(err)
			return
		}
		r.Header.Set("Prefer", "wait=10")
		if err := v.do(r, &out); err != nil {
			c.fail(err)
		}
	}
}

func (c *crowd) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = append(c.failed, err)
}

// failures returns the number of failed requests.
func (c *crowd) failures() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.failed)
}

// end ends the load, and reports what failed.
func (c *crowd) end(t *testing.T) {
	t.Helper()
	c.stopping.Store(true)
	c.players.Wait()
	for _, err := range c.failed[:min(len(c.failed), 10)] {
		t.Errorf("a request failed: %v", err)
	}
}

package main

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"filippo.io/age"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// bucketServer is a server of S3 that can hold requests until their client is gone.
type bucketServer struct {
	memory *s3mem.Backend
	hold   atomic.Pointer[func(r *http.Request) bool] // which requests are held
	held   chan struct{}                              // receives one for each
	env    []string                                   // for its clients
}

func startBucket(t *testing.T) *bucketServer {
	t.Helper()
	b := &bucketServer{memory: s3mem.New(), held: make(chan struct{}, 10)}
	if err := b.memory.CreateBucket("backups"); err != nil {
		t.Fatal(err)
	}
	s3 := gofakes3.New(b.memory, gofakes3.WithIntegrityCheck(true)).Server()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hold := b.hold.Load(); hold != nil && (*hold)(r) {
			_, _ = io.Copy(io.Discard, r.Body) // until then the server does not notice that the client is gone
			b.held <- struct{}{}
			<-r.Context().Done()
			return
		}
		s3.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(trusted, text, 0o600); err != nil {
		t.Fatal(err)
	}
	b.env = []string{"SSL_CERT_FILE=" + trusted, "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret",
		"AWS_REGION=us-east-1", "AWS_ENDPOINT_URL_S3=" + server.URL}
	return b
}

// names returns the names of all objects.
func (b *bucketServer) names(t *testing.T) (names []string) {
	t.Helper()
	list, err := b.memory.ListBucket("backups", nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		names = append(names, o.Key)
	}
	return names
}

// TestBackupToBucket kills a service in the middle of a backup to S3, before the upload is complete and before its
// manifest is: no backup counts. The next start makes one. It is restored with the private key of the operator, a
// service starts on it, and its chain verifies.
func TestBackupToBucket(t *testing.T) {
	t.Parallel()
	b := startBucket(t)
	k, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	identity := filepath.Join(t.TempDir(), "identity")
	if err := os.WriteFile(identity, []byte(k.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	start := func() *process {
		t.Helper()
		server, err := serveWith(t.Context(), b.env, data, "--backup-every", "24h", "--backup-to", "s3://backups/of/one",
			"--backup-recipient", k.Recipient().String())
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	for what, crash := range map[string]func(r *http.Request) bool{
		"before the upload is complete": func(r *http.Request) bool {
			return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") && strings.HasSuffix(r.URL.Path, ".tar.age")
		},
		"before the manifest": func(r *http.Request) bool {
			return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, ".json")
		},
	} {
		b.hold.Store(&crash)
		server := start()
		select {
		case <-b.held:
		case <-server.done:
			t.Fatalf("%s: the server ended with %v:\n%s", what, server.err, server.logged())
		}
		if err := server.kill(); err != nil {
			t.Fatal(err)
		}
		// The place has no backup: exit status 2.
		target := filepath.Join(t.TempDir(), "none")
		out, code := b.restore(t, data, target, "--identity", identity, "s3://backups/of/one")
		if code != 2 || !strings.Contains(out, "no backup in s3://backups/of/one") {
			t.Errorf("%s: status %d, %s; there is %v", what, code, out, b.names(t))
		}
	}
	b.hold.Store(nil)
	server := start()
	made, err := server.await(regexp.MustCompile(`msg="backup made" name=(\S+)`))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.stop(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, server.logged())
	}
	// What the crashes have left without a manifest may stay for a while.
	names := b.names(t)
	manifests := slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return !strings.HasSuffix(name, ".json") })
	if len(manifests) != 1 || !slices.Contains(names, "of/one/"+made[1]) {
		t.Errorf("after the crashes there is %v, want one backup %s and its manifest", names, made[1])
	}
	b.checkRestores(t, data, identity, made[1])
}

// checkRestores restores a backup by its place and by its name, and starts a service on it.
func (b *bucketServer) checkRestores(t *testing.T, data, identity, name string) {
	t.Helper()
	for _, from := range []string{"s3://backups/of/one", "s3://backups/of/one/" + name} {
		target := filepath.Join(t.TempDir(), "restored")
		if out, code := b.restore(t, data, target, "--identity", identity, from); code != 0 ||
			!strings.Contains(out, "It is from "+name) || strings.Contains(out, "no keys") {
			t.Fatalf("%s: status %d, %s", from, code, out)
		}
		command(t, "doctor", "--data", target)
		command(t, "verify-chain", target)
		again, err := serve(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.stop(); err != nil {
			t.Errorf("the server on the backup ended with %v:\n%s", err, again.logged())
		}
	}
}

// restore runs the command into a new folder with the keys of a service, and returns its output and status.
func (b *bucketServer) restore(t *testing.T, keysOf, target string, args ...string) (string, int) {
	t.Helper()
	if err := os.MkdirAll(target, 0o700); err != nil {
		t.Fatal(err)
	}
	keys, err := os.ReadFile(filepath.Join(keysOf, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, "keys.json"), keys, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "roshambo", append([]string{"restore", "--data", target}, args...)...)
	c.Env = append(os.Environ(), b.env...)
	out, _ := c.CombinedOutput() // a status is no error here
	return string(out), c.ProcessState.ExitCode()
}

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net/http"
	"net/http/cookiejar"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve runs the service until the test ends, and returns its URL and a function that returns its
// log.
func serve(t *testing.T, c Config) (url string, log func() string) {
	t.Helper()
	var mu sync.Mutex
	var text bytes.Buffer
	ready, done := make(chan string, 1), make(chan error, 1)
	c.LogLevel = slog.LevelDebug
	c.Ready = func(address string) { ready <- address }
	c.Log = writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return text.Write(p)
	})
	ctx, stop := context.WithCancel(t.Context())
	go func() { done <- Serve(ctx, c) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case address := <-ready:
		url = "http://" + address
	case err := <-done:
		done <- err
		t.Fatalf("the service ended: %v", err)
	}
	return url, func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}

type writer func([]byte) (int, error)

// Write calls the function.
func (f writer) Write(p []byte) (int, error) { return f(p) }

// browser keeps cookies and its CSRF token.
type browser struct {
	client http.Client
	url    string
	csrf   string
}

// opened is the answer to a request that opens a session.
type opened struct {
	Account   struct{ Address, Kind string }
	CSRFToken string `json:"csrf_token"`
	ToFile    bool   `json:"to_file"`
}

func (b *browser) post(t *testing.T, path, body string) (out opened) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-CSRF-Token", b.csrf)
	b.send(t, r, &out)
	return out
}

// send makes a request that must succeed.
func (b *browser) send(t *testing.T, r *http.Request, out any) {
	t.Helper()
	response, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(out); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", r.URL.Path, response.Status, err)
	}
}

// TestMailsInFiles: without a mail server, a guest's link is in a file below the data folder, the
// log has the file's name but not its content, and the id of the request, and the link opens the guest's account.
func TestMailsInFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	url, log := serve(t, config(folder))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{client: http.Client{Jar: jar}, url: url}
	guest := b.post(t, "/api/guest", "")
	b.csrf = guest.CSRFToken
	if sent := b.post(t, "/api/auth/magic-link", `{"email":"player@example.org"}`); !sent.ToFile {
		t.Error("the service does not say that its mails are files")
	}
	file := waitForMail(t, filepath.Join(folder, "mail"), log)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^(http://[0-9.:]+)/link#(rsl_[A-Za-z0-9_-]{43})\r?$`).FindStringSubmatch(string(body))
	if len(found) != 3 || found[1] != url || m.Header.Get("To") != "<player@example.org>" {
		t.Fatalf("the mail is\n%s\nwant one with a link to %s", text, url)
	}
	if strings.Contains(log(), found[2]) || strings.Contains(log(), "player@") {
		t.Errorf("the log shows the mail:\n%s", log())
	}
	mailed := regexp.MustCompile(`event=link_sent kind=sign_in request_id=([0-9a-f]{16})`)
	until(t, "the log has the link, with the id of the request for it", func() bool {
		m := mailed.FindStringSubmatch(log())
		return len(m) > 1 && strings.Contains(log(), "event=link_requested request_id="+m[1])
	})
	got := b.post(t, "/api/auth/magic-link/redeem", `{"token":"`+found[2]+`"}`)
	if got.Account.Address != guest.Account.Address || got.Account.Kind != "account" {
		t.Errorf("the link opened %+v, want the guest's account %+v", got, guest)
	}
}

// waitForMail waits until the log names a mail's file, which is complete by then.
func waitForMail(t *testing.T, folder string, log func() string) string {
	t.Helper()
	named := regexp.MustCompile(regexp.QuoteMeta(filepath.ToSlash(folder)) + `/mail-\d+\.eml`)
	for deadline := time.Now().Add(testTimeout); time.Now().Before(deadline); {
		if file := named.FindString(log()); file != "" {
			return file
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatalf("no mail was written:\n%s", log())
	return ""
}

// TestSecretsOfTheConfig: errors of the configuration contain no password.
func TestSecretsOfTheConfig(t *testing.T) {
	t.Parallel()
	for option, set := range map[string]func(*Config){
		"redis": func(c *Config) { c.Redis = "redis://user:hunter2@host:port" },
		"smtp":  func(c *Config) { c.SMTP = "smtp://user:hunter2@host:port" },
	} {
		c := config(t.TempDir())
		set(&c)
		if err := Serve(t.Context(), c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want an error without the password", option, err)
		}
	}
}

// TestWeakPasswordsByPublicURL: a service with a public URL refuses weak passwords, and a local one accepts them, unless
// it is told otherwise.
func TestWeakPasswordsByPublicURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		public, weak string
		refuses      bool
	}{
		{"", "", false}, {"", "refuse", true}, {"", "accept", false}, {"https://play.example", "", true},
		{"https://play.example", "accept", false}, {"http://play.example", "refuse", true},
	} {
		config := config(t.TempDir())
		config.PublicURL, config.WeakPasswords = c.public, c.weak
		s, err := Build(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Accounts.RefuseWeak; got != c.refuses {
			t.Errorf("public URL %q, weak passwords %q: refused %v", c.public, c.weak, got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

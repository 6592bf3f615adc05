package mail

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// postOffice is a real SMTP server that keeps the mails it receives.
type postOffice struct {
	mu     sync.Mutex
	mails  []letter
	refuse error // answers every recipient, when set
}

type letter struct{ from, to, text string }

// NewSession begins a client's session.
func (o *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{office: o}, nil }

type session struct {
	office *postOffice
	letter letter
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, _ string) error { return nil }), nil
}
func (s *session) Reset()        { s.letter = letter{} }
func (s *session) Logout() error { return nil }
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.letter.from = from
	return nil
}
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.letter.to = to
	return s.office.refuse
}
func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.letter.text = string(text)
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.mails = append(s.office.mails, s.letter)
	return err
}

// open starts the server and returns its URL.
func (o *postOffice) open(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(o)
	server.Domain = "localhost"
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Close
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return "smtp://" + listener.Addr().String()
}

func TestSMTP(t *testing.T) {
	t.Parallel()
	office := &postOffice{}
	s, err := NewSMTP(office.open(t), "house@example.org")
	if err != nil {
		t.Fatal(err)
	}
	const text = "Grüße, and a line that is longer than most: https://example.org/link#0123456789012345678901234567890123456789012\n"
	if err := s.Send(t.Context(), "player@example.org", "Your link", text); err != nil {
		t.Fatal(err)
	}
	if len(office.mails) != 1 {
		t.Fatalf("%d mails arrived, want 1", len(office.mails))
	}
	got := office.mails[0]
	if got.from != "house@example.org" || got.to != "player@example.org" {
		t.Errorf("from %s to %s", got.from, got.to)
	}
	m, err := mail.ReadMessage(strings.NewReader(got.text))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Subject": "Your link", "To": "<player@example.org>"} {
		if header := m.Header.Get(name); header != want {
			t.Errorf("%s: got %q, want %q", name, header, want)
		}
	}
}

func TestSMTPRefused(t *testing.T) {
	t.Parallel()
	office := &postOffice{refuse: &smtp.SMTPError{Code: 550, Message: "no such mailbox"}}
	s, err := NewSMTP(office.open(t), "house@example.org")
	if err != nil {
		t.Fatal(err)
	}
	err = s.Send(t.Context(), "nobody@example.org", "Your link", "text")
	if err == nil || strings.Contains(err.Error(), "nobody@") || !strings.Contains(err.Error(), "550") {
		t.Errorf("a mail that the server refused: got %v, want an error with its code and without the address", err)
	}
	for _, to := range []string{"", "no address", "a@b\r\nBcc: c@d"} {
		err := s.Send(t.Context(), to, "Your link", "text")
		if err == nil || to != "" && strings.Contains(err.Error(), to) {
			t.Errorf("to %q: got %v, want an error that does not repeat it", to, err)
		}
	}
	if len(office.mails) != 0 {
		t.Errorf("%d mails arrived, want none", len(office.mails))
	}
}

// TestPasswordNeedsTLS checks that no password is sent unencrypted.
func TestPasswordNeedsTLS(t *testing.T) {
	t.Parallel()
	office := &postOffice{}
	server := strings.Replace(office.open(t), "smtp://", "smtp://user:secret@", 1)
	s, err := NewSMTP(server, "house@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), "player@example.org", "Your link", "text"); err == nil {
		t.Error("a server without TLS got a password")
	}
}

func TestNewSMTPRefuses(t *testing.T) {
	t.Parallel()
	for _, server := range []string{
		"", "mail.example.org:25", "http://mail.example.org", "smtp://", "smtp://host:port", "smtp://%zz",
	} {
		if _, err := NewSMTP(server, "house@example.org"); err == nil {
			t.Errorf("server %q: accepted", server)
		}
	}
	if _, err := NewSMTP("smtp://localhost", "not an address"); err == nil {
		t.Error("a sender that is no address: accepted")
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	folder := filepath.Join(t.TempDir(), "mail")
	f := &Files{Folder: folder, From: "house@example.org", Log: slog.New(slog.NewTextHandler(&log, nil))}
	err := f.Send(t.Context(), "player@example.org", "Your link", "https://example.org/link#secret-token")
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.eml"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v, %v, want one file", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil || !strings.Contains(string(text), "secret-token") {
		t.Errorf("got %s, %v, want the mail", text, err)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want mode 0600: a link opens an account", info.Mode(), err)
	}
	if !strings.Contains(log.String(), found[0]) || strings.Contains(log.String(), "secret-token") ||
		strings.Contains(log.String(), "player@") {
		t.Errorf("the log must name the file and nothing of the mail: %s", log.String())
	}
}

// Package mail sends mails over SMTP or, where no server is configured, writes them to files that
// a developer can open. Addresses and texts stay out of logs and errors.
package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// sendTime bounds the delivery of one mail to the server.
const sendTime = 30 * time.Second

// SMTP sends mails over a mail server, each over a connection of its own, so that a server which
// fails one mail does not affect the next.
type SMTP struct {
	client *gomail.Client
	from   string // address of the sender
}

// NewSMTP returns the server at a URL like smtp://user:password@mail.example.org:587. smtp uses
// STARTTLS if the server offers it, and requires it before it sends a password; smtps uses TLS
// from the start. The default ports are 25 and 465. from is the sender's address.
func NewSMTP(server, from string) (*SMTP, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		return nil, fmt.Errorf("mail: the server is not like smtp://user:password@host:587")
	}
	options := []gomail.Option{gomail.WithTimeout(sendTime)}
	if u.Scheme == "smtps" {
		options = append(options, gomail.WithSSL(), gomail.WithPort(465))
	} else {
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic), gomail.WithPort(25))
	}
	if u.Port() != "" {
		port, err := strconv.Atoi(u.Port())
		if err != nil {
			return nil, fmt.Errorf("mail: port %q", u.Port())
		}
		options = append(options, gomail.WithPort(port))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
		if u.Scheme == "smtp" {
			options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
		}
	}
	client, err := gomail.NewClient(u.Hostname(), options...)
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	// A malformed sender must fail at the start, not with the first mail.
	if _, err := compose(from, from, "", ""); err != nil {
		return nil, err
	}
	return &SMTP{client, from}, nil
}

// Send delivers a plain-text mail to the server, within sendTime. Its errors name neither the
// recipient nor the text.
func (s *SMTP) Send(ctx context.Context, to, subject, text string) error {
	m, err := compose(s.from, to, subject, text)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err = s.client.DialAndSendWithContext(ctx, m)
	if refused, ok := errors.AsType[*gomail.SendError](err); ok {
		// The error's text names the recipient, and the server's text may as well.
		return fmt.Errorf("mail: the server refused: %v, SMTP code %d", refused.Reason, refused.ErrorCode())
	}
	if err != nil {
		return fmt.Errorf("mail: send: %w", err)
	}
	return nil
}

// compose returns a plain-text mail. Its errors do not name the recipient.
func compose(from, to, subject, text string) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.From(from); err != nil {
		return nil, fmt.Errorf("mail: sender: %w", err)
	}
	if err := m.To(to); err != nil {
		return nil, errors.New("mail: malformed address of the recipient") // without the address
	}
	m.Subject(subject)
	m.SetDate()
	m.SetMessageID()
	m.SetBodyString(gomail.TypeTextPlain, text)
	return m, nil
}

// Files writes each mail to an .eml file in a folder.
type Files struct {
	Folder string       // created with the first mail
	From   string       // address of the sender
	Log    *slog.Logger // receives the paths of the files
}

// Send writes a mail durably, with mode 0600, and logs the path of the file. It ignores ctx.
func (f *Files) Send(_ context.Context, to, subject, text string) error {
	m, err := compose(f.From, to, subject, text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Folder, 0o700); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	file, err := os.CreateTemp(f.Folder, "mail-*.part") // mode 0600
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	err = writeSynced(file, m)
	closed := file.Close()
	// The first error counts: of a failed write, the error of closing would hide the cause.
	if err := cmp.Or(err, closed); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	// A mail appears whole. A crash before the rename leaves a part, and the mail is sent again.
	name := strings.TrimSuffix(file.Name(), ".part") + ".eml"
	if err := os.Rename(file.Name(), name); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	f.Log.Info("no mail server is configured: a mail was written to a file", "file", filepath.ToSlash(name))
	return nil
}

// writeSynced writes m to file, which a crash then leaves as it is.
func writeSynced(file *os.File, m *gomail.Msg) error {
	if _, err := m.WriteTo(file); err != nil {
		return err
	}
	return file.Sync()
}

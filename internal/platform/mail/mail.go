// Package mail sends mails: over SMTP, or, where none is configured, into files that a
// developer can open.
package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// sendTime bounds how long a server may take over a mail.
const sendTime = 30 * time.Second

// SMTP sends over a mail server.
type SMTP struct {
	client *gomail.Client
	from   string
}

// NewSMTP takes a URL like smtp://user:password@mail.example.org:587: smtp uses
// STARTTLS where the server offers it, and always before a password is sent; smtps
// speaks TLS from the start. From is the sender's address.
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
	if _, err := compose(from, from, "", ""); err != nil {
		return nil, err
	}
	return &SMTP{client, from}, nil
}

// Send hands a mail to the server.
func (s *SMTP) Send(ctx context.Context, to, subject, text string) error {
	m, err := compose(s.from, to, subject, text)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err = s.client.DialAndSendWithContext(ctx, m)
	if refused, ok := errors.AsType[*gomail.SendError](err); ok {
		// Its text names the recipient, and so may the server's: neither is for a log.
		return fmt.Errorf("mail: the server refused: %v, SMTP code %d", refused.Reason, refused.ErrorCode())
	}
	if err != nil {
		return fmt.Errorf("mail: send: %w", err)
	}
	return nil
}

func compose(from, to, subject, text string) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.From(from); err != nil {
		return nil, fmt.Errorf("mail: sender: %w", err)
	}
	if err := m.To(to); err != nil {
		return nil, errors.New("mail: the recipient is not one that mail can be sent to") // which is for no log
	}
	m.Subject(subject)
	m.SetDate()
	m.SetMessageID()
	m.SetBodyString(gomail.TypeTextPlain, text)
	return m, nil
}

// Files writes each mail into an .eml file of a folder.
type Files struct {
	Folder string
	From   string
	Log    *slog.Logger
}

// Send writes a mail and says where: the address and the text stay out of the log.
func (f *Files) Send(_ context.Context, to, subject, text string) error {
	m, err := compose(f.From, to, subject, text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Folder, 0o700); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	file, err := os.CreateTemp(f.Folder, "mail-*.eml") // mode 0600
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if _, err = m.WriteTo(file); err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	f.Log.Info("no mail server is configured: a mail was written to a file", "file", filepath.ToSlash(file.Name()))
	return nil
}

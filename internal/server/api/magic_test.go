package api_test

import (
	"bytes"
	"io"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"roshambo/internal/platform/limit"
	"roshambo/internal/platform/mail"
	"roshambo/internal/server/api"
	"roshambo/internal/server/edge"
)

// postOffice is a real mail server that stores its mails.
type postOffice struct {
	address string
	shut    atomic.Bool // refuses all connections

	mu    sync.Mutex          // guards mails
	mails map[string][]string // texts by recipient, the oldest first
}

// NewSession begins a client's session.
func (o *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return &letter{office: o}, nil }

// letter is one session of a client.
type letter struct {
	office *postOffice
	to     string
}

// Reset begins another mail.
func (l *letter) Reset() { l.to = "" }

// Logout ends the session.
func (*letter) Logout() error { return nil }

// Mail takes the sender.
func (*letter) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt takes the recipient.
func (l *letter) Rcpt(to string, _ *smtp.RcptOptions) error {
	l.to = to
	return nil
}

// Data takes the mail.
func (l *letter) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := netmail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	l.office.mu.Lock()
	defer l.office.mu.Unlock()
	l.office.mails[l.to] = append(l.office.mails[l.to], string(body))
	return err
}

// door is the listener of a post office.
type door struct {
	net.Listener
	office *postOffice
}

// Accept waits for a connection while the office is open.
func (d door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil || !d.office.shut.Load() {
			return c, err
		}
		_ = c.Close() // the client notices
	}
}

// start starts the server. It keeps its address until the end, shut or not: a released one could be
// reused by another process.
func (o *postOffice) start(t *testing.T) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.address = listener.Addr().String()
	server := smtp.NewServer(o)
	server.Domain = "localhost"
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(door{listener, o}) // ends with Close
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
}

// mailing starts a stack that mails over a server; open reports whether the server accepts
// connections.
func mailing(t *testing.T, open bool) (*stack, *postOffice) {
	t.Helper()
	office := &postOffice{mails: map[string][]string{}}
	office.shut.Store(!open)
	office.start(t)
	s := start(t)
	mailer, err := mail.NewSMTP("smtp://"+office.address, "house@example.org")
	if err != nil {
		t.Fatal(err)
	}
	s.accounts.Links.Mailer, s.accounts.Links.Base = mailer, "https://play.example.org"
	return s, office
}

// link is what stands in a mail, and its token.
var link = regexp.MustCompile(`(?m)^https://play\.example\.org/link#(rsl_[A-Za-z0-9_-]{43})\r?$`)

// tokens returns the tokens that were mailed to a mailbox, the oldest first.
func (o *postOffice) tokens(t *testing.T, s *stack, mailbox string) (tokens []string) {
	t.Helper()
	if err := s.accounts.Links.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range o.mails[mailbox] {
		found := link.FindStringSubmatch(text)
		if found == nil || strings.Count(text, "http") != 1 {
			t.Fatalf("a mail without its link alone:\n%s", text)
		}
		tokens = append(tokens, found[1])
		s.tokens.add(found[1])
	}
	return tokens
}

const redeem = "/api/auth/magic-link/redeem"

func tokenBody(token string) string { return `{"token":"` + token + `"}` }

// ask requests a link, and returns the mailed token.
func (o *postOffice) ask(t *testing.T, p *player, mailbox string) string {
	t.Helper()
	a := p.post(t, "/api/auth/magic-link", `{"email":"`+mailbox+`"}`)
	if a.ok(t).body != `{"sent":true,"to_file":true}` {
		t.Errorf("asked for a link: %s", a.body)
	}
	tokens := o.tokens(t, p.s, mailbox)
	if len(tokens) == 0 {
		t.Fatalf("no mail to %s", mailbox)
	}
	return tokens[len(tokens)-1]
}

// TestMagicLink attaches an address to the guest that asked, and signs in with it.
func TestMagicLink(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	p := s.guest(t)
	p.start(t, `{"entry":"fee"}`)
	address, key := p.address, p.newKey(t)
	token := office.ask(t, p, "Player@example.org")
	out := p.signIn(t, redeem, tokenBody(token))
	if out.Account.Address != address || out.Account.Kind != "account" || out.Balance != 950 {
		t.Errorf("redeemed: %+v, want the guest's account, which is a guest's no longer", out)
	}
	s.bearer(t, key.Secret, me).fails(t, 401, "unauthenticated") // it was not kept
	p.post(t, redeem, tokenBody(token)).fails(t, 404, "link_invalid")

	// In any other browser, in any letter case, the address now leads to that account.
	elsewhere := s.guest(t)
	token = office.ask(t, elsewhere, "PLAYER@EXAMPLE.ORG")
	if out := elsewhere.signIn(t, redeem, tokenBody(token)); out.Account.Address != address {
		t.Errorf("signed in: %+v, want the account of the address", out)
	}
	// It can still be given a password, once.
	name := newName()
	if out := elsewhere.register(t, name); out.Account.Address != address || out.Account.Username != name {
		t.Errorf("registered: %+v", out)
	}
	elsewhere.post(t, "/api/auth/register", credentials(newName())).fails(t, 409, "already_registered")
	s.anonymous(t).post(t, "/api/auth/login", credentials(name)).ok(t)
}

// TestMagicLinkWithoutSession: without a session, a new address opens a new account.
func TestMagicLinkWithoutSession(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	p := s.anonymous(t)
	out := p.signIn(t, redeem, tokenBody(office.ask(t, p, "new@example.org")))
	if out.Account.Kind != "account" || out.Balance != 1000 {
		t.Errorf("redeemed: %+v, want a new account", out)
	}
	p.start(t, "")
}

// TestMagicLinkElsewhere opens a guest's link in another browser: the owner of the mailbox then has
// the account alone, because the guest may have named another person's mailbox.
func TestMagicLinkElsewhere(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	p := s.guest(t)
	key, bot := p.newKey(t), p.newBot(t, newName())
	token := office.ask(t, p, "mailbox@example.org")
	elsewhere := s.guest(t)
	if out := elsewhere.signIn(t, redeem, tokenBody(token)); out.Account.Address != p.address {
		t.Errorf("redeemed: %+v, want the account of the guest that asked", out)
	}
	p.get(t, "/api/me").fails(t, 401, "unauthenticated")
	s.bearer(t, key.Secret, me).fails(t, 401, "unauthenticated")
	s.bearer(t, bot.Secret, me).fails(t, 401, "unauthenticated")
	bots := elsewhere.bots(t)
	if len(bots) != 1 || bots[0].Address != bot.Bot.Address {
		t.Fatalf("the bots are %+v, want the one there was", bots)
	}
	fresh := decode[api.NewBotOut](t, elsewhere.post(t, "/api/bots/"+bot.Bot.Address+"/rotate", "").ok(t))
	s.tokens.add(fresh.Secret)
	s.bearer(t, fresh.Secret, me).ok(t)

	// A link does not give a registered account away.
	token = office.ask(t, elsewhere, "other@example.org")
	if out := s.anonymous(t).signIn(t, redeem, tokenBody(token)); out.Account.Address == elsewhere.address {
		t.Errorf("another browser got the account %+v", out)
	}
	elsewhere.get(t, "/api/me").ok(t)
}

// TestMagicLinkOnce redeems one link eight times at once.
func TestMagicLinkOnce(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	players := make([]*player, 8)
	for i := range players {
		players[i] = s.anonymous(t)
	}
	body := tokenBody(office.ask(t, players[0], "a@example.org"))
	got := outcomes(t, s, len(players), func(i int) (answer, error) {
		return players[i].try(t, request{method: "POST", path: redeem, body: body})
	})
	if got[fine] != 1 || got["link_invalid"] != 7 {
		t.Errorf("8 redemptions at once: %v, want one", got)
	}
	// Two links to one new address make one account, whichever is first.
	anonymous := s.anonymous(t)
	first, second := office.ask(t, anonymous, "b@example.org"), office.ask(t, anonymous, "b@example.org")
	one, two := s.anonymous(t).signIn(t, redeem, tokenBody(second)), s.anonymous(t).signIn(t, redeem, tokenBody(first))
	if one.Account.Address != two.Account.Address {
		t.Errorf("one address has the accounts %+v and %+v", one, two)
	}
}

func TestMagicLinkExpires(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	p := s.anonymous(t)
	late, inTime := office.ask(t, p, "a@example.org"), office.ask(t, p, "b@example.org")
	s.clock.forward(15*time.Minute - time.Millisecond)
	s.anonymous(t).post(t, redeem, tokenBody(inTime)).ok(t)
	s.clock.forward(time.Millisecond)
	p.post(t, redeem, tokenBody(late)).fails(t, 404, "link_invalid")
	for _, token := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 64)} {
		p.post(t, redeem, tokenBody(token)).fails(t, 404, "link_invalid")
	}
	p.get(t, redeem+"?token="+late).fails(t, 405, "method_not_allowed")
}

// TestMailServerDown: mails wait while the server is down, and are sent when it is back, unless
// their link has expired.
func TestMailServerDown(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, false)
	p := s.anonymous(t)
	p.post(t, "/api/auth/magic-link", `{"email":"patient@example.org"}`).ok(t)
	for range 2 {
		if err := s.accounts.Links.Send(t.Context()); err == nil || strings.Contains(err.Error(), "patient@") {
			t.Errorf("sending to a closed server: got %v, want an error without the address", err)
		}
		s.clock.forward(time.Minute + time.Millisecond)
	}
	office.shut.Store(false)
	tokens := office.tokens(t, s, "patient@example.org")
	if len(tokens) != 1 {
		t.Fatalf("%d mails arrived, want 1", len(tokens))
	}
	s.clock.forward(2 * time.Minute)
	if got := office.tokens(t, s, "patient@example.org"); len(got) != 1 {
		t.Errorf("%d mails arrived, want no second one", len(got))
	}
	p.post(t, redeem, tokenBody(tokens[0])).ok(t)
}

// TestMailLimits: a mailbox gets a limited number of mails, which the caller cannot see; the limit
// on mails by client is reported.
func TestMailLimits(t *testing.T) {
	t.Parallel()
	office := &postOffice{mails: map[string][]string{}}
	office.start(t)
	mailer, err := mail.NewSMTP("smtp://"+office.address, "house@example.org")
	if err != nil {
		t.Fatal(err)
	}
	byClient, err := limit.NewBudget(limit.Rate{Max: 9, Window: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *edge.Config) { c.ClientMailLimit, c.TrustedProxies = byClient, []string{"127.0.0.1"} })
	s.accounts.Links.Mailer, s.accounts.Links.Base = mailer, "https://play.example.org"
	p := s.anonymous(t)
	ask := func(client, mailbox string) answer {
		return p.send(t, request{"POST", "/api/auth/magic-link", `{"email":"` + mailbox + `"}`, from(client)})
	}
	for range 4 {
		ask("192.0.2.1", "one@example.org").ok(t)
		ask("192.0.2.2", "ONE+another@example.org").ok(t)
	}
	mails := append(office.tokens(t, s, "one@example.org"), office.tokens(t, s, "ONE+another@example.org")...)
	if len(mails) != 5 {
		t.Errorf("%d mails arrived, want 5", len(mails))
	}
	for i := range 6 {
		a := ask("192.0.2.1", newName()+"@example.org")
		if i < 5 {
			a.ok(t)
			continue
		}
		if a.fails(t, 429, "rate_limited"); a.header.Get("Retry-After") == "" {
			t.Error("429 without Retry-After")
		}
	}
}

// TestMailboxes sends malformed addresses, and those that would reach another mailbox.
func TestMailboxes(t *testing.T) {
	t.Parallel()
	s, office := mailing(t, true)
	p := s.anonymous(t)
	for _, email := range []string{"a", "a@", "@b", `a@b\r\nBcc: c@d`, "a@b,c@d", "a@b;c@d", "<a@b>", "A<a@b>", "a(c)@b",
		`a@b\u0000`, "a..b@c", "a@b@c"} {
		if a := p.post(t, "/api/auth/magic-link", `{"email":"`+email+`"}`); a.status != 422 {
			t.Errorf("%q: got %d %s, want 422", email, a.status, a.body)
		}
	}
	for _, email := range []string{"a@b", "first.last+tag@mail.example.org", "ü@example.org",
		strings.Repeat("a", 64) + "@" + strings.Repeat("b", 63) + ".org"} {
		p.post(t, "/api/auth/magic-link", `{"email":"`+email+`"}`).ok(t)
	}
	office.tokens(t, s, "a@b")
	if len(office.mails) < 3 {
		t.Errorf("mails to %d mailboxes, want those that were addresses", len(office.mails))
	}
}

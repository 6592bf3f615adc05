package adminpage

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"time"
)

const (
	// linkLife is how long a link opens a session, and sessionLife how long that lasts.
	linkLife    = time.Minute
	sessionLife = time.Hour
	// buttonLife is how long the second page of an act is good.
	buttonLife = 10 * time.Minute
	// The most links and sessions of a node, and buttons of a session.
	maxLinks    = 16
	maxSessions = 64
	maxButtons  = 16
	// maxBody bounds the body of a form, in bytes, as the operators' API bounds its bodies.
	maxBody = 16 << 10
	// maxToken is longer than any token.
	maxToken = 64
)

// NewLink returns the path of a link that signs one browser in under the name of an operator, once, within linkLife.
func (p *Page) NewLink(operator string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Path + "open?" + url.Values{"token": {p.links.add(p.Now(), operator)}}.Encode()
}

// visitorOf returns the session of a request, nil without one.
func (p *Page) visitorOf(r *http.Request) *visitor {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range r.CookiesNamed(p.cookie) { // another port of this host may have set one, too
		if s, ok := p.sessions.get(p.Now(), c.Value); ok {
			return &visitor{s.operator, csrfToken(c.Value), s}
		}
	}
	return nil
}

// csrfToken derives the token of a session's forms from its cookie, so that none is kept.
func csrfToken(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	mac.Write([]byte("roshambo/operators-page/csrf/v1"))
	return hex.EncodeToString(mac.Sum(nil))
}

// handler answers a request of a session.
type handler func(http.ResponseWriter, *http.Request, *visitor)

// signedIn answers a request that only reads, or says how to sign in.
func (p *Page) signedIn(answer handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := p.visitorOf(r)
		if v == nil {
			p.show(w, http.StatusUnauthorized, "sign-in", &view{Title: "Sign in"})
			return
		}
		answer(w, r, v)
	}
}

// form answers a form of a page of this session, and no other request. It reports a refused one, unless act is "".
func (p *Page) form(act string, answer handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		err := r.ParseForm()
		v := p.visitorOf(r)
		switch {
		case v == nil:
			if act != "" {
				p.Refused(r.Context(), "", act, "no session of the operators' page")
			}
			p.show(w, http.StatusUnauthorized, "sign-in", &view{Title: "Sign in"})
		case err != nil, !hmac.Equal([]byte(r.PostForm.Get("csrf")), []byte(v.CSRF)):
			if act != "" {
				p.Refused(r.Context(), v.Operator, act, "not a form of the operators' page")
			}
			p.show(w, http.StatusForbidden, "refused", &view{Title: "Not done", visitor: v,
				Message: "This form is not of your session: begin again."})
		default:
			answer(w, r, v)
		}
	}
}

// showLink shows the button of a link. It does not use the link up.
func (p *Page) showLink(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if token == "" || len(token) > maxToken {
		p.show(w, http.StatusUnauthorized, "sign-in", &view{Title: "Sign in"})
		return
	}
	p.show(w, http.StatusOK, "link", &view{Title: "Sign in", Token: token})
}

// signIn uses a link up, and opens a session for the browser.
func (p *Page) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	p.mu.Lock()
	operator, ok := p.links.take(p.Now(), r.PostFormValue("token"))
	token := ""
	if ok {
		p.end(r) // an earlier session of this browser
		s := &session{operator: operator, buttons: tokens[button]{life: buttonLife, most: maxButtons}}
		token = p.sessions.add(p.Now(), s)
	}
	p.mu.Unlock()
	if !ok {
		p.Refused(r.Context(), "", "sign-in", "the link is used, too old or wrong")
		p.show(w, http.StatusForbidden, "sign-in", &view{Title: "Sign in",
			Message: "This link was used, or is older than a minute."})
		return
	}
	p.Log.Info("security", "event", "operator_signed_in", "operator", operator)
	p.setCookie(w, r, token, int(sessionLife.Seconds()))
	http.Redirect(w, r, Path, http.StatusSeeOther)
}

// signOut ends the session of the browser.
func (p *Page) signOut(w http.ResponseWriter, r *http.Request, _ *visitor) {
	p.mu.Lock()
	p.end(r)
	p.mu.Unlock()
	p.setCookie(w, r, "", -1)
	p.show(w, http.StatusOK, "sign-in", &view{Title: "Signed out"})
}

// end ends the sessions of a browser. The caller holds mu.
func (p *Page) end(r *http.Request) {
	for _, c := range r.CookiesNamed(p.cookie) {
		p.sessions.take(p.Now(), c.Value)
	}
}

// setCookie sets the cookie of a session, or removes it with a negative age, in seconds.
func (p *Page) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: p.cookie, Value: value, Path: Path, MaxAge: age, HttpOnly: true,
		Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
}

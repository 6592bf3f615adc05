// Package adminpage is the operators' page on the admin address: the state of the service, and a form for each act of
// operators. It is HTML from the server, with one style sheet and without a script.
//
// It decides nothing itself. Each form makes the call of the operators' API that the command of the same name makes
// (Config.Call), so permissions, errors and the log of acts are the same. An act takes two steps. The first makes the
// call as a preview, which changes nothing and returns what the act would hit. The second page shows that, asks for a
// reason and the name, and its button makes the call; a button counts once, for the arguments that its page has shown.
//
// A browser is signed in by a link of `roshambo admin open`. The link is good for a minute, and its page has a
// button, so that a program that follows links does not use it up; of several uses one succeeds. It opens a session of
// an hour for this browser: a cookie that no script reads, and that browsers add to no request of another site's page.
// Every form has a token that is derived from the cookie, so other pages cannot make one. Links, sessions and
// buttons are in the memory of this node alone, as hashes, in bounded numbers: they are not good at another node,
// and end with the process.
//
// Words of players are hostile. Templates escape all of them, with characters that are not visible as in the
// output of doctor; the policy of every answer forbids scripts, frames and resources of other sites.
package adminpage

import (
	"crypto/rand"
	"net/http"
)

// New returns a Page without sessions.
func New(c Config) *Page {
	p := &Page{Config: c, mux: http.NewServeMux(), cookie: "roshambo_operator_" + rand.Text()[:8],
		links:    tokens[string]{life: linkLife, most: maxLinks},
		sessions: tokens[*session]{life: sessionLife, most: maxSessions}}
	p.mux.HandleFunc("GET "+Path+"style.css", serveStyle)
	p.mux.HandleFunc("GET "+Path+"open", p.showLink)
	p.mux.HandleFunc("POST "+Path+"open", p.signIn)
	p.mux.HandleFunc("POST "+Path+"sign-out", p.form("", p.signOut))
	p.mux.HandleFunc("GET "+Path+"{$}", p.signedIn(p.showOverview))
	for _, act := range p.Acts {
		path := Path + act.Name
		if act.Reads {
			p.mux.HandleFunc("GET "+path, p.signedIn(p.read(act)))
			continue
		}
		p.mux.HandleFunc("GET "+path, p.signedIn(p.showForm(act)))
		p.mux.HandleFunc("POST "+path, p.form(act.Name, p.act(act)))
	}
	return p
}

// policy is the Content-Security-Policy of every answer.
const policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// ServeHTTP serves the page.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	// Without any referrer, browsers would send "Origin: null" with the forms. Other sites get none, as a link is
	// secret.
	h.Set("Referrer-Policy", "same-origin")
	p.mux.ServeHTTP(w, r)
}

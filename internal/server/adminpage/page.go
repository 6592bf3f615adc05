package adminpage

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"roshambo/internal/platform/names"
	"roshambo/web"
)

// Path is the path of the page. All of it is below.
const Path = "/page/"

// Act is an act of operators.
type Act struct {
	Name         string // of the call and of the command
	Help         string
	Reads        bool    // changes nothing
	Fields       []Field // the arguments of the first page
	Confirmation []Field // the arguments of the second: the reason, and the name that confirms the act
}

// Title returns the name as a title.
func (a Act) Title() string {
	return strings.ToUpper(a.Name[:1]) + strings.ReplaceAll(a.Name[1:], "-", " ")
}

// OnAccount reports whether the act changes an account.
func (a Act) OnAccount() bool { return !a.Reads && a.Fields[0].Name == "account" }

// Field is an argument of an act.
type Field struct {
	Name, Help string
	Default    string
	Options    []string // the only values; nil for any text
	Required   bool
	Number     bool
}

// Title returns the name as a label.
func (f Field) Title() string { return strings.ToUpper(f.Name[:1]) + f.Name[1:] }

// Call is a call of the operators' API.
type Call struct {
	Operator  string // the name of the session
	Act       string
	Arguments map[string]string // by the names of the fields
	Preview   bool              // changes nothing; the answer has Hits, or refuses the call
}

// Answer is the answer to a call.
type Answer struct {
	Status  int    // of HTTP
	Body    any    // of a call that was done, for encoding/json
	Message string // of one that was not
	Hits    any    // of one that lacks its confirmation: what it would hit, for encoding/json
}

// Overview is the state of the service as this node sees it.
type Overview struct {
	Node    string
	Ready   bool
	Reasons []string // against the node, then those for the operator
	Parts   []Part
}

// Part is one table of an Overview.
type Part struct {
	Title string
	Value any // for encoding/json
}

// Config connects a Page with its service. All fields are required.
type Config struct {
	Acts []Act
	Call func(context.Context, Call) Answer
	// Refused is called for a request that is no call: without a session (operator is "" then), without the token of
	// its form, or with a link that is not good.
	Refused  func(ctx context.Context, operator, act, text string)
	Overview func(context.Context) Overview
	Now      func() time.Time
	Log      *slog.Logger
}

// Page serves the page. It is safe for concurrent use.
type Page struct {
	Config
	mux    *http.ServeMux
	cookie string // its name, which differs between nodes: a browser has one jar for all ports of a host

	mu       sync.Mutex // guards the fields below and the buttons of each session
	links    tokens[string]
	sessions tokens[*session]
}

// session is a signed-in browser.
type session struct {
	operator string
	buttons  tokens[button]
}

// button is an act that a page has shown for confirmation.
type button struct {
	act       string
	arguments map[string]string
}

// visitor is the session of a request.
type visitor struct {
	Operator string
	CSRF     string // the token of its forms
	session  *session
}

// pageText has the templates of all pages.
//
//go:embed page.html
var pageText string

// pageStyle has the rules of the page beside those that it shares with the players' page.
//
//go:embed page.css
var pageStyle string

// pages returns the templates. Commands that serve no page do not parse them.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

// serveStyle serves the style sheet.
func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write([]byte(web.Styles() + pageStyle)) // the client has disconnected
}

// view is what a template shows.
type view struct {
	Title    string
	*visitor // nil without a session
	Acts     []Act

	Act      Act
	Inputs   []input // of the form
	Given    []member
	Answer   *value // of a call, or what it would hit
	Account  string // that the operator has looked up
	Message  string // why something was not done
	Back     string // the path at which the operator may begin again
	Token    string // of a link or a button
	Overview *overview
}

// input is a field of a form with its value.
type input struct {
	Field
	Value string
}

// overview is an Overview as it is shown.
type overview struct {
	Overview
	Tables []member
}

// show writes a page. A template that fails is a fault of the program.
func (p *Page) show(w http.ResponseWriter, status int, name string, v *view) {
	v.visitor, v.Acts, v.Message = cmp.Or(v.visitor, &visitor{}), p.Acts, names.Printable(v.Message)
	var body bytes.Buffer
	if err := pages().ExecuteTemplate(&body, name, v); err != nil {
		p.Log.Error("operators' page", "template", name, "error", err)
		http.Error(w, "a fault; see the service's log", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // the client has disconnected
}

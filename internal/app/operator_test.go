package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/internal/ledger"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// apiCaller calls the API of a running service as one browser.
type apiCaller struct {
	client http.Client
	url    string
	csrf   string
}

// send sends a request and returns its status and body.
func (b *apiCaller) send(t *testing.T, method, path, body, bearer string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-CSRF-Token", b.csrf)
	r.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	a, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	var opened struct {
		CSRFToken string `json:"csrf_token"`
	}
	if json.Unmarshal(text, &opened) == nil && opened.CSRFToken != "" {
		b.csrf = opened.CSRFToken
	}
	return a.StatusCode, string(text)
}

// operated is a running service with an account, "Bad_Name", that operators act on.
type operated struct {
	*running

	token    OperatorToken
	owner    *apiCaller
	key, bot string // secrets of the account's key and of its bot
}

// badCredentials are the name and password of the account that the operator acts on.
const badCredentials = `{"username":"Bad_Name","password":"correct horse"}`

func operate(t *testing.T) *operated {
	t.Helper()
	return operateWith(t, config(t.TempDir()))
}

// operateWith is operate with a configuration.
func operateWith(t *testing.T, c Config) *operated {
	t.Helper()
	o := &operated{running: begin(t, c)}
	var err error
	if o.token, err = ReadOperatorToken(c.Data, ""); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	o.owner = &apiCaller{client: http.Client{Jar: jar}, url: o.url}
	if status, text := o.owner.send(t, "POST", "/api/auth/register", badCredentials, ""); status != 200 {
		t.Fatalf("register: %d %s", status, text)
	}
	for to, path := range map[*string]string{&o.key: "/api/keys", &o.bot: "/api/bots"} {
		_, text := o.owner.send(t, "POST", path, `{"name":"a-bot"}`, "")
		var made struct{ Secret string }
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			t.Fatal(err)
		}
		*to = made.Secret
	}
	return o
}

// act calls the operators' API and requires a text in the answer.
func (o *operated) act(t *testing.T, method, path string, body map[string]string, want string) string {
	t.Helper()
	answer, err := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: method, Path: path, Body: body}.
		Do(t.Context())
	if err != nil || !strings.Contains(answer, want) {
		t.Errorf("%s: %s, error %v; want %s", path, answer, err, want)
	}
	return answer
}

// admits checks the statuses of the account's session, of its keys, and of a login.
func (o *operated) admits(t *testing.T, step string, session, keys, login int) {
	t.Helper()
	if got, text := o.owner.send(t, "GET", "/api/me", "", ""); got != session {
		t.Errorf("%s: the session: %d %s, want %d", step, got, text, session)
	}
	for _, secret := range []string{o.key, o.bot} {
		if got, text := o.owner.send(t, "GET", "/api/me", "", secret); got != keys {
			t.Errorf("%s: a key: %d %s, want %d", step, got, text, keys)
		}
	}
	if got, text := (&apiCaller{url: o.url}).send(t, "POST", "/api/auth/login", badCredentials, ""); got != login {
		t.Errorf("%s: login: %d %s, want %d", step, got, text, login)
	}
}

// about is the body of an act.
var about = map[string]string{"account": "bad_name", "reason": "insults", "confirm": "Bad_Name"}

// TestFrozenLeavesQueues: an account that is frozen while it and its bot wait for opponents waits no more, and both
// leave cups that have not started. The refusal that asks for the name shows the cups.
func TestFrozenLeavesQueues(t *testing.T) {
	t.Parallel()
	o := operate(t)
	send := func(method, path, body, bearer, want string) {
		t.Helper()
		if status, text := o.owner.send(t, method, path, body, bearer); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s %s: %d %s, want %s", method, path, status, text, want)
		}
	}
	send("POST", "/api/duels/quick", "", "", `"waiting"`)
	send("POST", "/api/arena/queue", "", o.bot, `"waiting"`)
	var list struct{ Cups []struct{ Number int64 } }
	until(t, "the cup of bots is open", func() bool { o.owner.get(t, "/api/cups", &list); return len(list.Cups) > 0 })
	send("POST", fmt.Sprintf("/api/cups/%d/join", list.Cups[0].Number), "", o.bot, `"players":1,`)
	send("POST", "/api/teams", `{"name":"Some Words"}`, "", `"some-words"`)
	played, hosted := o.openCup(t, `{"minutes":60}`), o.openCup(t, `{"name":"Some Words","minutes":60,"play":false}`)
	o.owner.get(t, "/api/cups", &list)
	var seen struct {
		HostedCups []int64 `json:"hosted_cups"`
		Team       struct {
			Slug    string
			Founder bool
		}
	}
	shown := o.act(t, "GET", "account?account=bad_name", nil, `"hosted_cups"`)
	hosts := []int64{hosted, played} // the newest first
	if err := json.Unmarshal([]byte(shown), &seen); err != nil || !slices.Equal(seen.HostedCups, hosts) ||
		seen.Team.Slug != "some-words" || !seen.Team.Founder {
		t.Errorf("what the operator sees: %s, %v", shown, err)
	}
	unconfirmed := map[string]string{"account": "bad_name", "reason": "insults"}
	o.refused(t, "freeze", unconfirmed, "400", fmt.Sprintf(`"%s": %d`, o.address(t), played))
	o.act(t, "POST", "freeze", about, `"rps1`)
	o.act(t, "POST", "unfreeze", about, `"rps1`)
	send("POST", "/api/arena/leave", "", o.bot, `"left":false`)
	send("POST", "/api/auth/login", badCredentials, "", `"csrf_token"`)
	send("POST", "/api/duels/quick/leave", "", "", `"left":false`)
	_, cups := o.owner.send(t, "GET", "/api/cups", "", "")
	// The cups of people are cancelled: one whose only player has left it, and one whose host plays no more.
	if len(list.Cups) != 3 || strings.Count(cups, `"number":`) != 1 || strings.Count(cups, `"players":0,`) != 1 {
		t.Errorf("the cups of an account that was frozen, and of its bot: %s", cups)
	}
}

// TestOperatorActs: freezing suspends sessions, keys and signing in, unfreezing admits them, an abusive
// name is withdrawn until it is given back, once, and the log has every act.
func TestOperatorActs(t *testing.T) {
	t.Parallel()
	o := operate(t)
	o.act(t, "GET", "account?account=badname", nil, `"frozen_at": null`)
	o.act(t, "POST", "freeze", about, `"rps1`)
	o.act(t, "POST", "freeze", about, `"changed": []`)
	o.admits(t, "frozen", 403, 403, 403)
	o.act(t, "GET", "account?account=badname", nil, `"sessions": 1`)
	o.act(t, "POST", "unfreeze", about, `"rps1`)
	o.act(t, "POST", "unfreeze", about, `"changed": []`)
	o.admits(t, "unfrozen", 200, 200, 200)
	o.act(t, "POST", "rename", about, `"before": "Bad_Name"`)
	for _, name := range []string{"Bad_Name", "badname"} {
		body := `{"username":"` + name + `","password":"correct horse"}`
		if got, text := (&apiCaller{url: o.url}).send(t, "POST", "/api/auth/register", body, ""); got != 409 {
			t.Errorf("register %s: %d %s", name, got, text)
		}
	}
	back := map[string]string{"account": o.username(t), "name": "BAD-name", "reason": "a mistake"}
	o.act(t, "POST", "restore-name", back, `"username": "Bad_Name"`)
	back["account"] = "badname"
	o.refused(t, "restore-name", back, "404", "no such name was withdrawn")
	if got := o.username(t); got != "Bad_Name" {
		t.Errorf("the name that was given back: %s", got)
	}
	o.act(t, "GET", "flows?hours=1", nil, `"flows": []`)
	o.act(t, "GET", "clusters", nil, `"clusters": []`)
	var log struct {
		Valid   bool
		Entries []struct {
			Action string
			Detail map[string]any
		}
	}
	answer := o.act(t, "GET", "log", nil, `"valid": true`)
	if err := json.Unmarshal([]byte(answer), &log); err != nil {
		t.Fatal(err)
	}
	actions := make([]string, len(log.Entries))
	for i, e := range log.Entries {
		actions[i] = e.Action
	}
	if got := strings.Join(actions, " "); got != "log clusters flows refused restore-name restore-name rename "+
		"unfreeze unfreeze account freeze freeze account" || log.Entries[5].Detail["reason"] != "insults" {
		t.Errorf("the log: %s", answer)
	}
}

// TestOperatorRefusals: without the token, a name of the operator, a reason and an account nothing
// happens, and the log has the attempt with the reason of the refusal, but nothing that a stranger sent.
func TestOperatorRefusals(t *testing.T) {
	t.Parallel()
	o := operate(t)
	good := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: "freeze", Body: about}
	const stranger, freeze = "?: refused freeze: the token is missing or wrong", "ann: refused freeze: "
	want := []string{}
	for _, r := range []struct {
		name   string
		change func(c *OperatorCall)
		entry  string // operator, action and reason; "" for a call of no act
	}{
		{"no token", func(c *OperatorCall) { c.Token = OperatorToken{} }, stranger},
		{"wrong token", func(c *OperatorCall) { c.Token.text = c.Token.text[1:] + "0" }, stranger},
		{"a player's key", func(c *OperatorCall) { c.Token.text = o.key }, stranger},
		{"no name", func(c *OperatorCall) { c.Operator = "" },
			"?: refused freeze: the header X-Roshambo-Operator does not name the operator"},
		{"no reason", func(c *OperatorCall) { c.Body = map[string]string{"account": "bad_name"} },
			freeze + "an act needs a reason of 3 to 300 bytes; this one has 0"},
		{"a short reason", func(c *OperatorCall) { c.Body = map[string]string{"account": "bad_name", "reason": "xy"} },
			freeze + "an act needs a reason of 3 to 300 bytes; this one has 2"},
		{"not confirmed", func(c *OperatorCall) { c.Body = map[string]string{"account": "bad_name", "reason": "none"} },
			freeze + "send the username as confirm: the act hits this account"},
		{"another name confirmed", func(c *OperatorCall) {
			c.Body = map[string]string{"account": "bad_name", "reason": "none", "confirm": "bad_name"}
		}, freeze + "send the username as confirm: the act hits this account"},
		{"no account", func(c *OperatorCall) { c.Body = map[string]string{"reason": "none"} },
			freeze + "there is no such account"},
		{"no body", func(c *OperatorCall) { c.Body = nil }, freeze + "the body is not a JSON object of texts"},
		{"unknown", func(c *OperatorCall) { c.Body = map[string]string{"account": "unknown", "reason": "none"} },
			freeze + "there is no such account"},
		{"reading", func(c *OperatorCall) { c.Method = "GET" }, ""},
		{"no period", func(c *OperatorCall) { c.Method, c.Path, c.Body = "GET", "flows?hours=0", nil },
			"ann: refused flows: hours is a number from 1 to 8784"},
	} {
		c := good
		r.change(&c)
		if answer, err := c.Do(t.Context()); err == nil {
			t.Errorf("%s: %s", r.name, answer)
		}
		if r.entry != "" {
			want = append(want, r.entry)
		}
	}
	o.admits(t, "refused acts", 200, 200, 200)
	answer, got := o.refusals(t)
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(answer, `"account": "unknown"`) {
		t.Errorf("the log of refused acts: %s\n%s", diff, answer)
	}
	if strings.Contains(answer, o.key) || strings.Count(answer, "insults") != 0 {
		t.Errorf("the log has what a stranger sent: %s", answer)
	}
	// The operators' API is not on the public address.
	for _, path := range []string{"/operator/log", "/api/operator/log"} {
		if got, text := o.owner.send(t, "GET", path, "", o.token.text); strings.Contains(text, "entries") {
			t.Errorf("%s: %d %s", path, got, text)
		}
	}
}

// freezeWith asks for a freeze by the operators' API, with a credential that put adds, and returns the status.
func freezeWith(t *testing.T, o *operated, put func(r *http.Request)) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.admin+"/operator/freeze",
		strings.NewReader(`{"account":"bad_name","reason":"insults","confirm":"Bad_Name"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(operatorHeader, "ann")
	put(r)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Body.Close(); err != nil {
		t.Error(err)
	}
	return a.StatusCode
}

// otherToken returns the operators' token of another service.
func otherToken(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if _, err := loadKeys(folder); err != nil {
		t.Fatal(err)
	}
	token, err := ReadOperatorToken(folder, "")
	if err != nil {
		t.Fatal(err)
	}
	return token.text
}

// TestOperatorTokenIsApart: the compiler takes neither a text nor another secret for the operators' token, and it
// prints as what it is. Package reflect has the rules of the compiler.
func TestOperatorTokenIsApart(t *testing.T) {
	t.Parallel()
	token := reflect.TypeFor[OperatorToken]()
	for _, other := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[account.SessionToken](),
		reflect.TypeFor[account.KeySecret](), reflect.TypeFor[account.LinkToken]()} {
		if other.ConvertibleTo(token) || token.ConvertibleTo(other) {
			t.Errorf("%v and %v are convertible", other, token)
		}
	}
	secret := operatorToken([]byte("a secret"))
	if printed := fmt.Sprintf("%v %+v %#v %s", secret, secret, secret, secret); strings.Contains(printed, operatorPrefix) {
		t.Errorf("the token prints as %s", printed)
	}
}

// TestOperatorTokenPositions: the operators' token counts as the bearer of a call alone, and no credential of the
// public address counts there, nor a token of another service or of another kind.
func TestOperatorTokenPositions(t *testing.T) {
	t.Parallel()
	o := operate(t)
	token := o.token.text
	at, err := url.Parse(o.url)
	if err != nil {
		t.Fatal(err)
	}
	bearers := map[string]string{"a CSRF token": o.owner.csrf, "a player's key": o.key, "a bot's key": o.bot,
		"nothing": "", "the token twice": token + " " + token, "another service's token": otherToken(t)}
	for _, prefix := range []string{"rsl_", "rsr_", "rsk_", "rsb_", "rss_", "rsc_", "rsd_", ""} { // the other kinds
		bearers["of the kind "+prefix] = prefix + strings.TrimPrefix(token, operatorPrefix)
	}
	for _, c := range o.owner.client.Jar.Cookies(at) {
		bearers[c.Name] = c.Value
	}
	if len(bearers) < 16 {
		t.Errorf("credentials %v, want the session and the known browser among them", bearers)
	}
	refused := map[string]func(r *http.Request){
		"no scheme":              func(r *http.Request) { r.Header.Set("Authorization", token) },
		"basic":                  func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) },
		"basic, as the name":     func(r *http.Request) { r.SetBasicAuth(token, "") },
		"basic, as the password": func(r *http.Request) { r.SetBasicAuth("Bearer", token) },
		"the second of two": func(r *http.Request) {
			r.Header["Authorization"] = []string{"Bearer " + o.key, "Bearer " + token}
		},
		"cookies": func(r *http.Request) {
			for _, name := range []string{"roshambo_session", "__Host-roshambo_session", "roshambo_operator"} {
				r.AddCookie(&http.Cookie{Name: name, Value: token})
			}
		},
		"other headers": func(r *http.Request) {
			for _, name := range []string{"X-CSRF-Token", "X-Api-Key", "Proxy-Authorization", operatorHeader} {
				r.Header.Set(name, token)
			}
		},
		"query": func(r *http.Request) {
			r.URL.RawQuery = url.Values{"token": {token}, "access_token": {token}, "Authorization": {"Bearer " + token}}.Encode()
		},
		"body": func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`{"account":"bad_name","reason":"insults","confirm":"Bad_Name","token":"` +
				token + `"}`))
			r.ContentLength = -1
		},
	}
	for name, text := range bearers {
		refused["bearer: "+name] = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }
	}
	for name, put := range refused {
		if got := freezeWith(t, o, put); got != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got)
		}
	}
	o.admits(t, "refused", 200, 200, 200)
	if answer := o.act(t, "GET", "log?limit=1000", nil, `"valid": true`); strings.Contains(answer, token) {
		t.Error("the log of acts has the token")
	}
	// A session beside the token changes nothing.
	if got := freezeWith(t, o, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		r.AddCookie(&http.Cookie{Name: "roshambo_session", Value: bearers["roshambo_session"]})
	}); got != http.StatusOK {
		t.Errorf("with the token: %d", got)
	}
	o.admits(t, "frozen", 403, 403, 403)
}

// TestOperatorAnswers: the answer to a failed act says whether to repeat it, and keeps the text of a
// fault.
func TestOperatorAnswers(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		err    error
		status int
		text   string
	}{
		{nil, 200, "done"},
		{&operatorError{status: http.StatusBadRequest, text: "an act needs a reason"}, 400, "an act needs a reason"},
		{account.ErrNotFound, 404, "no such account"},
		{ledger.ErrConflict, 409, "try again"},
		{ledger.ErrRecovering, 503, "recovering from a loss of data, and nothing was stored"},
		{store.ErrNotStored, 503, "nothing was stored: try again"},
		{store.ErrFull, 503, "nothing was stored: try again"},
		{store.ErrUnavailable, 503, "before you repeat it"},
		{errors.New("a secret"), 500, "see the service's log"},
	} {
		var log strings.Builder
		s := &Service{log: slog.New(slog.NewTextHandler(&log, nil))}
		w, err := httptest.NewRecorder(), want.err
		if err != nil {
			err = fmt.Errorf("inside: %w", err)
		}
		s.answerOperator(w, "done", err)
		text := w.Body.String()
		if w.Code != want.status || !strings.Contains(text, want.text) || strings.Contains(text, "secret") {
			t.Errorf("%v: %d %s, want %d %s", want.err, w.Code, text, want.status, want.text)
		}
		if again := w.Header().Get("Retry-After"); (again == "1") != (want.status == 503) {
			t.Errorf("%v: Retry-After %q", want.err, again)
		}
		if (log.Len() > 0) != (want.status == 500) {
			t.Errorf("%v: logged %s", want.err, &log)
		}
	}
}

// TestOperatorWhileRecovering: acts and reads, which need an entry in the log of acts, are refused while the service
// recovers, and so is what a stranger sends; none of that is a fault. The overview of the page and the health need none.
func TestOperatorWhileRecovering(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := config(t.TempDir())
	c.Log = &log
	s := built(t, c)
	if err := s.Ledger.NoteCosigned(t.Context(), 1<<40); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	mux := http.NewServeMux()
	s.operatorAPI(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	call := OperatorCall{Address: server.URL, Token: operatorToken(s.secret), Operator: "ann", Method: "GET"}
	for _, path := range []string{"account?account=Bad_Name", "log", "flows"} {
		call.Path = path
		_, err := call.Do(t.Context())
		if err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), "recovering") {
			t.Errorf("%s: %v", path, err)
		}
	}
	call.Method, call.Path = "POST", "freeze"
	call.Body = map[string]string{"account": "Bad_Name", "confirm": "Bad_Name", "reason": "a test"}
	if _, err := call.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("freeze: %v", err)
	}
	call.Token.text = "wrong"
	if _, err := call.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("freeze by a stranger: %v", err)
	}
	if v := s.overview(t.Context()); v.Ready || len(v.Parts) < 4 {
		t.Errorf("the overview is %+v", v)
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("logged %s", &log)
	}
}

// refused calls the operators' API and requires a status and a text in its error.
func (o *operated) refused(t *testing.T, path string, body map[string]string, status, want string) {
	t.Helper()
	answer, err := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: path, Body: body}.
		Do(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), status) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %s, error %v; want %s, %s", path, answer, err, status, want)
	}
}

// username returns the current name of the account.
func (o *operated) username(t *testing.T) string {
	t.Helper()
	var me struct{ Account struct{ Username string } }
	o.owner.get(t, "/api/me", &me)
	return me.Account.Username
}

// refusals returns the log of acts, and of its refused calls operator, action and reason, the oldest
// first.
func (o *operated) refusals(t *testing.T) (answer string, list []string) {
	t.Helper()
	var log struct {
		Entries []struct {
			Operator, Action string
			Detail           struct{ Refused string }
		}
	}
	answer = o.act(t, "GET", "log?limit=1000", nil, `"valid": true`)
	if err := json.Unmarshal([]byte(answer), &log); err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(log.Entries) {
		if strings.HasPrefix(e.Action, "refused ") {
			list = append(list, e.Operator+": "+e.Action+": "+e.Detail.Refused)
		}
	}
	return answer, list
}

// TestStrangersCannotFillTheLog: calls without the token are entries up to a number in an hour, and the
// next entry says how many there were beyond it; calls with it always are.
func TestStrangersCannotFillTheLog(t *testing.T) {
	t.Parallel()
	o := operate(t)
	c := OperatorCall{Address: o.admin, Token: OperatorToken{"none"}, Operator: "ann", Method: "GET", Path: "log"}
	for range strangersPer + 5 {
		if answer, err := c.Do(t.Context()); err == nil {
			t.Fatal(answer)
		}
	}
	c.Token, c.Path = o.token, "log?limit=0"
	if answer, err := c.Do(t.Context()); err == nil {
		t.Error(answer)
	}
	if _, list := o.refusals(t); len(list) != strangersPer+1 ||
		!strings.HasPrefix(list[strangersPer], "ann: refused log: ") {
		t.Errorf("the log has %d refused calls: %q", len(list), list)
	}

	var s strangers
	at := time.Unix(1_800_000_000, 0)
	for i := range strangersPer + 5 {
		if ok, left := s.take(at); ok != (i < strangersPer) || left != 0 {
			t.Errorf("call %d: %v, %d before it", i, ok, left)
		}
	}
	if ok, _ := s.take(at.Add(strangersEvery - 1)); ok {
		t.Error("within the hour a further call is an entry")
	}
	for _, want := range []int{6, 0} {
		if ok, left := s.take(at.Add(strangersEvery)); !ok || left != want {
			t.Errorf("an hour later: %v, %d before it; want %d", ok, left, want)
		}
	}
}

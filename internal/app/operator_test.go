package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
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

	token    string
	owner    *apiCaller
	key, bot string // secrets of the account's key and of its bot
}

// badCredentials are those of the account.
const badCredentials = `{"username":"Bad_Name","password":"correct horse"}`

func operate(t *testing.T) *operated {
	t.Helper()
	c := config(t.TempDir())
	o := &operated{running: begin(t, c)}
	var err error
	if o.token, err = OperatorToken(c.Data, ""); err != nil {
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
var about = map[string]string{"account": "bad_name", "reason": "insults"}

// TestOperatorActs: freezing ends sessions, keys and signing in, unfreezing admits them, an abusive
// name is withdrawn for good, and the log has every act.
func TestOperatorActs(t *testing.T) {
	t.Parallel()
	o := operate(t)
	o.act(t, "GET", "account?account=badname", nil, `"frozen_at": null`)
	o.act(t, "POST", "freeze", about, `"rps1`)
	o.act(t, "POST", "freeze", about, `"changed": []`)
	o.admits(t, "frozen", 401, 403, 403)
	o.act(t, "GET", "account?account=badname", nil, `"sessions": 0`)
	o.act(t, "POST", "unfreeze", about, `"rps1`)
	o.admits(t, "unfrozen", 401, 200, 200)
	o.act(t, "POST", "rename", about, `"before": "Bad_Name"`)
	for _, name := range []string{"Bad_Name", "badname"} {
		body := `{"username":"` + name + `","password":"correct horse"}`
		if got, text := (&apiCaller{url: o.url}).send(t, "POST", "/api/auth/register", body, ""); got != 409 {
			t.Errorf("register %s: %d %s", name, got, text)
		}
	}
	o.act(t, "GET", "flows?hours=1", nil, `"flows": []`)
	o.act(t, "GET", "clusters", nil, `"clusters": []`)
	var log struct {
		Valid   bool
		Entries []struct {
			Action string
			Detail map[string]string
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
	if got := strings.Join(actions, " "); got != "log clusters flows rename unfreeze account freeze freeze account" ||
		log.Entries[3].Detail["reason"] != "insults" {
		t.Errorf("the log: %s", answer)
	}
}

// TestOperatorRefusals: without the token, a name of the operator, a reason and an account nothing
// happens, and nothing is logged.
func TestOperatorRefusals(t *testing.T) {
	t.Parallel()
	o := operate(t)
	good := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: "freeze", Body: about}
	for name, change := range map[string]func(c *OperatorCall){
		"no token":       func(c *OperatorCall) { c.Token = "" },
		"wrong token":    func(c *OperatorCall) { c.Token = c.Token[1:] + "0" },
		"a player's key": func(c *OperatorCall) { c.Token = o.key },
		"no name":        func(c *OperatorCall) { c.Operator = "" },
		"no reason":      func(c *OperatorCall) { c.Body = map[string]string{"account": "bad_name"} },
		"no account":     func(c *OperatorCall) { c.Body = map[string]string{"reason": "none"} },
		"no body":        func(c *OperatorCall) { c.Body = nil },
		"unknown":        func(c *OperatorCall) { c.Body = map[string]string{"account": "unknown", "reason": "none"} },
		"reading":        func(c *OperatorCall) { c.Method = "GET" },
		"no period":      func(c *OperatorCall) { c.Method, c.Path, c.Body = "GET", "flows?hours=0", nil },
	} {
		c := good
		change(&c)
		if answer, err := c.Do(t.Context()); err == nil {
			t.Errorf("%s: %s", name, answer)
		}
	}
	o.admits(t, "refused acts", 200, 200, 200)
	if answer := o.act(t, "GET", "log", nil, `"seq": 1`); strings.Contains(answer, `"seq": 2`) {
		t.Errorf("refused acts are in the log: %s", answer)
	}
	// The operators' API is not on the public address.
	for _, path := range []string{"/operator/log", "/api/operator/log"} {
		if got, text := o.owner.send(t, "GET", path, "", o.token); strings.Contains(text, "entries") {
			t.Errorf("%s: %d %s", path, got, text)
		}
	}
}

package app

import (
	"context"
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

// TestOperator acts on an account: without the token or a name nothing happens; freezing ends
// sessions, keys and signing in, unfreezing admits them; an abusive name is withdrawn for good; and
// the log has every act.
func TestOperator(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	s := begin(t, c)
	token, err := OperatorToken(c.Data, "")
	if err != nil {
		t.Fatal(err)
	}
	act := func(method, path string, body map[string]string) (string, error) {
		return OperatorCall{Address: s.admin, Token: token, Operator: "ann", Method: method, Path: path, Body: body}.
			Do(t.Context())
	}
	about := map[string]string{"account": "Bad_Name", "reason": "insults"}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &apiCaller{client: http.Client{Jar: jar}, url: s.url}
	credentials := `{"username":"Bad_Name","password":"correct horse"}`
	if status, text := b.send(t, "POST", "/api/auth/register", credentials, ""); status != 200 {
		t.Fatalf("register: %d %s", status, text)
	}
	var key, bot struct{ Secret string }
	_, text := b.send(t, "POST", "/api/keys", "", "")
	if err := json.Unmarshal([]byte(text), &key); err != nil {
		t.Fatal(err)
	}
	_, text = b.send(t, "POST", "/api/bots", `{"name":"a-bot"}`, "")
	if err := json.Unmarshal([]byte(text), &bot); err != nil {
		t.Fatal(err)
	}
	// Refusals.
	for name, call := range map[string]OperatorCall{
		"no token":    {Address: s.admin, Operator: "ann", Method: "POST", Path: "freeze", Body: about},
		"wrong token": {Address: s.admin, Operator: "ann", Token: token[1:] + "0", Method: "POST", Path: "freeze", Body: about},
		"no name":     {Address: s.admin, Token: token, Method: "POST", Path: "freeze", Body: about},
		"no reason":   {Address: s.admin, Operator: "ann", Token: token, Method: "POST", Path: "freeze", Body: map[string]string{"account": "bad_name"}},
		"no account":  {Address: s.admin, Operator: "ann", Token: token, Method: "POST", Path: "freeze", Body: map[string]string{"reason": "none"}},
		"unknown":     {Address: s.admin, Operator: "ann", Token: token, Method: "GET", Path: "account?account=unknown"},
	} {
		if answer, err := call.Do(context.WithoutCancel(t.Context())); err == nil {
			t.Errorf("%s: %s", name, answer)
		}
	}
	statuses := func(step string, session, keys, login int) {
		t.Helper()
		if got, text := b.send(t, "GET", "/api/me", "", ""); got != session {
			t.Errorf("%s: the session: %d %s, want %d", step, got, text, session)
		}
		for _, secret := range []string{key.Secret, bot.Secret} {
			if got, text := b.send(t, "GET", "/api/me", "", secret); got != keys {
				t.Errorf("%s: a key: %d %s, want %d", step, got, text, keys)
			}
		}
		if got, text := (&apiCaller{url: s.url}).send(t, "POST", "/api/auth/login", credentials, ""); got != login {
			t.Errorf("%s: login: %d %s, want %d", step, got, text, login)
		}
	}
	statuses("refused acts", 200, 200, 200)
	must := func(method, path string, body map[string]string, want string) {
		t.Helper()
		if answer, err := act(method, path, body); err != nil || !strings.Contains(answer, want) {
			t.Errorf("%s: %s, error %v; want %s", path, answer, err, want)
		}
	}
	must("GET", "account?account=badname", nil, `"frozen_at": null`)
	must("POST", "freeze", about, `"rps1`)
	must("POST", "freeze", about, `"changed": []`)
	statuses("frozen", 401, 403, 403)
	must("GET", "account?account=badname", nil, `"sessions": 0`)
	must("POST", "unfreeze", about, `"rps1`)
	statuses("unfrozen", 401, 200, 200)
	must("POST", "rename", about, `"before": "Bad_Name"`)
	for _, name := range []string{"Bad_Name", "badname"} {
		body := `{"username":"` + name + `","password":"correct horse"}`
		if got, text := (&apiCaller{url: s.url}).send(t, "POST", "/api/auth/register", body, ""); got != 409 {
			t.Errorf("register %s: %d %s", name, got, text)
		}
	}
	must("GET", "flows?hours=1", nil, `"flows": []`)
	must("GET", "clusters", nil, `"clusters": []`)
	answer, err := act("GET", "log", nil)
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Valid   bool
		Entries []struct {
			Seq              int
			Operator, Action string
			Detail           map[string]string
		}
	}
	if err := json.Unmarshal([]byte(answer), &log); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, e := range log.Entries {
		actions = append(actions, e.Action)
	}
	if got := strings.Join(actions, " "); !log.Valid ||
		got != "log clusters flows rename unfreeze account freeze freeze account" || log.Entries[3].Detail["reason"] != "insults" {
		t.Errorf("valid %t: %s", log.Valid, answer)
	}
}

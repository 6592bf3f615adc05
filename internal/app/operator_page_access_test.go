package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
)

// with returns a change of a request that sets a header.
func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// cookieOf returns the cookie of a browser that is signed in.
func (b *operatorBrowser) cookieOf(t *testing.T) *http.Cookie {
	t.Helper()
	at, err := url.Parse(b.admin + "/page/")
	if err != nil {
		t.Fatal(err)
	}
	cookies := b.client.Jar.Cookies(at)
	if len(cookies) != 1 {
		t.Fatalf("the browser has the cookies %v, want one", cookies)
	}
	return cookies[0]
}

// pageRequest is a request for an act that the page refuses.
type pageRequest struct {
	name   string
	method string
	form   url.Values
	jar    bool // with the cookie of the session
	change func(*http.Request)
	status int
}

// put returns a change of a request that adds a cookie with a value.
func put(c *http.Cookie, value string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: c.Name, Value: value}) }
}

// altered returns a copy of a form with another value of a field.
func altered(form url.Values, name, value string) url.Values {
	f := url.Values{}
	for k := range form {
		f.Set(k, form.Get(k))
	}
	f.Set(name, value)
	return f
}

// refusedRequests returns requests with a form that is ready, by other callers than the session that it was made for,
// whose cookie is given, and by pages of other sites.
func (o *operated) refusedRequests(t *testing.T, form url.Values, cookie *http.Cookie) []pageRequest {
	t.Helper()
	other := o.signIn(t)
	_, body := other.send(t, "GET", "/page/freeze", nil)
	otherCSRF, otherCookie := hiddenFields(body).Get("csrf"), other.cookieOf(t)
	theirs, unsigned := altered(form, "csrf", otherCSRF), altered(form, "csrf", "")
	same, bearer := with("Accept", "*/*"), with("Authorization", "Bearer "+o.token.text)
	return []pageRequest{
		{"no cookie", "POST", form, false, same, 401},
		{"a wrong cookie", "POST", form, false, put(cookie, cookie.Value[1:]+"A"), 401},
		{"an empty cookie", "POST", form, false, put(cookie, ""), 401},
		{"a cookie of another name", "POST", form, false, put(&http.Cookie{Name: "roshambo_operator"}, cookie.Value), 401},
		{"two empty texts", "POST", unsigned, false, put(cookie, ""), 401},
		{"another session", "POST", form, false, put(otherCookie, otherCookie.Value), 403},
		{"another session with its form", "POST", theirs, false, put(otherCookie, otherCookie.Value), 409},
		{"the operators' token", "POST", form, false, bearer, 401},
		{"the operators' token beside the cookie", "POST", unsigned, true, bearer, 403},
		{"the operators' token as the cookie", "POST", form, false, put(cookie, o.token.text), 401},
		{"no CSRF token", "POST", unsigned, true, same, 403},
		{"a wrong CSRF token", "POST", altered(form, "csrf", form.Get("csrf")[1:]+"0"), true, same, 403},
		{"the CSRF token of another session", "POST", theirs, true, same, 403},
		{"the CSRF token in a header", "POST", unsigned, true, with("X-CSRF-Token", form.Get("csrf")), 403},
		{"another site", "POST", form, true, with("Sec-Fetch-Site", "cross-site"), 403},
		{"another port of this host", "POST", form, true, with("Sec-Fetch-Site", "same-site"), 403},
		{"another origin", "POST", form, true, with("Origin", "https://elsewhere.example"), 403},
		{"a hidden origin", "POST", form, true, with("Origin", "null"), 403},
		{"a rebound name", "POST", form, true, func(r *http.Request) { r.Host = "rebound.example" }, 421},
		{"another type of body", "POST", form, true, with("Content-Type", "text/plain"), 403},
		{"a body too large", "POST", altered(form, "reason", strings.Repeat("x", 17<<10)), true, same, 403},
		{"a query", "POST", nil, true, func(r *http.Request) { r.URL.RawQuery = form.Encode() }, 403},
		{"a read", "GET", nil, true, func(r *http.Request) { r.URL.RawQuery = form.Encode() }, 200},
		{"a read with the form", "GET", form, true, with("Content-Type", "application/x-www-form-urlencoded"), 200},
		{"another method", "PUT", form, true, same, 405},
	}
}

// TestPageAccess: the button of an act works for the session that its page was made for, from a page of this address,
// and for no other request. A request that is refused leaves it as it is.
func TestPageAccess(t *testing.T) {
	t.Parallel()
	o := operate(t)
	b := o.signIn(t)
	form, _ := b.preview(t, "freeze", map[string]string{"account": "bad_name"})
	form.Set("reason", "insults")
	form.Set("confirm", "Bad_Name")
	cookie := b.cookieOf(t)
	for _, c := range o.refusedRequests(t, form, cookie) {
		sender := newOperatorBrowser(t, o.admin)
		if c.jar {
			sender = b
		}
		if status, body := sender.send(t, c.method, "/page/freeze", c.form, c.change); status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, status, body, c.status)
		}
		if got := o.newestOr(t, "freeze", "none"); got != "none" {
			t.Fatalf("%s: the account was frozen: %s", c.name, got)
		}
	}
	if got := freezeWith(t, o, func(r *http.Request) { r.AddCookie(cookie) }); got != http.StatusUnauthorized {
		t.Errorf("the cookie at the operators' API: %d", got)
	}
	if status, body := b.send(t, "POST", "/page/freeze", form); status != 200 {
		t.Errorf("the button: %d %s", status, body)
	}
	o.admits(t, "frozen", 403, 403, 403)
}

// newestOr returns the newest entry of an action, or another text if the log has none.
func (o *operated) newestOr(t *testing.T, action, other string) string {
	t.Helper()
	if !strings.Contains(o.act(t, "GET", "log?limit=1000", nil, `"valid": true`), `"action": "`+action+`"`) {
		return other
	}
	return o.newest(t, action, nil)
}

// TestPageSessionsEnd: a session ends when its operator signs out, and after an hour.
func TestPageSessionsEnd(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	var late atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	o := operateWith(t, c)
	reads := func(b *operatorBrowser, cookie *http.Cookie) (list [3]int) {
		for i, path := range []string{"/page/", "/page/log", "/page/freeze"} {
			list[i], _ = b.send(t, "GET", path, nil, func(r *http.Request) {
				if cookie != nil {
					r.AddCookie(cookie)
				}
			})
		}
		return list
	}
	b, ended := o.signIn(t), o.signIn(t)
	kept := ended.cookieOf(t)
	if got := reads(ended, nil); got != [3]int{200, 200, 200} {
		t.Errorf("signed in: %v", got)
	}
	_, body := ended.send(t, "GET", "/page/", nil)
	if status, _ := ended.send(t, "POST", "/page/sign-out", url.Values{}); status != http.StatusForbidden {
		t.Errorf("signing out without the CSRF token: %d", status)
	}
	if status, _ := ended.send(t, "POST", "/page/sign-out", hiddenFields(body)); status != http.StatusOK {
		t.Errorf("sign out: %d", status)
	}
	if got := reads(ended, nil); got != [3]int{401, 401, 401} {
		t.Errorf("signed out: %v", got)
	}
	if got := reads(newOperatorBrowser(t, o.admin), kept); got != [3]int{401, 401, 401} {
		t.Errorf("signed out, with the cookie that was kept: %v", got)
	}
	form, _ := b.preview(t, "freeze", map[string]string{"account": "bad_name"})
	form.Set("reason", "insults")
	form.Set("confirm", "Bad_Name")
	kept = b.cookieOf(t)
	late.Add(int64(10*time.Minute + time.Second))
	if status, body := b.send(t, "POST", "/page/freeze", form); status != http.StatusConflict {
		t.Errorf("a button after ten minutes: %d %s", status, body)
	}
	if got := reads(b, nil); got != [3]int{200, 200, 200} {
		t.Errorf("within the hour: %v", got)
	}
	late.Add(int64(50 * time.Minute))
	if got := reads(newOperatorBrowser(t, o.admin), kept); got != [3]int{401, 401, 401} {
		t.Errorf("after an hour: %v", got)
	}
	if status, _ := newOperatorBrowser(t, o.admin).send(t, "POST", "/page/freeze", form, func(r *http.Request) {
		r.AddCookie(kept)
	}); status != http.StatusUnauthorized {
		t.Errorf("a form after an hour: %d", status)
	}
	o.admits(t, "never frozen", 200, 200, 200)
	if _, list := o.refusals(t); len(list) != 2 || list[0] != "ann: refused freeze: "+previewText ||
		list[1] != "?: refused freeze: no session of the operators' page" {
		t.Errorf("the log has the refusals %q", list)
	}
}

// TestPageLink: a link signs one browser in, once, within a minute, by its button alone. Neither the log of acts nor
// the service's log has it.
func TestPageLink(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	var late atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	var logged strings.Builder
	c.Log = &logged
	o := operateWith(t, c)
	b := newOperatorBrowser(t, o.admin)
	link := o.openLink(t)
	token := url.Values{"token": {strings.TrimPrefix(link, "/page/open?token=")}}
	use := func(changes ...func(*http.Request)) int {
		status, _ := b.send(t, "POST", "/page/open", token, changes...)
		return status
	}
	for _, method := range []string{"GET", "HEAD", "GET"} { // as programs do that follow links
		if status, _ := b.send(t, method, link, nil); status != http.StatusOK {
			t.Errorf("%s of the link: %d", method, status)
		}
	}
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"} {
		if status := use(with(name, value)); status != http.StatusForbidden {
			t.Errorf("the button with %s: %s: %d", name, value, status)
		}
	}
	if got := use(); got != http.StatusSeeOther {
		t.Errorf("the button: %d", got)
	}
	if got := use(); got != http.StatusForbidden {
		t.Errorf("the button once more: %d", got)
	}
	late.Store(int64(59 * time.Second))
	used := token
	token = url.Values{"token": {strings.TrimPrefix(o.openLink(t), "/page/open?token=")}}
	late.Add(int64(time.Minute))
	if got := use(); got != http.StatusForbidden {
		t.Errorf("a link after a minute: %d", got)
	}
	wrong := token.Get("token")[1:] + "A"
	token = url.Values{"token": {wrong}}
	if got := use(); got != http.StatusForbidden {
		t.Errorf("a wrong link: %d", got)
	}
	answer, list := o.refusals(t)
	if len(list) != 3 || list[0] != "?: refused sign-in: the link is used, too old or wrong" ||
		!strings.Contains(answer, `"action": "open"`) || strings.Contains(answer, used.Get("token")) {
		t.Errorf("the log of acts: %s", answer)
	}
	call := OperatorCall{Address: o.admin, Operator: "ann", Method: "POST", Path: "open", Body: map[string]string{}}
	if answer, err := call.Do(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "401") {
		t.Errorf("a link without the token: %s, %v", answer, err)
	}
	o.stop()
	if err := <-o.ended; err != nil {
		t.Fatal(err)
	}
	if text := logged.String(); strings.Contains(text, used.Get("token")) || strings.Contains(text, "token=") ||
		!strings.Contains(text, "event=operator_signed_in operator=ann") {
		t.Errorf("the log of the service: %s", text)
	}
}

// atOnce counts the statuses of a number of concurrent requests.
func atOnce(send func() int) map[int]int {
	var wait sync.WaitGroup
	var mu sync.Mutex // guards counts
	counts := map[int]int{}
	for range 8 {
		wait.Go(func() {
			status := send()
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	wait.Wait()
	return counts
}

// TestPageOnce: of several uses of a link at once one signs in, and of several uses of a button one acts.
func TestPageOnce(t *testing.T) {
	t.Parallel()
	o := operate(t)
	token := url.Values{"token": {strings.TrimPrefix(o.openLink(t), "/page/open?token=")}}
	signedIn := atOnce(func() int {
		status, _ := newOperatorBrowser(t, o.admin).send(t, "POST", "/page/open", token)
		return status
	})
	if signedIn[303] != 1 || signedIn[403] != 7 {
		t.Errorf("one link at once: %v", signedIn)
	}
	b := o.signIn(t)
	form, _ := b.preview(t, "freeze", map[string]string{"account": "bad_name"})
	form.Set("reason", "insults")
	form.Set("confirm", "Bad_Name")
	rename, _ := b.preview(t, "rename", map[string]string{"account": "bad_name"})
	acted := atOnce(func() int {
		status, _ := b.send(t, "POST", "/page/freeze", form)
		return status
	})
	if acted[200] != 1 || acted[409] != 7 {
		t.Errorf("one button at once: %v", acted)
	}
	rename.Set("reason", "insults")
	rename.Set("confirm", "Bad_Name")
	for _, want := range []int{409, 409} { // the button of one act does no other, and is used up then
		if status, _ := b.send(t, "POST", "/page/unfreeze", rename); status != want {
			t.Errorf("a button of another act: %d, want %d", status, want)
		}
	}
	if log := o.act(t, "GET", "log?limit=1000", nil, `"valid": true`); strings.Count(log, `"action": "freeze"`) != 1 ||
		strings.Contains(log, `"action": "unfreeze"`) {
		t.Errorf("the log of acts: %s", log)
	}
}

// hostileName is a name that no player can have: markup, and characters that steer a terminal or reorder text.
const hostileName = `"'><script>alert(1)</script><img src=x onerror=alert(1)>{{.CSRF}}` + "\x1b[31m\u202e\u200b"

// TestPageHostileWords: names and reasons of any characters are text on every page, with escapes for those that are
// not visible. An overview without a database says why the node is not ready.
func TestPageHostileWords(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	s, err := Build(t.Context(), c) // its loops do not run
	if err != nil {
		t.Fatal(err)
	}
	public, admin := httptest.NewServer(s.newServer().Handler), httptest.NewServer(s.adminHandler())
	t.Cleanup(public.Close)
	t.Cleanup(admin.Close)
	o := &operated{running: &running{url: public.URL, admin: admin.URL}, owner: browserOf(t, public.URL, "Bad_Name")}
	if o.token, err = ReadOperatorToken(c.Data, ""); err != nil {
		t.Fatal(err)
	}
	cup := o.hostileThings(t, s)
	b, address := o.signIn(t), o.address(t)
	check := func(what string, status int, body, shown string) {
		t.Helper()
		if strings.Contains(body, "<script") || strings.Contains(body, "<img") ||
			strings.ContainsAny(body, "\x1b\u202e\u200b") || !strings.Contains(body, shown) {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	const shown = `&#34;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;{{.CSRF}}\x1b[31m\u202e\u200b`
	unconfirmed := map[string]string{"account": hostileName, "reason": hostileName}
	o.refused(t, "freeze", unconfirmed, "404", "no such account")
	for _, path := range []string{"/page/account?account=" + address, "/page/flows", "/page/clusters", "/page/log"} {
		status, body := b.send(t, "GET", path, nil)
		check(path, status, body, shown)
	}
	for _, p := range []struct {
		act   string
		given map[string]string
	}{
		{"freeze", map[string]string{"account": address}}, {"unfreeze", map[string]string{"account": address}},
		{"restore-name", map[string]string{"account": address, "name": hostileName}},
		{"hide", map[string]string{"kind": "team", "id": "bad-words"}}, {"hide", map[string]string{"kind": "cup", "id": cup}},
	} {
		form, body := b.preview(t, p.act, p.given)
		check(p.act, 200, body, shown)
		if p.act != "freeze" {
			continue
		}
		form.Set("reason", hostileName)
		form.Set("confirm", hostileName)
		status, body := b.send(t, "POST", "/page/freeze", form)
		check("frozen", status, body, ": done</h1>")
	}
	_, page := b.send(t, "GET", "/page/freeze", nil)
	form := url.Values{"csrf": hiddenFields(page)["csrf"], "account": {hostileName}}
	status, body := b.send(t, "POST", "/page/freeze", form)
	check("an unknown account", status, body, shown)
	markup := strings.TrimRight(hostileName, "\x1b[31m\u202e\u200b") // a field keeps the typed text
	status, body = b.send(t, "GET", "/page/freeze?"+url.Values{"account": {markup}, hostileName: {"a"}}.Encode(), nil)
	check("a form that is filled in", status, body, "&lt;script&gt;")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	status, body = b.send(t, "GET", "/page/", nil)
	check("the overview without a database", status, body, "This node is not ready")
	if status != 200 || !strings.Contains(body, "<li>database: ") {
		t.Errorf("the overview without a database: %d %s", status, body)
	}
}

// hostileThings makes a flow between two accounts, a team and a cup with hostileName, and returns the cup's number.
func (o *operated) hostileThings(t *testing.T, s *Service) (cup string) {
	t.Helper()
	loser := browserOf(t, o.url, "the-loser")
	for path, body := range map[string]string{"/api/teams": `{"name":"Bad Words"}`, "/api/duels": `{"stake":5}`} {
		status, text := o.owner.send(t, "POST", path, body, "")
		if status != 200 {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		if path == "/api/duels" {
			_, rest, _ := strings.Cut(text, `"id":"`)
			code, _, _ := strings.Cut(rest, `"`)
			if status, text := loser.send(t, "POST", "/api/duels/"+code+"/join", "", ""); status != 200 {
				t.Fatalf("join: %d %s", status, text)
			}
			winRound(t, code, o.owner, loser)
			if status, text := loser.send(t, "POST", "/api/duels/"+code+"/resign", "", ""); status != 200 {
				t.Fatalf("resign: %d %s", status, text)
			}
		}
	}
	number := o.openCup(t, `{"name":"Bad Cup","minutes":60,"play":false}`)
	address, err := chain.ParseAddress(o.address(t))
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for statement, key := range map[string]any{
			"UPDATE account SET username = $1 WHERE address = $2": address[:],
			"UPDATE team SET name = $1 WHERE slug = $2":           "bad-words",
			"UPDATE cup SET name = $1 WHERE id = $2":              number,
		} {
			if _, err := tx.ExecContext(ctx, statement, hostileName, key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatInt(number, 10)
}

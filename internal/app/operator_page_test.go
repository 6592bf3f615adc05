package app

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// operatorBrowser is the browser of an operator.
type operatorBrowser struct {
	client http.Client
	admin  string
}

// newOperatorBrowser returns a browser that nothing has signed in. It follows no redirects.
func newOperatorBrowser(t *testing.T, admin string) *operatorBrowser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &operatorBrowser{http.Client{Jar: jar, CheckRedirect: stay}, admin}
}

// send sends a request as a page of the admin address makes it, with changes, and returns status and body.
func (b *operatorBrowser) send(
	t *testing.T, method, path string, form url.Values, changes ...func(*http.Request),
) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.admin+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		r.Header.Set("Origin", b.admin)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, change := range changes {
		change(r)
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
	return a.StatusCode, string(text)
}

// hidden matches the hidden fields of a form.
var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// hiddenFields returns the hidden fields of a page: the last form of each name counts.
func hiddenFields(body string) url.Values {
	fields := url.Values{}
	for _, found := range hidden.FindAllStringSubmatch(body, -1) {
		fields.Set(found[1], html.UnescapeString(found[2]))
	}
	return fields
}

// openLink returns the path of a new link.
func (o *operated) openLink(t *testing.T) string {
	t.Helper()
	var link struct{ Path string }
	answer := o.act(t, "POST", "open", map[string]string{}, "/page/open?token=")
	if err := json.Unmarshal([]byte(answer), &link); err != nil {
		t.Fatal(err)
	}
	return link.Path
}

// signIn returns a browser that a link has signed in.
func (o *operated) signIn(t *testing.T) *operatorBrowser {
	t.Helper()
	b := newOperatorBrowser(t, o.admin)
	status, body := b.send(t, "GET", o.openLink(t), nil)
	if status != http.StatusOK {
		t.Fatalf("the link: %d %s", status, body)
	}
	if status, body := b.send(t, "POST", "/page/open", hiddenFields(body)); status != http.StatusSeeOther {
		t.Fatalf("sign in: %d %s", status, body)
	}
	return b
}

// values returns a form of texts.
func values(texts map[string]string) url.Values {
	form := url.Values{}
	for name, text := range texts {
		form.Set(name, text)
	}
	return form
}

// preview fills the first form of an act in, and returns the form of the page that follows.
func (b *operatorBrowser) preview(t *testing.T, act string, given map[string]string) (form url.Values, body string) {
	t.Helper()
	status, body := b.send(t, "GET", "/page/"+act, nil)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", act, status, body)
	}
	form = values(given)
	form.Set("csrf", hiddenFields(body).Get("csrf"))
	if status, body = b.send(t, "POST", "/page/"+act, form); status != http.StatusOK {
		t.Fatalf("%s %v: %d %s", act, given, status, body)
	}
	return hiddenFields(body), body
}

// pagedAct is an act with the one that takes it back, for each of two rounds. given has the arguments of the command.
type pagedAct struct {
	act, undo string
	given     [2]map[string]string
	undoGiven func() [2]map[string]string
	confirm   [2]string // for the act, and for its undo where that asks for a name
	undoNamed bool
	done      func(round int) bool // the effect
	differs   []string             // members of the entry that differ between two acts that are alike
}

// newest returns the newest entry of an action, without what differs.
func (o *operated) newest(t *testing.T, action string, differs []string) string {
	t.Helper()
	var log struct {
		Entries []struct {
			Operator, Action, Subject string
			Detail                    map[string]any
		}
	}
	if err := json.Unmarshal([]byte(o.act(t, "GET", "log?limit=1000", nil, `"valid": true`)), &log); err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Entries {
		if e.Action == action {
			for _, name := range differs {
				if e.Detail[name] == nil {
					t.Errorf("the entry of %s has no %s: %v", action, name, e)
				}
				delete(e.Detail, name)
			}
			return fmt.Sprint(e) // maps are printed in the order of their keys
		}
	}
	t.Fatalf("the log has no %s", action)
	return ""
}

// byAPI does an act by the operators' API, also one whose game is not counted yet.
func (o *operated) byAPI(t *testing.T, act string, given map[string]string, confirm string) {
	t.Helper()
	body := OperatorArguments(given)
	body["reason"] = "insults"
	if confirm != "" {
		body["confirm"] = confirm
	}
	call := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: act, Body: body}
	until(t, act+" is done", func() bool {
		_, err := call.Do(t.Context())
		if err != nil && !strings.Contains(err.Error(), "not counted yet") {
			t.Fatalf("%s %v: %v", act, body, err)
		}
		return err == nil
	})
}

// byPage does an act by its forms. Until the second one is sent, nothing has changed.
func (b *operatorBrowser) byPage(t *testing.T, act string, given map[string]string, confirm string, done func() bool) {
	t.Helper()
	before := done()
	form, body := b.preview(t, act, given)
	for _, text := range given {
		if !strings.Contains(body, text) {
			t.Errorf("%s: the second page does not repeat %s: %s", act, text, body)
		}
	}
	if asks := strings.Contains(body, `name="confirm"`); asks != (confirm != "") || !strings.Contains(body, `name="reason"`) {
		t.Errorf("%s: the second page asks for a name: %v: %s", act, asks, body)
	}
	if done() != before {
		t.Errorf("%s: the first page has changed something", act)
	}
	form.Set("reason", "insults")
	if confirm != "" {
		form.Set("confirm", confirm)
	}
	if status, body := b.send(t, "POST", "/page/"+act, form); status != http.StatusOK || !strings.Contains(body, ": done</h1>") {
		t.Fatalf("%s %v: %d %s", act, given, status, body)
	}
}

// TestPageActs: each act by the forms of the page has the effect and the entry of the log of the same act by the
// operators' API.
func TestPageActs(t *testing.T) {
	t.Parallel()
	o := operate(t)
	b := o.signIn(t)
	for _, a := range o.pagedActs(t) {
		named := func(round int) string {
			if a.undoNamed {
				return a.confirm[round]
			}
			return ""
		}
		var entries [2][2]string // by round: of the act, and of its undo
		for round := range entries {
			done := func() bool { return a.done(round) }
			if round == 0 {
				o.byAPI(t, a.act, a.given[round], a.confirm[round])
			} else {
				b.byPage(t, a.act, a.given[round], a.confirm[round], done)
			}
			if !done() {
				t.Errorf("round %d: %s has no effect", round, a.act)
			}
			entries[round][0] = o.newest(t, a.act, a.differs)
			if undo := a.undoGiven()[round]; round == 0 {
				o.byAPI(t, a.undo, undo, named(round))
			} else {
				b.byPage(t, a.undo, undo, named(round), done)
			}
			if done() {
				t.Errorf("round %d: %s has no effect", round, a.undo)
			}
			entries[round][1] = o.newest(t, a.undo, a.differs)
		}
		if entries[0] != entries[1] {
			t.Errorf("%s: the log has by the API\n%q, by the page\n%q", a.act, entries[0], entries[1])
		}
	}
	if log := o.act(t, "GET", "log?limit=1000", nil, `"valid": true`); strings.Contains(log, "no session") {
		t.Errorf("the log has requests without a session: %s", log)
	}
}

// pagedActs returns all acts, on things that it makes.
func (o *operated) pagedActs(t *testing.T) []pagedAct {
	t.Helper()
	has := func(path, text string) bool {
		_, body := o.owner.send(t, "GET", path, "", "")
		return strings.Contains(body, text)
	}
	same := func(given map[string]string) [2]map[string]string { return [2]map[string]string{given, given} }
	always := func(given map[string]string) func() [2]map[string]string {
		return func() [2]map[string]string { return same(given) }
	}
	account := map[string]string{"account": o.address(t)}
	back := map[string]string{"account": o.address(t), "name": "Bad_Name"}
	if status, text := o.owner.send(t, "POST", "/api/teams", `{"name":"Bad Words"}`, ""); status != 200 {
		t.Fatalf("team: %d %s", status, text)
	}
	cup := strconv.FormatInt(o.openCup(t, `{"name":"Bad Cup","minutes":60,"play":false}`), 10)
	item := strconv.FormatInt(o.stakedDuel(t, browserOf(t, o.url, "the-loser")), 10)
	players := [2]*apiCaller{browserOf(t, o.url, "cal-player"), browserOf(t, o.url, "ann-player")}
	var duels, runs [2]map[string]string
	var codes, ids [2]string
	for i, other := range []string{"dan-player", "bob-player"} {
		codes[i] = ratedDuel(t, players[i], browserOf(t, o.url, other))
		ids[i] = dailyRun(t, players[i])
		duels[i] = map[string]string{"game": "duel", "id": codes[i]}
		runs[i] = map[string]string{"game": "run", "id": ids[i]}
	}
	slices.Reverse(codes[:]) // the first round waits until the later games are counted
	slices.Reverse(ids[:])
	slices.Reverse(duels[:])
	slices.Reverse(runs[:])
	names := [2]string{"ann-player", "cal-player"}
	const isVoid = `"voided":{`
	return []pagedAct{
		{act: "freeze", undo: "unfreeze", given: same(account), undoGiven: always(account),
			confirm: [2]string{"Bad_Name", "Bad_Name"}, done: func(int) bool { return has("/api/me", "account_frozen") }},
		{act: "rename", undo: "restore-name", given: same(account), undoGiven: always(back), differs: []string{"username"},
			confirm: [2]string{"Bad_Name", "Bad_Name"}, done: func(int) bool { return o.username(t) != "Bad_Name" }},
		{act: "hide", undo: "unhide", given: same(map[string]string{"kind": "team", "id": "bad-words"}),
			undoGiven: always(map[string]string{"kind": "team", "id": "hidden-team-1"}),
			confirm:   [2]string{"Bad Words", "Bad Words"}, done: func(int) bool { return !has("/api/teams", "Bad Words") }},
		{act: "hide", undo: "unhide", given: same(map[string]string{"kind": "cup", "id": cup}),
			undoGiven: always(map[string]string{"kind": "cup", "id": cup}), confirm: [2]string{"Bad Cup", "Bad Cup"},
			done: func(int) bool { return !has("/api/cups/"+cup, "Bad Cup") }},
		{act: "hide", undo: "unhide", given: same(map[string]string{"kind": "feed", "id": item}),
			undoGiven: always(map[string]string{"kind": "feed", "id": item}), confirm: [2]string{"Bad_Name", "Bad_Name"},
			done: func(int) bool { return !has("/api/feed", `{"id":`+item+",") }},
		{act: "void", undo: "restore-result", given: duels, undoGiven: func() [2]map[string]string { return duels },
			confirm: names, undoNamed: true, differs: []string{"duel", "confirm"},
			done: func(round int) bool { return has("/api/duels/"+codes[round], isVoid) }},
		{act: "void", undo: "restore-result", given: runs, undoGiven: func() [2]map[string]string { return runs },
			confirm: names, undoNamed: true, differs: []string{"run", "confirm"},
			done: func(round int) bool { return has("/api/runs/"+ids[round], isVoid) }},
	}
}

// TestPageReads: the page reads the same as the operators' API, each read with its entry in the log of acts. The
// form of an account asks for its name first.
func TestPageReads(t *testing.T) {
	t.Parallel()
	o := operate(t)
	b := o.signIn(t)
	for path, want := range map[string]string{
		"/page/account": `name="account"`, "/page/account?account=badname": o.address(t), "/page/flows": `value="24"`,
		"/page/clusters?hours=1&coins=2&limit=3": `value="2"`, "/page/log": "<dt>valid</dt><dd>yes</dd>",
	} {
		if status, body := b.send(t, "GET", path, nil); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want %s", path, status, body, want)
		}
	}
	status, body := b.send(t, "GET", "/page/account?account=none", nil)
	if status != http.StatusNotFound || !strings.Contains(body, "there is no such account") {
		t.Errorf("an unknown account: %d %s", status, body)
	}
	if status, body = b.send(t, "GET", "/page/flows?hours=0", nil); status != http.StatusBadRequest {
		t.Errorf("no period: %d %s", status, body)
	}
	status, body = b.send(t, "GET", "/page/log?limit=20", nil)
	for _, text := range []string{"refused account", "refused flows", "clusters", "open", "ann"} {
		if status != 200 || !strings.Contains(body, text) {
			t.Errorf("the log has no %s: %d %s", text, status, body)
		}
	}
	for _, action := range []string{"account", "flows", "clusters", "log"} {
		o.newest(t, action, nil)
	}
}

// TestPageOverview: the overview has the state of the node without an entry in the log, and needs no database.
func TestPageOverview(t *testing.T) {
	t.Parallel()
	o := operate(t)
	b := o.signIn(t)
	until(t, "this node seals", func() bool {
		status, body := b.send(t, "GET", "/page/", nil)
		return status == 200 && strings.Contains(body, ", this one</td>") && strings.Contains(body, "<td>sealing</td>")
	})
	_, body := b.send(t, "GET", "/page/", nil)
	for _, text := range []string{"Clock", "Disk", "Backups", "none are scheduled", "Queues", "transactions for a block",
		"Leases", "this node is ahead of the database by"} {
		if !strings.Contains(body, text) {
			t.Errorf("the overview has no %s: %s", text, body)
		}
	}
	if status, _ := b.send(t, "GET", "/", nil); status != http.StatusSeeOther {
		t.Errorf("the root of the address: %d", status)
	}
	if log := o.act(t, "GET", "log", nil, `"valid": true`); strings.Contains(log, "overview") {
		t.Errorf("the log of acts: %s", log)
	}
}

// TestOperatorActsAreListed: the commands, the forms and the calls of the API are the same acts.
func TestOperatorActsAreListed(t *testing.T) {
	t.Parallel()
	listed := []string{"open"}
	for _, act := range operatorForms() {
		listed = append(listed, act.Name)
		if act.Help == "" || len(act.Fields) == 0 || act.Reads == (len(act.Confirmation) > 0) {
			t.Errorf("the form of %s: %+v", act.Name, act)
		}
		for _, f := range slices.Concat(act.Fields, act.Confirmation) {
			if f.Help == "" || f.Name == "csrf" || f.Name == "button" || f.Number == (f.Default == "") {
				t.Errorf("the form of %s: %+v", act.Name, f)
			}
		}
		if !act.Reads && act.Confirmation[0].Name != "reason" {
			t.Errorf("the form of %s asks for no reason: %+v", act.Name, act.Confirmation)
		}
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(operatorActs)); !slices.Equal(listed, want) {
		t.Errorf("listed are %q, the operators' API has %q", listed, want)
	}
}

// TestPagePreviews: a preview refuses what the act refuses, changes nothing, and has the log entry of a refusal. A
// reason is needed for the act alone.
func TestPagePreviews(t *testing.T) {
	t.Parallel()
	o := operate(t)
	b := o.signIn(t)
	_, page := b.send(t, "GET", "/page/freeze", nil)
	csrf := hiddenFields(page).Get("csrf")
	for _, c := range []struct {
		act    string
		given  map[string]string
		status int
		want   string
	}{
		{"freeze", map[string]string{"account": "none"}, 404, "there is no such account"},
		{"freeze", map[string]string{}, 400, "Something is missing."},
		{"hide", map[string]string{"kind": "player", "id": "7"}, 400, "Something is missing."},
		{"hide", map[string]string{"kind": "reason", "id": "7"}, 400, "Something is missing."},
		{"unhide", map[string]string{"kind": "team", "id": "none"}, 404, "no such thing"},
		{"void", map[string]string{"game": "duel", "id": "ZZZZZZZZ"}, 404, "there is no such game"},
	} {
		form := values(c.given)
		form.Set("csrf", csrf)
		if status, body := b.send(t, "POST", "/page/"+c.act, form); status != c.status || !strings.Contains(body, c.want) ||
			hiddenFields(body).Has("button") {
			t.Errorf("%s %v: %d %s, want %d %s", c.act, c.given, status, body, c.status, c.want)
		}
	}
	form, _ := b.preview(t, "freeze", map[string]string{"account": "bad_name"})
	form.Set("confirm", "Bad_Name")
	form.Set("reason", "xy")
	status, body := b.send(t, "POST", "/page/freeze", form)
	if status != http.StatusBadRequest || !strings.Contains(body, "3 to 300 bytes; this one has 2") {
		t.Errorf("a short reason: %d %s", status, body)
	}
	form, _ = b.preview(t, "freeze", map[string]string{"account": "bad_name"})
	form.Set("confirm", "bad_name")
	form.Set("reason", "insults")
	status, body = b.send(t, "POST", "/page/freeze", form)
	if status != http.StatusBadRequest || !strings.Contains(body, "the act hits this account") {
		t.Errorf("another name: %d %s", status, body)
	}
	o.admits(t, "refused", 200, 200, 200)
	_, list := o.refusals(t)
	for _, want := range []string{previewText, "an act needs a reason of 3 to 300 bytes; this one has 2",
		"send the username as confirm: the act hits this account", "there is no such account"} {
		if !slices.Contains(list, "ann: refused freeze: "+want) {
			t.Errorf("the log has the refusals %q, want %q among them", list, want)
		}
	}
}

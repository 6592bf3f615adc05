package app

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/fair"
	"roshambo/game"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// stakedDuel lets the owner win a staked duel, which makes an item of the feed, and returns its id.
func (o *operated) stakedDuel(t *testing.T, loser *apiCaller) (item int64) {
	t.Helper()
	var made struct{ Duel struct{ ID string } }
	_, text := o.owner.send(t, "POST", "/api/duels", `{"stake":5}`, "")
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Duel.ID == "" {
		t.Fatalf("create: %s, %v", text, err)
	}
	for _, step := range []string{"join", "resign"} {
		if step == "resign" {
			winRound(t, made.Duel.ID, o.owner, loser)
		}
		if status, text := loser.send(t, "POST", "/api/duels/"+made.Duel.ID+"/"+step, "", ""); status != 200 {
			t.Fatalf("%s: %d %s", step, status, text)
		}
	}
	var feed struct {
		Events []struct {
			ID   int64
			Kind string
		}
	}
	until(t, "the duel is in the feed", func() bool {
		o.owner.get(t, "/api/feed", &feed)
		for _, e := range feed.Events {
			if e.Kind == "duel_won" {
				item = e.ID
			}
		}
		return item != 0
	})
	return item
}

// until polls for a condition.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for !done() {
		select {
		case <-t.Context().Done():
			t.Fatalf("not before the end of the test: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// address returns the address of the owner's account.
func (o *operated) address(t *testing.T) string {
	t.Helper()
	var me struct{ Account struct{ Address string } }
	o.owner.get(t, "/api/me", &me)
	return me.Account.Address
}

// resumed returns the data of all events of the feed that a stream resumes with, up to the given number of
// events of its kind.
func (o *operated) resumed(t *testing.T, events int) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.url+"/api/events?topics=feed", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", "0")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var all strings.Builder
	for lines := bufio.NewScanner(a.Body); events > 0 && lines.Scan(); {
		if line := lines.Text(); strings.HasPrefix(line, "data: {\"id\"") {
			all.WriteString(line)
			events--
		}
	}
	return all.String()
}

// knownSeeds are the seeds of all runs of a service, by commitment.
type knownSeeds struct {
	source io.Reader

	mu     sync.Mutex // guards chains
	chains map[string]*fair.Chain
}

// Read draws the last seed of a chain.
func (k *knownSeeds) Read(p []byte) (int, error) {
	n, err := k.source.Read(p)
	c := fair.NewChain(fair.Seed(p))
	commitment := c.Commitment()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.chains[hex.EncodeToString(commitment[:])] = c
	return n, err
}

// winToken wins a run of an entry with its first throw, and returns the token and the run.
func (k *knownSeeds) winToken(t *testing.T, b *apiCaller, entry string) (token int64, run string) {
	t.Helper()
	var out struct {
		Run struct {
			ID, Commitment string
			ClientSeed     string `json:"client_seed"`
			TokenID        int64  `json:"token_id"`
		}
	}
	_, text := b.send(t, "POST", "/api/runs", `{"entry":"`+entry+`"}`, "")
	if err := json.Unmarshal([]byte(text), &out); err != nil || out.Run.ID == "" {
		t.Fatalf("start: %s, %v", text, err)
	}
	k.mu.Lock()
	seed := k.chains[out.Run.Commitment].Seed(1)
	k.mu.Unlock()
	house := fair.HouseMove(seed, 1, fair.HashText(out.Run.ClientSeed), fair.HashText(""))
	var move game.Move
	for _, m := range []game.Move{game.Rock, game.Paper, game.Scissors} {
		if m.Against(house) == game.Win {
			move = m
		}
	}
	until(t, "the throw is admitted", func() bool {
		var status int
		status, text = b.send(t, "POST", "/api/runs/"+out.Run.ID+"/throw", `{"move":"`+move.String()+`","then":"claim"}`, "")
		return status == http.StatusOK
	})
	if err := json.Unmarshal([]byte(text), &out); err != nil || out.Run.TokenID == 0 {
		t.Fatalf("the token: %s, %v", text, err)
	}
	return out.Run.TokenID, out.Run.ID
}

// placed is what a test has put into public places: numbers, codes and ids for their paths.
type placed struct {
	token, listing int64
	run, rated     string
}

// place gives the account a listing, and a place on the board of each kind of game.
func (o *operated) place(t *testing.T, k *knownSeeds, loser *apiCaller) (p placed) {
	t.Helper()
	_, p.run = k.winToken(t, o.owner, "daily")
	p.token, _ = k.winToken(t, o.owner, "fee")
	var made struct{ Listing struct{ ID int64 } }
	_, text := o.owner.send(t, "POST", "/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":10}`, p.token), "")
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Listing.ID == 0 {
		t.Fatalf("list: %s, %v", text, err)
	}
	p.listing, p.rated = made.Listing.ID, ratedDuel(t, o.owner, loser)
	_, text = loser.send(t, "POST", "/api/bots", `{"name":"the-loser-bot"}`, "")
	var bot struct{ Secret string }
	if err := json.Unmarshal([]byte(text), &bot); err != nil || bot.Secret == "" {
		t.Fatalf("bot: %s, %v", text, err)
	}
	var out struct{ Duel *struct{ ID string } }
	for _, secret := range []string{o.bot, bot.Secret} {
		_, text = loser.send(t, "POST", "/api/arena/queue", "", secret)
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || out.Duel == nil {
		t.Fatalf("queue: %s, %v", text, err)
	}
	if status, text := loser.send(t, "POST", "/api/duels/"+out.Duel.ID+"/resign", "", bot.Secret); status != 200 {
		t.Fatalf("resign: %d %s", status, text)
	}
	return p
}

// page returns the HTML of a page, whose head shows what a link to it shows.
func (b *apiCaller) page(t *testing.T, path string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	a, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shows reports whether the answer at a path of the API, or a page, has the name that operators withdraw.
func (b *apiCaller) shows(t *testing.T, path string) bool {
	t.Helper()
	if !strings.HasPrefix(path, "/api/") {
		return strings.Contains(b.page(t, path), "Bad_Name")
	}
	_, text := b.send(t, "GET", path, "", "")
	return strings.Contains(text, "Bad_Name")
}

// liveDuel begins a duel of the account and another player, which is on TV.
func (o *operated) liveDuel(t *testing.T, other *apiCaller) {
	t.Helper()
	var made struct{ Duel struct{ ID string } }
	_, text := o.owner.send(t, "POST", "/api/duels", `{"stake":7}`, "")
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(err)
	}
	if status, text := other.send(t, "POST", "/api/duels/"+made.Duel.ID+"/join", "", ""); status != 200 {
		t.Fatalf("join: %d %s", status, text)
	}
}

// publicPlaces are the paths whose answers, and the pages whose heads, name the account at the address me. It has the
// things of p, is in the team some-words and in a cup, and has played against the account at other.
func publicPlaces(p placed, cup int64, me, other string) []string {
	list := []string{
		"/api/tv", "/api/duels?status=active", // first: the live duel has a deadline
		"/api/feed", "/api/duels", "/api/duels?status=finished", "/api/duels/" + p.rated, "/api/duels/opponents",
		"/api/players/" + me, "/api/players/" + other + "/duels", "/api/teams/some-words", "/api/cups",
		"/api/market", fmt.Sprintf("/api/market/listings/%d", p.listing), "/api/arena/leaderboard", "/api/arena/crosstable",
		"/api/leaderboard?board=all", "/api/leaderboard?board=week", "/api/leaderboard?board=daily",
		"/api/leaderboard?board=duels", "/api/season", "/api/chain/search?q=bad_nam", "/api/data/duels", "/api/data/ratings",
		"/api/data/runs", "/embed/duel/" + p.rated, fmt.Sprintf("/embed/cup/%d", cup),
		fmt.Sprintf("/token/%d", p.token), "/d/" + p.rated, "/r/" + p.run, "/players/" + me,
	}
	for _, file := range []string{"", "/table.csv", "/report.trf"} {
		list = append(list, fmt.Sprintf("/api/cups/%d%s", cup, file))
	}
	return list
}

// TestWithdrawnNameShowsNowhere: a name that an operator replaces is in no public place once the call is
// answered: not in the feed, duels, the lobby, TV, boards, teams, cups and their files, listings, profiles, quick
// matches, the search, data in bulk, previews of links, embeds and streams that resume. Each has had it before.
func TestWithdrawnNameShowsNowhere(t *testing.T) {
	t.Parallel()
	c, seeds := config(t.TempDir()), &knownSeeds{source: testseed.Reader(t), chains: map[string]*fair.Chain{}}
	c.Overrides.SeedRand = seeds
	var late atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	o := operateWith(t, c)
	loser := browserOf(t, o.url, "the-loser")
	p := o.place(t, seeds, loser)
	o.stakedDuel(t, loser)
	late.Store(int64(2 * time.Minute)) // data in bulk is a minute behind
	if status, text := o.owner.send(t, "POST", "/api/teams", `{"name":"Some Words"}`, ""); status != 200 {
		t.Fatalf("team: %d %s", status, text)
	}
	var other struct{ Account struct{ Address string } }
	loser.get(t, "/api/me", &other)
	paths := publicPlaces(p, o.openCup(t, `{"minutes":60}`), o.address(t), other.Account.Address)
	o.liveDuel(t, loser)
	for path, body := range map[string]string{"/api/duels": `{"stake":5}`, "/api/duels/quick": ""} {
		if status, text := o.owner.send(t, "POST", path, body, ""); status != 200 {
			t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	for _, path := range paths { // what they show may be kept in memory
		until(t, path+" has the name", func() bool { return loser.shows(t, path) })
	}
	if text := o.resumed(t, 1); !strings.Contains(text, "Bad_Name") {
		t.Fatalf("the stream: %s", text)
	}
	o.act(t, "POST", "rename", about, `"before": "Bad_Name"`)
	for _, path := range paths {
		if loser.shows(t, path) {
			t.Errorf("%s has the withdrawn name", path)
		}
	}
	until(t, "the stream has no withdrawn name", func() bool { return !strings.Contains(o.resumed(t, 1), "Bad_Name") })
	third := browserOf(t, o.url, "a-third-one") // the same two do not meet twice in a row
	if _, text := third.send(t, "POST", "/api/duels/quick", "", ""); strings.Contains(text, "Bad_Name") ||
		!strings.Contains(text, `"username"`) {
		t.Errorf("the quick match: %s", text)
	}
}

// TestHiddenThings: an item of the feed and the name of a team are hidden with a reason, and shown again.
func TestHiddenThings(t *testing.T) {
	t.Parallel()
	o := operate(t)
	id := o.stakedDuel(t, browserOf(t, o.url, "the-loser"))
	item := map[string]string{"feed": strconv.FormatInt(id, 10), "reason": "an insult"}
	shown := func() bool {
		_, text := o.owner.send(t, "GET", "/api/feed", "", "")
		return strings.Contains(text, fmt.Sprintf(`{"id":%d,`, id))
	}
	o.refused(t, "hide", item, "400", `"kind": "duel_won"`)
	item["confirm"] = "duel_won" // the item has a username
	o.refused(t, "hide", item, "400", "the act hits this item")
	if !shown() {
		t.Error("an item is hidden without a confirmation")
	}
	item["confirm"] = "Bad_Name"
	o.act(t, "POST", "hide", item, fmt.Sprintf(`"feed": %d`, id))
	if shown() {
		t.Error("a hidden item is in the feed")
	}
	o.refused(t, "hide", item, "404", "hidden already")
	o.act(t, "POST", "unhide", item, fmt.Sprintf(`"feed": %d`, id))
	if !shown() {
		t.Error("an item that is no longer hidden is not in the feed")
	}
	if status, text := o.owner.send(t, "POST", "/api/teams", `{"name":"Bad Words"}`, ""); status != 200 {
		t.Fatalf("team: %d %s", status, text)
	}
	hide := map[string]string{"team": "bad-words", "reason": "an insult"}
	o.refused(t, "hide", hide, "400", `"name": "Bad Words"`)
	hide["confirm"] = "Bad Words"
	o.act(t, "POST", "hide", hide, `"slug": "hidden-team-1"`)
	o.refused(t, "hide", hide, "404", "no such thing")
	for _, path := range []string{"/api/teams", "/api/teams/hidden-team-1"} {
		_, text := o.owner.send(t, "GET", path, "", "")
		if strings.Contains(text, "Bad Words") || strings.Contains(text, "bad-words") ||
			!strings.Contains(text, `"hidden_reason":"an insult"`) {
			t.Errorf("%s: %s", path, text)
		}
	}
	o.act(t, "POST", "unhide", map[string]string{"team": "hidden-team-1", "reason": "a mistake"}, `"slug": "bad-words"`)
	o.refused(t, "unhide", map[string]string{"team": "bad-words", "reason": "a mistake"}, "409",
		"hidden already, or shows")
	o.refused(t, "hide", map[string]string{"reason": "neither"}, "400", "name a team, a cup, a bot or an item")
}

// TestHiddenCup: the name of a cup is hidden with a reason from every answer that has the cup, from its report and at
// once from its embed. No other cup takes it meanwhile, and it is shown again.
func TestHiddenCup(t *testing.T) {
	t.Parallel()
	o := operate(t)
	number := o.openCup(t, `{"name":"Bad Words","minutes":60,"play":false}`)
	nameless := o.openCup(t, `{"minutes":60,"play":false}`)
	named := func(number int64, more ...string) map[string]string {
		body := map[string]string{"cup": strconv.FormatInt(number, 10), "reason": "an insult"}
		for _, confirm := range more {
			body["confirm"] = confirm
		}
		return body
	}
	shows := func(step string, want bool) {
		t.Helper()
		for _, path := range []string{"/api/cups", "/api/cups/%d", "/api/cups/%d/report.trf", "/embed/cup/%d"} {
			path = strings.ReplaceAll(path, "%d", strconv.FormatInt(number, 10))
			_, text := o.owner.send(t, "GET", path, "", "")
			if strings.Contains(text, "Bad Words") != want || strings.HasPrefix(path, "/api/") &&
				!strings.HasSuffix(path, ".trf") && strings.Contains(text, `"hidden_reason":"an insult"`) == want {
				t.Errorf("%s: %s: %s", step, path, text)
			}
		}
	}
	shows("opened", true)
	o.refused(t, "hide", named(number), "400", `"name": "Bad Words"`)
	o.refused(t, "hide", named(number, "bad words"), "400", "the act hits this cup")
	shows("not confirmed", true)
	o.refused(t, "unhide", named(number), "409", "or shows")
	o.refused(t, "hide", named(nameless), "409", "has no name")
	o.refused(t, "hide", named(1<<30), "404", "no such thing")
	o.act(t, "POST", "hide", named(number, "Bad Words"), fmt.Sprintf(`"cup": %d`, number))
	shows("hidden", false)
	o.refused(t, "hide", named(number, "Bad Words"), "409", "hidden already")
	if status, text := o.owner.send(t, "POST", "/api/cups", `{"name":"bad-w0rds","play":false}`, ""); status != 409 ||
		!strings.Contains(text, "cup_name_taken") {
		t.Errorf("a cup with a name like the hidden one: %d %s", status, text)
	}
	o.act(t, "POST", "unhide", named(number), `"name": "Bad Words"`)
	shows("shown again", true)
}

// TestHiddenWords: version and description of a bot are hidden with a reason from every answer that has them, alone or
// with the bot's name, and its owner cannot replace them; they are shown again.
func TestHiddenWords(t *testing.T) {
	t.Parallel()
	o := operate(t)
	var made struct{ Bot struct{ Address string } }
	_, text := o.owner.send(t, "POST", "/api/bots", `{"name":"some-bot"}`, "")
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Bot.Address == "" {
		t.Fatalf("bot: %s, %v", text, err)
	}
	describe := func(body string) (int, string) {
		return o.owner.send(t, "POST", "/api/bots/"+made.Bot.Address, body, "")
	}
	if status, text := describe(`{"version":"bad-1.0","description":"Bad words"}`); status != 200 {
		t.Fatalf("describe: %d %s", status, text)
	}
	shows := func(step, reason string) {
		t.Helper()
		for path, words := range map[string]string{"": "Bad words", "/versions": "bad-1.0"} {
			_, text := o.owner.send(t, "GET", "/api/arena/bots/"+made.Bot.Address+path, "", "")
			if strings.Contains(text, words) != (reason == "") || strings.Contains(text, "bad-1.0") != (reason == "") ||
				path == "" && reason != "" && !strings.Contains(text, fmt.Sprintf(`"hidden_reason":%q`, reason)) {
				t.Errorf("%s: %s: %s", step, path, text)
			}
		}
	}
	shows("described", "")
	hide := map[string]string{"bot": "some-bot", "reason": "an insult"}
	o.refused(t, "unhide", hide, "409", "or show")
	o.refused(t, "hide", hide, "400", `"description": "Bad words"`)
	hide["confirm"] = "some-bot"
	o.act(t, "POST", "hide", hide, `"username": "some-bot"`)
	shows("hidden", "an insult")
	o.refused(t, "hide", hide, "409", "or show")
	if status, text := describe(`{"description":"Worse words"}`); status != 409 || !strings.Contains(text, "words_hidden") {
		t.Errorf("the owner describes it again: %d %s", status, text)
	}
	o.act(t, "POST", "unhide", map[string]string{"bot": made.Bot.Address, "reason": "a mistake"}, `"version": "bad-1.0"`)
	shows("shown again", "")
	o.act(t, "POST", "rename", map[string]string{"account": "some-bot", "confirm": "some-bot", "reason": "an insult"},
		`"before": "some-bot"`)
	shows("renamed", hiddenWithName)
	o.act(t, "POST", "restore-name", map[string]string{"account": made.Bot.Address, "name": "some-bot",
		"reason": "a mistake"}, `"username": "some-bot"`)
	shows("restored", "")
	o.refused(t, "hide", map[string]string{"bot": "no-such-bot", "reason": "an insult"}, "404", "")
}

// openCup opens a cup of the account's, and returns its number.
func (o *operated) openCup(t *testing.T, terms string) int64 {
	t.Helper()
	var made struct{ Cup struct{ Number int64 } }
	_, text := o.owner.send(t, "POST", "/api/cups", terms, "")
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.Cup.Number == 0 {
		t.Fatalf("cup: %s, %v", text, err)
	}
	return made.Cup.Number
}

// TestHouseBotsAreRefused: no act on an account hits a bot of the house. An operator may look it up.
func TestHouseBotsAreRefused(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	err = s.DB.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Accounts.EnsureHouseBot(ctx, tx, "house-rock", account.BotKey([32]byte{1}))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, act := range map[string]func(*operatorCall, context.Context) (any, error){
		"freeze": (*operatorCall).freeze, "unfreeze": (*operatorCall).unfreeze, "rename": (*operatorCall).rename,
		"restore-name": (*operatorCall).restoreName,
	} {
		call := &operatorCall{s: s, operator: "ann", action: name,
			values: map[string]string{"account": "house-rock", "reason": "none", "confirm": "house-rock", "name": "house-rock"}}
		var refused *operatorError
		if _, err := act(call, t.Context()); !errors.As(err, &refused) || !strings.Contains(refused.text, "of the house") {
			t.Errorf("%s: %v", name, err)
		}
	}
	read := &operatorCall{s: s, operator: "ann", action: "account", values: map[string]string{"account": "house-rock"}}
	if _, err := read.account(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestFrozenBrowser: the browser of a frozen account reads public pages and signs in elsewhere; it opens no
// guest and registers no account in place of the frozen one, and its open challenge is withdrawn.
func TestFrozenBrowser(t *testing.T) {
	t.Parallel()
	o := operate(t)
	browserOf(t, o.url, "another-one")
	var made struct{ Duel struct{ ID, Status string } }
	_, text := o.owner.send(t, "POST", "/api/duels", `{"stake":5}`, "")
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		t.Fatal(err)
	}
	o.act(t, "POST", "freeze", about, `"rps1`)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/api/duels/" + made.Duel.ID, "", 200},
		{"POST", "/api/guest", "", 403},
		{"POST", "/api/auth/register", `{"username":"a-third","password":"correct horse"}`, 403},
		{"POST", "/api/auth/logout", "", 403},
		{"POST", "/api/auth/login", `{"username":"another-one","password":"correct horse"}`, 200},
	} {
		status, text := o.owner.send(t, c.method, c.path, c.body, "")
		if status != c.status || status == 403 && !strings.Contains(text, "account_frozen") {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, status, text, c.status)
		}
	}
	if o.owner.get(t, "/api/duels/"+made.Duel.ID, &made); made.Duel.Status != "cancelled" {
		t.Errorf("the open challenge of a frozen account is %s", made.Duel.Status)
	}
}

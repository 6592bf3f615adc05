package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
)

// browserOf registers an account in a browser of its own.
func browserOf(t *testing.T, url, name string) *apiCaller {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &apiCaller{client: http.Client{Jar: jar}, url: url}
	body := `{"username":"` + name + `","password":"correct horse"}`
	if status, text := b.send(t, "POST", "/api/auth/register", body, ""); status != 200 {
		t.Fatalf("register: %d %s", status, text)
	}
	return b
}

// get reads a page of the API into out.
func (b *apiCaller) get(t *testing.T, path string, out any) {
	t.Helper()
	status, text := b.send(t, "GET", path, "", "")
	if err := json.Unmarshal([]byte(text), out); err != nil || status != 200 {
		t.Fatalf("%s: %d %s", path, status, text)
	}
}

// quickDuel pairs two people, and returns the code of their duel.
func quickDuel(t *testing.T, first, second *apiCaller) string {
	t.Helper()
	var out struct{ Duel *struct{ ID string } }
	for _, b := range []*apiCaller{first, second} {
		_, text := b.send(t, "POST", "/api/duels/quick", "", "")
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
	}
	if out.Duel == nil {
		t.Fatal("the two were not paired")
	}
	return out.Duel.ID
}

// winRound plays a round of a duel: lists and the feed show no other ones.
func winRound(t *testing.T, code string, winner, loser *apiCaller) {
	t.Helper()
	const salt = "0123456789abcdef"
	sides := []struct {
		*apiCaller

		move game.Move
	}{{winner, game.Paper}, {loser, game.Rock}}
	send := func(b *apiCaller, step, body string) {
		if status, text := b.send(t, "POST", "/api/duels/"+code+"/"+step, body, ""); status != 200 {
			t.Fatalf("%s: %d %s", step, status, text)
		}
	}
	for _, s := range sides {
		send(s.apiCaller, "commit", fmt.Sprintf(`{"commitment":"%v"}`, chain.HashHand(s.move, salt+s.move.String())))
	}
	for _, s := range sides {
		send(s.apiCaller, "reveal", fmt.Sprintf(`{"move":%q,"salt":%q}`, s.move, salt+s.move.String()))
	}
}

// ratedDuel pairs two people; the second one loses a round and resigns. It returns the code.
func ratedDuel(t *testing.T, winner, loser *apiCaller) string {
	t.Helper()
	code := quickDuel(t, loser, winner)
	winRound(t, code, winner, loser)
	if status, text := loser.send(t, "POST", "/api/duels/"+code+"/resign", "", ""); status != 200 {
		t.Fatalf("resign: %d %s", status, text)
	}
	return code
}

// dailyRun plays the daily run to a loss or a claim, and returns its id.
func dailyRun(t *testing.T, b *apiCaller) string {
	t.Helper()
	var out struct {
		Run struct{ ID, Status string }
	}
	post := func(path, body string) {
		status, text := b.send(t, "POST", path, body, "")
		if err := json.Unmarshal([]byte(text), &out); err != nil || status != 200 && status != 429 {
			t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	post("/api/runs", `{"entry":"daily","move":"rock","then":"claim"}`)
	for out.Run.Status == "active" {
		post("/api/runs/"+out.Run.ID+"/throw", `{"move":"rock","then":"claim"}`) // too fast until it is not
	}
	return out.Run.ID
}

// voidOnce declares a result void twice at once: one call succeeds, the other is refused.
func (o *operated) voidOnce(t *testing.T, game, id string) {
	t.Helper()
	call := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: "void",
		Body: map[string]string{game: id, "reason": "played by one person"}}
	o.confirmsResult(t, call)
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		wait.Go(func() {
			for { // until the result is counted
				_, errs[i] = call.Do(t.Context())
				if errs[i] == nil || !strings.Contains(errs[i].Error(), "not counted yet") {
					return
				}
			}
		})
	}
	wait.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !strings.Contains(errors.Join(errs...).Error(), "409") {
		t.Fatalf("two concurrent voids of %s %s: %v, %v", game, id, errs[0], errs[1])
	}
}

// playersOf are the players of the results of these tests: each of them confirms its own.
var playersOf = []string{"ann-player", "bob-player", "cal-player", "dan-player"}

// confirmsResult requires that an act on a result shows the players that it hits and does nothing until the
// operator has typed the name of one of them, which it adds to the call.
func (o *operated) confirmsResult(t *testing.T, call OperatorCall) {
	t.Helper()
	for _, name := range playersOf {
		call.Body["confirm"] = strings.ToUpper(name)
		_, err := call.Do(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), "400") || !strings.Contains(err.Error(), `"hits"`) ||
			!strings.Contains(err.Error(), "as confirm") {
			t.Fatalf("%s without its confirmation: %v", call.Path, err)
		}
		if strings.Contains(err.Error(), `"username": "`+name+`"`) {
			call.Body["confirm"] = name
			return
		}
	}
	t.Fatalf("%s: no player is shown", call.Path)
}

// voidRefusals tries voids that are refused.
func (o *operated) voidRefusals(t *testing.T, code, run string) {
	t.Helper()
	for name, body := range map[string]map[string]string{
		"no reason": {"duel": code}, "no game": {"reason": "none"}, "two games": {"reason": "both", "duel": code, "run": run},
		"an unknown duel": {"reason": "none", "duel": "ZZZZZZZZ"}, "an unknown run": {"reason": "none", "run": "none"},
		"a long reason": {"reason": strings.Repeat("x", 301), "duel": code},
	} {
		call := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: "void", Body: body}
		if answer, err := call.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "message") {
			t.Errorf("%s: %s, %v", name, answer, err)
		}
		call.Token = OperatorToken{}
		if answer, err := call.Do(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "401") {
			t.Errorf("%s without the token: %s, %v", name, answer, err)
		}
	}
}

// TestOperatorVoidsNoDueDuel: a duel that a deadline has ended is shown as finished before its end is stored.
// Its ratings have not changed until then, so there is nothing to take back, and the operator is told to try again.
func TestOperatorVoidsNoDueDuel(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	var late atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	s, err := Build(t.Context(), c) // its loops, which store deadlines, do not run
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	admin := http.NewServeMux()
	s.operatorAPI(admin)
	public, operators := httptest.NewServer(s.newServer().Handler), httptest.NewServer(admin)
	t.Cleanup(public.Close)
	t.Cleanup(operators.Close)
	ann, bob := browserOf(t, public.URL, "ann-player"), browserOf(t, public.URL, "bob-player")
	code := quickDuel(t, bob, ann)
	for round := range 3 { // bob misses each
		late.Store(int64(round) * int64(duel.HumanStepTimeout+time.Second))
		body := fmt.Sprintf(`{"commitment":"%064d","round":%d}`, round+1, round+1)
		if status, text := ann.send(t, "POST", "/api/duels/"+code+"/commit", body, ""); status != 200 {
			t.Fatalf("commit: %d %s", status, text)
		}
	}
	late.Store(int64(10 * duel.HumanStepTimeout))
	token, err := ReadOperatorToken(c.Data, "")
	if err != nil {
		t.Fatal(err)
	}
	call := OperatorCall{Address: operators.URL, Token: token, Operator: "ann", Method: "POST", Path: "void",
		Body: map[string]string{"duel": code, "reason": "played by one person"}}
	_, err = call.Do(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "503") || !strings.Contains(err.Error(), "not counted yet") {
		t.Errorf("void: %v, want 503, not counted yet", err)
	}
	var out struct {
		Duel struct {
			Status string
			Voided *struct{}
		}
	}
	if ann.get(t, "/api/duels/"+code, &out); out.Duel.Status != "finished" || out.Duel.Voided != nil {
		t.Errorf("the duel is %+v, want it finished, and not void", out.Duel)
	}
}

// TestOperatorVoidsNoVoidRun: a daily run that a recovery has ended counts nowhere, so it has no result to
// void, and the operator is not told to try again.
func TestOperatorVoidsNoVoidRun(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	o := &operated{running: begin(t, c)}
	var err error
	if o.token, err = ReadOperatorToken(c.Data, ""); err != nil {
		t.Fatal(err)
	}
	var out struct{ Run struct{ ID string } }
	_, text := browserOf(t, o.url, "ann-player").send(t, "POST", "/api/runs", `{"entry":"daily"}`, "")
	if err := json.Unmarshal([]byte(text), &out); err != nil || out.Run.ID == "" {
		t.Fatalf("start: %s, %v", text, err)
	}
	o.stop()
	if err := <-o.ended; err != nil {
		t.Fatal(err)
	}
	if err := markFolder(c.Data, "a test"); err != nil {
		t.Fatal(err)
	}
	o.running = begin(t, c)
	answer, err := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: "void",
		Body: map[string]string{"run": out.Run.ID, "reason": "none"}}.Do(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "400") {
		t.Errorf("void of a run that a recovery has ended: %s, %v", answer, err)
	}
}

// showVoids checks what everyone sees of a void duel, which ann won, and of a void daily run.
func showVoids(t *testing.T, ann *apiCaller, code, run string) {
	t.Helper()
	type voided struct {
		ID     string
		Voided *struct{ Reason string }
	}
	var one struct {
		voided
		Duel voided
	}
	ann.get(t, "/api/runs/"+run, &one)
	ann.get(t, "/api/duels/"+code, &one)
	var list struct{ Duels []voided }
	ann.get(t, "/api/duels?status=finished", &list)
	for _, v := range append(list.Duels, one.voided, one.Duel) {
		if void := v.ID == code || v.ID == ""; void != (v.Voided != nil) ||
			void && v.Voided.Reason != "played by one person" {
			t.Errorf("the result of %s, void %v, is shown with %+v", v.ID, void, v.Voided)
		}
	}
	if len(list.Duels) != 1 {
		t.Errorf("the list of results: %+v", list)
	}
	var duels struct {
		Duels []struct {
			ID, Outcome string
			Voided      *struct{ Reason string }
		}
	}
	ann.get(t, "/api/players/ann-player/duels", &duels)
	if l := duels.Duels; len(l) != 2 || l[0].ID != code || l[0].Outcome != "void" || l[0].Voided == nil ||
		l[0].Voided.Reason != "played by one person" || l[1].Outcome != "win" || l[1].Voided != nil {
		t.Errorf("the last games of the winner: %+v", duels)
	}
	var board struct {
		Rows []struct {
			Name  string
			Value int64
		}
	}
	for _, name := range []string{"all", "daily"} {
		if ann.get(t, "/api/leaderboard?board="+name, &board); name == "daily" && len(board.Rows) != 0 {
			t.Errorf("the board %s after the voids: %+v", name, board.Rows)
		}
		for _, r := range board.Rows {
			if r.Name == "ann-player" {
				t.Errorf("the board %s has the points of a void duel: %+v", name, board.Rows)
			}
		}
	}
	ann.get(t, "/api/leaderboard?board=duels", &board)
	for _, r := range board.Rows {
		if r.Value != 1500 {
			t.Errorf("ratings after the void: %+v", board.Rows)
		}
	}
	var feed struct {
		Events []struct {
			Kind   string
			Reason string
		}
	}
	if ann.get(t, "/api/feed", &feed); len(feed.Events) < 2 || feed.Events[0].Kind != "result_voided" ||
		feed.Events[0].Reason != "played by one person" {
		t.Errorf("the feed: %+v", feed.Events)
	}
}

// showVoidLine checks that the data in bulk marks a void duel as a read of it does, and a valid one of the same page
// not at all.
func showVoidLine(t *testing.T, reader *apiCaller, void, valid string) {
	t.Helper()
	var read struct {
		Duel struct{ Voided json.RawMessage }
	}
	reader.get(t, "/api/duels/"+void, &read)
	_, text := reader.send(t, "GET", "/api/data/duels", "", "")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 2 {
		t.Fatalf("the duels in bulk: %s, want %s and %s", text, void, valid)
	}
	for i, code := range []string{void, valid} {
		var line struct{ Duel map[string]json.RawMessage }
		if err := json.Unmarshal([]byte(lines[i]), &line); err != nil {
			t.Fatal(err)
		}
		voided, marked := line.Duel["voided"]
		if string(line.Duel["id"]) != `"`+code+`"` || marked != (code == void) ||
			marked && !bytes.Equal(voided, read.Duel.Voided) {
			t.Errorf("the line of %s: %s, want it void: %v, as %s", code, lines[i], code == void, read.Duel.Voided)
		}
	}
}

// showVoidRun checks that the data in bulk marks a void daily run as a read of it does.
func showVoidRun(t *testing.T, reader *apiCaller, id string) {
	t.Helper()
	type voided struct{ Voided json.RawMessage }
	var read voided
	reader.get(t, "/api/runs/"+id, &read)
	_, text := reader.send(t, "GET", "/api/data/runs", "", "")
	for line := range strings.Lines(text) {
		var got struct {
			voided

			Run struct{ ID string }
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got.Run.ID == id {
			if len(read.Voided) == 0 || !bytes.Equal(got.Voided, read.Voided) {
				t.Errorf("the line of %s: %s, want it void as %s", id, line, read.Voided)
			}
			return
		}
	}
	t.Errorf("the runs in bulk: %s, want %s", text, id)
}

// TestOperatorVoids: a void duel changes no rating and gives no points, a void daily run is on no
// board, both show why, coins and tokens stay, and doctor finds everything in agreement with the chain.
func TestOperatorVoids(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	var late atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	o := &operated{running: begin(t, c)}
	var err error
	if o.token, err = ReadOperatorToken(c.Data, ""); err != nil {
		t.Fatal(err)
	}
	ann, bob := browserOf(t, o.url, "ann-player"), browserOf(t, o.url, "bob-player")
	code, run := ratedDuel(t, ann, bob), dailyRun(t, bob)
	var before struct{ Balance int64 }
	bob.get(t, "/api/me", &before)
	o.voidRefusals(t, code, run)
	o.voidOnce(t, "duel", code)
	o.voidOnce(t, "run", run)

	showVoids(t, ann, code, run)
	var daily struct {
		Me struct{ Voided *struct{ Reason string } }
	}
	if bob.get(t, "/api/daily", &daily); daily.Me.Voided == nil || daily.Me.Voided.Reason != "played by one person" {
		t.Errorf("the daily challenge of the player: %+v", daily)
	}
	var after struct{ Balance int64 }
	if bob.get(t, "/api/me", &after); after != before {
		t.Errorf("balance %d, before the voids %d", after.Balance, before.Balance)
	}
	if log := o.act(t, "GET", "log", nil, `"valid": true`); strings.Count(log, `"action": "void"`) != 2 {
		t.Errorf("the log of acts: %s", log)
	}
	valid := ratedDuel(t, bob, ann)
	late.Store(int64(2 * time.Minute)) // lines appear a minute after their events
	showVoidLine(t, ann, code, valid)
	showVoidRun(t, ann, run)
	o.stop()
	if err := <-o.ended; err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	if n, err := Doctor(t.Context(), c.store(), c.Now, &report); n != 0 || err != nil {
		t.Errorf("doctor: %d differences, %v:\n%s", n, err, report.String())
	}
}

// serverTime matches what differs between two equal answers.
var serverTime = regexp.MustCompile(`"(server_time|generated_at)":"[^"]*"`)

// TestOperatorRestores: a void duel and a void daily run that are restored leave boards, ratings and answers as
// they were before, once each, and a restored result is not declared void again. doctor finds everything in agreement with the chain.
func TestOperatorRestores(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	o := &operated{running: begin(t, c)}
	var err error
	if o.token, err = ReadOperatorToken(c.Data, ""); err != nil {
		t.Fatal(err)
	}
	ann, bob := browserOf(t, o.url, "ann-player"), browserOf(t, o.url, "bob-player")
	code, run := ratedDuel(t, ann, bob), dailyRun(t, bob)
	second := ratedDuel(t, browserOf(t, o.url, "cal-player"), browserOf(t, o.url, "dan-player"))
	shown := func() (list []string) {
		for _, path := range []string{
			"/api/leaderboard?board=all", "/api/leaderboard?board=daily", "/api/leaderboard?board=duels", "/api/duels/" + code,
			"/api/runs/" + run, "/api/duels?status=finished",
		} {
			_, text := ann.send(t, "GET", path, "", "")
			list = append(list, path+" "+serverTime.ReplaceAllString(text, ""))
		}
		return list
	}
	restore := func(game, id, want string) {
		t.Helper()
		call := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: "restore-result",
			Body: map[string]string{game: id, "reason": "a mistake"}}
		o.confirmsResult(t, call)
		answer, err := call.Do(t.Context())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Fatalf("restore %s %s: %s, %v, want %q", game, id, answer, err, want)
		}
	}
	o.voidOnce(t, "duel", second) // the results are counted from here on
	restore("duel", code, "409")
	before := shown()
	for game, id := range map[string]string{"duel": code, "run": run} {
		o.voidOnce(t, game, id)
		restore(game, id, "")
		restore(game, id, "not void")
		call := OperatorCall{Address: o.admin, Token: o.token, Operator: "ann", Method: "POST", Path: "void",
			Body: map[string]string{game: id, "reason": "played by one person"}}
		o.confirmsResult(t, call)
		if _, err := call.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "409") {
			t.Errorf("void of %s %s after its restore: %v", game, id, err)
		}
	}
	if after := shown(); !slices.Equal(after, before) {
		t.Errorf("after the restores:\n%v\nbefore the voids:\n%v", after, before)
	}
	o.stop()
	if err := <-o.ended; err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	if n, err := Doctor(t.Context(), c.store(), time.Now, &report); n != 0 || err != nil {
		t.Errorf("doctor: %d differences, %v:\n%s", n, err, report.String())
	}
}

// TestOperatorRestoresNoClosedSeason: when the season of a void result has closed, its final table stands.
func TestOperatorRestoresNoClosedSeason(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	var late atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	s, err := Build(t.Context(), c) // its loops do not run
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	admin := http.NewServeMux()
	s.operatorAPI(admin)
	public, operators := httptest.NewServer(s.newServer().Handler), httptest.NewServer(admin)
	t.Cleanup(public.Close)
	t.Cleanup(operators.Close)
	code := ratedDuel(t, browserOf(t, public.URL, "ann-player"), browserOf(t, public.URL, "bob-player"))
	if err := s.Score.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := ReadOperatorToken(c.Data, "")
	if err != nil {
		t.Fatal(err)
	}
	call := OperatorCall{Address: operators.URL, Token: token, Operator: "ann", Method: "POST", Path: "void",
		Body: map[string]string{"duel": code, "reason": "played by one person", "confirm": "ann-player"}}
	if _, err := call.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	late.Store(int64((chain.SeasonDays + 1) * 24 * time.Hour))
	if n, err := s.Score.CloseSeasons(t.Context()); n != 1 || err != nil {
		t.Fatalf("closed %d seasons, %v", n, err)
	}
	call.Path = "restore-result"
	if answer, err := call.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "has closed") {
		t.Errorf("restore after the close: %s, %v", answer, err)
	}
}

package api_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/server/api"
	"roshambo/verify"
)

// ignored are bodies that an operation without a body ignores.
var ignored = []string{
	"", "null", "{}", "[]", "12", `"text"`, "true", "{", `{"a":1,}`, "nul", "\x00", "\xc0\xaf", "{\"a\":\"\xff\"}",
	`{"move":"lizard"}`, "move=rock&salt=x", strings.Repeat("[", 60_000), strings.Repeat("9", 60_000),
}

// TestBodiesAreIgnored sends any body of any content type to operations without a body.
func TestBodiesAreIgnored(t *testing.T) {
	t.Parallel()
	s := start(t)
	without := 0
	for _, o := range s.doc.operations {
		if o.method == "POST" && s.doc.body(o) == nil {
			without++
		}
	}
	if without < 15 {
		t.Errorf("%d operations of the contract are POST without a body", without)
	}
	p := s.guest(t)
	for i, body := range ignored {
		p = s.guest(t)
		header := map[string]string{"X-CSRF-Token": p.csrf}
		if i%2 == 0 {
			header["Content-Type"] = []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
				"application/json; charset=x"}[i/2%4]
		}
		send := func(path string) answer {
			return p.send(t, request{method: "POST", path: path, body: body, header: header})
		}
		r := p.start(t, `{"entry":"fee"}`)
		send("/api/runs/"+r.ID+"/claim").fails(t, 409, "run_state")
		send("/api/runs/"+r.ID+"/continue").fails(t, 409, "run_state")
		send("/api/runs/" + r.ID + "/abandon").ok(t)
		send("/api/faucet").fails(t, 409, "balance_too_high")
		send("/api/teams/leave").fails(t, 409, "no_team")
		send("/api/market/77/buy").fails(t, 404, "not_found")
		send("/api/keys/77/revoke").fails(t, 404, "not_found")
		send("/api/duels/ABCDEFGH/join").fails(t, 404, "not_found")
		send("/api/guest").ok(t)
	}
	// A repetition is the same call, even with another ignored body.
	q := request{method: "POST", path: "/api/duels/spar", body: `{"x":1}`}
	first := p.keyed(t, "spar", q).ok(t)
	q.body = "[]"
	p.keyed(t, "spar", q).sameAs(t, first)
}

// TestOptionalBodies: a body that is optional may be absent, an empty object or null.
func TestOptionalBodies(t *testing.T) {
	t.Parallel()
	s := start(t)
	found := 0
	for _, o := range s.doc.operations {
		body, takes := o.object["requestBody"].(object)
		if required, _ := body["required"].(bool); required || !takes {
			continue
		}
		found++
		for _, body := range []string{"", "{}", "null", " null\n"} {
			p, path := s.guest(t), o.path
			// It needs a player with a past.
			if slices.Contains([]string{"rematchDuel", "createCup", "joinCup", "blockOpponent", "describeBot"}, o.id) {
				path = good[o.id](t, p).path
			}
			p.post(t, path, body).ok(t)
		}
	}
	if found < 3 {
		t.Errorf("%d operations of the contract have an optional body, want startRun, createDuel and createKey at least",
			found)
	}
}

const hush = "hunter2!"

// leaks are requests with the secret hush in a secret member, at any depth, in any encoding; each
// is invalid, so that the error shows its input.
func leaks() []request {
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	list := []request{
		{body: `"{\"password\":\"` + hush + `\"}"`},
		{body: `"{\"\\u0070assword\":\"` + hush + `\"}"`},
		{body: `[{"token":"` + hush + `"}]`},
		{body: "username=a&password=" + hush, header: form},
		{body: "username=a&p%61ssword=" + hush, header: form},
		{body: "p%2561ssword=" + hush, header: form},
		{body: `{"secret":"` + hush + `"}`, header: map[string]string{"Content-Type": "text/plain"}},
	}
	for _, name := range []string{
		"password", "Password", "PASSWORD", "token", "secret", "key", "salt", "salts", "api_key", "apiKey", "csrf_token",
		"newPassword",
		"password2", "client-secret", "access_tokens",
	} {
		member := `"` + name + `":"` + hush + `"`
		for _, body := range []string{
			`{` + member + `}`, `{"move":{` + member + `}}`, `{"move":[[{"a":{` + member + `}}]],"label":{` + member + `}}`,
			`{"` + name + `":["` + hush + `"],"username":7}`, `{"` + name + `":{"deep":{"` + name + `":"` + hush +
				`"}},"name":[]}`,
		} {
			list = append(list, request{body: body})
		}
	}
	text := "password=" + hush
	var wide bytes.Buffer
	for _, unit := range utf16.Encode([]rune(text)) {
		wide.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	return append(list, request{body: wide.String(), header: form})
}

// TestSecretsAreNeverEchoed sends every operation unexpected secrets: none is in an answer,
// whatever is wrong with the request, and none is in the log.
func TestSecretsAreNeverEchoed(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	for _, o := range s.doc.operations {
		if o.method != "POST" {
			continue
		}
		path := strings.NewReplacer("{run_id}", "x", "{code}", "ABCDEFGH", "{address}", p.address, "{session_id}",
			"x").Replace(o.path)
		path = strings.NewReplacer("{key_id}", "x", "{listing_id}", "x", "{offer_id}", "x").Replace(path)
		if strings.Contains(path, "logout") || strings.Contains(path, "end-others") ||
			strings.Contains(path, "account/delete") || strings.Contains(path, "{") {
			continue
		}
		for _, q := range leaks() {
			q.method, q.path = o.method, path
			header := map[string]string{"X-CSRF-Token": p.csrf}
			maps.Copy(header, q.header)
			a := p.send(t, q.with(header))
			plain := strings.ReplaceAll(a.body, `\u0000`, "")
			if strings.Contains(plain, hush) || a.status >= 500 {
				t.Errorf("%v: %d %s", a.request, a.status, a.body)
			}
		}
	}
	if strings.Contains(s.log.String(), hush) {
		t.Error("the log holds a secret")
	}
	// Other values are shown as they were sent.
	p.post(t, "/api/market/list", `{"token_id":"x","price":1}`).shows(t, `"input":"x"`)
	p.send(t, request{method: "POST", path: "/api/runs", body: "entry=free&x=%20y", header: map[string]string{
		"X-CSRF-Token": p.csrf, "Content-Type": "application/x-www-form-urlencoded"}}).shows(t, `"input":"entry=free&x=%20y"`)
}

// shows requires a 422 that contains a text.
func (a answer) shows(t *testing.T, text string) {
	t.Helper()
	if a.status != 422 || !strings.Contains(a.body, text) {
		t.Errorf("%v: got %d %s, want 422 with %s", a.request, a.status, a.body, text)
	}
}

// TestSaltsOfAllKinds: every salt that the contract allows can be committed to and revealed, and
// the proof verifies; an empty one causes a warning.
func TestSaltsOfAllKinds(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, salt := range map[string]string{
		"empty": "", "one": "s", "spaces": " \t\n ", "quotes": `"\"\\`, "longer than 256 bytes": strings.Repeat("s", 257),
		"longest": strings.Repeat("s", chain.MaxSalt), "longest of 2 bytes": strings.Repeat("é", chain.MaxSalt/2),
		"longest of 4 bytes":  strings.Repeat("🎲", chain.MaxSalt/4),
		"longest of controls": strings.Repeat("\x01", chain.MaxSalt), "longest of quotes": strings.Repeat(`"`, chain.MaxSalt),
		"separators": "\u2028\u2029\ufeff\uffff\U0010ffff", "colons": "rock:paper:", "a byte order mark": "\ufeffs",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := s.guest(t)
			path := "/api/duels/" + p.spar(t).ID
			committed := decode[api.DuelOut](t, p.post(t, path+"/commit", committing(game.Rock, salt)).ok(t))
			if committed.SaltMaxBytes != chain.MaxSalt {
				t.Errorf("a commit says that salts have at most %d bytes", committed.SaltMaxBytes)
			}
			body, err := json.Marshal(map[string]string{"move": "rock", "salt": salt})
			if err != nil {
				t.Fatal(err)
			}
			out := decode[api.DuelOut](t, p.post(t, path+"/reveal", string(body)).ok(t))
			i := slices.IndexFunc(out.Duel.Rounds, func(r api.DuelRound) bool { return r.Round == 1 })
			if i < 0 || *out.Duel.Rounds[i].SaltA != salt {
				t.Errorf("round 1: %+v", out.Duel.Rounds)
			}
			if warned := out.Warning != ""; warned != (salt == "") || out.SaltMaxBytes != 0 {
				t.Errorf("the warning is %q, after the reveal salts have at most %d bytes", out.Warning, out.SaltMaxBytes)
			}
			proof := p.get(t, path+"/proof").ok(t)
			if report := verify.Duel([]byte(proof.body), verify.Options{}); report.Verdict != verify.Pending {
				t.Errorf("the proof: %+v", report)
			}
		})
	}
	p := s.guest(t)
	path := "/api/duels/" + p.spar(t).ID
	p.post(t, path+"/reveal", `{"move":"rock","salt":"`+strings.Repeat("s", chain.MaxSalt+1)+`"}`).invalid(t,
		"body.salt string_too_long")
	p.post(t, path+"/reveal", `{"move":"rock","salt":"`+strings.Repeat("é", chain.MaxSalt/2)+`s"}`).invalid(t,
		"body.salt value_error")
	p.post(t, path+"/reveal", `{"move":"rock","salt":"a\u0000"}`).invalid(t, "body.salt string_pattern_mismatch")
}

// TestLongestDuelFits: the proof of the longest duel, with the largest salts, stays below the limit
// of the verifiers.
func TestLongestDuelFits(t *testing.T) {
	t.Parallel()
	hand := chain.DuelHand{Committed: true, HasMove: true, HasSalt: true, Salt: strings.Repeat("\x01", chain.MaxSalt)}
	rounds := make([]chain.DuelRound, 60)
	for i := range rounds {
		rounds[i] = chain.DuelRound{N: i + 1, Hands: [2]chain.DuelHand{hand, hand}}
	}
	text, err := json.Marshal(string(chain.AppendDuelRounds(nil, rounds)))
	if err != nil {
		t.Fatal(err)
	}
	if room := verify.MaxSize - len(text); room < 64<<10 {
		t.Errorf("the transcript takes %d bytes of a proof of %d", len(text), verify.MaxSize)
	}
}

// TestNULInPaths: a path parameter with NUL is invalid; other paths with NUL are not found.
func TestNULInPaths(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	for path, want := range map[string]string{
		"/api/chain/blocks/%00": "path.height int_parsing", "/api/chain/blocks/1%00": "path.height int_parsing",
		"/api/chain/token/%00": "path.token_id int_parsing", "/api/market/listings/%00": "path.listing_id int_parsing",
		"/api/runs/%00": "path.run_id string_pattern_mismatch", "/api/chain/tx/a%00": "path.tx_hash string_pattern_mismatch",
		"/api/chain/search?q=" + url.QueryEscape("a\x00"): "query.q string_pattern_mismatch",
	} {
		p.get(t, path).invalid(t, want)
	}
	for _, path := range []string{"/api/%00", "/api/tiers%00", "/%00", "/log/%00", "/api/docs/%00"} {
		p.get(t, path).fails(t, 404, "not_found")
	}
}

package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/internal/service/cup"
)

// hosted is a cup with its host.
type hosted struct {
	*player

	number int64
	code   string
}

func (h *hosted) path(action string) string { return fmt.Sprintf("/api/cups/%d%s", h.number, action) }

// hosts makes p the host of a cup, which n guests join.
func (p *player) hosts(t *testing.T, body string, n int) *hosted {
	t.Helper()
	p.register(t, newName())
	out := decode[api.CupOut](t, p.post(t, "/api/cups", body).ok(t))
	h := &hosted{player: p, number: out.Cup.Number}
	if out.Code != nil {
		h.code = *out.Code
	}
	for range n {
		p.s.guest(t).post(t, h.path("/join"), `{"code":"`+h.code+`"}`).ok(t)
	}
	return h
}

// hosting returns a request of the host of a cup that runs or is open.
func hosting(action string, runs bool) func(t *testing.T, p *player) request {
	return func(t *testing.T, p *player) request {
		h := p.hosts(t, `{"by_hand":true,"play":false}`, 2)
		if runs {
			p.post(t, h.path("/start"), "").ok(t)
			p.s.moveCups(t)
		}
		return request{method: "POST", path: h.path("/" + action)}
	}
}

// pausing returns a request of the host of a paused cup.
func pausing(t *testing.T, p *player) request {
	q := hosting("pause", true)(t, p)
	p.post(t, q.path, "").ok(t)
	q.path = strings.Replace(q.path, "/pause", "/resume", 1)
	return q
}

// TestCupTerms: a cup has the terms that its host has chosen; terms that are not offered are refused, and no
// other cup is opened in its place. Unknown members are ignored.
func TestCupTerms(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.secured(t)
	at := func(ahead time.Duration) string { return s.clock.Now().Add(ahead).UTC().Format(time.RFC3339) }
	for body, want := range map[string]string{
		`{"kind":"cats"}`:                                     "body.kind enum",
		`{"system":"knockout"}`:                               "body.system enum",
		`{"minutes":0}`:                                       "body.minutes greater_than_equal",
		`{"minutes":1441}`:                                    "body.minutes less_than_equal",
		`{"at":"tomorrow"}`:                                   "body.at value_error",
		`{"at":"` + at(30*time.Second) + `"}`:                 "body.at value_error",
		`{"at":"` + at(8*24*time.Hour) + `"}`:                 "body.at value_error",
		`{"at":"` + at(time.Hour) + `","minutes":5}`:          "body value_error",
		`{"by_hand":true,"minutes":5}`:                        "body value_error",
		`{"rounds":8}`:                                        "body value_error",
		`{"system":"round_robin","rounds":64}`:                "body.rounds less_than_equal",
		`{"seats":1}`:                                         "body.seats greater_than_equal",
		`{"seats":65}`:                                        "body.seats less_than_equal",
		`{"move_seconds":4}`:                                  "body.move_seconds greater_than_equal",
		`{"move_seconds":301}`:                                "body.move_seconds less_than_equal",
		`{"best_of":3}`:                                       "body.best_of greater_than_equal",
		`{"best_of":9}`:                                       "body.best_of less_than_equal",
		`{"house_bots":true}`:                                 "body value_error",
		`{"kind":"bots","play":true}`:                         "body value_error",
		`{"kind":"bots","house_bots":true,"move_seconds":16}`: "body value_error",
	} {
		p.post(t, "/api/cups", body).invalid(t, want)
	}
	p.post(t, "/api/cups", `{"name":"roshambo admin"}`).fails(t, 409, "cup_name_taken")
	p.post(t, "/api/cups", `{"name":"!"}`).fails(t, 400, "bad_request")
	s.guest(t).post(t, "/api/cups", `{}`).fails(t, 403, "not_secured")
	starts := at(48 * time.Hour)
	out := decode[api.CupOut](t, p.post(t, "/api/cups", `{"kind":"bots","name":" Class  7b ","at":"`+starts+`",
		"system":"round_robin","rounds":9,"private":true,"house_bots":true,"seats":20,"move_seconds":10,"best_of":5,
		"replay_missed":true,"colour":"red"}`).ok(t))
	c := out.Cup
	if c.Kind != "bots" || *c.Name != "Class 7b" || c.StartsAt.UTC().Format(time.RFC3339) != starts ||
		c.System != "round_robin" || !c.Private || !c.HouseBots || c.Seats != 20 || *c.MoveSeconds != 10 || !c.ReplayMissed ||
		c.ByHand || c.Players != 0 || !out.Host || len(*out.Code) != 8 {
		t.Errorf("the cup: %+v", out)
	}
	s.secured(t).post(t, "/api/cups", `{"name":"CLASS-7B"}`).fails(t, 409, "cup_name_taken")
	list := decode[api.CupsOut](t, p.get(t, "/api/cups").ok(t))
	if slices.ContainsFunc(list.Cups, func(l api.Cup) bool { return l.Number == c.Number }) || len(list.Hosted) != 1 {
		t.Errorf("the lists with a private cup: %+v", list)
	}
	get := request{method: "GET", path: fmt.Sprintf("/api/cups/%d", c.Number)}
	for scopes, want := range map[string]bool{`["read"]`: false, `["read","play"]`: true} {
		seen := decode[api.CupOut](t, s.bearer(t, p.scopedKey(t, scopes).Secret, get).ok(t))
		if !seen.Host || (seen.Code != nil) != want {
			t.Errorf("a key of the host with %s sees the code %v", scopes, seen.Code)
		}
	}
	other := s.anonymous(t).cup(t, c.Number)
	if other.Host || other.Code != nil {
		t.Errorf("a visitor sees the code: %+v", other)
	}
	for range cup.MaxHosted - 1 {
		p.post(t, "/api/cups", `{"by_hand":true,"play":false}`).ok(t)
	}
	p.post(t, "/api/cups", `{"by_hand":true,"play":false}`).fails(t, 409, "limit_reached")
}

// TestHostedCup: the host sees the players, removes one, starts, pauses and ends a cup of people.
func TestHostedCup(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := s.guest(t).hosts(t, `{"by_hand":true,"private":true,"play":false,"move_seconds":300,"seats":4}`, 2)
	ann := s.guest(t)
	ann.post(t, h.path("/join"), "").fails(t, 403, "cup_private")
	ann.post(t, h.path("/join"), `{"code":"`+strings.ToLower(h.code)+`"}`).ok(t)
	ann.post(t, h.path("/start"), "").fails(t, 403, "forbidden")
	h.post(t, h.path("/remove"), `{"player":"no-such-player"}`).fails(t, 404, "not_found")
	out := decode[api.CupOut](t, h.post(t, h.path("/remove"), `{"player":"`+ann.address+`"}`).ok(t))
	if len(out.Table) != 2 || out.Cup.Players != 2 {
		t.Errorf("after a removal: %+v", out)
	}
	ann.post(t, h.path("/join"), `{"code":"`+h.code+`"}`).fails(t, 403, "forbidden")
	h.post(t, h.path("/pause"), "").fails(t, 409, "cup_state")
	h.post(t, h.path("/start"), "").ok(t)
	s.moveCups(t)
	h.post(t, h.path("/start"), "").fails(t, 409, "cup_state")
	out = decode[api.CupOut](t, h.post(t, h.path("/pause"), "").ok(t))
	if !out.Cup.Paused || out.NextAt != nil || out.Cup.Status != "running" {
		t.Errorf("paused: %+v", out)
	}
	d := decode[api.DuelOut](t, s.anonymous(t).get(t, "/api/duels/"+*out.Games[0].Duel).ok(t)).Duel
	if left := d.Rounds[0].Deadline.Sub(s.clock.Now()); left != 300*time.Second {
		t.Errorf("%v for a step, want 5 minutes", left)
	}
	s.clock.forward(cup.MaxPause)
	if _, err := s.duels.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out = h.cup(t, h.number); out.Cup.Paused || out.NextAt == nil {
		t.Errorf("after a day: paused %t, the next round at %v", out.Cup.Paused, out.NextAt)
	}
	h.post(t, h.path("/pause"), "").fails(t, 409, "cup_state")
	if out = decode[api.CupOut](t, h.post(t, h.path("/end"), "").ok(t)); out.Cup.Paused || out.Cup.Rounds != 1 {
		t.Errorf("to end: %+v", out)
	}
	s.guest(t).hosts(t, `{"by_hand":true,"play":false}`, 1).post(t, h.path("/end"), "").fails(t, 403, "forbidden")
}

// TestHostEndsAKey: the host of a private cup ends the key of a bot in it while it is open. The bot's streams end, its
// owner hears of it and alone gets a fresh key.
func TestHostEndsAKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.follow(t)
	h := s.guest(t).hosts(t, `{"kind":"bots","by_hand":true,"private":true}`, 0)
	owner, other := s.guest(t), s.bot(t)
	b := owner.bot(t)
	ends := func(name string) answer { return h.post(t, h.path("/end-key"), `{"bot":"`+name+`"}`) }
	ends(b.name).fails(t, 409, "not_in_cup")
	ends("no-such-bot").fails(t, 404, "not_found")
	for _, p := range []*bot{b, other} {
		p.post(t, h.path("/join"), `{"code":"`+h.code+`"}`).ok(t)
	}
	owner.post(t, h.path("/end-key"), `{"bot":"`+b.name+`"}`).fails(t, 403, "forbidden")
	hears := owner.follow(t, "?topics=account", nil)
	plays := s.anonymous(t).follow(t, "?topics=account", map[string]string{"Authorization": "Bearer " + b.bearer})
	if text := ends(b.name).ok(t).body; strings.Contains(text, "rsb_") {
		t.Errorf("the host is told a key: %s", text)
	}
	if got := plays.take(t, 1)[0]; got != `end {"reason":"signed_out"}` {
		t.Errorf("the bot's stream gets %s, want its end", got)
	}
	if got, want := hears.take(t, 1)[0], fmt.Sprintf(`key_ended {"bot":%q,"cup":%d}`, b.address, h.number); got != want {
		t.Errorf("the owner's stream gets %s, want %s", got, want)
	}
	plays.close()
	hears.close()
	b.post(t, "/api/arena/queue", "").fails(t, 401, "unauthenticated")
	if got := owner.bots(t)[0]; got.KeyEndedAt == nil {
		t.Errorf("the owner sees %+v, want an ended key", got)
	}
	ends(b.address).ok(t) // it has ended before
	rotate := "/api/bots/" + b.address + "/rotate"
	h.post(t, rotate, "").fails(t, 404, "not_found")
	fresh := decode[api.NewBotOut](t, owner.post(t, rotate, "").ok(t))
	s.tokens.add(fresh.Secret)
	b.bearer = fresh.Secret
	b.post(t, "/api/arena/queue", "").ok(t)
	h.post(t, h.path("/start"), "").ok(t)
	s.clock.forward(cup.Call)
	s.moveCups(t)
	ends(b.name).fails(t, 409, "cup_state")
	b.post(t, "/api/arena/queue", "").ok(t)

	public := s.guest(t).hosts(t, `{"kind":"bots","by_hand":true}`, 0)
	third := s.bot(t)
	third.post(t, public.path("/join"), "").ok(t)
	public.post(t, public.path("/end-key"), `{"bot":"`+third.name+`"}`).fails(t, 409, "cup_state")
	s.cups.Class = true
	public.post(t, public.path("/end-key"), `{"bot":"`+third.name+`"}`).ok(t)
	third.post(t, "/api/arena/queue", "").fails(t, 401, "unauthenticated")
}

// TestClassAtOneAddress: twenty bots of twenty owners behind one public address join a private cup of their class and
// get its games. A public cup seats a quarter of them, unless the operator has named the address as shared.
func TestClassAtOneAddress(t *testing.T) {
	t.Parallel()
	s := publicly(t)
	teacher := s.secured(t)
	open := func(body string) *hosted {
		out := decode[api.CupOut](t, teacher.post(t, "/api/cups", body).ok(t))
		h := &hosted{player: teacher, number: out.Cup.Number}
		if out.Code != nil {
			h.code = *out.Code
		}
		return h
	}
	public, shared := open(`{"kind":"bots","seats":20}`), open(`{"kind":"bots","seats":20}`)
	class := open(`{"kind":"bots","private":true,"by_hand":true,"seats":20,"move_seconds":30}`)
	bots := make([]*bot, 20)
	for i := range bots {
		bots[i] = s.bot(t)
		bots[i].postFrom(t, "198.51.100.7", shared.path("/join"), "").ok(t)
	}
	for range 5 {
		s.bot(t).postFrom(t, "203.0.113.7", public.path("/join"), "").ok(t)
	}
	s.bot(t).postFrom(t, "203.0.113.7", public.path("/join"), "").fails(t, 409, "limit_reached")
	if got := shared.cup(t, shared.number).Cup.Players; got != 20 {
		t.Errorf("%d bots of a shared address in a public cup, want 20", got)
	}
	for _, b := range bots {
		b.post(t, shared.path("/leave"), "").ok(t)
		b.postFrom(t, "203.0.113.7", class.path("/join"), `{"code":"`+class.code+`"}`).ok(t)
	}
	s.bot(t).post(t, class.path("/join"), `{"code":"`+class.code+`"}`).fails(t, 409, "cup_full")
	class.post(t, class.path("/start"), "").ok(t)
	s.clock.forward(cup.Call)
	s.moveCups(t)
	if out := class.cup(t, class.number); out.Cup.Status != "running" || len(out.Games) != 10 {
		t.Fatalf("the class's cup: %+v", out.Cup)
	}
	for _, b := range bots {
		got := decode[api.QueueOut](t, b.postFrom(t, "203.0.113.7", "/api/arena/queue", "").ok(t))
		if got.Status != "matched" || got.Duel.Kind != "cup" {
			t.Fatalf("the queue answers %+v", got)
		}
	}
}

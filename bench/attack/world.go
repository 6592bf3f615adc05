package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"roshambo/internal/app"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
)

// world is a whole service in this process whose clock the attacks advance. It is not safe for
// concurrent use.
type world struct {
	ctx     context.Context
	service *app.Service
	began   time.Time
	now     time.Time
	// chance decides what the attacks leave open; fixed, so that a run can be repeated.
	chance *rand.ChaCha8
	names  int // of registered accounts so far
}

// throwPause is above the shortest interval between two throws.
const throwPause = 300 * time.Millisecond

// newWorld builds a service with the defaults of the product, without a limit of requests per minute:
// on the scale of days it limits none of the attacks.
func newWorld(ctx context.Context, folder string) (*world, error) {
	began := time.Date(2026, time.November, 2, 0, 0, 1, 0, time.UTC)
	w := &world{ctx: ctx, began: began, now: began, chance: rand.NewChaCha8([32]byte{1})}
	clock := func() time.Time { return w.now }
	config := app.Config{
		Data: folder, LogFormat: "text", Log: io.Discard, Now: clock, MailFrom: app.DefaultMailFrom,
		FreeStarts: app.DefaultFreeStarts,
		Overrides: app.Overrides{
			SeedRand: rand.NewChaCha8([32]byte{2}), Rand: rand.NewChaCha8([32]byte{3}),
			PasswordCost: &account.Cost{KiB: 8, Passes: 1, Lanes: 1},
			Edge: func(c *edge.Config) {
				since := func() time.Duration { return w.now.Sub(began) }
				for _, b := range []*limit.Budget{c.AccountLimit, c.FreeStarts, c.FreeWins, c.ListingLimit, c.DuelLimit,
					c.VerifyLimit, c.ClientMailLimit, c.PictureLimit} {
					b.SetClock(since)
				}
			},
		},
	}
	var err error
	w.service, err = app.Build(ctx, config)
	return w, err
}

// day returns the number of whole days since the world began.
func (w *world) day() int { return int(w.now.Sub(w.began) / (24 * time.Hour)) }

// nextDay advances the clock to one second after the next midnight, and does the background work.
func (w *world) nextDay() error {
	w.now = w.began.Add(time.Duration(w.day()+1) * 24 * time.Hour)
	return w.settle()
}

// settle does the work that a running service does in the background: it counts points and seals.
func (w *world) settle() error {
	if err := w.service.Score.ReportRanked(w.ctx); err != nil {
		return err
	}
	if err := w.service.Score.Drain(w.ctx); err != nil {
		return err
	}
	for {
		if n, err := w.service.Ledger.SealBlock(w.ctx); err != nil || n == 0 {
			return err
		}
	}
}

// pick returns a random number below n.
func (w *world) pick(n int) int { return int(w.chance.Uint64() % uint64(n)) }

// actor is a browser or a bot at one network address.
type actor struct {
	w       *world
	from    string            // network address
	cookies map[string]string // of a browser, by name
	csrf    string
	key     string // of a bot
	name    string
	bound   bool // the last run wins a bound token
}

// refusal is a response with a status other than 200.
type refusal struct {
	status int
	body   struct {
		Code         string `json:"code"`
		Message      string `json:"message"`
		RetryAfterMS int64  `json:"retry_after_ms"`
	}
}

// Error describes the response.
func (r *refusal) Error() string { return fmt.Sprint(r.status, " ", r.body.Code, ": ", r.body.Message) }

// post is call for POST.
func (a *actor) post(path string, in, out any) error { return a.call("POST", path, in, out) }

// call sends a request from the actor's address. Errors: *refusal.
func (a *actor) call(method, path string, in, out any) error {
	body := ""
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = string(text)
	}
	r := httptest.NewRequestWithContext(a.w.ctx, method, path, strings.NewReader(body))
	r.RemoteAddr = a.from + ":4000"
	if strings.Contains(a.from, ":") {
		r.RemoteAddr = "[" + a.from + "]:4000"
	}
	if a.key != "" {
		r.Header.Set("Authorization", "Bearer "+a.key)
	} else {
		r.Header.Set("X-CSRF-Token", a.csrf)
	}
	for name, value := range a.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value}) // the client's copy of a cookie has no attributes
	}
	answer := httptest.NewRecorder()
	a.w.service.Edge.ServeHTTP(answer, r)
	result := answer.Result()
	if result.StatusCode != http.StatusOK {
		refused := &refusal{status: result.StatusCode}
		_ = json.Unmarshal(answer.Body.Bytes(), &refused.body) // a 422 has another form
		if refused.body.Code == "" {
			refused.body.Message = answer.Body.String()
		}
		return refused
	}
	for _, c := range result.Cookies() {
		a.cookies[c.Name] = c.Value
	}
	var opened struct {
		CSRFToken string `json:"csrf_token"`
	}
	if json.Unmarshal(answer.Body.Bytes(), &opened) == nil && opened.CSRFToken != "" {
		a.csrf = opened.CSRFToken
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Body.Bytes(), out)
}

// guest opens a guest account. Errors: *refusal, when the address has opened too many.
func (w *world) guest(from string) (*actor, error) {
	a := &actor{w: w, from: from, cookies: map[string]string{}}
	err := a.post("/api/guest", nil, nil)
	return a, err
}

// registered opens a guest account and secures it.
func (w *world) registered(from string) (*actor, error) {
	a, err := w.guest(from)
	if err != nil {
		return nil, err
	}
	err = a.register()
	return a, err
}

// register secures a guest with a name and a password.
func (a *actor) register() error {
	a.w.names++
	a.name = fmt.Sprint("player-", a.w.names)
	return a.post("/api/auth/register", map[string]string{"username": a.name, "password": "a long password"}, nil)
}

// me is the part of GET /api/me that the attacks use.
type me struct {
	Balance int64 `json:"balance"`
	Free    int64 `json:"free"`
	Start   string
}

// me returns the actor's account.
func (a *actor) me() (m me, err error) {
	err = a.call("GET", "/api/me", nil, &m)
	return m, err
}

// token is a token as the API returns it.
type token struct {
	ID    int64 `json:"token_id"`
	Tier  int64 `json:"tier"`
	Bound bool  `json:"bound"`
}

// value returns the value of a token by the rules, in coins.
func (t *token) value() int64 { return 48 << t.Tier }

// play enters a run, throws until it is decided, claims the first tier, and returns the token; nil
// for a lost run. in is the body of POST /api/runs. Errors: *refusal, when the entry is used up.
func (a *actor) play(in map[string]any) (*token, error) {
	in["move"], in["then"] = "rock", "claim"
	var started struct {
		Run struct {
			ID    string
			Bound bool
		}
		Outcome string
		Token   *token
	}
	if err := a.post("/api/runs", in, &started); err != nil {
		return nil, err
	}
	a.bound = started.Run.Bound
	outcome, won := started.Outcome, started.Token
	for outcome == "tie" {
		a.w.now = a.w.now.Add(throwPause)
		var thrown struct {
			Outcome string
			Token   *token
		}
		body := map[string]string{"move": "rock", "then": "claim"}
		if err := a.post("/api/runs/"+started.Run.ID+"/throw", body, &thrown); err != nil {
			return nil, err
		}
		outcome, won = thrown.Outcome, thrown.Token
	}
	return won, nil
}

// playAll plays a kind of entry until it is used up, at most so many times.
func (a *actor) playAll(entry string, most int) error {
	for range most {
		_, err := a.play(map[string]any{"entry": entry})
		if _, ok := errors.AsType[*refusal](err); ok {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// worth sums the values of tokens.
func worth(list []token) (sum int64) {
	for i := range list {
		sum += list[i].value()
	}
	return sum
}

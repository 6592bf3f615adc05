package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/client"
	"roshambo/client/api"
	"roshambo/client/strategy"
)

// left answers with the rest of a limit of 240.
func left(status, r, t int, body string) (*http.Response, error) {
	answer, err := respond("application/json", io.NopCloser(strings.NewReader(body)))
	answer.StatusCode = status
	answer.Header.Set("RateLimit-Policy", `"ip";q=240;w=60`)
	answer.Header.Set("RateLimit", fmt.Sprintf(`"ip";r=%d;t=%d`, r, t))
	if status == http.StatusTooManyRequests {
		answer.Header.Set("Retry-After", fmt.Sprint(t))
	}
	return answer, err
}

// at is a request and its time since the begin of a test.
type at struct {
	path  string
	after time.Duration
}

// pathOf shortens a request to its method and what follows /api/.
func pathOf(r *http.Request) string {
	return r.Method + " " + strings.TrimPrefix(r.URL.RequestURI(), "/api/")
}

// playsAlone returns a bot and a duel of it, whose requests are answered by reply.
func playsAlone(t *testing.T, reply connection) (*client.Bot, *api.Duel) {
	t.Helper()
	b, err := client.NewBot(client.BotOptions{WithoutReceipts: true,
		Client: newClient(t, client.Options{URL: "http://host", Transport: reply}),
		Strategy: func(string) (strategy.Strategy, error) {
			return strategy.New("rock", strategy.Seed{1})
		}})
	if err != nil {
		t.Fatal(err)
	}
	side := api.DuelYouA
	return b, &api.Duel{ID: "ABCD2345", Status: api.DuelStatusActive, You: &side, B: &api.DuelSide{Address: "other"},
		Rounds: []api.DuelRound{{Round: 1, Outcome: api.DuelRoundOutcomePending}}}
}

// TestStepsBeforePacing: with hardly anything left of the limit for 50 s, a step is sent within 3 s and a poll
// within 6, and a step that is refused for 50 s is repeated within 10; all of it sooner if a step has less than 15 s.
func TestStepsBeforePacing(t *testing.T) {
	t.Parallel()
	for seconds, thirds := range map[int64]int64{0: 3, 300: 3, 15: 3, 10: 2, 5: 1, 1: 1} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			t.Parallel()
			testPacing(t, seconds, thirds)
		})
	}
}

// testPacing is TestStepsBeforePacing for a duel whose steps have that many seconds, 0 for none, and for so many thirds
// of the usual times.
func testPacing(t *testing.T, seconds, thirds int64) {
	t.Helper()
	const committed = `{"duel":{"id":"ABCD2345","status":"active","you":"a","b":{"address":"other"},"rounds":[` +
		`{"round":1,"outcome":"pending","committed":{"a":true,"b":false}}]}}`
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var requests []at
		b, d := playsAlone(t, func(r *http.Request) (*http.Response, error) {
			requests = append(requests, at{pathOf(r), time.Since(begin)})
			switch len(requests) {
			case 1:
				return left(http.StatusTooManyRequests, 0, 50, `{"code":"rate_limited"}`)
			case 2, 3:
				return left(http.StatusOK, 0, 45, committed)
			}
			return left(http.StatusOK, 0, 40, strings.Replace(committed, "active", "finished", 1))
		})
		if seconds > 0 {
			d.MoveSeconds = &seconds
		}
		if _, err := b.Play(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		commit, poll := "POST duels/ABCD2345/commit", "GET duels/ABCD2345"
		for i, want := range []at{{commit, 0}, {commit, 10 * time.Second}, {poll, 6 * time.Second}, {poll, 6 * time.Second}} {
			want.after = time.Duration(int64(want.after) * thirds / 3)
			got := requests[i]
			if i > 0 {
				got.after -= requests[i-1].after
			}
			if !strings.HasPrefix(got.path, want.path) || got.after > want.after {
				t.Errorf("request %d: %+v later, want %+v at most", i, got, want)
			}
		}
	})
}

// TestStepsBeforeBackoff: while a step is refused for less than its deadline, without a delay or with a short one, no
// two of its attempts are more than 1.25 s apart, so that one of them comes in time.
func TestStepsBeforeBackoff(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]connection{
		"no connection": func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED },
		"Retry-After": func(*http.Request) (*http.Response, error) {
			answer, err := respond("application/json", io.NopCloser(strings.NewReader(`{"code":"unavailable","message":"m"}`)))
			answer.StatusCode = http.StatusServiceUnavailable
			answer.Header.Set("Retry-After", "1")
			return answer, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				last := begin
				b, d := playsAlone(t, func(r *http.Request) (*http.Response, error) {
					if gap := time.Since(last); gap > 1250*time.Millisecond {
						t.Errorf("%s %v after the attempt before", pathOf(r), gap)
					}
					last = time.Now()
					if time.Since(begin) < 12*time.Second {
						return refuse(r)
					}
					return left(http.StatusOK, 200, 1, `{"duel":{"id":"ABCD2345","status":"finished","you":"a","b":{"address":"other"},"rounds":[]}}`)
				})
				if _, err := b.Play(t.Context(), d); err != nil {
					t.Fatal(err)
				}
				if after := last.Sub(begin); after > 14*time.Second {
					t.Errorf("the step came %v after the begin of its round", after)
				}
			})
		})
	}
}

// TestUnfinishedFirst: a bot that was killed plays its duel before it reads the past ones, and each of its two duels
// ends once. For the second one the strategy knows the rounds of the first one once.
func TestUnfinishedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		duel := func(code, status, round string) string {
			return `{"id":"` + code + `","kind":"ranked","status":"` + status + `","you":"a","b":{"address":"other"},` +
				`"rounds":[{"round":1,` + round + `}]}`
		}
		const pending, won = `"outcome":"pending"`, `"outcome":"a","move_a":"rock","move_b":"scissors"`
		first, over := duel("FIRST234", "active", pending), duel("FIRST234", "finished", won)
		bodies := map[string]string{
			"GET duels?mine=true&status=active":            `{"duels":[` + first + `]}`,
			"GET duels/FIRST234":                           `{"duel":` + first + `}`,
			"POST duels/FIRST234/commit":                   `{"duel":` + over + `}`,
			"GET duels?limit=20&mine=true&status=finished": `{"duels":[` + over + `]}`,
			"POST arena/queue":                             `{"duel":` + duel("SECOND23", "active", pending) + `}`,
			"POST duels/SECOND23/commit":                   `{"duel":` + duel("SECOND23", "finished", won) + `}`,
		}
		var requests []string
		b, _ := playsAlone(t, func(r *http.Request) (*http.Response, error) {
			r.URL.RawQuery = r.URL.Query().Encode() // sorted
			path := pathOf(r)
			requests = append(requests, path)
			body := bodies[path]
			if path == "POST duels/FIRST234/commit" {
				bodies["GET duels/FIRST234"] = `{"duel":` + over + `}`
			}
			return left(http.StatusOK, 200, 1, body)
		})
		pick, known, ended := b.Strategy, []int{}, []string{}
		b.Strategy = func(opponent string) (strategy.Strategy, error) {
			inner, err := pick(opponent)
			return listens{inner, func(h []strategy.Round) { known = append(known, len(h)) }}, err
		}
		b.Ended = func(d *api.Duel) { ended = append(ended, d.ID) }
		if err := b.Run(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		want := []string{"GET duels?mine=true&status=active", "GET duels/FIRST234", "POST duels/FIRST234/commit",
			"GET duels?limit=20&mine=true&status=finished", "GET duels/FIRST234", "POST arena/queue",
			"POST duels/SECOND23/commit"}
		if !slices.Equal(requests, want) {
			t.Errorf("%q, want %q", requests, want)
		}
		if !slices.Equal(known, []int{0, 1}) || !slices.Equal(ended, []string{"FIRST234", "SECOND23"}) {
			t.Errorf("the strategy knows %v rounds, and the ends of %v", known, ended)
		}
	})
}

// TestNoDuelWithoutBudget: while less than a third of the limit is left, a bot asks for no ranked duel, and
// looks whether another one of its own has begun.
func TestNoDuelWithoutBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var requests []string
		remaining := []int{10, 30, 79, 80}
		b, _ := playsAlone(t, func(r *http.Request) (*http.Response, error) {
			requests = append(requests, pathOf(r))
			switch n := len(requests); {
			case strings.HasSuffix(r.URL.Path, "/queue"):
				cancel()
				return left(http.StatusOK, 80, 1, `{"status":"waiting"}`)
			case n > len(remaining):
				return left(http.StatusOK, 80, 1, `{}`)
			default:
				return left(http.StatusOK, remaining[n-1], 1, `{"duels":[]}`)
			}
		})
		if err := b.Run(ctx, 0); err != nil {
			t.Fatal(err)
		}
		for i := range requests {
			requests[i], _, _ = strings.Cut(requests[i], "?")
		}
		list := "GET duels" // of those in play, last of the duels before
		want := []string{list, list, list, list, list, "POST arena/queue", "POST arena/leave"}
		if !slices.Equal(requests[:len(want)], want) {
			t.Errorf("%q, want %q", requests, want)
		}
	})
}

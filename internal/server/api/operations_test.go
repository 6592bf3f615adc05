package api_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"roshambo/game"
	"roshambo/internal/server/api"
)

// good has, for every operation of the contract, a request that succeeds for a new guest, after
// bringing the guest into the required state. TestOperations fails for an operation without a row;
// the requests that must fail follow from the row and the contract.
var good = map[string]func(t *testing.T, p *player) request{
	"createGuest":  simply("POST", "/api/guest"),
	"getMe":        simply("GET", "/api/me"),
	"useFaucet":    poor,
	"getActiveRun": simply("GET", "/api/runs/active"),
	"listRuns":     simply("GET", "/api/runs?limit=1"),
	"startRun":     sending("/api/runs", `{"entry":"free","client_seed":"mine"}`),
	"throw": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/runs/" + p.start(t, "").ID + "/throw",
			body: `{"move":"r","entropy":"dice"}`}
	},
	"continueRun": decidingRun("continue"),
	"claimRun":    decidingRun("claim"),
	"abandonRun":  decidingRun("abandon"),
	"getRun": func(t *testing.T, p *player) request {
		return request{method: "GET", path: "/api/runs/" + p.start(t, "").ID}
	},
	"getRunProof": func(t *testing.T, p *player) request {
		return request{method: "GET", path: "/api/runs/" + p.start(t, "").ID + "/proof"}
	},
	"getTiers": simply("GET", "/api/tiers"),

	"register": func(*testing.T, *player) request {
		return request{method: "POST", path: "/api/auth/register", body: credentials(newName())}
	},
	"login":            login,
	"requestMagicLink": sending("/api/auth/magic-link", `{"email":"Somebody@example.org"}`),
	"redeemMagicLink": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/auth/magic-link/redeem", body: `{"token":"` + p.mailedToken(t) + `"}`}
	},
	"logout": simply("POST", "/api/auth/logout"),
	"rename": func(t *testing.T, p *player) request {
		return sending("/api/auth/rename", `{"username":"`+newName()+`"}`)(t, p)
	},
	"changePassword": func(t *testing.T, p *player) request {
		login(t, p)
		return request{method: "POST", path: "/api/auth/password", body: `{"password":"battery staple"}`}
	},
	"requestPasswordReset": sending("/api/auth/password/reset", `{"email":"Reset@example.org"}`),
	"redeemPasswordReset": func(t *testing.T, p *player) request {
		email := p.attach(t)
		p.s.anonymous(t).post(t, "/api/auth/password/reset", `{"email":"`+email+`"}`).ok(t)
		return request{method: "POST", path: "/api/auth/password/reset/redeem",
			body: `{"token":"` + p.mailedTo(t, email, "/account#reset=") + `","password":"battery staple"}`}
	},
	"endOtherSessions": simply("POST", "/api/sessions/end-others"),
	"dataDuels":        simply("GET", "/api/data/duels"),
	"dataRatings":      simply("GET", "/api/data/ratings"),
	"dataRuns":         simply("GET", "/api/data/runs"),
	"dataBoards":       simply("GET", "/api/data/boards"),
	"exportAccount":    simply("GET", "/api/account/export"),
	"deleteAccount":    simply("POST", "/api/account/delete"),
	"listMailboxes":    simply("GET", "/api/mailboxes"),
	"removeMailbox": func(t *testing.T, p *player) request {
		first := p.attach(t)
		p.attach(t)
		return sending("/api/mailboxes/remove", `{"email":"`+first+`"}`)(t, p)
	},
	"listSessions": simply("GET", "/api/sessions"),
	"endSession": func(t *testing.T, p *player) request {
		list := decode[api.SessionsOut](t, p.get(t, "/api/sessions").ok(t)).Sessions
		return request{method: "POST", path: "/api/sessions/" + list[0].ID + "/end"}
	},

	"listKeys":  simply("GET", "/api/keys?limit=1"),
	"createKey": sending("/api/keys", `{"label":"laptop"}`),
	"revokeKey": func(t *testing.T, p *player) request {
		key := decode[api.NewKeyOut](t, p.post(t, "/api/keys", "").ok(t)).Key
		return request{method: "POST", path: fmt.Sprintf("/api/keys/%d/revoke", key.ID)}
	},
	"listBots": simply("GET", "/api/bots"),
	"describeBot": func(t *testing.T, p *player) request {
		bot := decode[api.NewBotOut](t, p.post(t, "/api/bots", `{"name":"`+newName()+`"}`).ok(t)).Bot
		return request{method: "POST", path: "/api/bots/" + bot.Address,
			body: `{"version":"1.4.0-rc_1+x","description":"Counts the last three rounds."}`}
	},
	"createBot": func(t *testing.T, p *player) request { return sending("/api/bots", `{"name":"`+newName()+`"}`)(t, p) },
	"rotateBotKey": func(t *testing.T, p *player) request {
		bot := decode[api.NewBotOut](t, p.post(t, "/api/bots", `{"name":"`+newName()+`"}`).ok(t)).Bot
		return request{method: "POST", path: "/api/bots/" + bot.Address + "/rotate"}
	},

	"listDuels":  simply("GET", "/api/duels?status=open&limit=1"),
	"createDuel": sending("/api/duels", `{"stake":5}`),
	"spar":       simply("POST", "/api/duels/spar"),
	"getDuel":    ofOwnDuel("GET", ""),
	"joinDuel": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/duels/" + p.s.guest(t).open(t, 5).ID + "/join"}
	},
	"cancelDuel":      ofOwnDuel("POST", "/cancel"),
	"quickMatch":      simply("POST", "/api/duels/quick"),
	"leaveQuickMatch": simply("POST", "/api/duels/quick/leave"),
	"resignDuel": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/duels/" + p.spar(t).ID + "/resign"}
	},
	"rematchDuel": func(t *testing.T, p *player) request {
		g := p.s.joined(t, 0, p, p.s.guest(t))
		g.sides[1](t, g.post("/resign", "")).ok(t)
		return request{method: "POST", path: g.path + "/rematch", body: `{"offer":true}`}
	},
	"listOpponents": simply("GET", "/api/duels/opponents?limit=1"),
	"getChallenges": simply("GET", "/api/duels/challenges"),
	"setChallenges": sending("/api/duels/challenges", `{"takes":"all","quiet_from":"22:00","quiet_to":"07:30"}`),
	"blockOpponent": func(t *testing.T, p *player) request {
		other := p.s.guest(t)
		p.s.joined(t, 0, p, other).play(t, "rs", "rs", "rs")
		return request{method: "POST", path: "/api/duels/opponents/" + other.address + "/block", body: `{"blocked":true}`}
	},
	"emoteDuel": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/duels/" + p.spar(t).ID + "/emote", body: `{"emote":"hello"}`}
	},
	"commitDuel": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/duels/" + p.spar(t).ID + "/commit", body: committing(game.Rock, "salt")}
	},
	"revealDuel": func(t *testing.T, p *player) request {
		path := "/api/duels/" + p.spar(t).ID
		p.post(t, path+"/commit", committing(game.Rock, "salt")).ok(t)
		return request{method: "POST", path: path + "/reveal", body: revealing(game.Rock, "salt")}
	},
	"getDuelProof": func(t *testing.T, p *player) request {
		return request{method: "GET", path: "/api/duels/" + p.spar(t).ID + "/proof"}
	},

	"listCups": simply("GET", "/api/cups?limit=1"),
	"createCup": func(t *testing.T, p *player) request {
		p.register(t, newName())
		return request{method: "POST", path: "/api/cups", body: `{"minutes":5}`}
	},
	"getCup":  ofCup("GET", ""),
	"joinCup": ofCup("POST", "/join"),
	"leaveCup": func(t *testing.T, p *player) request {
		number := p.s.secured(t).openCup(t).Cup.Number
		p.post(t, fmt.Sprintf("/api/cups/%d/join", number), "").ok(t)
		return request{method: "POST", path: fmt.Sprintf("/api/cups/%d/leave", number)}
	},
	"getCupTable":    ofCup("GET", "/table.csv"),
	"getCupPairings": ofCup("GET", "/pairings.csv"),
	"getCupReport":   ofCup("GET", "/report.trf"),
	"getCupMoves":    ofCup("GET", "/moves.ndjson"),
	"getCupProofs":   ofCup("GET", "/proofs.ndjson"),
	"startCup":       hosting("start", false),
	"endCup":         hosting("end", false),
	"pauseCup":       hosting("pause", true),
	"resumeCup":      pausing,
	"removeCupPlayer": func(t *testing.T, p *player) request {
		c := p.hosts(t, `{"by_hand":true,"play":true}`, 0)
		return request{method: "POST", path: c.path("/remove"), body: `{"player":"` + p.address + `"}`}
	},
	"endCupBotKey": func(t *testing.T, p *player) request {
		c, b := p.hosts(t, `{"kind":"bots","by_hand":true,"private":true}`, 0), p.s.bot(t)
		b.post(t, c.path("/join"), `{"code":"`+c.code+`"}`).ok(t)
		return request{method: "POST", path: c.path("/end-key"), body: `{"bot":"` + b.name + `"}`}
	},
	"listPlayerCups": func(_ *testing.T, p *player) request {
		return request{method: "GET", path: "/api/players/" + p.address + "/cups"}
	},

	"getMarket":       simply("GET", "/api/market?limit=1"),
	"getPrices":       simply("GET", "/api/market/prices?tier=1"),
	"listOwnListings": simply("GET", "/api/market/mine?limit=1"),
	"getListing": func(t *testing.T, p *player) request {
		return request{method: "GET", path: fmt.Sprintf("/api/market/listings/%d", p.s.guest(t).list(t, 10).ID)}
	},
	"listToken": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/market/list", body: fmt.Sprintf(`{"token_id":%d,"price":10}`,
			p.win(t).TokenID)}
	},
	"buyListing": func(t *testing.T, p *player) request {
		return request{method: "POST", path: fmt.Sprintf("/api/market/%d/buy", p.s.guest(t).list(t, 10).ID)}
	},
	"cancelListing": func(t *testing.T, p *player) request {
		return request{method: "POST", path: fmt.Sprintf("/api/market/%d/cancel", p.list(t, 10).ID)}
	},
	"offerBuyback": func(t *testing.T, p *player) request {
		return request{method: "POST", path: "/api/buyback/offer", body: fmt.Sprintf(`{"token_id":%d}`, p.win(t).TokenID)}
	},
	"respondBuyback": func(t *testing.T, p *player) request {
		return request{method: "POST", path: fmt.Sprintf("/api/buyback/%d/respond", p.offer(t, p.win(t)).ID),
			body: `{"accept":true}`}
	},
	"getBuyback": func(t *testing.T, p *player) request {
		return request{method: "GET", path: fmt.Sprintf("/api/buyback/%d", p.offer(t, p.win(t)).ID)}
	},

	"queue":            asBot("/api/arena/queue"),
	"leaveQueue":       asBot("/api/arena/leave"),
	"arenaLeaderboard": simply("GET", "/api/arena/leaderboard?limit=1"),
	"getArenaBot":      ofOwnBot(""),
	"listBotDuels":     ofOwnBot("/duels?limit=1"),
	"listBotOpponents": ofOwnBot("/opponents?limit=1"),
	"listBotRatings":   ofOwnBot("/ratings?points=2"),
	"listBotVersions":  ofOwnBot("/versions"),
	"getPlayer": func(_ *testing.T, p *player) request {
		return request{method: "GET", path: "/api/players/" + p.address}
	},
	"listPlayerDuels": func(_ *testing.T, p *player) request {
		return request{method: "GET", path: "/api/players/" + p.address + "/duels?limit=1"}
	},
	"listPlayerRatings": func(_ *testing.T, p *player) request {
		return request{method: "GET", path: "/api/players/" + p.address + "/ratings?points=2"}
	},
	"listPlayerAchievements": func(_ *testing.T, p *player) request {
		return request{method: "GET", path: "/api/players/" + p.address + "/achievements"}
	},
	"getCrosstable":  simply("GET", "/api/arena/crosstable?limit=2"),
	"getTV":          simply("GET", "/api/tv?watching=true"),
	"getLeaderboard": simply("GET", "/api/leaderboard?board=week&limit=1"),
	"getSeason":      simply("GET", "/api/season?limit=1"),
	"getPastSeason":  simply("GET", "/api/season/1"),
	"getDaily":       simply("GET", "/api/daily?limit=1"),
	"startDaily":     sending("/api/daily/start", `{"client_seed":"mine"}`),
	"listTeams":      simply("GET", "/api/teams?limit=1"),
	"createTeam": func(t *testing.T, p *player) request {
		return sending("/api/teams", `{"name":"Team `+newName()+`","private":true}`)(t, p)
	},
	"joinTeam": func(t *testing.T, p *player) request {
		founded := p.s.guest(t).found(t, false)
		return sending("/api/teams/join", `{"name":"`+founded.Name+`","code":"`+*founded.Code+`"}`)(t, p)
	},
	"leaveTeam": func(t *testing.T, p *player) request {
		p.found(t, false)
		return request{method: "POST", path: "/api/teams/leave"}
	},
	"getTeam": func(t *testing.T, p *player) request {
		return request{method: "GET", path: "/api/teams/" + p.s.guest(t).found(t, true).Slug}
	},
	"getAchievements": simply("GET", "/api/achievements"),
	"getFeed":         simply("GET", "/api/feed?limit=1"),

	"getPortfolio": simply("GET", "/api/portfolio?days=7"),

	"getHead":    simply("GET", "/api/chain/head"),
	"listBlocks": simply("GET", "/api/chain/blocks?limit=1&before=1"),
	"getBlock":   simply("GET", "/api/chain/blocks/0"),
	"getTx": func(t *testing.T, p *player) request {
		return request{method: "GET", path: "/api/chain/tx/" + p.me(t).NextCommitment.TxHash}
	},
	"getAddress": func(_ *testing.T, p *player) request {
		return request{method: "GET", path: "/api/chain/address/" + p.address + "?limit=1"}
	},
	"getToken":      ofOwnToken(""),
	"getTokenImage": ofOwnToken("/image.svg"),
	"search":        simply("GET", "/api/chain/search?q=0"),
	"getChainStats": simply("GET", "/api/chain/stats"),
	"verifyChain":   simply("GET", "/api/chain/verify"),

	"followEvents": simply("GET", "/api/events?follow=false&topics=blocks"),

	"getLimits":  simply("GET", "/api/limits"),
	"getOpenAPI": simply("GET", "/api/openapi.json"),
}

func simply(method, path string) func(*testing.T, *player) request {
	return func(*testing.T, *player) request { return request{method: method, path: path} }
}

func sending(path, body string) func(*testing.T, *player) request {
	return func(*testing.T, *player) request { return request{method: "POST", path: path, body: body} }
}

// asBot is for operations of bots only: from then on the player calls as the guest's bot.
func asBot(path string) func(*testing.T, *player) request {
	return func(t *testing.T, p *player) request {
		t.Helper()
		p.bearer = p.newBot(t, newName()).Secret
		p.me(t) // the first use of a key is stored
		return request{method: "POST", path: path}
	}
}

func ofOwnBot(path string) func(*testing.T, *player) request {
	return func(t *testing.T, p *player) request {
		t.Helper()
		return request{method: "GET", path: "/api/arena/bots/" + p.newBot(t, newName()).Bot.Username + path}
	}
}

// found creates a team of the player.
func (p *player) found(t *testing.T, private bool) api.TeamDetail {
	t.Helper()
	body := fmt.Sprintf(`{"name":"Team %s","private":%t}`, newName(), private)
	return decode[api.TeamOut](t, p.post(t, "/api/teams", body).ok(t)).Team
}

func poor(t *testing.T, p *player) request {
	t.Helper()
	for range 11 {
		r := p.start(t, `{"entry":"fee"}`)
		p.post(t, "/api/runs/"+r.ID+"/abandon", "").ok(t)
	}
	return request{method: "POST", path: "/api/faucet"}
}

func ofOwnToken(path string) func(*testing.T, *player) request {
	return func(t *testing.T, p *player) request {
		t.Helper()
		return request{method: "GET", path: fmt.Sprintf("/api/chain/token/%d%s", p.win(t).TokenID, path)}
	}
}

func decidingRun(action string) func(*testing.T, *player) request {
	return func(t *testing.T, p *player) request {
		t.Helper()
		r := p.play(t, p.start(t, ""), game.Win)
		return request{method: "POST", path: "/api/runs/" + r.ID + "/" + action}
	}
}

func login(t *testing.T, p *player) request {
	t.Helper()
	name := newName()
	out := decode[api.SessionOut](t, p.post(t, "/api/auth/register", credentials(name)).ok(t))
	p.csrf = out.CSRFToken
	return request{method: "POST", path: "/api/auth/login", body: credentials(name)}
}

func credentials(name string) string {
	return `{"username":"` + name + `","password":"correct horse"}`
}

// ofCup returns a request to a new cup of another player.
func ofCup(method, action string) func(t *testing.T, p *player) request {
	return func(t *testing.T, p *player) request {
		return request{method: method, path: fmt.Sprintf("/api/cups/%d%s", p.s.secured(t).openCup(t).Cup.Number, action)}
	}
}

// mailedToken requests a link and returns the token in its mail.
func (p *player) mailedToken(t *testing.T) string {
	t.Helper()
	address := newName() + "@example.org"
	p.post(t, "/api/auth/magic-link", `{"email":"`+address+`"}`).ok(t)
	return p.mailedTo(t, address, "/link#")
}

// attach attaches a new mailbox to the player's account by a link, and returns its address.
func (p *player) attach(t *testing.T) string {
	t.Helper()
	address := newName() + "@example.org"
	p.post(t, "/api/auth/magic-link", `{"email":"`+address+`"}`).ok(t)
	body := `{"token":"` + p.mailedTo(t, address, "/link#") + `"}`
	out := decode[api.SessionOut](t, p.post(t, "/api/auth/magic-link/redeem", body).ok(t))
	p.csrf = out.CSRFToken
	return address
}

// mailedTo returns the token in the mail to an address that contains before, ahead of the token.
func (p *player) mailedTo(t *testing.T, address, before string) string {
	t.Helper()
	// One at a time: what another test of this service has claimed, its own Send would still be mailing.
	p.s.mailing.Lock()
	err := p.s.accounts.Links.Send(t.Context())
	p.s.mailing.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(p.s.mails, "*.eml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !strings.Contains(m.Header.Get("To"), address) {
			continue
		}
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		_, after, ok := strings.Cut(string(body), before)
		if !ok {
			continue // another mail to the address
		}
		token, _, _ := strings.Cut(after, "\r\n")
		p.s.tokens.add(token)
		return token
	}
	t.Fatalf("no mail to %s", address)
	return ""
}

var names atomic.Int64

// newName returns an unused username.
func newName() string { return fmt.Sprintf("player-%d", names.Add(1)) }

// each runs a test for every operation of the contract, with a new guest and a request that
// succeeds. In a short run, such as that with the race detector, a test runs a third of them, each
// test another third.
func each(t *testing.T, s *stack, test func(t *testing.T, o operation, p *player, q request)) {
	t.Helper()
	missing := maps.Clone(good)
	for i, o := range s.doc.operations {
		delete(missing, o.id)
		prepare, ok := good[o.id]
		if !ok {
			t.Errorf("%s has no row in good: write a request that succeeds", o.id)
			continue
		}
		if testing.Short() && (i+len(t.Name()))%3 != 0 {
			continue
		}
		t.Run(o.id, func(t *testing.T) {
			p := s.guest(t)
			test(t, o, p, prepare(t, p))
		})
	}
	for id := range missing {
		t.Errorf("%s has a row in good and is no operation", id)
	}
}

// with returns the request with the headers given, beside its own.
func (q request) with(header map[string]string) request {
	own := q.header
	q.header = maps.Clone(header)
	for name, value := range own {
		if _, given := header[name]; !given {
			q.header[name] = value
		}
	}
	return q
}

// TestOperations calls every operation as each caller without the right to it, and then as one
// with it: the last call succeeds, so the refusals concern the caller alone. No refused call
// has begun to write.
func TestOperations(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, p *player, q request) {
		schemes := o.schemes()
		unsafe := o.method != http.MethodGet && !slices.Equal(schemes, []string{"bot"}) // browsers cannot call it
		csrf := map[string]string{"X-CSRF-Token": p.csrf}
		before := s.db.Stats().Updates
		if len(schemes) > 0 {
			a := s.anonymous(t).send(t, q)
			a.fails(t, 401, "unauthenticated")
			if a.header.Get("WWW-Authenticate") == "" {
				t.Error("401 without WWW-Authenticate")
			}
			s.anonymous(t).send(t, q.with(map[string]string{"Cookie": "roshambo_session=" + strings.Repeat("A", 43)})).fails(t,
				401, "unauthenticated")
			p.send(t, q.with(map[string]string{"Authorization": "Bearer rsk_" + strings.Repeat("A", 43)})).fails(t, 401,
				"unauthenticated")
			p.send(t, q.with(map[string]string{"Authorization": "Basic YTpi"})).fails(t, 401, "unauthenticated")
		}
		if len(schemes) > 0 && unsafe {
			p.send(t, q).fails(t, 403, "csrf_failed")
			p.send(t, q.with(map[string]string{"X-CSRF-Token": s.guest(t).csrf})).fails(t, 403, "csrf_failed")
			before++ // the other guest
		}
		if unsafe {
			for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"} {
				p.send(t, q.with(map[string]string{"X-CSRF-Token": p.csrf, name: value})).fails(t, 403, "csrf_failed")
			}
		}
		p.refusedMethods(t, o, q)
		if after := s.db.Stats().Updates; after != before {
			t.Errorf("%d updates by calls that were refused", after-before)
		}
		if unsafe {
			q = q.with(csrf)
		}
		p.send(t, q).ok(t)
	})
}

// schemes returns the authentication schemes that an operation accepts; none for all.
func (o operation) schemes() []string {
	var list []string
	security, _ := o.object["security"].([]any)
	for _, s := range security {
		if len(s.(object)) == 0 {
			return nil
		}
		list = slices.AppendSeq(list, maps.Keys(s.(object)))
	}
	return list
}

// refusedMethods tries the methods that the operation's path does not accept, and HEAD, which is
// answered as GET is.
func (p *player) refusedMethods(t *testing.T, o operation, q request) {
	t.Helper()
	for _, method := range []string{"PUT", "DELETE", "PATCH", "GET", "POST", "BREW"} {
		if _, ok := p.s.doc.find(method, q.path); ok {
			continue
		}
		a := p.send(t, request{method: method, path: q.path, body: q.body, header: map[string]string{"X-CSRF-Token": p.csrf}})
		e := a.fails(t, 405, "method_not_allowed")
		if allow := a.header.Get("Allow"); !slices.Contains(e.Allowed, o.method) || allow != strings.Join(e.Allowed, ", ") {
			t.Errorf("%v: Allow %q, allowed %q, want both with %s", a.request, allow, e.Allowed, o.method)
		}
	}
	if o.method != http.MethodGet {
		return
	}
	get, head := p.get(t, q.path), p.send(t, request{method: "HEAD", path: q.path})
	if head.status != get.status || head.body != "" || head.header.Get("Content-Type") != get.header.Get("Content-Type") {
		t.Errorf("HEAD %s: %d %q %q, want %d without a body", q.path, head.status, head.header, head.body, get.status)
	}
}

// TestOperationsByKey calls every operation with a player's and with a bot's key: those that the
// contract opens to keys need neither cookie nor CSRF token, the others are refused.
func TestOperationsByKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	each(t, s, func(t *testing.T, o operation, p *player, q request) {
		schemes := o.schemes()
		if len(schemes) == 0 {
			return
		}
		bearer := func(secret string, q request) request {
			s.tokens.add(secret)
			return q.with(map[string]string{"Authorization": "Bearer " + secret})
		}
		other := s.guest(t)              // some requests succeed only once
		prepared := good[o.id](t, other) // may secure the account, which ends its bots' keys
		other.bearer = ""
		bot := decode[api.NewBotOut](t, other.post(t, "/api/bots", `{"name":"`+newName()+`"}`).ok(t))
		asBot := s.anonymous(t).send(t, bearer(bot.Secret, prepared))
		if !slices.Contains(schemes, "bot") {
			asBot.fails(t, 403, "forbidden")
		} else if asBot.status == 401 || codeOf(asBot.body) == "csrf_failed" {
			t.Errorf("%v by a bot: %d %s", q, asBot.status, asBot.body)
		}
		p.bearer = ""
		key := decode[api.NewKeyOut](t, p.post(t, "/api/keys", "").ok(t))
		asKey := s.anonymous(t).send(t, bearer(key.Secret, q))
		if slices.Equal(schemes, []string{"bot"}) {
			asKey.fails(t, 403, "bots_only")
			return
		}
		if !slices.Contains(schemes, "key") {
			asKey.fails(t, 403, "forbidden")
			return
		}
		asKey.ok(t)
	})
}

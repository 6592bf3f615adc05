package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// deed is something that somebody sets out to do: one request, which may be delivered
// several times, and what is learned from its answer.
type deed struct {
	kind string
	by   *player
	request
	learn func(c *call) // of an answer that was heard and is 200; nil for nothing
	how   []delivery
	clock int64 // the latest time of any node when it was thought of
	run   runDeed
	duel  duelDeed
}

func (d *deed) String() string {
	who := "nobody"
	if d.by != nil {
		who = d.by.label
	}
	return fmt.Sprintf("%s %s: %s %s %s key=%q %+v", who, d.kind, d.method, d.path, d.body, d.key, d.how)
}

func post(p *player, kind, path, body string) *deed {
	return &deed{kind: kind, by: p, request: request{method: "POST", path: path, body: body}}
}

func get(p *player, kind, path string) *deed {
	return &deed{kind: kind, by: p, request: request{method: "GET", path: path}}
}

// choice is a deed that may be thought of, and how often.
type choice struct {
	weight int
	make   func(s *sim, p *player) *deed // nil where it does not fit
}

// choices are all the deeds there are.
var choices = []choice{
	{2, (*sim).guest}, {1, (*sim).register}, {1, (*sim).login}, {1, (*sim).rename}, {1, (*sim).logout},
	{1, (*sim).newKey}, {1, (*sim).revokeKey}, {2, (*sim).newBot}, {1, (*sim).readAccount}, {2, (*sim).faucet},
	{14, (*sim).startRun}, {40, (*sim).throw}, {14, (*sim).decide}, {1, (*sim).abandon}, {6, (*sim).readRun}, {1, (*sim).misfit},
	{5, (*sim).newDuel}, {8, (*sim).joinDuel}, {1, (*sim).cancelDuel}, {40, (*sim).stepDuel}, {6, (*sim).readDuel}, {4, (*sim).queue},
	{8, (*sim).listToken}, {5, (*sim).buy}, {2, (*sim).cancelListing}, {4, (*sim).offer}, {4, (*sim).respond},
	{2, (*sim).team}, {3, (*sim).readPublic}, {2, (*sim).readChain},
}

var allWeights = func() (sum int) {
	for _, c := range choices {
		sum += c.weight
	}
	return sum
}()

// think makes up the next deed of somebody.
func (s *sim) think() *deed {
	for {
		p := s.somebody()
		at := s.rng.IntN(allWeights)
		for _, c := range choices {
			if at -= c.weight; at < 0 {
				if d := c.make(s, p); d != nil {
					d.how = s.delivered(d)
					return d
				}
				break
			}
		}
	}
}

func (s *sim) somebody() *player {
	var list []*player
	for _, p := range s.players {
		if !p.gone {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[s.rng.IntN(len(list))]
}

func pick[T any](rng *rand.Rand, list []T) (one T) {
	if len(list) > 0 {
		one = list[rng.IntN(len(list))]
	}
	return one
}

// word returns letters that nobody has used before.
func (s *sim) word(prefix string) string {
	s.named++
	return fmt.Sprintf("%s%x-%d", prefix, s.seed, s.named)
}

// hex returns n random bytes in hex.
func (s *sim) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.rng.Uint32())
	}
	return hex.EncodeToString(b)
}

// mostPlayers bounds how many play, so that they meet.
const mostPlayers = 14

func (s *sim) guest(*player) *deed {
	if len(s.players) >= mostPlayers {
		return nil
	}
	d := post(nil, "guest", "/api/guest", "")
	d.learn = func(c *call) { s.enter(c, "") }
	return d
}

// session is the answer to what opens one.
type session struct {
	Account   struct{ Username, Address, Kind string }
	Balance   int64
	CSRFToken string `json:"csrf_token"`
}

// enter makes the caller of what opened a session a player, or goes on with it.
func (s *sim) enter(c *call, pass string) {
	if c.cookie == "" {
		return
	}
	out := decode[session](s, c)
	var p *player // of the account that the answer names, whoever asked
	for _, known := range s.players {
		if known.address == out.Account.Address {
			p = known
		}
	}
	if c.by != nil && p != c.by {
		s.fail("a session of %s was answered with another account: %v", c.by.label, c)
	}
	if p == nil {
		p = &player{label: fmt.Sprintf("p%d", len(s.players)+1)}
		s.players = append(s.players, p)
		s.follow(p)
	}
	if c.by != nil {
		s.over(c) // registered: from now on there is another one
	}
	s.mu.Lock()
	p.username, p.address, p.kind = out.Account.Username, out.Account.Address, out.Account.Kind
	s.mu.Unlock()
	p.cookie, p.csrf, p.balance, p.gone = c.cookie, out.CSRFToken, out.Balance, false
	if pass != "" && p.pass == "" {
		p.pass, p.names, p.passes = pass, append(p.names, p.username), append(p.passes, pass)
	}
	s.signedIn(p)
	s.vault.plant(p.csrf, "a CSRF token", func(c *call) bool {
		return c.path == "/api/me" || c.path == "/api/guest" || c.path == "/api/auth/register" || c.path == "/api/auth/login"
	})
}

func (s *sim) register(p *player) *deed {
	if p != nil && p.kind != "guest" {
		return nil
	}
	if p == nil && len(s.players) >= mostPlayers {
		return nil
	}
	pass := "planted-" + s.hex(8)
	s.vault.plant(pass, "a password", nil)
	name := s.word("n")
	if p != nil {
		p.names, p.passes = append(p.names, name), append(p.passes, pass)
	}
	d := post(p, "register", "/api/auth/register", fmt.Sprintf(`{"username":%q,"password":%q}`, name, pass))
	d.learn = func(c *call) { s.enter(c, pass) }
	return d
}

func (s *sim) login(*player) *deed {
	var list []*player
	for _, p := range s.players {
		if p.pass != "" {
			list = append(list, p)
		}
	}
	p := pick(s.rng, list)
	if p == nil {
		return nil
	}
	pass := p.pass
	if s.rng.IntN(6) == 0 {
		pass = "wrong-password"
	}
	d := post(nil, "login", "/api/auth/login", fmt.Sprintf(`{"username":%q,"password":%q}`, p.username, pass))
	d.learn = func(c *call) { s.enter(c, pass) }
	return d
}

func (s *sim) rename(p *player) *deed {
	if p == nil || p.kind != "account" {
		return nil
	}
	name := s.word("r")
	p.names = append(p.names, name)
	d := post(p, "rename", "/api/auth/rename", fmt.Sprintf(`{"username":%q}`, name))
	d.learn = func(c *call) { p.username = decode[session](s, c).Account.Username }
	return d
}

// logout leaves somebody who can come back.
func (s *sim) logout(p *player) *deed {
	if p == nil || p.pass == "" || s.rng.IntN(3) > 0 {
		return nil
	}
	d := post(p, "logout", "/api/auth/logout", "")
	d.learn = func(c *call) {
		s.over(c)
		// At the same time they may have come in by another session.
		p.gone = p.gone || p.cookie == c.session
	}
	return d
}

// over notes that the session by which a call was made is over.
func (s *sim) over(c *call) {
	p := *c.by
	p.cookie = c.session
	s.ended = append(s.ended, ended{p, c.node})
}

// ended is a player as it was in a session that is over, and the node that ended it.
type ended struct {
	player
	node int
}

func (s *sim) newKey(p *player) *deed {
	if p == nil || p.kind == "bot" {
		return nil
	}
	d := post(p, "key", "/api/keys", fmt.Sprintf(`{"label":%q}`, s.word("k")))
	d.learn = func(c *call) {
		out := decode[struct {
			Key    struct{ ID int64 }
			Secret string
		}](s, c)
		p.keys = append(p.keys, out.Key.ID)
		s.vault.plant(out.Secret, "an API key", func(c *call) bool { return c.path == d.path && c.body == d.body })
	}
	return d
}

func (s *sim) revokeKey(p *player) *deed {
	if p == nil || len(p.keys) == 0 {
		return nil
	}
	return post(p, "revoke", fmt.Sprintf("/api/keys/%d/revoke", pick(s.rng, p.keys)), "")
}

func (s *sim) newBot(p *player) *deed {
	if p == nil || p.kind == "bot" || len(s.players) >= mostPlayers {
		return nil
	}
	d := post(p, "bot", "/api/bots", fmt.Sprintf(`{"name":%q}`, s.word("b")))
	d.learn = func(c *call) {
		out := decode[struct {
			Bot    struct{ Username, Address string }
			Secret string
		}](s, c)
		s.vault.plant(out.Secret, "a bot's key", func(c *call) bool { return c.path == d.path && c.body == d.body })
		for _, known := range s.players {
			if known.address == out.Bot.Address {
				return // answered again
			}
		}
		s.players = append(s.players, &player{
			label: fmt.Sprintf("b%d", len(s.players)+1), username: out.Bot.Username, address: out.Bot.Address, kind: "bot", bearer: out.Secret,
		})
	}
	return d
}

func (s *sim) readAccount(p *player) *deed {
	if p == nil {
		return nil
	}
	paths := []string{"/api/me", "/api/achievements", "/api/portfolio", "/api/runs", "/api/duels?mine=true", "/api/market/mine"}
	if p.kind != "bot" {
		paths = append(paths, "/api/keys", "/api/bots", "/api/sessions")
	}
	return get(p, "read", pick(s.rng, paths))
}

func (s *sim) faucet(p *player) *deed {
	if p == nil {
		return nil
	}
	return post(p, "faucet", "/api/faucet", "")
}

func (s *sim) team(p *player) *deed {
	if p == nil || p.kind == "bot" {
		return nil
	}
	switch s.rng.IntN(4) {
	case 0:
		d := post(p, "team", "/api/teams", fmt.Sprintf(`{"name":%q,"private":%t}`, s.word("t"), s.rng.IntN(2) == 0))
		d.learn = func(c *call) {
			out := decode[struct{ Team struct{ Slug, Code string } }](s, c)
			s.slugs, s.codes = append(s.slugs, out.Team.Slug), append(s.codes, out.Team.Code)
			s.vault.plant(out.Team.Code, "a team's code", s.guarded(func(c *call) bool { return c.by != nil && c.by.kind != "bot" }))
		}
		return d
	case 1:
		return post(p, "leave team", "/api/teams/leave", "")
	case 2:
		return get(pick(s.rng, []*player{p, nil}), "read", "/api/teams/"+pick(s.rng, append(s.slugs, "none")))
	}
	if len(s.codes) == 0 {
		return nil
	}
	return post(p, "join team", "/api/teams/join", fmt.Sprintf(`{"code":%q}`, pick(s.rng, s.codes)))
}

func (s *sim) readPublic(p *player) *deed {
	return get(p, "read", pick(s.rng, []string{
		"/api/leaderboard?board=all", "/api/leaderboard?board=week", "/api/leaderboard?board=daily", "/api/leaderboard?board=teams",
		"/api/leaderboard?board=duels", "/api/leaderboard?board=bots", "/api/arena/leaderboard", "/api/feed", "/api/season", "/api/daily",
		"/api/tiers", "/api/teams", "/api/market", "/api/market/prices", "/api/duels", "/api/limits", "/api/chain/stats",
	}))
}

func (s *sim) readChain(p *player) *deed {
	path := pick(s.rng, []string{"/api/chain/head", "/api/chain/blocks", "/api/chain/blocks/0", "/log/checkpoint"})
	if p != nil && s.rng.IntN(2) == 0 {
		path = pick(s.rng, []string{"/api/chain/address/" + p.address, "/api/chain/search?q=" + p.username, "/api/players/" + p.username})
	}
	return get(nil, "read", path)
}

func commitment(move, salt string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(move+":"+salt)))
}

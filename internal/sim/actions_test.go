package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// action is an operation that a player intends: one request, which may be delivered several times,
// and the handling of its answers.
type action struct {
	kind string
	by   *player
	request
	learn func(c *call) // called with a successful answer; nil for none
	how   []delivery
	clock int64 // the latest time of all nodes at its creation
	run   runAction
	duel  duelAction
}

func (d *action) String() string {
	caller := "anonymous"
	if d.by != nil {
		caller = d.by.label
	}
	return fmt.Sprintf("%s %s: %s %s %s key=%q %+v", caller, d.kind, d.method, d.path, d.body, d.key, d.how)
}

func post(p *player, kind, path, body string) *action {
	return &action{kind: kind, by: p, request: request{method: "POST", path: path, body: body}}
}

func get(p *player, kind, path string) *action {
	return &action{kind: kind, by: p, request: request{method: "GET", path: path}}
}

// choice is a possible action, and its weight.
type choice struct {
	weight int
	make   func(s *sim, p *player) *action // returns nil where it does not fit
}

// choices are all possible actions.
var choices = []choice{
	{2, (*sim).guest}, {3, (*sim).register}, {1, (*sim).login}, {1, (*sim).rename}, {1, (*sim).logout},
	{1, (*sim).newKey}, {1, (*sim).revokeKey}, {2, (*sim).newBot}, {1, (*sim).readAccount}, {2, (*sim).faucet},
	{14, (*sim).startRun}, {40, (*sim).throw}, {14, (*sim).decide}, {1, (*sim).abandon}, {6, (*sim).readRun},
	{1, (*sim).invalidStep},
	{5, (*sim).newDuel}, {8, (*sim).joinDuel}, {1, (*sim).cancelDuel}, {40, (*sim).stepDuel}, {6, (*sim).readDuel},
	{4, (*sim).queue}, {4, (*sim).newCup}, {8, (*sim).joinCup}, {1, (*sim).leaveCup},
	{8, (*sim).listToken}, {5, (*sim).buy}, {2, (*sim).cancelListing}, {4, (*sim).offer}, {4, (*sim).respond},
	{2, (*sim).team}, {3, (*sim).readPublic}, {2, (*sim).readChain},
}

var allWeights = func() (sum int) {
	for _, c := range choices {
		sum += c.weight
	}
	return sum
}()

// nextAction chooses the next action of a player.
func (s *sim) nextAction() *action {
	for {
		p := s.somebody()
		at := s.rng.IntN(allWeights)
		for _, c := range choices {
			if at -= c.weight; at < 0 {
				if d := c.make(s, p); d != nil {
					d.how = s.planDeliveries(d)
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

// newWord returns an unused word.
func (s *sim) newWord(prefix string) string {
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

// mostPlayers bounds the number of players, so that they interact.
const mostPlayers = 14

func (s *sim) guest(*player) *action {
	if len(s.players) >= mostPlayers {
		return nil
	}
	d := post(nil, "guest", "/api/guest", "")
	d.learn = func(c *call) { s.signIn(c, "") }
	return d
}

// session is the answer to a request that opens a session.
type session struct {
	Account   struct{ Username, Address, Kind string }
	Balance   int64
	CSRFToken string `json:"csrf_token"`
}

// signIn makes the caller of a request that opened a session a player, or updates the player.
func (s *sim) signIn(c *call, pass string) {
	if c.cookie == "" {
		return
	}
	out := decode[session](s, c)
	var p *player // of the account in the answer, not of the caller
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
		s.endSession(c) // registering ends the old session
	}
	s.mu.Lock()
	p.username, p.address, p.kind = out.Account.Username, out.Account.Address, out.Account.Kind
	s.mu.Unlock()
	p.cookie, p.csrf, p.balance, p.gone = c.cookie, out.CSRFToken, out.Balance, false
	if pass != "" && p.pass == "" {
		p.pass, p.names, p.passes = pass, append(p.names, p.username), append(p.passes, pass)
	}
	s.renewSession(p)
	s.vault.plant(p.csrf, "a CSRF token", func(c *call) bool {
		return c.path == "/api/me" || c.path == "/api/guest" || c.path == "/api/auth/register" || c.path == "/api/auth/login"
	})
}

func (s *sim) register(p *player) *action {
	if p != nil && p.kind != "guest" {
		return nil
	}
	if p == nil && len(s.players) >= mostPlayers {
		return nil
	}
	pass := "planted-" + s.hex(8)
	s.vault.plant(pass, "a password", nil)
	name := s.newWord("n")
	if p != nil {
		p.names, p.passes = append(p.names, name), append(p.passes, pass)
	}
	d := post(p, "register", "/api/auth/register", fmt.Sprintf(`{"username":%q,"password":%q}`, name, pass))
	d.learn = func(c *call) { s.signIn(c, pass) }
	return d
}

func (s *sim) login(*player) *action {
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
	d.learn = func(c *call) { s.signIn(c, pass) }
	return d
}

func (s *sim) rename(p *player) *action {
	if p == nil || p.kind != "account" {
		return nil
	}
	name := s.newWord("r")
	p.names = append(p.names, name)
	d := post(p, "rename", "/api/auth/rename", fmt.Sprintf(`{"username":%q}`, name))
	d.learn = func(c *call) { p.username = decode[session](s, c).Account.Username }
	return d
}

// logout signs out a player who can sign in again.
func (s *sim) logout(p *player) *action {
	if p == nil || p.pass == "" || s.rng.IntN(3) > 0 {
		return nil
	}
	d := post(p, "logout", "/api/auth/logout", "")
	d.learn = func(c *call) {
		s.endSession(c)
		// A concurrent call may have opened another session.
		p.gone = p.gone || p.cookie == c.session
	}
	return d
}

// endSession records that the session of a call has ended.
func (s *sim) endSession(c *call) {
	p := *c.by
	p.cookie = c.session
	s.ended = append(s.ended, ended{p, c.node})
}

// ended is a player with an ended session, and the node that ended it.
type ended struct {
	player
	node int
}

func (s *sim) newKey(p *player) *action {
	if p == nil || p.kind == "bot" {
		return nil
	}
	d := post(p, "key", "/api/keys", fmt.Sprintf(`{"label":%q}`, s.newWord("k")))
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

func (s *sim) revokeKey(p *player) *action {
	if p == nil || len(p.keys) == 0 {
		return nil
	}
	return post(p, "revoke", fmt.Sprintf("/api/keys/%d/revoke", pick(s.rng, p.keys)), "")
}

func (s *sim) newBot(p *player) *action {
	if p == nil || p.kind == "bot" || len(s.players) >= mostPlayers {
		return nil
	}
	d := post(p, "bot", "/api/bots", fmt.Sprintf(`{"name":%q}`, s.newWord("b")))
	d.learn = func(c *call) {
		out := decode[struct {
			Bot    struct{ Username, Address string }
			Secret string
		}](s, c)
		s.vault.plant(out.Secret, "a bot's key", func(c *call) bool { return c.path == d.path && c.body == d.body })
		for _, known := range s.players {
			if known.address == out.Bot.Address {
				return // a replay
			}
		}
		s.players = append(s.players, &player{
			label: fmt.Sprintf("b%d", len(s.players)+1), username: out.Bot.Username, address: out.Bot.Address, kind: "bot",
			bearer: out.Secret,
		})
	}
	return d
}

func (s *sim) readAccount(p *player) *action {
	if p == nil {
		return nil
	}
	paths := []string{"/api/me", "/api/achievements", "/api/portfolio", "/api/runs", "/api/duels?mine=true",
		"/api/market/mine"}
	if p.kind != "bot" {
		paths = append(paths, "/api/keys", "/api/bots", "/api/sessions")
	}
	return get(p, "read", pick(s.rng, paths))
}

func (s *sim) faucet(p *player) *action {
	if p == nil {
		return nil
	}
	return post(p, "faucet", "/api/faucet", "")
}

func (s *sim) team(p *player) *action {
	if p == nil || p.kind == "bot" {
		return nil
	}
	switch s.rng.IntN(4) {
	case 0:
		d := post(p, "team", "/api/teams", fmt.Sprintf(`{"name":%q,"private":%t}`, s.newWord("t"), s.rng.IntN(2) == 0))
		d.learn = func(c *call) {
			out := decode[struct{ Team struct{ Slug, Code string } }](s, c)
			s.slugs, s.codes = append(s.slugs, out.Team.Slug), append(s.codes, out.Team.Code)
			s.vault.plant(out.Team.Code, "a team's code", s.locked(func(c *call) bool {
				return c.by != nil &&
					c.by.kind != "bot"
			}))
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

func (s *sim) readPublic(p *player) *action {
	return get(p, "read", pick(s.rng, []string{
		"/api/leaderboard?board=all", "/api/leaderboard?board=week", "/api/leaderboard?board=daily",
		"/api/leaderboard?board=teams",
		"/api/leaderboard?board=duels", "/api/leaderboard?board=bots", "/api/arena/leaderboard", "/api/feed", "/api/season",
		"/api/daily",
		"/api/tiers", "/api/teams", "/api/market", "/api/market/prices", "/api/duels", "/api/limits", "/api/chain/stats",
	}))
}

func (s *sim) readChain(p *player) *action {
	path := pick(s.rng, []string{"/api/chain/head", "/api/chain/blocks", "/api/chain/blocks/0", "/log/checkpoint"})
	if p != nil && s.rng.IntN(2) == 0 {
		path = pick(s.rng, []string{"/api/chain/address/" + p.address, "/api/chain/search?q=" + p.username,
			"/api/players/" + p.username})
	}
	return get(nil, "read", path)
}

func commitment(move, salt string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(move+":"+salt)))
}

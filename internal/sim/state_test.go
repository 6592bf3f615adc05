package sim

import (
	"fmt"
	"net/http"
	"regexp"
	"time"
)

// ask makes a call without faults, which must be answered.
func (s *sim) ask(d *action) *call { return s.askNode(s.rng.IntN(len(s.nodes)), d) }

// askNode makes a call without faults to one node, and repeats it if the machine was too slow for
// an answer.
func (s *sim) askNode(node int, d *action) *call {
	for began := time.Now(); time.Since(began) < waitTimeout; {
		if c := s.send(s.ctx, delivery{node: node}, d.request, d.by, d); c != nil && !c.unknown() {
			return c
		}
	}
	s.fail("%v: no answer", d)
	return &call{request: d.request, action: d, status: http.StatusTeapot}
}

// checkState reads the state of all players and public lists.
func (s *sim) checkState() {
	for _, p := range s.players {
		s.readPlayer(p)
	}
	for _, m := range s.matches {
		s.mu.Lock()
		m.find(s)
		s.mu.Unlock()
		if m.over() {
			continue
		}
		d := get(pick(s.rng, []*player{nil, m.sides[0], m.sides[1]}), "look", "/api/duels/"+m.ID)
		if d.by != nil && d.by.gone {
			d.by = nil
		}
		d.duel.match = m
		if c := s.ask(d); c.ok() {
			s.addDuel(decode[struct{ Duel duelView }](s, c).Duel)
		} else {
			s.fail("%v", c)
		}
	}
	out := decode[struct{ Listings []listing }](s, s.ask(get(nil, "read", "/api/market?limit=100&sort=newest")))
	s.listings = out.Listings
	s.checkCups()
	s.checkVoids()
	if s.step%4 == 0 {
		s.discover()
	}
}

// readPlayer reads the run, the coins and the tokens of a player.
func (s *sim) readPlayer(p *player) {
	if !p.gone || s.signBackIn(p) {
		c := s.ask(get(p, "active", "/api/runs/active"))
		switch {
		case c.status == http.StatusUnauthorized:
			p.gone = true // the answer that opened another session was lost
		case !c.ok():
			s.fail("%v", c)
		default:
			p.run = decode[struct{ Run *runView }](s, c).Run
		}
		if r := p.run; r != nil && (len(p.runs) == 0 || p.runs[len(p.runs)-1] != r.ID) {
			p.runs = append(p.runs, r.ID)
			if r.Entry == "daily" {
				p.dailies = append(p.dailies, r.ID)
			}
		}
	}
	out := decode[struct {
		Address struct {
			Balance int64
			Tokens  []struct {
				TokenID int64 `json:"token_id"`
			}
		}
	}](s, s.ask(get(nil, "read", "/api/chain/address/"+p.address)))
	p.balance, p.tokens = out.Address.Balance, nil
	for _, token := range out.Address.Tokens {
		p.tokens = append(p.tokens, token.TokenID)
	}
}

// signBackIn signs in a player with a password, by any possible name.
func (s *sim) signBackIn(p *player) bool {
	for _, name := range p.names {
		for _, pass := range p.passes {
			d := post(nil, "login", "/api/auth/login", fmt.Sprintf(`{"username":%q,"password":%q}`, name, pass))
			if c := s.ask(d); c.ok() {
				s.signIn(c, pass)
				return true
			}
		}
	}
	return false
}

// discover finds duels whose creation was not answered.
func (s *sim) discover() {
	for _, p := range s.players {
		if p.gone {
			continue
		}
		c := s.ask(get(p, "read", "/api/duels?mine=true&limit=100"))
		if c.status == http.StatusUnauthorized {
			p.gone = true // another node remembers its session
			continue
		}
		if !c.ok() {
			s.fail("%v", c)
			return
		}
		for _, v := range decode[struct{ Duels []duelView }](s, c).Duels {
			known := false
			for _, m := range s.matches {
				known = known || m.ID == v.ID
			}
			if !known {
				s.addDuel(v)
			}
		}
	}
}

// ensureSignedIn reports whether a player is signed in on every node; a player with a password
// whose session has ended signs in again. A session ends unnoticed when the answer that opened the
// next one was lost, and other nodes may accept it for a moment.
func (s *sim) ensureSignedIn(p *player) bool {
	for node := range s.nodes {
		if p.gone || s.askNode(node, get(p, "read", "/api/duels?mine=true&limit=1")).status == http.StatusUnauthorized {
			p.gone = true
			return s.signBackIn(p)
		}
	}
	return true
}

// findStarts reads every run that the chain has, including those whose start was not answered.
func (s *sim) findStarts() {
	for _, id := range s.audit.runs {
		r := decode[struct{ Run *runView }](s, s.ask(get(nil, "read", "/api/runs/"+id))).Run
		if r == nil {
			s.fail("run %s is on the chain, and cannot be read", id)
			continue
		}
		s.started[r.SeedHash] = append(s.started[r.SeedHash], r)
	}
}

var (
	hashAnswered = regexp.MustCompile(`"(?:tx_hash|start_tx|end_tx|stake_tx_a|stake_tx_b|settle_tx)":"([0-9a-f]{64})"`)
	noteAnswered = regexp.MustCompile(`"checkpoint":"((?:[^"\\]|\\.)+)"`)
)

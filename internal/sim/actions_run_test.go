package sim

import "fmt"

// startRun starts a run in any way, whether or not a run is in progress.
func (s *sim) startRun(p *player) *action {
	if p == nil || p.run != nil && s.rng.IntN(12) > 0 {
		return nil
	}
	entry := pick(s.rng, []string{"auto", "auto", "fee", "free", "burn", "daily"})
	seed := s.newWord("c")
	body := fmt.Sprintf(`{"entry":%q,"client_seed":%q}`, entry, seed)
	path := "/api/runs"
	switch {
	case entry == "burn" && len(p.tokens) > 0 && s.rng.IntN(2) == 0:
		body = fmt.Sprintf(`{"entry":"burn","client_seed":%q,"token_id":%d}`, seed, pick(s.rng, p.tokens))
	case entry == "daily" && s.rng.IntN(2) == 0:
		path, body, seed = "/api/daily/start", "", ""
	}
	d := post(p, "start", path, body)
	d.run.clientSeed, d.run.entry = textHash(seed), entry
	return d
}

var moves = []string{"rock", "paper", "scissors"}

// throw throws in the player's run, mostly the winning move, so that there are tiers to claim.
func (s *sim) throw(p *player) *action {
	if p == nil || p.run == nil || p.run.Status != "active" && s.rng.IntN(12) > 0 {
		return nil
	}
	entropy, move := s.newWord("e"), pick(s.rng, moves)
	if seed, ok := s.book.seed(p.run.Commitment, len(p.run.Throws)+1); ok && s.rng.IntN(5) < 3 {
		move = beats[houseMove(seed, len(p.run.Throws)+1, p.run.SeedHash, textHash(entropy))]
	}
	d := post(p, "throw", "/api/runs/"+p.run.ID+"/throw", fmt.Sprintf(`{"move":%q,"entropy":%q}`, move, entropy))
	d.run.id, d.run.move, d.run.entropy, d.run.commitment = p.run.ID, move, textHash(entropy), p.run.Commitment
	return d
}

// decide claims or continues.
func (s *sim) decide(p *player) *action {
	if p == nil || p.run == nil || p.run.Status != "deciding" && s.rng.IntN(12) > 0 {
		return nil
	}
	kind := "claim"
	if p.run.Cleared < 2 && s.rng.IntN(2) == 0 {
		kind = "continue"
	}
	d := post(p, kind, "/api/runs/"+p.run.ID+"/"+kind, "")
	d.run.id = p.run.ID
	return d
}

func (s *sim) abandon(p *player) *action {
	if p == nil || p.run == nil {
		return nil
	}
	d := post(p, "abandon", "/api/runs/"+p.run.ID+"/abandon", "")
	d.run.id = p.run.ID
	return d
}

// readRun reads the player's current run, or any other.
func (s *sim) readRun(p *player) *action {
	if p == nil {
		return nil
	}
	if s.rng.IntN(3) == 0 {
		return get(p, "active", "/api/runs/active")
	}
	if len(p.runs) == 0 {
		return nil
	}
	id, by := p.runs[len(p.runs)-1], p
	if s.rng.IntN(3) == 0 {
		id = pick(s.rng, p.runs)
	}
	if s.rng.IntN(2) == 0 {
		by = nil
	}
	if s.rng.IntN(4) == 0 {
		return get(by, "read", "/api/runs/"+id+"/proof")
	}
	d := get(by, "run", "/api/runs/"+id)
	d.run.id, d.run.of = id, p
	return d
}

// invalidStep makes a step in another player's or in a finished run.
func (s *sim) invalidStep(p *player) *action {
	q := s.somebody()
	if p == nil || q == nil || len(q.runs) == 0 {
		return nil
	}
	kind := pick(s.rng, []string{"claim", "continue", "abandon"})
	if p == q && q.run != nil {
		return nil
	}
	d := post(p, kind, "/api/runs/"+pick(s.rng, q.runs)+"/"+kind, "")
	d.run.id, d.run.of = d.path[len("/api/runs/"):len(d.path)-len(kind)-1], q
	return d
}

// runAction holds the parameters of an action on a run.
type runAction struct {
	id                string
	of                *player // the owner of the run; nil for the caller
	clientSeed, entry string  // of a start
	move, entropy     string  // of a throw
	commitment        string
}

package sim

import "fmt"

// match is a duel that the simulation knows, with the hands of its sides.
type match struct {
	duelView
	sides [2]*player // nil for callers outside of the simulation
	hands []*hand
	// By side: the steps of the last calls that sent a commitment or a reveal.
	committed, revealed [2]int
	// The step of the newest view, and of the last one before the current round: a call before begun had no effect
	// in this round.
	seen, begun int
}

// hand is a move and a salt that a side may commit to.
type hand struct {
	side, round        int
	move, salt, commit string
	committing         bool // a call has sent its commitment
	revealing          bool
}

func (m *match) over() bool { return m.Status != "open" && m.Status != "active" }

// settles reports whether the duel has a settlement on the chain: every finished one, and a staked one
// that ended without an opponent.
func (m *match) settles() bool { return m.Status == "finished" || m.over() && m.Stake > 0 }

// last returns the current round.
func (m *match) last() roundView {
	if len(m.Rounds) == 0 {
		return roundView{}
	}
	return m.Rounds[len(m.Rounds)-1]
}

// decided returns the number of rounds that are known to be decided.
func (m *match) decided() int {
	if r := m.last(); r.Outcome == "pending" {
		return r.Round - 1
	}
	return m.last().Round
}

// due reports whether a deadline may have ended the current round.
func (m *match) due(now int64) bool {
	at := m.last().Deadline
	return at != nil && now >= at.UnixMilli()
}

// open reports whether others may see a hand: its commitment or, with all, its move and salt. They
// may once the round is decided, and the commitment once there are two. Anything that may have happened since the
// round began counts as having happened; the duel model is exact.
func (m *match) open(h *hand, all bool, c *call) bool {
	if h.side < 2 && m.sides[h.side] != nil && c.by != nil && c.by.address == m.sides[h.side].address {
		return true
	}
	if all && !h.revealing || !h.committing {
		return false
	}
	if m.Kind == "spar" || h.round <= m.decided() || m.due(c.latest) {
		return true
	}
	if all {
		return m.revealed[1-h.side] > 0 && m.revealed[1-h.side] >= m.begun
	}
	return m.committed[1-h.side] > 0 && m.committed[1-h.side] >= m.begun
}

// try records that a side sends a commitment or a reveal, which may count in any round from the current one on: a
// side may repeat its own commitment or the opponent's.
func (m *match) try(c *call) {
	for side, p := range m.sides {
		if p == nil || c.by == nil || p.address != c.by.address {
			continue
		}
		switch c.what {
		case "commit":
			m.committed[side] = c.step
		case "reveal":
			m.revealed[side] = c.step
		}
	}
}

// newHand makes a hand of a side in a round.
func (s *sim) newHand(m *match, side, round int) *hand {
	h := &hand{side: side, round: round, move: pick(s.rng, moves), salt: s.hex(16)}
	h.commit = commitment(h.move, h.salt)
	s.mu.Lock()
	m.hands = append(m.hands, h)
	s.mu.Unlock()
	s.vault.plant(h.salt, fmt.Sprintf("the salt of side %d in round %d of %s", side, round, m.ID),
		s.locked(func(c *call) bool { return m.open(h, true, c) }))
	s.vault.plant(h.commit, fmt.Sprintf("the commitment of side %d in round %d of %s", side, round, m.ID),
		s.locked(func(c *call) bool { return m.open(h, false, c) }))
	return h
}

// locked makes a rule read the simulation's state under its lock.
func (s *sim) locked(rule func(*call) bool) func(*call) bool {
	return func(c *call) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return rule(c)
	}
}

// duelsOf returns the duels of a player with a status.
func (s *sim) duelsOf(p *player, status string) (list []*match) {
	for _, m := range s.matches {
		if m.Status == status && (m.sides[0] == p || m.sides[1] == p) {
			list = append(list, m)
		}
	}
	return list
}

func (s *sim) newDuel(p *player) *action {
	if p == nil || len(s.duelsOf(p, "active"))+len(s.duelsOf(p, "open")) >= 3 {
		return nil
	}
	d := post(p, "spar", "/api/duels/spar", "")
	if s.rng.IntN(4) > 0 {
		d = post(p, "duel", "/api/duels", fmt.Sprintf(`{"stake":%d}`, pick(s.rng, []int{0, 1, 40, 40, 300, 100000})))
	}
	d.learn = func(c *call) { s.addDuel(decode[struct{ Duel duelView }](s, c).Duel) }
	return d
}

// addDuel records a duel as it was seen.
func (s *sim) addDuel(v duelView) *match {
	s.mu.Lock() // followers may read concurrently
	defer s.mu.Unlock()
	for _, m := range s.matches {
		if m.ID == v.ID {
			if v.Version >= m.Version {
				m.look(v, s.step)
				m.find(s)
				m.assignRounds()
			}
			return m
		}
	}
	m := &match{duelView: v, seen: s.step}
	m.find(s)
	s.matches = append(s.matches, m)
	return m
}

// look replaces the view by one that is not older.
func (m *match) look(v duelView, step int) {
	round, version := m.last().Round, m.Version
	m.duelView = v
	if m.last().Round > round {
		m.begun = m.seen
	}
	if v.Version > version { // an equal one may be a stored answer of long ago
		m.seen = step
	}
}

// assignRounds moves hands to the rounds in which their commitments were made.
func (m *match) assignRounds() {
	r := m.last()
	for _, h := range m.hands {
		used := m.over() || !h.committing || ![2]bool{r.Committed.A, r.Committed.B}[h.side]
		for _, round := range m.Rounds[:max(0, len(m.Rounds)-1)] {
			for _, c := range []*string{round.CommitmentA, round.CommitmentB} {
				used = used || c != nil && *c == h.commit
			}
		}
		if !used {
			h.round = r.Round
		}
	}
}

// find sets the players of the sides.
func (m *match) find(s *sim) {
	for _, p := range s.players {
		if p.address == m.A.Address {
			m.sides[0] = p
		}
		if m.B != nil && p.address == m.B.Address {
			m.sides[1] = p
		}
	}
}

// joinDuel joins an open duel, sometimes the player's own or a closed one.
func (s *sim) joinDuel(p *player) *action {
	var list []*match
	for _, m := range s.matches {
		if m.Status == "open" && (m.sides[0] != p || s.rng.IntN(12) == 0) || s.rng.IntN(100) == 0 {
			list = append(list, m)
		}
	}
	m := pick(s.rng, list)
	if p == nil || m == nil {
		return nil
	}
	d := post(p, "join", "/api/duels/"+m.ID+"/join", "")
	d.duel.match = m
	return d
}

func (s *sim) cancelDuel(p *player) *action {
	if p == nil {
		return nil
	}
	list := append(s.duelsOf(p, "open"), s.duelsOf(p, "active")...)
	if s.rng.IntN(6) == 0 {
		list = s.matches
	}
	m := pick(s.rng, list)
	if m == nil {
		return nil
	}
	d := post(p, "cancel", "/api/duels/"+m.ID+"/cancel", "")
	d.duel.match = m
	return d
}

// stepDuel makes the step that is due in one of the player's duels, sometimes another one.
func (s *sim) stepDuel(p *player) *action {
	if p == nil {
		return nil
	}
	return s.stepOf(p, pick(s.rng, s.duelsOf(p, "active")))
}

// stepOf makes the step that is due for a player in a duel, sometimes another one.
func (s *sim) stepOf(p *player, m *match) *action {
	if m == nil || m.sides[0] == m.sides[1] {
		return nil
	}
	side := 0
	if m.sides[1] == p {
		side = 1
	}
	r := m.last()
	committed, revealed := [2]bool{r.Committed.A, r.Committed.B}, [2]bool{r.Revealed.A, r.Revealed.B}
	if s.rng.IntN(15) == 0 { // any step
		committed[side], revealed[side] = s.rng.IntN(2) == 0, false
	} else if committed[side] && !committed[1-side] || revealed[side] {
		return nil // the opponent's step is due
	}
	var own []*hand
	for _, h := range m.hands {
		if h.side == side && h.round == r.Round {
			own = append(own, h)
		}
	}
	if !committed[side] {
		return s.commit(p, m, side, own)
	}
	return s.reveal(p, m, own)
}

func (s *sim) commit(p *player, m *match, side int, own []*hand) *action {
	r := m.last()
	d := post(p, "commit", "/api/duels/"+m.ID+"/commit", "")
	h := pick(s.rng, own)
	if h == nil || s.rng.IntN(10) == 0 {
		h = s.newHand(m, side, r.Round)
	}
	d.duel = duelAction{match: m, hand: h, commit: h.commit}
	if s.rng.IntN(25) == 0 { // the opponent's commitment
		if other := pick(s.rng, m.hands); other.side != side && m.open(other, false, &call{latest: s.latest}) {
			d.duel = duelAction{match: m, commit: other.commit}
		}
	}
	if s.rng.IntN(2) == 0 {
		d.duel.round = r.Round
	}
	d.body = fmt.Sprintf(`{"commitment":%q,"round":%d}`, d.duel.commit, d.duel.round)
	return d
}

func (s *sim) reveal(p *player, m *match, own []*hand) *action {
	h := pick(s.rng, own)
	if h == nil {
		return nil // committed before the simulation knew the duel
	}
	d := post(p, "reveal", "/api/duels/"+m.ID+"/reveal", "")
	d.duel = duelAction{match: m, hand: h, move: h.move, salt: h.salt}
	if s.rng.IntN(20) == 0 {
		d.duel.move = pick(s.rng, moves)
	}
	if s.rng.IntN(2) == 0 {
		d.duel.round = m.last().Round
	}
	d.body = fmt.Sprintf(`{"move":%q,"salt":%q,"round":%d}`, d.duel.move, d.duel.salt, d.duel.round)
	return d
}

func (s *sim) readDuel(p *player) *action {
	m := pick(s.rng, s.matches)
	if m == nil {
		return nil
	}
	if m.over() && s.rng.IntN(4) > 0 {
		return nil
	}
	if s.rng.IntN(8) == 0 {
		return get(nil, "read", "/api/duels/"+m.ID+"/proof")
	}
	d := get(pick(s.rng, []*player{nil, m.sides[0], m.sides[1], p}), "look", "/api/duels/"+m.ID)
	d.duel.match = m
	return d
}

// queue enters a bot into the arena's queue, or removes it.
func (s *sim) queue(p *player) *action {
	if p == nil || p.kind != "bot" {
		return nil
	}
	if s.rng.IntN(8) == 0 {
		return post(p, "leave", "/api/arena/leave", "")
	}
	d := post(p, "queue", "/api/arena/queue", "")
	d.learn = func(c *call) {
		if out := decode[struct{ Duel *duelView }](s, c); out.Duel != nil {
			s.addDuel(*out.Duel)
		}
	}
	return d
}

// duelAction holds the parameters of an action on a duel.
type duelAction struct {
	match              *match
	hand               *hand
	commit, move, salt string
	round              int // the intended round; 0 is the current one
}

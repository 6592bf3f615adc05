package sim

import "fmt"

// match is a duel that the simulation knows of, and the hands that its sides made up.
type match struct {
	duelView
	sides [2]*player // nil for who is no player of the simulation
	hands []*hand
}

// hand is what a side may commit to.
type hand struct {
	side, round        int
	move, salt, commit string
	committing         bool // some call has tried it
	revealing          bool
	step               int // in which it was tried last
}

func (m *match) over() bool { return m.Status != "open" && m.Status != "active" }

// last returns the round that is played.
func (m *match) last() roundView {
	if len(m.Rounds) == 0 {
		return roundView{}
	}
	return m.Rounds[len(m.Rounds)-1]
}

// decided returns how many rounds are over, as far as is known.
func (m *match) decided() int {
	if r := m.last(); r.Outcome == "pending" {
		return r.Round - 1
	}
	return m.last().Round
}

// due says whether the round that is played may have ended by a deadline.
func (m *match) due(now int64) bool {
	at := m.last().Deadline
	return at != nil && now >= at.UnixMilli()
}

// open says whether a hand may be seen by others: its commitment, or all of it. It may
// once the round is over, and the commitment once there are two; what may happen in this
// very step counts as having happened. The model of a duel says it to the point.
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
	for _, other := range m.hands {
		if other.side != h.side && (other.round >= h.round || other.step == c.step) && (other.revealing || !all && other.committing) {
			return true
		}
	}
	return false
}

// newHand makes up a hand of a side in a round.
func (s *sim) newHand(m *match, side, round int) *hand {
	h := &hand{side: side, round: round, move: pick(s.rng, moves), salt: s.hex(16)}
	h.commit = commitment(h.move, h.salt)
	s.mu.Lock()
	m.hands = append(m.hands, h)
	s.mu.Unlock()
	s.vault.plant(h.salt, fmt.Sprintf("the salt of side %d in round %d of %s", side, round, m.ID), s.guarded(func(c *call) bool { return m.open(h, true, c) }))
	s.vault.plant(h.commit, fmt.Sprintf("the commitment of side %d in round %d of %s", side, round, m.ID), s.guarded(func(c *call) bool { return m.open(h, false, c) }))
	return h
}

// guarded has a rule read what the simulation knows while nobody writes it.
func (s *sim) guarded(rule func(*call) bool) func(*call) bool {
	return func(c *call) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return rule(c)
	}
}

// mine returns the duels of a player that have a status.
func (s *sim) mine(p *player, status string) (list []*match) {
	for _, m := range s.matches {
		if m.Status == status && (m.sides[0] == p || m.sides[1] == p) {
			list = append(list, m)
		}
	}
	return list
}

func (s *sim) newDuel(p *player) *deed {
	if p == nil || len(s.mine(p, "active"))+len(s.mine(p, "open")) >= 3 {
		return nil
	}
	d := post(p, "spar", "/api/duels/spar", "")
	if s.rng.IntN(4) > 0 {
		d = post(p, "duel", "/api/duels", fmt.Sprintf(`{"stake":%d}`, pick(s.rng, []int{0, 1, 40, 40, 300, 100000})))
	}
	d.learn = func(c *call) { s.meet(decode[struct{ Duel duelView }](s, c).Duel) }
	return d
}

// meet notes a duel, as it was seen.
func (s *sim) meet(v duelView) *match {
	s.mu.Lock() // who follows events may be looking
	defer s.mu.Unlock()
	for _, m := range s.matches {
		if m.ID == v.ID {
			if v.Version >= m.Version {
				m.duelView = v
				m.find(s)
				m.place()
			}
			return m
		}
	}
	m := &match{duelView: v}
	m.find(s)
	s.matches = append(s.matches, m)
	return m
}

// place finds out which hands were committed to in another round than was thought.
func (m *match) place() {
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

// find finds out who plays.
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

// joinDuel joins one that is open, sometimes one's own or one that is not.
func (s *sim) joinDuel(p *player) *deed {
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

func (s *sim) cancelDuel(p *player) *deed {
	if p == nil {
		return nil
	}
	list := append(s.mine(p, "open"), s.mine(p, "active")...)
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

// stepDuel does what is due in a duel of the player's, or now and then what is not.
func (s *sim) stepDuel(p *player) *deed {
	if p == nil {
		return nil
	}
	m := pick(s.rng, s.mine(p, "active"))
	if m == nil || m.sides[0] == m.sides[1] {
		return nil
	}
	side := 0
	if m.sides[1] == p {
		side = 1
	}
	r := m.last()
	committed, revealed := [2]bool{r.Committed.A, r.Committed.B}, [2]bool{r.Revealed.A, r.Revealed.B}
	if s.rng.IntN(15) == 0 { // whatever comes to mind
		committed[side], revealed[side] = s.rng.IntN(2) == 0, false
	} else if committed[side] && !committed[1-side] || revealed[side] {
		return nil // it is the other's turn
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

func (s *sim) commit(p *player, m *match, side int, own []*hand) *deed {
	r := m.last()
	d := post(p, "commit", "/api/duels/"+m.ID+"/commit", "")
	h := pick(s.rng, own)
	if h == nil || s.rng.IntN(10) == 0 {
		h = s.newHand(m, side, r.Round)
	}
	d.duel = duelDeed{match: m, hand: h, commit: h.commit}
	if s.rng.IntN(25) == 0 { // what the other side has committed to
		if other := pick(s.rng, m.hands); other.side != side && m.open(other, false, &call{latest: s.latest}) {
			d.duel = duelDeed{match: m, commit: other.commit}
		}
	}
	if s.rng.IntN(2) == 0 {
		d.duel.round = r.Round
	}
	d.body = fmt.Sprintf(`{"commitment":%q,"round":%d}`, d.duel.commit, d.duel.round)
	return d
}

func (s *sim) reveal(p *player, m *match, own []*hand) *deed {
	h := pick(s.rng, own)
	if h == nil {
		return nil // it committed before the simulation knew
	}
	d := post(p, "reveal", "/api/duels/"+m.ID+"/reveal", "")
	d.duel = duelDeed{match: m, hand: h, move: h.move, salt: h.salt}
	if s.rng.IntN(20) == 0 {
		d.duel.move = pick(s.rng, moves)
	}
	if s.rng.IntN(2) == 0 {
		d.duel.round = m.last().Round
	}
	d.body = fmt.Sprintf(`{"move":%q,"salt":%q,"round":%d}`, d.duel.move, d.duel.salt, d.duel.round)
	return d
}

func (s *sim) readDuel(p *player) *deed {
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

// queue sends a bot into the arena, or out of its queue.
func (s *sim) queue(p *player) *deed {
	if p == nil || p.kind != "bot" {
		return nil
	}
	if s.rng.IntN(8) == 0 {
		return post(p, "leave", "/api/arena/leave", "")
	}
	d := post(p, "queue", "/api/arena/queue", "")
	d.learn = func(c *call) {
		if out := decode[struct{ Duel *duelView }](s, c); out.Duel != nil {
			s.meet(*out.Duel)
		}
	}
	return d
}

// duelDeed is what of a deed concerns a duel.
type duelDeed struct {
	match              *match
	hand               *hand
	commit, move, salt string
	round              int // that is meant; 0 is whichever is played
}

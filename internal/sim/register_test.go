package sim

import "testing"

// TestRegisterTwice sends one guest's registration twice, on one node and without faults. The first
// one ends the guest's session, so the second one arrives with an expired session: it must not open
// another account, and the guest's follower must miss no event.
func TestRegisterTwice(t *testing.T) {
	t.Parallel()
	s := newSim(t, 1, chosen(t).configure)
	s.open()
	guest := s.guest(nil)
	guest.how = []delivery{{}}
	s.perform([]*action{guest})
	p, f := s.players[0], s.followers[0]
	if !f.ready() {
		t.Fatal("the guest follows, and no stream begins")
	}
	created := decode[struct{ Duel duelView }](s, s.ask(post(p, "duel", "/api/duels", `{"stake":0}`))).Duel
	if !f.awaitDuel(created.ID) {
		t.Fatal("the guest's follower was not sent the guest's own duel")
	}
	one, other := s.register(p), s.register(p)
	one.how, other.how = []delivery{{}}, []delivery{{}}
	first := len(s.calls)
	s.deliver(one)
	s.deliver(other)
	s.applyAnswers(first)
	s.checkState()
	s.finish()
	s.close()
}

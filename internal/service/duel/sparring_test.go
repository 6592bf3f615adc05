package duel_test

import (
	"fmt"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/internal/service/duel"
)

// TestSparring plays sparring duels: the bot commits first, and reveals the committed hand as
// soon as the player has committed.
func TestSparring(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	guest := h.join(t, "guest", chain.Guest)
	d := h.must(t)(h.spar(t, guest))
	if d.B.Username != duel.SparringName || d.B.Kind != chain.Bot || d.Status != duel.Active || d.Rated || d.Stake != 0 {
		t.Errorf("begun: %+v", d)
	}
	for n := 1; d.Status == duel.Active; n++ {
		promised := d.Hands[1].Commitment
		if !d.Hands[1].Committed || d.Hands[1].HasMove {
			t.Fatalf("round %d begins with the hand %+v", n, d.Hands[1])
		}
		hand := salted(game.Move(n % 3))
		if d = h.must(t)(h.commit(t, guest, d.Code, hand)); !d.Hands[1].HasMove || !d.Hands[1].HasSalt {
			t.Fatalf("round %d: the bot did not reveal: %+v", n, d.Hands[1])
		}
		if d = h.must(t)(h.reveal(t, guest, d.Code, hand)); len(d.Rounds) != n {
			t.Fatalf("round %d is not decided: %+v", n, d)
		}
		shown := d.Rounds[n-1].Hands[1]
		if shown.Commitment != promised || chain.HashHand(shown.Move, shown.Salt) != promised {
			t.Errorf("round %d: promised %v, shown %+v", n, promised, shown)
		}
	}
	if d.SettleTx == nil {
		t.Errorf("finished without a settlement: %+v", d)
	}
	// An absent player loses by forfeit, with a settlement on the chain.
	left := h.must(t)(h.spar(t, guest))
	h.Clock.Add(time.Hour)
	h.sweep(t)
	if left = h.read(t, left.Code); left.Winner != game.B || len(left.Rounds) != 3 || left.SettleTx == nil {
		t.Errorf("left alone: %+v", left)
	}
	h.SealAll(t)
	if v := h.WantValid(t); !v.Valid() {
		t.Error("the chain is not valid")
	}
}

// after returns the number of the last recovery.
func after(recovery int64) func() int64 { return func() int64 { return recovery } }

// TestHandSource checks that a hand depends on the secret, the recovery, the code and the round only, and
// that moves are equally likely.
func TestHandSource(t *testing.T) {
	t.Parallel()
	deal, err := duel.NewHandSource([]byte("one"), after(0))
	if err != nil {
		t.Fatal(err)
	}
	same, err := duel.NewHandSource([]byte("one"), after(0))
	if err != nil {
		t.Fatal(err)
	}
	other, err := duel.NewHandSource([]byte("two"), after(0))
	if err != nil {
		t.Fatal(err)
	}
	later, err := duel.NewHandSource([]byte("one"), after(1))
	if err != nil {
		t.Fatal(err)
	}
	var counts [3]int
	salts := map[string]bool{}
	const n = 3000
	for i := range n {
		code := fmt.Sprintf("%08d", i/60)
		move, salt := deal(code, i%60+1)
		if again, s := same(code, i%60+1); again != move || s != salt {
			t.Fatalf("%s %d: %v %s, then %v %s", code, i, move, salt, again, s)
		}
		if _, s := other(code, i%60+1); s == salt {
			t.Fatalf("%s %d: the same salt under another secret", code, i)
		}
		if _, s := later(code, i%60+1); s == salt {
			t.Fatalf("%s %d: the same salt after a recovery", code, i)
		}
		counts[move]++
		salts[salt] = true
	}
	if len(salts) != n {
		t.Errorf("%d salts in %d hands", len(salts), n)
	}
	for move, c := range counts {
		if c < n/3-150 || c > n/3+150 { // 150 is 5.8 standard deviations; the draws are fixed
			t.Errorf("%v %d times in %d", game.Move(move), c, n)
		}
	}
}

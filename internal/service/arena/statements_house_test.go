package arena_test

import (
	"testing"

	"roshambo/chain"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/arena/glicko"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// TestEachStatementOfAHousePass checks that two house bots are matched, whichever statement fails first.
func TestEachStatementOfAHousePass(t *testing.T) {
	t.Parallel()
	h, each := openEach(t)
	n := 0
	var pair []chain.Address
	each.Run(t, []storetest.Case{{Name: "house pass", Before: func() {
		n += 2
		pair = []chain.Address{h.player(t, n, chain.Bot, 0), h.player(t, n+1, chain.Bot, 0)}
		h.forward(arena.HouseInterval)
		for _, bot := range pair {
			h.poll(t, bot)
		}
	}, Steps: storetest.Do(h.MatchOnce), After: func() { h.wantMatched(t, pair) }}})
}

// TestEntryReach checks how many neighbours a bot considers when it enters the queue: eight above, and
// nine below, where it does not see itself. Those behind them are left to the next pass.
func TestEntryReach(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		side    int64 // of the others' ratings
		hiding  int
		matched bool
	}{{1, 7, true}, {1, 8, false}, {-1, 8, true}, {-1, 9, false}} {
		h := open(t, store.Config{})
		rated := func(n, owner int, distance int64) chain.Address {
			bot := h.player(t, n, chain.Bot, owner)
			h.exec(t, `INSERT INTO arena_rating
				(pool, address, rating, deviation, volatility, games, wins, losses, draws, rivals, standing, last_played)
				VALUES ('bots', $1, $2, 100000000, 60000, 1, 1, 0, 0, 1, $2, 0)`, bot[:],
				int64(1500*glicko.Point)+tt.side*distance*glicko.Point)
			return bot
		}
		for n := range tt.hiding {
			h.poll(t, rated(1+n, 900, int64(1+n)))
		}
		if other := h.poll(t, rated(50, 900, 50)); !other.Waiting {
			t.Fatalf("bots of one owner were matched: %+v", other)
		}
		another := addressOf(950)
		h.exec(t, `INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
			VALUES ($1, 'account', 'another', 'another', 'another', 1)`, another[:])
		last := addressOf(50)
		h.exec(t, "UPDATE arena_bot SET owner = $1 WHERE address = $2", another[:], last[:])
		if got := h.poll(t, rated(60, 900, 0)); (got.Duel != "") != tt.matched {
			t.Errorf("behind %d bots of its owner at %+d: %+v, want a duel: %v", tt.hiding, tt.side, got, tt.matched)
		}
	}
}

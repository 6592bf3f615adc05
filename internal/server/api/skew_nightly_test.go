//go:build nightly

package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"roshambo/game"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/server/api"
	"roshambo/internal/service/duel"
)

// The use cases of the market and of duels run at snapshot isolation (docs/adr/0011): these tests
// run concurrently what must not depend on uncommitted changes.

// TestLastDuel: an account that may have one more duel gets exactly one, by whatever operations it
// asks.
func TestLastDuel(t *testing.T) {
	t.Parallel()
	s := start(t)
	other := s.guest(t)
	for range 4 {
		p := s.guest(t)
		for range duel.MaxUnfinished - 1 {
			p.open(t, 0)
		}
		free, staked := other.open(t, 0), other.open(t, 10)
		outcomes := atOnce(t, []attemptBy{
			{p, p.writing("/api/duels", `{"stake":0}`)}, {p, p.writing("/api/duels", `{"stake":0}`)},
			{p, p.writing("/api/duels", `{"stake":10}`)}, {p, p.writing("/api/duels/spar", "")},
			{p, p.writing("/api/duels/"+free.ID+"/join", "")}, {p, p.writing("/api/duels/"+staked.ID+"/join", "")},
		})
		oneOf(t, outcomes, "limit_reached")
	}
	s.marketIsSound(t)
}

// fairground holds players with tokens, listings and duels, and their expected state.
type fairground struct {
	*stack
	rng     *rand.Rand
	people  []*player
	coins   map[*player]int64
	tokens  []*ware
	duels   []*bout
	answers map[string]int // by activity and outcome
}

// ware is a token, and its known state between rounds.
type ware struct {
	api.Token
	owner   *player // nil once it is burnt
	listing int64   // 0 for none
	price   int64
	seen    map[string]int // successes of this round, by activity
}

// bout is an open duel.
type bout struct {
	api.Duel
	by     *player
	seen   map[string]int // as for a ware
	closed bool
}

// bid is a request, and the effect of its success.
type bid struct {
	attemptBy
	deed string
	done func(a answer)
}

func newFairground(t *testing.T) *fairground {
	t.Helper()
	b := &fairground{stack: start(t), rng: testseed.Rand(t), coins: map[*player]int64{}, answers: map[string]int{}}
	for range 4 {
		p := b.guest(t)
		b.people = append(b.people, p)
		for range 2 {
			b.tokens = append(b.tokens, &ware{Token: p.win(t, game.Win), owner: p})
		}
		b.coins[p] = p.me(t).Balance
	}
	return b
}

func (b *fairground) someone() *player { return b.people[b.rng.IntN(len(b.people))] }

// bids returns a request of a player in a round.
func bids(p *player, deed, path, body string, done func(a answer)) bid {
	return bid{attemptBy{p, p.writing(path, body)}, deed, done}
}

// fates returns concurrent requests on one token, several of them twice. Prices go up to the
// buyer's whole balance.
func (b *fairground) fates(t *testing.T, w *ware) (round []bid) {
	p := w.owner
	w.seen = map[string]int{}
	did := func(deed string) func(answer) { return func(answer) { w.seen[deed]++ } }
	price := 1 + b.rng.Int64N(900)
	for range 1 + b.rng.IntN(2) {
		round = append(round, bids(p, "list", "/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":%d}`, w.TokenID,
			price), func(a answer) {
			w.listing, w.price = decode[api.ListingOut](t, a).Listing.ID, price
			w.seen["list"]++
		}))
	}
	if b.rng.IntN(3) == 0 {
		round = append(round, bids(p, "burn", "/api/runs", fmt.Sprintf(`{"entry":"burn","token_id":%d}`, w.TokenID),
			did("burn")))
	}
	round = append(round, bids(p, "offer", "/api/buyback/offer", fmt.Sprintf(`{"token_id":%d}`, w.TokenID),
		func(answer) {}))
	if b.rng.IntN(3) == 0 {
		if a := p.post(t, "/api/buyback/offer", fmt.Sprintf(`{"token_id":%d}`, w.TokenID)); a.status == 200 {
			o := decode[api.OfferOut](t, a).Offer
			round = append(round, bids(p, "accept", fmt.Sprintf("/api/buyback/%d/respond", o.ID), `{"accept":true}`,
				func(answer) {
					b.coins[p] += o.Price
					w.seen["accept"]++
				}))
		}
	}
	if w.listing == 0 {
		return round
	}
	path := fmt.Sprintf("/api/market/%d/", w.listing)
	for range 1 + b.rng.IntN(4) {
		buyer := b.someone()
		round = append(round, bids(buyer, "buy", path+"buy", "", func(a answer) {
			out := decode[api.BoughtOut](t, a)
			b.coins[buyer] -= out.Listing.Price
			b.coins[p] += out.Listing.Price - out.Fee
			w.owner = buyer
			w.seen["buy"]++
		}))
	}
	if b.rng.IntN(2) == 0 {
		round = append(round, bids(p, "cancel", path+"cancel", "", did("cancel")))
	}
	return round
}

// stakes opens several duels concurrently with more than half of a player's balance each, and has
// an open one joined by several players and cancelled.
func (b *fairground) stakes(t *testing.T) (round []bid) {
	p := b.someone()
	stake := max(0, b.coins[p]*int64(40+b.rng.IntN(50))/100)
	for range 1 + b.rng.IntN(2) {
		round = append(round, bids(p, "open", "/api/duels", fmt.Sprintf(`{"stake":%d}`, stake), func(a answer) {
			b.coins[p] -= stake
			b.duels = append(b.duels, &bout{Duel: decode[api.DuelOut](t, a).Duel, by: p})
		}))
	}
	for _, d := range b.duels {
		if d.closed || b.rng.IntN(2) == 0 {
			continue
		}
		d.seen = map[string]int{}
		for range b.rng.IntN(4) {
			q := b.someone()
			round = append(round, bids(q, "join", "/api/duels/"+d.ID+"/join", "", func(answer) {
				b.coins[q] -= d.Stake
				d.seen["join"]++
			}))
		}
		for range b.rng.IntN(3) {
			round = append(round, bids(d.by, "take back", "/api/duels/"+d.ID+"/cancel", "", func(answer) {
				b.coins[d.by] += d.Stake
				d.seen["cancel"]++
			}))
		}
	}
	return round
}

// play plays a round: all requests concurrently.
func (b *fairground) play(t *testing.T, round []bid) {
	t.Helper()
	b.rng.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
	answers := outcomesOf(t, b.stack, round)
	for i, a := range answers {
		if a.status == 200 {
			round[i].done(a)
		}
		b.answers[round[i].deed+" "+a.outcome()]++
	}
}

// outcomesOf sends the requests of a round concurrently.
func outcomesOf(t *testing.T, s *stack, round []bid) []answer {
	t.Helper()
	answers := make([]answer, len(round))
	outcomes(t, s, len(round), func(i int) (answer, error) {
		var err error
		answers[i], err = round[i].try(t, round[i].q)
		return answers[i], err
	})
	return answers
}

// settleWare requires that a token had exactly one fate.
func (b *fairground) settleWare(t *testing.T, w *ware) {
	t.Helper()
	n := w.seen
	ends := n["list"] + n["burn"] + n["accept"]
	if n["buy"]+n["cancel"] > 1 || ends > 1 || n["buy"]+ends > 1 {
		t.Errorf("of token %d, which had the listing %d, became at once: %v", w.TokenID, w.listing, n)
	}
	switch {
	case n["burn"]+n["accept"] > 0:
		w.owner, w.listing = nil, 0
	case n["buy"] > 0, n["cancel"] > 0 && n["list"] == 0:
		w.listing = 0
	}
}

// settle requires that all players have what the answers of the round report.
func (b *fairground) settle(t *testing.T) {
	t.Helper()
	for _, w := range b.tokens {
		if w.seen != nil {
			b.settleWare(t, w)
			w.seen = nil
		}
	}
	for _, d := range b.duels {
		joins, cancels := d.seen["join"], d.seen["cancel"]
		want := d.Stake * int64(1+joins-cancels)
		if joins+cancels > 1 || !d.closed && b.escrow(t, d.ID) != want {
			t.Errorf("duel %s was joined %d times and taken back %d times, its escrow holds %d", d.ID, joins, cancels,
				b.escrow(t, d.ID))
		}
		d.closed, d.seen = d.closed || joins+cancels > 0, nil
	}
	for _, p := range b.people {
		me := p.me(t)
		if me.Balance != b.coins[p] || me.Balance < 0 {
			t.Errorf("%s has %d coins, by what was answered %d", p.address, me.Balance, b.coins[p])
		}
		if me.ActiveRun != nil { // of a burnt token
			p.post(t, "/api/runs/"+me.ActiveRun.ID+"/abandon", "").ok(t)
		}
	}
}

// TestFairground lists, buys, burns and sells back the same tokens, and stakes the same coins,
// concurrently and at random: each token has one fate, no player spends more than the balance, and
// all states match the answers.
func TestFairground(t *testing.T) {
	t.Parallel()
	b := newFairground(t)
	// The seed decides what succeeds: a few have no cancelled listing in 30 rounds.
	for n := 0; n < 30 || b.missing() != nil && n < 300; n++ {
		if n >= 30 {
			p := b.someone()
			b.tokens = append(b.tokens, &ware{Token: p.win(t, game.Win), owner: p})
			b.coins[p] = p.me(t).Balance
		}
		var round []bid
		for _, w := range b.tokens {
			if w.owner != nil && b.rng.IntN(3) == 0 {
				round = append(round, b.fates(t, w)...)
			}
		}
		b.play(t, append(round, b.stakes(t)...))
		if b.settle(t); t.Failed() {
			break
		}
	}
	b.marketIsSound(t)
	if list := b.missing(); list != nil {
		t.Errorf("no player could %v: %v", list, b.answers)
	}
}

// missing returns what no player has succeeded in.
func (b *fairground) missing() (list []string) {
	for _, deed := range []string{"list", "buy", "cancel", "offer", "open", "join"} {
		if b.answers[deed+" "+fine] == 0 {
			list = append(list, deed)
		}
	}
	return list
}

// TestListedAgain lists and cancels a token from three tabs of one player, over and over: a tab
// that was overtaken gets the code for it, and nothing fails.
func TestListedAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	list := p.writing("/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":10}`, p.win(t, game.Win).TokenID))
	const rounds = 60
	count := outcomes(t, s, 3, func(int) (last answer, err error) {
		for range rounds {
			if last, err = p.try(t, list); err != nil {
				return last, err
			}
			switch last.outcome() {
			case fine:
				var l api.ListingOut
				if err := json.Unmarshal([]byte(last.body), &l); err != nil {
					return last, err
				}
				if last, err = p.try(t, p.writing(fmt.Sprintf("/api/market/%d/cancel", l.Listing.ID), "")); err != nil ||
					last.outcome() != fine {
					return last, err
				}
			case "already_listed", "conflict":
			default:
				return last, nil
			}
		}
		return last, nil
	})
	if count[fine] == 0 {
		t.Errorf("no tab ended with a listing taken back: %v", count)
	}
	for outcome := range count {
		if outcome != fine && outcome != "already_listed" && outcome != "conflict" {
			t.Errorf("the tabs ended with %v", count)
		}
	}
	s.marketIsSound(t)
}

package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// uses records that a player uses a network of an address on a day.
func (h *harness) uses(t tester, a chain.Address, day int64, networks ...string) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		for _, network := range networks {
			_, err := tx.ExecContext(ctx, `INSERT INTO account_network (account, day, tag, times, until)
				VALUES ($1, $2, $3, 1, $4) ON CONFLICT (account, day, tag) DO NOTHING`, a[:], day, []byte(network), int64(1)<<60)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRankCharges checks which accounts of a network are among its best: three, and ten of those that were secured
// for 3 days, four times as many of a /56; equal points go to the earlier ones, then to the lower addresses.
func TestRankCharges(t *testing.T) {
	t.Parallel()
	at := func(n int, points, at int64, secured bool) *charge {
		return &charge{account: chain.Address{byte(n)}, points: points, at: at, times: 1, secured: secured}
	}
	crowd := func(n int, secured bool, times int64) (list []*charge) {
		for i := range n {
			c := at(i, int64(1000-i), 0, secured)
			c.times = times
			list = append(list, c)
		}
		return list
	}
	for name, tt := range map[string]struct {
		list []*charge
		want []byte // first bytes of the addresses, in their order
	}{
		"three":          {crowd(9, false, 1), []byte{0, 1, 2}},
		"ten secured":    {crowd(14, true, 1), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		"twelve of /56":  {crowd(14, false, 4), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		"both":           {append(crowd(4, false, 1), at(20, 3, 0, true), at(21, 2, 0, false)), []byte{0, 1, 2, 20}},
		"secured on top": {append(crowd(3, false, 1), at(20, 2000, 0, true)), []byte{0, 1, 20}},
		"equal points": {[]*charge{at(4, 5, 7, false), at(3, 5, 6, false), at(2, 5, 6, false), at(1, 5, 8, false),
			at(9, 5, 5, false)}, []byte{2, 3, 9}},
	} {
		var got []byte
		rankCharges(tt.list)
		for _, c := range tt.list {
			if c.best {
				got = append(got, c.account[0])
			}
		}
		if slices.Sort(got); string(got) != string(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestTeamOfThrowaways checks that a team of ten accounts of one network has no more points than one of three
// players at three addresses, whatever the order in which they play; that an account which falls behind takes its
// points of the day along; that nothing of it is lost when a statement fails; and that doctor finds changed marks.
func TestTeamOfThrowaways(t *testing.T) {
	t.Parallel()
	h := newFaulty(t)
	now := h.ledger.Clock.Now()
	today, week := DayOf(now), boardOf(kindWeek, weekOf(now))
	var crowd, alts []chain.Address
	var honest, farm int64
	for i := range 3 {
		crowd = append(crowd, h.player(t, 30+i, chain.Full))
		honest = h.found(t, crowd[i], "Honest")
		h.uses(t, crowd[i], today, fmt.Sprint("home of ", i))
	}
	for i := range 10 {
		alts = append(alts, h.player(t, 10+i, chain.Full))
		farm = h.found(t, alts[i], "Farm")
		h.uses(t, alts[i], today, "one address")
	}
	points := func(team int64) int64 { return h.teamPoints(t, now, team) }
	for tier := int64(1); tier <= 3; tier++ {
		for i, a := range slices.Concat(crowd, alts) {
			h.ledger.Clock.Add(time.Second)
			h.claim(t, a, fmt.Sprint("run ", tier, " of ", i), tier)
		}
		if want, got := points(honest), points(farm); got != want || want == 0 {
			t.Errorf("ten accounts of one network have %d points after %d runs, three players %d", got, tier, want)
		}
	}
	for i, a := range alts {
		want := int64(14)
		if i >= 3 {
			want = -1
		}
		if got := h.valueOn(t, a, week); got != want || h.valueOn(t, a, boardAll) != 14 {
			t.Errorf("account %d has %d points of the week, want %d", i, got, want)
		}
	}
	// The last one comes among the best, and the third falls out.
	h.reportClaim(t, alts[9], "the best run", 5)
	h.each.Run(t, []storetest.Case{h.reduces()})
	if got := points(farm); got != 14+14+46 {
		t.Errorf("the team has %d points, want those of its best three", got)
	}
	if gone, came := h.valueOn(t, alts[2], week), h.valueOn(t, alts[9], week); gone != -1 || came != 46 {
		t.Errorf("points of the week: %d and %d, want none and 46", gone, came)
	}
	h.wantConsistent(t)
	h.exec(t, "UPDATE score_network SET secured = 1")
	if !slices.ContainsFunc(h.divergences(t), func(d Divergence) bool { return strings.Contains(d.What, "secured") }) {
		t.Error("doctor does not see accounts that count as secured and are not")
	}
	h.exec(t, "UPDATE score_network SET secured = 0")
	h.wantConsistent(t)
	h.exec(t, "UPDATE score_fact SET aside = 0 WHERE aside = 1")
	if len(h.divergences(t)) == 0 {
		t.Error("doctor does not see points that count too many")
	}
	h.exec(t, "UPDATE score_network SET best = 1")
	if len(h.divergences(t)) == 0 {
		t.Error("doctor does not see accounts too many among the best")
	}
}

// found makes an account a member of a team, which it founds if there is none, and returns the team.
func (h *harness) found(t tester, account chain.Address, name string) (id int64) {
	t.Helper()
	h.update(t, func(ctx context.Context, tx *store.Tx) error {
		joined, err := h.teams.Join(ctx, tx, account, name, "")
		if err != nil {
			joined, err = h.teams.Create(ctx, tx, account, name, false)
		}
		id = joined.ID
		return err
	})
	return id
}

// teamPoints returns the points of a team on the board of a time.
func (h *harness) teamPoints(t tester, at time.Time, team int64) (value int64) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		r, err := h.TeamRow(ctx, tx, at, team)
		if r != nil {
			value = r.Value
		}
		return err
	})
	return value
}

// divergences returns what Check finds.
func (h *harness) divergences(t tester) (list []Divergence) {
	t.Helper()
	h.view(t, func(ctx context.Context, tx *store.Tx) error {
		list = nil
		return h.Check(ctx, tx, func(d Divergence) { list = append(list, d) })
	})
	return list
}

// TestRoaming checks that an account that has used two networks counts only if it is among the best of both, and that
// it merges neither: accounts of one network do not compete with accounts of the other.
func TestRoaming(t *testing.T) {
	t.Parallel()
	h := newHarness(t, ledgertest.Options{})
	now := h.ledger.Clock.Now()
	today, week := DayOf(now), boardOf(kindWeek, weekOf(now))
	var players []chain.Address
	for i := range 7 {
		a := h.player(t, i+1, chain.Full)
		players = append(players, a)
		h.uses(t, a, today, []string{"home", "office"}[i%2])
	}
	roamer := players[6]
	h.uses(t, roamer, today, "office")
	h.uses(t, roamer, today+1, "home") // counts on the next day
	for i, tier := range []int64{1, 5, 1, 5, 1, 5, 3} {
		h.claim(t, players[i], fmt.Sprint("run ", i), tier)
	}
	for i, a := range players[:6] {
		if got := h.valueOn(t, a, week); got == -1 && i != 4 {
			t.Errorf("player %d is not on the week's board", i)
		}
	}
	if got := h.valueOn(t, roamer, week); got != -1 {
		t.Errorf("%d points of an account behind three of a network", got)
	}
	h.wantConsistent(t)
}

// networksOf returns the networks of a player of the model.
func (m *model) networksOf(i int) []string {
	return [][]string{{"a"}, {"a", "b"}, {"b"}, {}}[i%4]
}

// isSecured reports whether a player of the model has been secured long ago.
func isSecured(i int) bool { return i > 8 }

// left returns the days of accounts, as in fmt.Sprintf("%d %x"), that the week's board and the teams leave out: by
// the definition, from all points.
func (m *model) left() map[string]bool {
	type sum struct {
		account chain.Address
		points  int64
		at      time.Time
		secured bool
	}
	sums := map[string]map[chain.Address]*sum{} // by day and network
	for _, e := range m.earned {
		i := slices.Index(m.players, e.account)
		for _, network := range m.networksOf(i) {
			k := fmt.Sprint(DayOf(e.at), network)
			if sums[k] == nil {
				sums[k] = map[chain.Address]*sum{}
			}
			if sums[k][e.account] == nil {
				sums[k][e.account] = &sum{account: e.account, secured: isSecured(i)}
			}
			s := sums[k][e.account]
			if s.points += e.points; e.at.After(s.at) {
				s.at = e.at
			}
		}
	}
	left := map[string]bool{}
	for _, accounts := range sums {
		for _, s := range accounts {
			better := 0
			for _, o := range accounts {
				if cmp.Or(-cmp.Compare(o.points, s.points), o.at.Compare(s.at), cmp.Compare(string(o.account[:]),
					string(s.account[:]))) < 0 {
					better++
				}
			}
			if better >= 3 && !s.secured { // no network has ten secured ones
				left[fmt.Sprintf("%d %x", DayOf(s.at), s.account)] = true
			}
		}
	}
	return left
}

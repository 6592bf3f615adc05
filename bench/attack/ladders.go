package attack

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Attacks on ranks: of the daily board, of ratings of people, of ratings of bots; and how far a network
// of IPv6 addresses reaches.

// boardRow is a row of a leaderboard.
type boardRow struct {
	Rank        int64
	Name        string
	Value       int64
	Provisional bool
}

// board returns the first rows of a board, and the actor's own row, zero when it has none.
func (a *actor) board(name string) (rows []boardRow, own boardRow, err error) {
	var out struct {
		Rows []boardRow
		Me   *boardRow
	}
	err = a.call("GET", "/api/leaderboard?limit=200&board="+name, nil, &out)
	if out.Me != nil {
		own = *out.Me
	}
	return out.Rows, own, err
}

// row returns the actor's own row on a board.
func (a *actor) row(name string) (boardRow, error) {
	_, own, err := a.board(name)
	return own, err
}

// crowd registers honest players, each at a network address of its own.
func (w *world) crowd(n int) (list []*actor, err error) {
	for i := range n {
		a, err := w.registered(fmt.Sprintf("203.0.113.%d", i+1))
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// playDaily plays the daily run until it is lost: the board counts the tiers cleared.
func (a *actor) playDaily() error {
	var out struct {
		Run     struct{ ID string }
		Outcome string
	}
	if err := a.post("/api/runs", map[string]any{"entry": "daily", "move": "rock", "then": "continue"}, &out); err != nil {
		return err
	}
	for id := out.Run.ID; out.Outcome != "loss"; {
		a.w.now = a.w.now.Add(throwPause)
		err := a.post("/api/runs/"+id+"/throw", map[string]string{"move": "rock", "then": "continue"}, &out)
		if err != nil {
			return err
		}
	}
	return nil
}

// dailyByMany plays the daily challenge with every account that one address may open, against a crowd
// of honest players with one account each. Its goal is that more accounts never give more tries than a
// household has.
func (s *attacks) dailyByMany(ctx context.Context) error {
	const honest, days, household = 60, 8, 3
	return s.inWorld(ctx, func(w *world) error {
		crowd, err := w.crowd(honest)
		if err != nil {
			return err
		}
		f, err := newFarm(w)
		if err != nil {
			return err
		}
		first, most, accounts := 0, 0, 0
		for range days {
			accounts = len(f.alts) + 1
			if err := f.open(); err != nil {
				return err
			}
			for _, a := range append(append([]*actor{f.main}, f.alts...), crowd...) {
				if err := a.playDaily(); err != nil {
					return err
				}
			}
			if err := w.settle(); err != nil {
				return err
			}
			rows, _, err := f.main.board("daily")
			if err != nil {
				return err
			}
			ranked := f.ranked(rows)
			if most = max(most, len(ranked)); len(ranked) > 0 && ranked[0].Rank == 1 {
				first++
			}
			if err := w.nextDay(); err != nil {
				return err
			}
		}
		s.add(finding{attack: fmt.Sprintf("daily by many guests, %d days", days),
			gain: fmt.Sprintf("at most %d of its accounts on a day's board, from %d accounts on the last day; led it on %d",
				most, accounts, first),
			honest:   fmt.Sprintf("one of %d players with one account", honest),
			exceeded: most > household, verdict: verdictOf(most <= household, "no more tries than a household")})
		return nil
	})
}

// verdictOf returns a verdict for a goal that is kept, or missed.
func verdictOf(kept bool, verdict string) string {
	if kept {
		return verdict
	}
	return "**beyond the goal**"
}

// ranked returns the rows of the farm's accounts, the best first.
func (f *farm) ranked(rows []boardRow) (own []boardRow) {
	names := map[string]bool{f.main.name: true}
	for _, a := range f.alts {
		names[a.name] = true
	}
	for _, r := range rows {
		if names[r.Name] {
			own = append(own, r)
		}
	}
	return own
}

// match lets two actors ask for a stranger until they are paired, at most for a minute, and returns the
// code of their duel; "" when the service does not pair them.
func (w *world) match(path string, a, b *actor) (code string, err error) {
	for range 60 {
		for _, x := range []*actor{a, b} {
			var out struct{ Duel *struct{ ID string } }
			if err := x.post(path, nil, &out); err != nil {
				return "", err
			}
			if out.Duel != nil {
				return out.Duel.ID, nil
			}
		}
		w.now = w.now.Add(time.Second)
		if _, err := w.service.Arena.MatchOnce(w.ctx); err != nil { // the loop of a running service
			return "", err
		}
	}
	for _, x := range []*actor{a, b} {
		if err := x.post(leavePath[path], nil, nil); err != nil {
			return "", err
		}
	}
	return "", nil
}

// The queues for rated duels, and how to leave them.
const (
	quickQueue = "/api/duels/quick"
	botQueue   = "/api/arena/queue"
)

var leavePath = map[string]string{quickQueue: "/api/duels/quick/leave", botQueue: "/api/arena/leave"}

// honestDuels lets a crowd play rated duels of random results, so that its ratings are established.
func (w *world) honestDuels(crowd []*actor, rounds int) error {
	for range rounds {
		for i := range crowd { // a random order
			j := i + w.pick(len(crowd)-i)
			crowd[i], crowd[j] = crowd[j], crowd[i]
		}
		for i := 0; i+1 < len(crowd); i += 2 {
			code, err := w.match(quickQueue, crowd[i], crowd[i+1])
			if err != nil {
				return err
			}
			if code == "" {
				continue
			}
			pair, winner := crowd[i:i+2], w.pick(2)
			if _, err := w.lose(code, pair[1-winner], pair[winner]); err != nil {
				return err
			}
		}
		w.now = w.now.Add(time.Minute)
	}
	return nil
}

// lose lets a side of a duel lose two rounds, which both sides reveal, and resign: with fewer the winner would gain
// nothing. It reports whether the duel was rated.
func (w *world) lose(code string, loser, winner *actor) (rated bool, err error) {
	path := "/api/duels/" + code
	for range 2 {
		for _, step := range []string{"/commit", "/reveal"} {
			for move, x := range map[string]*actor{"rock": loser, "paper": winner} {
				body := map[string]string{"move": move, "salt": x.name}
				if step == "/commit" {
					body = map[string]string{"commitment": fmt.Sprintf("%x", sha256.Sum256([]byte(move+":"+x.name)))}
				}
				if err := x.post(path+step, body, nil); err != nil {
					return false, err
				}
			}
		}
	}
	var out struct{ Duel struct{ Rated bool } }
	err = loser.post(path+"/resign", nil, &out)
	return out.Duel.Rated, err
}

// boost pairs main with its stooges as often as the service does on a day, and lets each stooge lose.
func (w *world) boost(queue string, main *actor, stooges []*actor) (won int, err error) {
	for _, x := range stooges {
		for range 5 {
			code, err := w.match(queue, main, x)
			if err != nil {
				return won, err
			}
			if code == "" {
				break
			}
			rated, err := w.lose(code, x, main)
			if err != nil {
				return won, err
			}
			if rated {
				won++
			}
		}
	}
	return won, nil
}

// ratingByAlts raises a rating with stooges at the same address, and with stooges at addresses of their
// own, which costs an address each.
func (s *attacks) ratingByAlts(ctx context.Context) error {
	const honest, stooges, days = 24, 5, 7
	return s.inWorld(ctx, func(w *world) error {
		crowd, err := w.crowd(honest)
		if err != nil {
			return err
		}
		for range 3 {
			if err := w.honestDuels(crowd, 8); err != nil {
				return err
			}
			if err := w.nextDay(); err != nil {
				return err
			}
		}
		f, err := newFarm(w)
		if err != nil {
			return err
		}
		if err := f.open(); err != nil {
			return err
		}
		near, err := w.boost(quickQueue, f.main, f.alts[:stooges])
		if err != nil {
			return err
		}
		own, err := f.main.row("duels")
		if err != nil {
			return err
		}
		s.add(finding{attack: fmt.Sprintf("rating by %d alts at one address", len(f.alts)),
			gain: fmt.Sprintf("%d rated duels, rank %d (0 is none)", near, own.Rank), honest: "plays strangers",
			exceeded: near > 0 || own.Rank > 0})
		return s.boostFrom(w, quickQueue, days, f.main, func(i int) (*actor, error) {
			return w.registered(fmt.Sprintf("192.0.2.%d", i+1))
		})
	})
}

// boostFrom lets five stooges with addresses of their own lose to main for some days.
func (s *attacks) boostFrom(w *world, queue string, days int, main *actor, stooge func(int) (*actor, error)) error {
	var far []*actor
	for i := range 5 {
		a, err := stooge(i)
		if err != nil {
			return err
		}
		far = append(far, a)
	}
	board := map[string]string{quickQueue: "duels", botQueue: "bots"}[queue]
	var story []string
	for day := range days {
		won, err := w.boost(queue, main, far)
		if err != nil {
			return err
		}
		if day == 0 || day == days-1 {
			own, err := main.row(board)
			if err != nil {
				return err
			}
			story = append(story, fmt.Sprintf("day %d: %d rated duels, rating %d, rank %d", day+1, won, own.Value, own.Rank))
		}
		if err := w.nextDay(); err != nil {
			return err
		}
	}
	rows, _, err := main.board(board)
	if err != nil {
		return err
	}
	established := 0
	for _, r := range rows {
		if !r.Provisional {
			established++
		}
	}
	s.add(finding{attack: "the same with 5 stooges at 5 other addresses", gain: strings.Join(story, "; "),
		honest:  fmt.Sprintf("%d established ratings on the board", established),
		verdict: "possible with six addresses; operators void the results"})
	return nil
}

// stoogeBots does with bots what ratingByAlts does with accounts.
func (s *attacks) stoogeBots(ctx context.Context) error {
	return s.inWorld(ctx, func(w *world) error {
		main, err := w.bot(wallet)
		if err != nil {
			return err
		}
		near, err := w.bot(wallet)
		if err != nil {
			return err
		}
		won, err := w.boost(botQueue, main, []*actor{near})
		if err != nil {
			return err
		}
		own, err := main.row("bots")
		if err != nil {
			return err
		}
		s.add(finding{attack: "stooge bots of another owner at one address",
			gain: fmt.Sprintf("%d rated duels, rank %d (0 is none)", won, own.Rank), honest: "plays strangers",
			exceeded: won > 0 || own.Rank > 0})
		return s.boostFrom(w, botQueue, 7, main, func(i int) (*actor, error) { return w.bot(fmt.Sprintf("192.0.2.%d", i+1)) })
	})
}

// bot opens an account and a bot of it at a network address.
func (w *world) bot(from string) (*actor, error) {
	owner, err := w.registered(from)
	if err != nil {
		return nil, err
	}
	w.names++
	b := &actor{w: w, from: from, name: fmt.Sprint("bot-", w.names)}
	var made struct{ Secret string }
	err = owner.post("/api/bots", map[string]string{"name": b.name}, &made)
	b.key = made.Secret
	return b, err
}

// ipv6Spread opens accounts from all over one network of each size, for a day.
func (s *attacks) ipv6Spread(ctx context.Context) error {
	for _, network := range []struct {
		name   string
		number int // of /64 networks that the attacker uses
		format string
		times  int // the multiple of an address's limits
	}{
		{"/64", 40, "2001:db8:0:1::%x", 1}, {"/56", 40, "2001:db8:0:1%02x::1", 4}, {"/48", 80, "2001:db8:0:%x00::1", 16},
	} {
		err := s.inWorld(ctx, func(w *world) error {
			opened, free := 0, 0
			for day := w.day(); w.day() == day; w.now = w.now.Add(hour) {
				for i := range network.number {
					for {
						a, err := w.guest(fmt.Sprintf(network.format, i))
						if isRefused(err, http.StatusTooManyRequests) {
							break
						}
						if err != nil {
							return err
						}
						m, err := a.me()
						if err != nil {
							return err
						}
						if opened++; m.Start == "free" {
							free++
						}
					}
				}
			}
			s.add(finding{attack: "IPv6 spread over a " + network.name,
				gain: fmt.Sprintf("%d accounts in a day, %d with a free start", opened, free), honest: "1",
				verdict:  verdictOf(free <= 3*network.times, fmt.Sprintf("as %d IPv4 addresses", network.times)),
				exceeded: free > 3*network.times || opened > 30*network.times})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package attack

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// side is a team whose members each claim the same number of tokens on a day.
type side struct {
	name    string
	members []*actor
	points  int64 // that the service counts for the team
}

// claimsADay is how many tokens a member of a team claims on a day. An account plays until it has them, so that luck
// does not decide: its free runs, the daily one, and more for the fee, for which its first coins suffice.
const claimsADay = 4

// newSide makes a team of accounts.
func newSide(name string, members []*actor) (*side, error) {
	for i, a := range members {
		path := "/api/teams/join"
		if i == 0 {
			path = "/api/teams"
		}
		if err := a.post(path, map[string]string{"name": name}, nil); err != nil {
			return nil, err
		}
	}
	return &side{name: name, members: members}, nil
}

// play plays a day with the first members, so many of them, and returns how many points the team has gained.
func (x *side) play(w *world, players int) (gain int64, err error) {
	for _, a := range x.members[:players] {
		if err := a.claimAll(); err != nil {
			return 0, err
		}
	}
	if err := w.settle(); err != nil {
		return 0, err
	}
	var out struct{ Team struct{ Points int64 } }
	if err := x.members[0].call("GET", "/api/teams/"+x.name, nil, &out); err != nil {
		return 0, err
	}
	gain, x.points = out.Team.Points-x.points, out.Team.Points
	return gain, nil
}

// claimAll plays until the account has claimed the tokens of a day.
func (a *actor) claimAll() error {
	entry := "daily"
	for claimed := 0; claimed < claimsADay; {
		won, err := a.play(map[string]any{"entry": entry})
		if _, ok := errors.AsType[*refusal](err); err != nil && !(ok && entry == "daily") {
			return err
		}
		if won != nil {
			claimed++
		}
		entry = "auto"
	}
	return nil
}

// teamOfThrowaways fills a team with accounts of one address, and compares it with a team of players at addresses of
// their own, of the same activity and skill. Its goal is that all its accounts bring a day of the team at most what
// three such players bring, and once they have been secured for 3 days at most what ten bring: then they are no
// throwaways, and a carrier's address has thousands.
func (s *attacks) teamOfThrowaways(ctx context.Context) error {
	const accounts, players = 12, 10
	return s.inWorld(ctx, func(w *world) error {
		var alts []*actor
		for range accounts {
			a, err := w.registered(wallet)
			if err != nil {
				return err
			}
			if alts = append(alts, a); len(alts) == 10 { // the starts of an hour
				w.now = w.now.Add(time.Hour)
			}
		}
		crowd, err := w.crowd(players)
		if err != nil {
			return err
		}
		farm, err := newSide("farm", alts)
		if err != nil {
			return err
		}
		honest, err := newSide("honest", crowd)
		if err != nil {
			return err
		}
		for _, at := range []struct{ day, players int }{{1, 3}, {5, players}} {
			for w.day()+1 < at.day {
				if err := w.nextDay(); err != nil {
					return err
				}
			}
			gain, err := farm.play(w, accounts)
			if err != nil {
				return err
			}
			theirs, err := honest.play(w, at.players)
			if err != nil {
				return err
			}
			s.add(finding{attack: fmt.Sprintf("a team of %d throwaway accounts: day %d", accounts, at.day),
				gain:   fmt.Sprintf("%d points", gain),
				honest: fmt.Sprintf("%d points of %d players at as many addresses", theirs, at.players), exceeded: gain > theirs})
		}
		return nil
	})
}

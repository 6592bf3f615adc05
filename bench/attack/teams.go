package attack

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// side is a team whose members play all their free runs and the daily one of a day.
type side struct {
	members []*actor
	points  int64 // that the service counts for the team
}

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
	return &side{members: members}, nil
}

// play plays a day, and returns how many points the team has gained and how many its best members, so many of them.
func (x *side) play(w *world, name string, count int) (team, best int64, err error) {
	before := make([]int64, len(x.members))
	for i, a := range x.members {
		row, err := a.row("all")
		if err != nil {
			return 0, 0, err
		}
		before[i] = row.Value
		for _, entry := range []string{"free", "daily"} {
			if err := a.playAll(entry, 3); err != nil {
				return 0, 0, err
			}
		}
	}
	if err := w.settle(); err != nil {
		return 0, 0, err
	}
	gains := make([]int64, len(x.members))
	for i, a := range x.members {
		row, err := a.row("all")
		if err != nil {
			return 0, 0, err
		}
		gains[i] = row.Value - before[i]
	}
	slices.Sort(gains)
	for _, n := range gains[max(0, len(gains)-count):] {
		best += n
	}
	var out struct{ Team struct{ Points int64 } }
	if err := x.members[0].call("GET", "/api/teams/"+name, nil, &out); err != nil {
		return 0, 0, err
	}
	team, x.points = out.Team.Points-x.points, out.Team.Points
	return team, best, nil
}

// teamOfThrowaways fills a team with accounts of one address, and compares it with a team of three players at three
// addresses. Its goal is that a day of the team is never more than that of its best three accounts, and once all have
// been secured for 3 days that of its best ten: then they are no throwaways, and a carrier's address has thousands.
func (s *attacks) teamOfThrowaways(ctx context.Context) error {
	const accounts, players = 12, 3
	return s.inWorld(ctx, func(w *world) error {
		var alts []*actor
		for range accounts {
			a, err := w.registered(wallet)
			if err != nil {
				return err
			}
			if alts = append(alts, a); len(alts) == 10 { // those of an hour
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
		for _, at := range []struct{ day, count int }{{1, 3}, {5, 10}} {
			day, count := at.day, at.count
			for w.day()+1 < day {
				if err := w.nextDay(); err != nil {
					return err
				}
			}
			gain, best, err := farm.play(w, "farm", count)
			if err != nil {
				return err
			}
			theirs, _, err := honest.play(w, "honest", players)
			if err != nil {
				return err
			}
			s.add(finding{attack: fmt.Sprintf("a team of %d throwaway accounts: day %d", accounts, day),
				gain:   fmt.Sprintf("%d points; its best %d accounts earned %d", gain, count, best),
				honest: fmt.Sprintf("%d points of a team of %d", theirs, players), exceeded: gain > best})
		}
		return nil
	})
}

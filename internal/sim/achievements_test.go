package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// runEnd is the end of a run.
type runEnd struct {
	player  string
	claimed bool
}

// count counts a transaction for the achievements.
func (a *audit) count(tx *txView) {
	did := func(address *string, achievement string) {
		if a.done[*address] == nil {
			a.done[*address] = map[string]int64{}
		}
		a.done[*address][achievement]++
	}
	switch tx.Kind {
	case "run.end":
		did(tx.Actor, "evergreen")
		if tx.Data.Status == "claimed" {
			did(tx.Actor, "curator")
		}
		a.ends[tx.Data.RunID] = runEnd{*tx.Actor, tx.Data.Status == "claimed"}
	case "result.void", "result.restore": // a void result counts nowhere
		by := int64(-1)
		if tx.Kind == "result.restore" {
			by = 1
		}
		if end, ok := a.ends[strings.TrimPrefix(tx.Data.Game, "run:")]; ok {
			a.done[end.player]["evergreen"] += by
			if end.claimed {
				a.done[end.player]["curator"] += by
			}
		}
	case "market.sale":
		for _, t := range tx.Transfers {
			if t.Asset == "token" {
				did(t.From, "first_sale")
				did(t.To, "first_purchase")
			}
		}
	case "buyback":
		did(tx.Actor, "buyback")
	}
}

// checkAchievements compares the counts of all accounts but bots with the chain: every end was
// reported exactly once, possibly a moment later.
func (s *sim) checkAchievements() {
	var problems []string
	for deadline := time.Now().Add(waitTimeout); time.Now().Before(deadline); {
		height, _ := s.head()
		s.readBlocks(height)
		if problems = s.compareDone(); len(problems) == 0 || s.failed() {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	for _, p := range problems {
		s.fail("%s", p)
	}
}

func (s *sim) compareDone() (problems []string) {
	for _, p := range s.players {
		if p.kind == "bot" || !s.ensureSignedIn(p) {
			continue
		}
		out := decode[struct {
			Achievements []struct {
				ID               string
				Target, Progress int64
			}
		}](s, s.ask(get(p, "read", "/api/achievements")))
		found := map[string]bool{}
		for _, a := range out.Achievements {
			found[a.ID] = true
			if !slices.Contains(counted, a.ID) {
				continue
			}
			if want := min(s.audit.done[p.address][a.ID], a.Target); a.Progress != want {
				problems = append(problems, fmt.Sprintf("%s has done %d for %s, and %d by the chain", p.label, a.Progress, a.ID,
					want))
			}
		}
		for _, id := range counted {
			if !found[id] {
				problems = append(problems, "there is no achievement "+id)
			}
		}
	}
	return problems
}

// counted are the compared achievements: runs ended and claimed, tokens sold, bought and sold back
// to the house.
var counted = []string{"evergreen", "curator", "first_sale", "first_purchase", "buyback"}

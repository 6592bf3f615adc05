package duel

import (
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/game"
)

func TestPickLive(t *testing.T) {
	t.Parallel()
	live := func(code string, kind Kind, a, b chain.AccountKind, stake int64) *Duel {
		return &Duel{Code: code, Kind: kind, Status: Active, A: Player{Kind: a}, B: Player{Kind: b}, Stake: stake}
	}
	over := live("over", ByCode, chain.Full, chain.Full, 900)
	over.Status = Finished
	bots := live("bots", Ranked, chain.Bot, chain.Bot, 0)
	mixed := live("mixed", ByCode, chain.Bot, chain.Full, 0)
	practice := live("practice", Sparring, chain.Full, chain.Full, 0)
	small, big := live("small", ByCode, chain.Guest, chain.Full, 5), live("big", ByCode, chain.Full, chain.Full, 50)
	equal := live("equal", ByCode, chain.Full, chain.Full, 50)
	for name, c := range map[string]struct {
		list    []*Duel
		current string
		want    string
	}{
		"none":               {nil, "", ""},
		"nothing of people":  {[]*Duel{bots, mixed, practice, over}, "", ""},
		"the highest stake":  {[]*Duel{small, big, equal}, "", "big"},
		"it stays":           {[]*Duel{big, small}, "small", "small"},
		"it has ended":       {[]*Duel{over, small}, "over", "small"},
		"a bot's is no live": {[]*Duel{bots, small}, "bots", "small"},
	} {
		if got := pickLive(c.list, c.current); code(got) != c.want {
			t.Errorf("%s: got %q, want %q", name, code(got), c.want)
		}
	}
}

func TestPickReplay(t *testing.T) {
	t.Parallel()
	ended := func(code string, kind Kind, rounds string) *Duel {
		d := &Duel{Code: code, Kind: kind, Status: Finished}
		for _, r := range rounds {
			d.Rounds = append(d.Rounds,
				chain.DuelRound{Outcome: map[rune]game.Side{'a': game.A, 'b': game.B, '=': game.Tied}[r]})
		}
		return d
	}
	plain, narrow := ended("clear", Ranked, "aaa"), ended("close", Ranked, "ababa")
	long := ended("long", Ranked, strings.Repeat("=", 20)+"ababa")
	exact := ended("exact", Ranked, strings.Repeat("=", featuredRounds-5)+"ababa")
	over := ended("over", Ranked, strings.Repeat("=", featuredRounds-4)+"ababa")
	people, void := ended("people", ByCode, "ababa"), ended("void", Ranked, "")
	late := make([]*Duel, replayChoice, replayChoice+1)
	for i := range late {
		late[i] = plain
	}
	for name, c := range map[string]struct {
		list  []*Duel
		shown string
		want  string
	}{
		"none":                {nil, "", ""},
		"nothing ranked":      {[]*Duel{people, void}, "", ""},
		"the closest":         {[]*Duel{plain, people, narrow}, "", "close"},
		"not a long one":      {[]*Duel{long, plain}, "", "clear"},
		"as long as allowed":  {[]*Duel{plain, exact}, "", "exact"},
		"one round too long":  {[]*Duel{over, plain}, "", "clear"},
		"not one shown":       {[]*Duel{plain, narrow}, "close", "clear"},
		"all shown":           {[]*Duel{plain, narrow}, "close clear", "clear"},
		"only of the latest":  {append(late, narrow), "", "clear"},
		"long when no other":  {[]*Duel{long}, "", "long"},
		"equal: the latest":   {[]*Duel{ended("new", Ranked, "aaa"), plain}, "", "new"},
		"shown one not asked": {[]*Duel{narrow, plain}, "other", "close"},
	} {
		if got := pickReplay(c.list, strings.Fields(c.shown)); code(got) != c.want {
			t.Errorf("%s: got %q, want %q", name, code(got), c.want)
		}
	}
}

// code returns the code of a duel, "" for nil.
func code(d *Duel) string {
	if d == nil {
		return ""
	}
	return d.Code
}

package app

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"roshambo/internal/service/score"
)

// TestPageKnowsServedTexts checks that the page can translate every text that the service sends from a
// closed list: the tiers, the achievements and the methods of a portfolio's figures. The page's own check requires a translation of each.
func TestPageKnowsServedTexts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/words/served.json")
	if err != nil {
		t.Fatal(err)
	}
	var served struct{ Tiers, Achievements, Methods []string }
	if err := json.Unmarshal(text, &served); err != nil {
		t.Fatal(err)
	}
	var tiers, achievements []string
	for _, tier := range rules().Tiers {
		tiers = append(tiers, tier.Material)
	}
	for _, a := range score.Achievements {
		achievements = append(achievements, a.Title, a.Text)
	}
	if !slices.Equal(served.Tiers, tiers) {
		t.Errorf("web/words/served.json has the tiers %q, want %q", served.Tiers, tiers)
	}
	if !slices.Equal(served.Achievements, achievements) {
		t.Errorf("web/words/served.json has the achievements %q, want %q", served.Achievements, achievements)
	}
	var portfolio any
	browserOf(t, operate(t).url, "ann-player").get(t, "/api/portfolio", &portfolio)
	methods := textsNamed(portfolio, "method")
	slices.Sort(methods)
	slices.Sort(served.Methods)
	if methods = slices.Compact(methods); len(methods) == 0 || !slices.Equal(served.Methods, methods) {
		t.Errorf("web/words/served.json has the methods %q, want %q", served.Methods, methods)
	}
}

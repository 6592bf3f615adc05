package embed

import (
	"fmt"
	"html"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// budget is the most bytes of an embed, with its style and its script: no further request follows the load.
const budget = 30_000

// longest is a name of 32 characters, the longest that an account can have, of three bytes each.
var longest = strings.Repeat("漢", 32)

// views are embeds of each kind, as large as they can be.
func views() map[string]interface{ HTML(string) []byte } {
	d := &Duel{Code: "ABCDEFGH", A: longest, B: longest, State: Playing, Won: [2]int{2, 2}}
	for n := range 60 {
		d.Rounds = append(d.Rounds, Round{Number: n + 1, Hands: [2]Hand{{Move: "scissors"}, {Move: "scissors"}}, Result: "a"})
	}
	c := &Cup{Number: 1 << 31, Name: strings.Repeat("漢", 60), State: Playing, Round: 63, Rounds: 63}
	for n := range 76 { // 64 seats, and the house's bots
		c.Table = append(c.Table, Row{Rank: int64(n) + 1, Name: longest, Points: "62½", Buchholz: "3906½", Out: true})
	}
	for range len(c.Table) / 2 {
		c.Pairings = append(c.Pairings, Pairing{A: longest, B: longest, Score: "1 : 1"})
	}
	return map[string]interface{ HTML(string) []byte }{"duel": d, "cup": c}
}

// TestBudget: the largest embeds of each kind and language have at most 30 KB, before any compression.
func TestBudget(t *testing.T) {
	t.Parallel()
	for kind, v := range views() {
		for language := range texts {
			if n := len(v.HTML(language)); n > budget {
				t.Errorf("a %s in %s has %d bytes, more than %d", kind, language, n, budget)
			}
		}
	}
}

// TestNoOtherSource: a page has the one style and the one script that the policy names, and loads nothing else.
func TestNoOtherSource(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"missing": string(Missing("en")), "unavailable": string(Unavailable("en"))}
	for kind, v := range views() {
		pages[kind] = string(v.HTML("en"))
	}
	for kind, page := range pages {
		for element, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
			found := regexp.MustCompile(`(?s)<`+element+`[^>]*>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
			if len(found) != 1 || !strings.Contains(Policy, directive+" "+digest(found[0][1])+";") {
				t.Errorf("%s: %d of %s, which %s does not name", kind, len(found), element, Policy)
			}
		}
		for _, source := range regexp.MustCompile(`\b(?:src|href|action|srcset|style|on\w+)="([^"]*)"`).FindAllStringSubmatch(
			strings.ReplaceAll(page, script, ""), -1) {
			if ok := regexp.MustCompile(`^href="(#\w+|/|/d/\w+|/cups/\d+)"$`).MatchString(source[0]); !ok {
				t.Errorf("%s has %s", kind, source[0])
			}
		}
		if !strings.Contains(page, ` target="_blank" rel="noopener">`) || !strings.Contains(page, "noindex") {
			t.Errorf("%s: its link opens no tab of its own, or search engines list it", kind)
		}
	}
	for _, part := range []string{"default-src 'none'", "frame-ancestors *", "sandbox allow-scripts allow-popups " +
		"allow-popups-to-escape-sandbox"} {
		if !strings.Contains(Policy, part) || strings.Contains(Policy, "unsafe") || strings.Contains(Policy, "same-origin") {
			t.Errorf("the policy is %s, want %s in it", Policy, part)
		}
	}
}

// TestWordsAreText: names are text, wherever they stand.
func TestWordsAreText(t *testing.T) {
	t.Parallel()
	const name = `</title></bdi></script><img src=x onerror="alert(1)"> & 'x' {{.}}`
	for kind, page := range map[string][]byte{
		"duel": (&Duel{Code: "A", A: name, B: name, State: Over, Winner: name, Rounds: []Round{{Result: "b"}}}).HTML("en"),
		"open": (&Duel{Code: "A", A: name}).HTML("de"),
		"cup": (&Cup{Name: name, State: Over, Round: 1, Winners: []string{name}, Table: []Row{{Name: name}},
			Pairings: []Pairing{{A: name, B: name}}}).HTML("ja"),
	} {
		text := string(page)
		if strings.Contains(text, "<img") || strings.Count(text, "</title>") != 1 || strings.Count(text, "</script>") != 1 {
			t.Errorf("%s: a name is markup: %s", kind, text)
		}
		if plain := html.UnescapeString(text); !strings.Contains(plain, name) {
			t.Errorf("%s: the name is not shown: %s", kind, text)
		}
	}
}

// TestStates: each state has its line, and the script reads on while it can change.
func TestStates(t *testing.T) {
	t.Parallel()
	starts := time.Date(2026, time.November, 20, 18, 0, 0, 0, time.UTC)
	for want, v := range map[string]struct {
		view interface{ HTML(string) []byte }
		live bool
	}{
		"Waiting for an opponent.":        {&Duel{A: "ada"}, true},
		"Round 2":                         {&Duel{State: Playing, B: "x", Rounds: make([]Round, 2)}, true},
		"ada won.":                        {&Duel{State: Over, Winner: "ada"}, false},
		"Draw.":                           {&Duel{State: Over}, false},
		"The result is void.":             {&Duel{State: Void, Winner: "ada"}, false},
		"No opponent.":                    {&Duel{State: Lapsed}, false},
		"Cancelled.":                      {&Duel{State: Cancelled}, false},
		"Starts at 2026-11-20 18:00 UTC.": {&Cup{StartsAt: starts}, true},
		"Starts when its host starts it.": {&Cup{StartsAt: starts, ByHand: true}, true},
		"Round 2 of 5":                    {&Cup{State: Playing, Round: 2, Rounds: 5}, true},
		"Round 3 of 5 · Paused":           {&Cup{State: Paused, Round: 3, Rounds: 5}, true},
		"Won by ada, nils.":               {&Cup{State: Over, Winners: []string{"ada", "nils"}}, false},
		"Not available at the moment.":    {text(Unavailable), true},
		"Not found.":                      {text(Missing), false},
	} {
		page := string(v.view.HTML("en"))
		if live := strings.Contains(page, "<main data-live"); live != v.live {
			t.Errorf("%s: live is %v", want, live)
		}
		if !strings.Contains(page, `<p role="status">`+want+`</p>`) && !strings.Contains(page, "<h1>"+want+"</h1>") {
			t.Errorf("%s is not in %s", want, page)
		}
	}
}

// text is a page without a duel or cup.
type text func(language string) []byte

func (f text) HTML(language string) []byte { return f(language) }

// TestRounds: the newest round comes first, with what each side has shown.
func TestRounds(t *testing.T) {
	t.Parallel()
	page := string((&Duel{A: "ada", B: "nils", State: Playing, Won: [2]int{1, 0}, Rounds: []Round{
		{Number: 1, Hands: [2]Hand{{Move: "rock", Sealed: true}, {Sealed: true}}, Result: "a"},
		{Number: 2, Hands: [2]Hand{{Sealed: true}, {}}},
	}}).HTML("en"))
	rows := regexp.MustCompile(`<tr><th scope="row">.*</tr>`).FindAllString(page, -1)
	want := []string{
		`<tr><th scope="row">2</th><td>sealed</td><td>…</td><td><bdi></bdi></td></tr>`,
		`<tr><th scope="row">1</th><td><svg><use href="#rock"/></svg>Rock</td><td>missed</td><td><bdi>ada</bdi></td></tr>`,
	}
	if !reflect.DeepEqual(rows, want) || !strings.Contains(page, "<h1><bdi>ada</bdi> <b>1 : 0</b> <bdi>nils</bdi></h1>") {
		t.Errorf("got %q, want %q in %s", rows, want, page)
	}
}

// TestHalves: a win is one point, a draw half of one.
func TestHalves(t *testing.T) {
	t.Parallel()
	for points, want := range map[int64]string{0: "0", 1: "½", 2: "1", 3: "1½", 20: "10", 21: "10½"} {
		if got := Halves(points); got != want {
			t.Errorf("%d: %s, want %s", points, got, want)
		}
	}
}

// TestWords: each language has all texts, and the verbs of the English ones.
func TestWords(t *testing.T) {
	t.Parallel()
	verbs := regexp.MustCompile(`%.`)
	en := reflect.ValueOf(*texts["en"])
	for language, w := range texts {
		own := reflect.ValueOf(*w)
		for i := range own.NumField() {
			name := own.Type().Field(i).Name
			if name == "Moves" {
				continue
			}
			got, want := own.Field(i).String(), en.Field(i).String()
			if got == "" || fmt.Sprint(verbs.FindAllString(got, -1)) != fmt.Sprint(verbs.FindAllString(want, -1)) {
				t.Errorf("%s: %s is %q, in English %q", language, name, got, want)
			}
		}
		for _, move := range []string{"rock", "paper", "scissors"} {
			if w.Moves[move] == "" || !strings.Contains(hands, `<symbol id="`+move+`"`) {
				t.Errorf("%s: no word or no symbol of %s", language, move)
			}
		}
	}
	for accept, want := range map[string]string{"": "en", "de-CH, en;q=0.5": "de", "tlh, fr": "fr", "*": "en",
		"JA": "ja"} {
		if got := Language(accept); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}

// TestColours: the colours are the page's.
func TestColours(t *testing.T) {
	t.Parallel()
	tokens, err := os.ReadFile("../../../web/src/styles/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	colours := regexp.MustCompile(`--[\w-]+: light-dark\([^)]*\);`).FindAllString(style, -1)
	if len(colours) < 5 {
		t.Errorf("the style has %d colours", len(colours))
	}
	for _, colour := range colours {
		if !strings.Contains(string(tokens), colour) {
			t.Errorf("%s is no colour of the page", colour)
		}
	}
}

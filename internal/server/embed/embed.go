// Package embed renders duels and cups as small pages that pages of other sites show in a frame.
//
// A page is one document of HTML with its style and its script, so it causes no further request. Texts of players
// pass through html/template. While the duel or cup goes on, the script reads the same document again and replaces the
// parts that have changed; the line with the state is a live region, which screen readers announce.
//
// The policy of a page lets every site frame it, and sandboxes it: it has an origin of its own, so that neither the
// page nor a fault in it reaches the cookies or the storage of the service.
package embed

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
)

//go:embed page.html
var source string

//go:embed page.css
var style string

// script asks four times a minute at most: the load and three further requests within any 60 seconds.
//
//go:embed page.js
var script string

// hands are the symbols of the moves, as web/src/art/Hand.svelte draws them.
//
//go:embed hands.svg
var hands string

var document = template.Must(template.New("page").Parse(source))

// Policy is the Content-Security-Policy of all pages.
var Policy = "default-src 'none'; script-src " + digest(script) + "; style-src " + digest(style) +
	"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *; " +
	"sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"

// digest returns the source expression of an inline script or style sheet.
func digest(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// view is what the template shows. Texts are plain text.
type view struct {
	Language, Title, Kicker, Status, Link string
	Words                                 *words
	Live                                  bool // the script reads the page again
	Reload                                bool // and loads it as a whole once it can be read
	Style                                 template.CSS
	Script                                template.JS
	Hands                                 template.HTML

	Heading            string // of a page without two players
	Left, Right, Score string // of a duel; Right is empty without an opponent
	Rounds             []round
	PairingsOf         string
	Pairings           []Pairing
	Ranked             bool
	Table              []Row
}

// html renders the view in a language.
func (v *view) html(language string) []byte {
	v.Language, v.Words = language, texts[language]
	v.Style, v.Script = template.CSS(style), template.JS(script)
	var b bytes.Buffer
	if err := document.Execute(&b, v); err != nil {
		panic(fmt.Sprintf("embed: %v", err)) // unreachable: the view has all that the template names
	}
	return b.Bytes()
}

// Duel is a duel as spectators see it.
type Duel struct {
	Code  string
	A, B  string // the names of the players; B is empty without an opponent
	State State
	Won   [2]int // rounds of each side
	// Winner is the winner's name once the duel is over; empty is a draw.
	Winner string
	Rounds []Round // the first one first
}

// State is the state of a duel or cup.
type State int

// The states. A duel ends Over, Void, Cancelled or, without an opponent, Lapsed; a cup ends Over or Cancelled.
const (
	Waiting   State = iota // for players
	Playing                // goes on
	Paused                 // a cup between two rounds, until its host goes on
	Over                   // ended with a result
	Void                   // an operator has declared the result void
	Lapsed                 // no opponent came
	Cancelled              // ended without a result
)

// live reports whether the state can change.
func (s State) live() bool { return s == Waiting || s == Playing || s == Paused }

// Round is a round of a duel.
type Round struct {
	Number int
	Hands  [2]Hand
	// Result is the name of the side that won, "a" or "b", "tie" or "void"; empty while the round goes on.
	Result string
}

// Hand is what a side has shown in a round.
type Hand struct {
	Move   string // rock, paper or scissors; empty while hidden or missed
	Sealed bool   // committed
}

// round is a Round in a language.
type round struct {
	Number int
	Hands  [2]shownHand
	Result string
}

// shownHand is a hand in a language. Move is empty, or the id of a symbol.
type shownHand struct{ Move, Text string }

// HTML returns the page of the duel in a language of Language.
func (d *Duel) HTML(language string) []byte {
	w := texts[language]
	v := &view{Kicker: w.Duel, Live: d.State.live(), Link: "/d/" + d.Code, Left: d.A, Right: d.B, Title: d.A,
		Score: fmt.Sprintf("%d : %d", d.Won[0], d.Won[1]), Status: d.status(w), Hands: template.HTML(hands)}
	if d.B != "" {
		v.Title = fmt.Sprintf(w.Versus, d.A, d.B)
	}
	for i := range d.Rounds { // the newest first: a frame is low
		r := &d.Rounds[len(d.Rounds)-1-i]
		shown := round{Number: r.Number, Result: d.result(w, r)}
		for side, hand := range r.Hands {
			shown.Hands[side] = hand.shown(w, r.Result != "")
		}
		v.Rounds = append(v.Rounds, shown)
	}
	return v.html(language)
}

// status says how the duel stands.
func (d *Duel) status(w *words) string {
	switch d.State {
	case Waiting:
		return w.Waiting
	case Void:
		return w.VoidResult
	case Lapsed:
		return w.NoOpponent
	case Cancelled:
		return w.Cancelled
	case Over:
		if d.Winner == "" {
			return w.Draw
		}
		return fmt.Sprintf(w.Won, d.Winner)
	}
	return fmt.Sprintf(w.RoundN, len(d.Rounds))
}

// result says how a round ended.
func (d *Duel) result(w *words, r *Round) string {
	return map[string]string{"a": d.A, "b": d.B, "tie": w.Tie, "void": w.Void}[r.Result]
}

// shown returns a hand in a language, of a round that is decided or goes on.
func (h *Hand) shown(w *words, decided bool) shownHand {
	switch {
	case h.Move != "":
		return shownHand{h.Move, w.Moves[h.Move]}
	case decided:
		return shownHand{"", w.Missed}
	case h.Sealed:
		return shownHand{"", w.Sealed}
	}
	return shownHand{"", "…"}
}

// Cup is a cup as spectators see it.
type Cup struct {
	Number        int64
	Name          string // empty for none
	Bots          bool
	State         State
	ByHand        bool // it waits for its host
	StartsAt      time.Time
	Round, Rounds int64     // Round is 0 before the start
	Winners       []string  // once it is over
	Pairings      []Pairing // of the newest round
	Table         []Row
}

// Pairing is a game of a round. B is empty for a bye, Score while the game goes on.
type Pairing struct{ A, B, Score string }

// Row is a row of the table. Points and Buchholz are texts of Halves.
type Row struct {
	Rank             int64
	Name             string
	Points, Buchholz string
	Out              bool
}

// HTML returns the page of the cup in a language of Language.
func (c *Cup) HTML(language string) []byte {
	w := texts[language]
	title := c.Name
	switch {
	case title == "" && c.Bots:
		title = fmt.Sprintf(w.BotCup, c.Number)
	case title == "":
		title = fmt.Sprintf(w.Cup, c.Number)
	}
	v := &view{Kicker: w.CupKind, Title: title, Heading: title, Live: c.State.live(),
		Link: "/cups/" + strconv.FormatInt(c.Number, 10), Status: c.status(w), Ranked: c.Round > 0, Table: c.Table}
	v.PairingsOf = fmt.Sprintf(w.CupRound, c.Round)
	for _, p := range c.Pairings {
		switch {
		case p.B == "":
			p.B = w.Bye
		case p.Score == "":
			p.Score = "–"
		}
		v.Pairings = append(v.Pairings, p)
	}
	return v.html(language)
}

// status says how the cup stands.
func (c *Cup) status(w *words) string {
	switch c.State {
	case Cancelled, Lapsed, Void:
		return w.Cancelled
	case Over:
		return fmt.Sprintf(w.Victory, strings.Join(c.Winners, ", "))
	case Waiting:
		if c.ByHand {
			return w.ByHand
		}
		return fmt.Sprintf(w.Starts, c.StartsAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
	status := fmt.Sprintf(w.RoundOf, c.Round, c.Rounds)
	if c.State == Paused {
		status += " · " + w.Paused
	}
	return status
}

// Halves returns points as people write them: half of those that the service counts.
func Halves(points int64) string {
	text := strconv.FormatInt(points/2, 10)
	if points%2 == 0 {
		return text
	}
	return strings.TrimPrefix(text, "0") + "½"
}

// Missing returns the page for a duel or cup that does not exist.
func Missing(language string) []byte { return note(language, texts[language].Missing, false) }

// Unavailable returns the page for a duel or cup that cannot be read at the moment. Its script asks again.
func Unavailable(language string) []byte { return note(language, texts[language].Unavailable, true) }

// note returns a page with one line, which waits for another one if it reloads.
func note(language, text string, reload bool) []byte {
	v := &view{Kicker: "Roshambo", Title: text, Heading: text, Link: "/", Reload: reload}
	return v.html(language)
}

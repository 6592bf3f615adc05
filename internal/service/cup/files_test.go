package cup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/chain/tables"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/service/cup"
	"roshambo/internal/store"
)

// history is what happened in a cup. The test that plays the cup writes it for recompute.py, which has nothing else of
// the service but the files.
type history struct {
	lines    []any
	happened map[string]int // how often
}

// ended is a line of a history: the end of a duel.
type ended struct {
	Round  int64   `json:"round"`
	Duel   string  `json:"duel"`
	A      string  `json:"a"`
	B      string  `json:"b"`
	Absent [2]bool `json:"absent"`
	Winner string  `json:"winner"`
}

// settle ends all games in progress by chance: wins of both sides, draws, and sides that do not show up. first has the
// absent sides of the first games.
func (f *fixture) settle(t *testing.T, h *history, number int64, r *rand.Rand, first ...[2]bool) {
	t.Helper()
	_, games, _ := f.state(t, number)
	for _, g := range games {
		if g.Over {
			continue
		}
		result := cup.Result{Duel: g.Duel, A: g.A, B: g.B, Winner: [...]string{"a", "b", "a", "b", ""}[r.IntN(5)],
			At: f.ledger.Clock.Now()}
		switch {
		case len(first) > 0:
			result.Absent, first = first[0], first[1:]
		case r.IntN(12) == 0:
			result.Absent = [2]bool{false, true}
		case r.IntN(40) == 0:
			result.Absent = [2]bool{true, true}
		}
		if result.Absent[1] {
			result.Winner = "a"
			if result.Absent[0] {
				result.Winner = ""
			}
		}
		f.update(t, func(ctx context.Context, tx *store.Tx) error {
			settle := &chain.DuelSettle{A: g.A, B: g.B, DuelID: g.Duel, Winner: result.Winner}
			raw := gamestest.Duel(settle, 0)
			if result.Winner == "" {
				raw = drawn(settle)
			}
			if result.Absent != [2]bool{} {
				raw = gamestest.Missed(settle, [2]bool{!result.Absent[0], !result.Absent[1]})
			}
			settle.TranscriptHash = chain.HashTranscript(raw)
			if _, err := f.ledger.Post(ctx, tx, ledger.Draft{Data: settle, Transcript: raw}); err != nil {
				return err
			}
			return f.DuelFinished(ctx, tx, result)
		})
		h.add(ended{g.Round, g.Duel, g.A.String(), g.B.String(), result.Absent, result.Winner})
	}
}

// add appends the end of a duel.
func (h *history) add(e ended) {
	again := slices.ContainsFunc(h.lines, func(line any) bool {
		before, ok := line.(ended)
		return ok && before.Round == e.Round && before.A == e.A && before.B == e.B
	})
	if again {
		h.happened["replay"]++
		if e.Absent == [2]bool{} {
			h.happened["late player"]++
		}
	}
	h.lines = append(h.lines, e)
}

// drawn returns the transcript of a duel in which both sides commit and do not reveal.
func drawn(s *chain.DuelSettle) []byte {
	d := chain.DuelTranscript{A: s.A, B: s.B, DuelID: s.DuelID}
	for n := 1; n <= game.MaxVoids; n++ {
		r := chain.DuelRound{N: n, Forfeit: game.Both, Outcome: game.Void}
		for i := range r.Hands {
			r.Hands[i] = chain.DuelHand{Committed: true, Commitment: chain.HashText(fmt.Sprint(s.DuelID, n, i))}
		}
		d.Rounds = append(d.Rounds, r)
	}
	return d.Raw()
}

// files writes the files of a cup and its history into a folder.
func (f *fixture) files(t *testing.T, number int64, h *history) (folder string) {
	t.Helper()
	folder = t.TempDir()
	c, games, players := f.state(t, number)
	sheet := cup.NewSheet(c, players, games)
	for name, write := range map[string]func(io.Writer) error{
		"table.csv": sheet.WriteTable, "pairings.csv": sheet.WritePairings, "report.trf": sheet.WriteTRF,
		"history.ndjson": h.write,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// write writes the lines.
func (h *history) write(w io.Writer) error {
	to := json.NewEncoder(w)
	for _, line := range h.lines {
		if err := to.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// recompute returns what an independent script finds in the files of a folder.
func recompute(t *testing.T, folder string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "python3", "testdata/recompute.py", folder).CombinedOutput()
	if err != nil {
		t.Fatalf("recompute.py: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// filedCup is a cup whose files are computed again.
type filedCup struct {
	players int
	kind    cup.Kind
	system  string
	replay  bool
	most    int64 // the host's limit of rounds; 0 for none
	end     int64 // the round in which the host ends the cup; 0 for none
}

// plays plays a cup from its start to its end, and returns its number and its history. In round 1 a side of the first
// game comes late, in round 2 both sides of the first game do not come, and then a player leaves, in round 3 the host
// removes one; all else is chance.
func (f *fixture) plays(t *testing.T, c filedCup, r *rand.Rand) (number int64, h *history) {
	t.Helper()
	const name, day = "Class 7b", "2006/01/02"
	number = f.class(t, c.players, func(t *cup.Terms) {
		t.Kind, t.System, t.Replay, t.Name, t.MostRounds = c.kind, c.system, c.replay, name, c.most
	})
	f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
	if c.kind == cup.Bots {
		f.ledger.Clock.Add(cup.Call)
	}
	var players []map[string]string
	for i, a := range f.players[:c.players] {
		players = append(players, map[string]string{"address": a.String(), "name": fmt.Sprintf("player-%d", i),
			"kind": string(f.entrant(i, c.kind).Kind)})
	}
	opening := map[string]any{"number": number, "name": name, "system": c.system, "replay": c.replay, "players": players,
		"rounds": c.most, "started": f.ledger.Clock.Now().Format(day)}
	f.update(t, func(ctx context.Context, tx *store.Tx) error {
		head, err := f.ledger.Head(ctx, tx)
		opening["seed"], opening["seed_height"] = head.Block.Hash.String(), head.Block.Header.Height
		return err
	})
	h = &history{lines: []any{opening}, happened: map[string]int{}}
	for {
		f.advance(t)
		state, games, _ := f.state(t, number)
		if state.EndedAt != nil {
			opening["ended"] = f.ledger.Clock.Now().Format(day)
			h.count(games)
			return number, h
		}
		switch state.Round {
		case 1:
			f.settle(t, h, number, r, [2]bool{false, true})
			f.settle(t, h, number, r, [2]bool{}) // the games that are played again
		case 2:
			f.settle(t, h, number, r, [2]bool{true, true})
			f.settle(t, h, number, r, [2]bool{true, true})
			f.leaves(t, h, number, r)
		case 3:
			f.settle(t, h, number, r)
			f.settle(t, h, number, r)
			f.removes(t, h, number, r)
		default:
			f.settle(t, h, number, r)
			f.settle(t, h, number, r)
		}
		if state.Round == c.end {
			f.fails(t, nil, f.hostActs(f.host().Address, number)["end"])
			h.lines = append(h.lines, map[string]any{"round": state.Round, "last": true})
			h.happened["early end"]++
		}
		f.ledger.Clock.Add(cup.Pause)
	}
}

// leaves lets one of the players leave who are not out.
func (f *fixture) leaves(t *testing.T, h *history, number int64, r *rand.Rand) {
	t.Helper()
	f.goes(t, h, number, r, func(ctx context.Context, tx *store.Tx, leaver chain.Address) error {
		_, err := f.Leave(ctx, tx, leaver, number)
		return err
	})
	h.happened["leaver"]++
}

// removes lets the host remove one of the players who are not out: from the next round on it is as if it had left.
func (f *fixture) removes(t *testing.T, h *history, number int64, r *rand.Rand) {
	t.Helper()
	f.goes(t, h, number, r, func(ctx context.Context, tx *store.Tx, player chain.Address) error {
		_, err := f.Remove(ctx, tx, f.host().Address, player, number)
		return err
	})
	h.happened["removal"]++
}

// goes takes one of the players out who are not.
func (f *fixture) goes(t *testing.T, h *history, number int64, r *rand.Rand,
	out func(ctx context.Context, tx *store.Tx, player chain.Address) error) {
	t.Helper()
	state, _, players := f.state(t, number)
	players = slices.DeleteFunc(players, func(p cup.Player) bool { return p.Withdrawn })
	player := players[r.IntN(len(players))].Address
	f.update(t, func(ctx context.Context, tx *store.Tx) error { return out(ctx, tx, player) })
	h.lines = append(h.lines, map[string]any{"round": state.Round, "left": player.String()})
}

// count counts the byes, and the games that both sides have missed.
func (h *history) count(games []tables.Game) {
	for _, g := range games {
		switch {
		case g.B == chain.Address{}:
			h.happened["bye"]++
		case g.APoints == tables.Loss && g.BPoints == tables.Loss:
			h.happened["double miss"]++
		}
	}
}

// TestFiles plays cups of 5 to 60 players, of both kinds and systems, with a limit of rounds, ended early by the host,
// and with players who leave, whom the host removes, who come late, so that a game is played again, or not at all: a
// script finds no difference between their files and the rules.
func TestFiles(t *testing.T) {
	t.Parallel()
	cups := []filedCup{
		{5, cup.Bots, tables.Swiss, true, 0, 0}, {7, cup.Bots, tables.Swiss, true, 4, 0},
		{9, cup.People, tables.RoundRobin, true, 0, 0}, {16, cup.Bots, tables.Swiss, false, 0, 0},
		{33, cup.People, tables.Swiss, true, 0, 4}, {60, cup.Bots, tables.Swiss, true, 0, 0},
	}
	histories := make([]*history, len(cups))
	t.Run("cups", func(t *testing.T) {
		for i, c := range cups {
			t.Run(fmt.Sprint(c.players), func(t *testing.T) {
				t.Parallel()
				account := map[cup.Kind]chain.AccountKind{cup.Bots: chain.Bot, cup.People: chain.Full}[c.kind]
				f := open(t, ledgertest.Options{}, c.players+1, account)
				number, h := f.plays(t, c, rand.New(rand.NewPCG(uint64(i), 42)))
				if state, _, _ := f.state(t, number); state.Status != cup.Finished {
					t.Fatalf("the cup is %s", state.Status)
				}
				if got := recompute(t, f.files(t, number, h)); got != "0" {
					t.Errorf("differences: %s", got)
				}
				f.ledger.SealAll(t)
				f.ledger.WantValid(t)
				histories[i] = h
			})
		}
	})
	for _, what := range []string{"replay", "late player", "leaver", "removal", "early end", "bye", "double miss"} {
		n := 0
		for _, h := range histories {
			if h != nil {
				n += h.happened[what]
			}
		}
		if n == 0 {
			t.Errorf("no cup has a %s", what)
		}
	}
}

// TestFilesFindChanges: the script finds a change of each file, and that the files do not follow from the history: of a
// duel with another result, or of a player who did not leave and was not paired.
func TestFilesFindChanges(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 13, chain.Full)
	number, h := f.plays(t, filedCup{12, cup.People, tables.Swiss, true, 0, 0}, rand.New(rand.NewPCG(7, 42)))
	if got := recompute(t, f.files(t, number, h)); got != "0" {
		t.Fatalf("differences: %s", got)
	}
	state, _, _ := f.state(t, number)
	for what, change := range map[string]struct{ file, old, now string }{
		"a rank":                    {"table.csv", `\n1,`, "\n2,"},
		"points of a player":        {"table.csv", `,account,\d`, ",account,9"},
		"a Buchholz score":          {"table.csv", `\.\d,(true|false)`, ".7,$1"},
		"a player who is out":       {"table.csv", `,true\n`, ",false\n"},
		"a player who is not out":   {"table.csv", `,false\n`, ",true\n"},
		"points of a game":          {"pairings.csv", `1\.0,0\.0`, "0.5,0.5"},
		"the duel of a game":        {"pairings.csv", `DUEL`, "DUAL"},
		"a game that is missing":    {"pairings.csv", `\n2,[^\n]*`, ""},
		"a round that is missing":   {"pairings.csv", fmt.Sprintf(`(?s)\n%d,.*`, state.Round), "\n"},
		"the name of the cup":       {"report.trf", `Class 7b`, "Class 7c"},
		"the first day":             {"report.trf", `042 2026`, "042 2027"},
		"the last day":              {"report.trf", `052 2026`, "052 2027"},
		"the number of players":     {"report.trf", `062 12`, "062 11"},
		"the system":                {"report.trf", `092 Individual: Swiss`, "092 Individual: Round robin"},
		"the number of rounds":      {"report.trf", `XXR \d`, "XXR 9"},
		"a header that is missing":  {"report.trf", `XXR \d\r\n`, ""},
		"the height of the seed":    {"report.trf", `block \d+`, "block 99"},
		"a result in the report":    {"report.trf", ` w 1`, " w 0"},
		"a player in the report":    {"report.trf", `player-`, "slayer-"},
		"another result":            {"history.ndjson", `\[false,false\],"winner":"[ab]?"`, `[true,true],"winner":""`},
		"a wrongly dropped player":  {"history.ndjson", `\{"left"[^\n]*\n`, ""},
		"a player who left earlier": {"history.ndjson", `(\{"left":"[^"]*","round":)2`, "${1}1"},
	} {
		folder := f.files(t, number, h)
		path := filepath.Join(folder, change.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old := regexp.MustCompile(change.old)
		first := old.FindIndex(text)
		if first == nil {
			t.Fatalf("%s has no %s", change.file, change.old)
		}
		changed := string(text[:first[0]]) + old.ReplaceAllString(string(text[first[0]:first[1]]), change.now) +
			string(text[first[1]:])
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := recompute(t, folder); got == "0" {
			t.Errorf("a change of %s is not found", what)
		}
	}
}

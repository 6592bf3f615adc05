package cup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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

// settle ends all games in progress by chance: wins of both sides, draws, and sides that do not show up.
func (f *fixture) settle(t *testing.T, number int64, r *rand.Rand) {
	t.Helper()
	_, games, _ := f.state(t, number)
	for _, g := range games {
		if g.Over {
			continue
		}
		result := cup.Result{Duel: g.Duel, A: g.A, B: g.B, Winner: [...]string{"a", "b", "a", "b", ""}[r.IntN(5)],
			At: f.ledger.Clock.Now()}
		if r.IntN(12) == 0 {
			result.Winner, result.Absent = "a", [2]bool{false, true}
		} else if r.IntN(40) == 0 {
			result.Winner, result.Absent = "", [2]bool{true, true}
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
	}
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

// files writes the files of a cup into a folder.
func (f *fixture) files(t *testing.T, number int64) (folder string) {
	t.Helper()
	folder = t.TempDir()
	c, games, players := f.state(t, number)
	sheet := cup.NewSheet(c, players, games)
	for name, write := range map[string]func(io.Writer) error{
		"table.csv": sheet.WriteTable, "pairings.csv": sheet.WritePairings, "report.trf": sheet.WriteTRF,
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

// recompute returns what an independent script finds in the files of a folder.
func recompute(t *testing.T, folder string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "python3", "testdata/recompute.py", folder).CombinedOutput()
	if err != nil {
		t.Fatalf("recompute.py: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestFiles plays cups of 5 to 60 players, of both systems, with players who leave or come late, so that a game
// is played again, or not at all: a script finds no difference between their files and the rules.
func TestFiles(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		players int
		system  string
		replay  bool
	}{
		{5, tables.Swiss, true}, {9, tables.RoundRobin, true}, {16, tables.Swiss, false}, {33, tables.Swiss, true},
		{60, tables.Swiss, true},
	} {
		t.Run(fmt.Sprint(c.players), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(i), 42))
			f := open(t, ledgertest.Options{}, c.players+1, chain.Full)
			number := f.class(t, c.players, func(t *cup.Terms) { t.System, t.Replay, t.Name = c.system, c.replay, "Class 7b" })
			f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
			leaver := f.players[r.IntN(c.players)]
			for {
				f.advance(t)
				state, _, _ := f.state(t, number)
				if state.EndedAt != nil {
					break
				}
				f.settle(t, number, r)
				f.settle(t, number, r) // the games that are played again
				if state.Round == 2 {
					f.update(t, func(ctx context.Context, tx *store.Tx) error {
						_, err := f.Leave(ctx, tx, leaver, number)
						if errors.Is(err, cup.ErrNotIn) { // it has missed a game, and is out already
							return nil
						}
						return err
					})
				}
				f.ledger.Clock.Add(cup.Pause)
			}
			if state, _, _ := f.state(t, number); state.Status != cup.Finished {
				t.Fatalf("the cup is %s", state.Status)
			}
			if got := recompute(t, f.files(t, number)); got != "0" {
				t.Errorf("differences: %s", got)
			}
			f.ledger.SealAll(t)
			f.ledger.WantValid(t)
		})
	}
}

// TestFilesFindChanges: the script finds a result, a rank and a cell of the report that were changed.
func TestFilesFindChanges(t *testing.T) {
	t.Parallel()
	f := open(t, ledgertest.Options{}, 9, chain.Full)
	number := f.class(t, 8, nil)
	f.fails(t, nil, f.hostActs(f.host().Address, number)["start"])
	for range 6 {
		f.advance(t)
		f.finish(t, number, chain.Address{})
		f.ledger.Clock.Add(cup.Pause)
	}
	for name, change := range map[string][2]string{
		"table.csv":    {"\n2,", "\n3,"},
		"pairings.csv": {"1.0,0.0", "0.5,0.5"},
		"report.trf":   {" w 1", " w 0"},
	} {
		folder := f.files(t, number)
		path := filepath.Join(folder, name)
		text, err := os.ReadFile(path)
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if err != nil || changed == string(text) {
			t.Fatalf("%s has no %q: %v", name, change[0], err)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := recompute(t, folder); strings.HasPrefix(got, "0") {
			t.Errorf("a change of %s is not found", name)
		}
	}
}

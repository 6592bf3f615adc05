package verify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/chain/games/gamestest"
	"roshambo/fair"
	"roshambo/vectors"
	"roshambo/verify"
)

// player plays the games of a chain that a test writes, so that each has a transcript. It holds the
// starts of the runs in play by id.
type player struct {
	runs    map[string]begun
	genesis chain.Hash // hash of block 0, which seeds the cups
}

// cupPlayers are the players of all cups.
var cupPlayers = [2]chain.Address{{1}, {2}}

type begun struct {
	seeds *fair.Chain
	start chain.RunStart
}

// transcripts are the transcripts of all played games by hash.
var transcripts sync.Map

// play replaces the commitments of a script, which are any hashes, by commitments of seed chains,
// and pins the transcript of a game that ends.
func (p *player) play(data chain.Data, transfers []chain.Transfer) {
	pin := func(raw []byte) chain.Hash {
		hash := chain.HashPinned(raw)
		transcripts.Store(hash.String(), raw)
		return hash
	}
	switch d := data.(type) {
	case *chain.AccountCreate:
		d.Commitment = commitmentOf(d.Commitment)
	case *chain.Rotate:
		d.Commitment, d.NextCommitment = commitmentOf(d.Commitment), commitmentOf(d.NextCommitment)
	case *chain.RunStart:
		seeds := fair.NewChain(fair.Seed(d.Commitment))
		d.Commitment, d.NextCommitment = commitmentOf(d.Commitment), commitmentOf(d.NextCommitment)
		p.runs[d.RunID] = begun{seeds, *d}
	case *chain.RunEnd:
		if b, ok := p.runs[d.RunID]; ok {
			d.TranscriptHash = pin(gamestest.Run(b.seeds, b.start.ClientSeedHash, b.start.FirstTier, d))
		}
	case *chain.DuelSettle:
		stake := int64(0)
		if len(transfers) > 0 {
			stake = transfers[0].Amount
			if d.Winner != "" {
				stake /= 2
			}
		}
		d.TranscriptHash = pin(gamestest.Duel(d, stake))
	case *chain.SeasonClose:
		d.TableHash = pin(gamestest.Season(d.Season, firstTime))
	case *chain.CupClose: // see writer.cup
		_, _, table := gamestest.Cup(d.Cup, fmt.Sprint("cup-", d.Cup), p.genesis, 0, cupPlayers)
		d.TableHash = pin(table)
	}
}

// cup plays and closes a cup.
func (w *writer) cup(number int64) {
	settle, _, _ := gamestest.Cup(number, fmt.Sprint("cup-", number), w.games.genesis, 0, cupPlayers)
	w.post(chain.Address{}, settle)
	w.post(chain.Address{}, &chain.CupClose{Cup: number})
}

// commitmentOf returns the commitment of the seed chain that ends in h; the zero hash stays.
func commitmentOf(h chain.Hash) chain.Hash {
	if h == (chain.Hash{}) {
		return h
	}
	return chain.Hash(fair.NewChain(fair.Seed(h)).Commitment())
}

var pinnedHash = regexp.MustCompile(`"(?:transcript|table)_hash":"([0-9a-f]{64})"`)

// transcriptsOf returns the transcript or table that a raw transaction pins, none if it pins no known one.
func transcriptsOf(raw string) [][]byte {
	match := pinnedHash.FindStringSubmatch(raw)
	if match == nil || !chain.Pins([]byte(raw)) {
		return nil
	}
	if transcript, ok := transcripts.Load(match[1]); ok {
		return [][]byte{transcript.([]byte)}
	}
	return nil
}

// TestChainVectors checks the Go and the Python verifier on whole chains in which only the games can be
// wrong, and the figures of the honest one, which the TypeScript module derives from the record too.
func TestChainVectors(t *testing.T) {
	t.Parallel()
	chains, err := vectors.Chains()
	if err != nil || len(chains) < 20 {
		t.Fatalf("%d chains, %v", len(chains), err)
	}
	var input bytes.Buffer
	for _, c := range chains {
		request, err := json.Marshal(map[string]any{"export": c.Export, "witnesses": c.Witnesses, "quorum": c.Quorum,
			"witnesses_from": c.WitnessesFrom})
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(request, '\n'))
	}
	python := twinLines(t, input.Bytes(), "python3", "testdata/twin.py", "audits")
	type figures struct {
		file   string
		want   []byte
		audit  []byte
		python string
	}
	var honest []figures
	var records bytes.Buffer
	for i, c := range chains {
		o := verify.ChainOptions{Witnesses: c.Witnesses, Quorum: c.Quorum, WitnessesFrom: c.WitnessesFrom}
		report, err := verify.Export(bytes.NewReader(c.Export), o)
		if err != nil || report.Valid != c.Valid {
			t.Errorf("%s: valid %v, want %v, %v: %+v", c.File, report.Valid, c.Valid, err, report.Problems)
			continue
		}
		if !c.Valid {
			if python[i] != "null" {
				t.Errorf("%s: Python finds no fault", c.File)
			}
			// A verifier without the checks of games and tables must not refuse a chain in which they alone are wrong.
			for i, p := range report.Problems {
				game := p.What == "transcripts" || slices.ContainsFunc([]string{"run ", "duel ", "cup ", "season ", "points "},
					func(kind string) bool { return strings.HasPrefix(p.What, kind) })
				if game == c.Rules && (i == 0 || !c.Rules) {
					t.Errorf("%s: a problem of %s; with the rules %v", c.File, p.What, c.Rules)
				}
			}
			continue
		}
		audit, err := json.Marshal(report.Record.Audit())
		if err != nil {
			t.Fatal(err)
		}
		record, err := json.Marshal(report.Record)
		if err != nil {
			t.Fatal(err)
		}
		records.Write(append(record, '\n'))
		honest = append(honest, figures{c.File, c.Audit, audit, python[i]})
	}
	script := twinLines(t, records.Bytes(), "node", "testdata/twin.mjs", "audits")
	for i, f := range honest {
		want := canonicalJSON(t, f.want)
		for name, got := range map[string]string{"Go": string(f.audit), "Python": f.python, "TypeScript": script[i]} {
			if diff := cmp.Diff(want, canonicalJSON(t, []byte(got))); diff != "" {
				t.Errorf("%s, figures by %s (-want +got):\n%s", f.file, name, diff)
			}
		}
	}
}

// canonicalJSON returns a JSON text with sorted members and indentation.
func canonicalJSON(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// twinLines runs a twin on an input and returns the lines of its output.
func twinLines(t *testing.T, input []byte, command ...string) []string {
	t.Helper()
	cmd := twin(t, command...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(lines) != bytes.Count(input, []byte("\n")) {
		t.Fatalf("%v: %v, %d lines\n%s", command, err, len(lines), stderr.Bytes())
	}
	return lines
}

// TestBurnAboveTheTop checks runs for a token of tier 3 after the rules have lost that tier, one of which goes
// on: the stake counts with the last value of its tier, 384.
func TestBurnAboveTheTop(t *testing.T) {
	t.Parallel()
	for name, won := range map[string]int64{"burn-above-new-top": 0, "burn-above-new-top-ended": 768} {
		data, err := os.ReadFile("testdata/cases/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.Export(bytes.NewReader(data), verify.ChainOptions{})
		if err != nil || !report.Valid {
			t.Errorf("%s: %v, %+v", name, err, report.Problems)
			continue
		}
		want := report.Record
		if want.Won != won || want.Given != 384 || (want.Staked == 384) != (won > 0) {
			t.Errorf("%s: the record is %+v", name, want)
		}
		audit, err := json.Marshal(want.Audit())
		if err != nil {
			t.Fatal(err)
		}
		record, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		input := fmt.Appendf(nil, "{\"export\":%q}\n", base64.StdEncoding.EncodeToString(data))
		for twin, got := range map[string]string{
			"Python":     twinLines(t, input, "python3", "testdata/twin.py", "audits")[0],
			"TypeScript": twinLines(t, append(record, '\n'), "node", "testdata/twin.mjs", "audits")[0],
		} {
			if diff := cmp.Diff(canonicalJSON(t, audit), canonicalJSON(t, []byte(got))); diff != "" {
				t.Errorf("%s, figures by %s (-Go +got):\n%s", name, twin, diff)
			}
		}
	}
}

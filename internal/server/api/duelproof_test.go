package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
	"roshambo/internal/server/api"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
	"roshambo/verify"
)

// botSide returns a new bot that plays by its key.
func (s *stack) botSide(t *testing.T) (sender, duel.Player) {
	t.Helper()
	b := s.bot(t)
	address, err := chain.ParseAddress(b.address)
	if err != nil {
		t.Fatal(err)
	}
	return b.sender(), duel.Player{Address: address, Username: b.name, Kind: chain.Bot}
}

// ranked starts a duel of the arena between two bots.
func (s *stack) ranked(t *testing.T) *duelGame {
	t.Helper()
	a, one := s.botSide(t)
	b, two := s.botSide(t)
	var d *duel.Duel
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		d, err = s.duels.StartRanked(ctx, tx, one, two)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.game(d.Code, a, b)
}

// provenDuels plays duels of every shape.
func (s *stack) provenDuels(t *testing.T) map[string]*duelGame {
	t.Helper()
	list := map[string]*duelGame{}
	play := func(name string, g *duelGame, rounds string) {
		g.play(t, strings.Fields(rounds)...)
		list[name] = g
	}
	ann, bob := s.guest(t), s.guest(t)
	ann.register(t, newName())
	bob.register(t, newName())
	play("staked, with ties, forfeits and a void round", s.joined(t, 100), "rs rr r- -- sr xx xs xp")
	play("drawn by two void rounds, staked", s.joined(t, 50), "rs rs xx --")
	play("rated", s.paired(t, ann, bob), "rp pp sr pr rs rp")
	play("staked by registered players", s.joined(t, 7, bob, ann), "rs -x rs pr")
	resigned := s.joined(t, 20)
	play("resigned", resigned, "rs rr")
	resigned.sides[0](t, resigned.post("/resign", "")).ok(t)
	play("ranked", s.ranked(t), "rs sp -p r-")
	play("drawn by 60 ties, staked", s.joined(t, 9), strings.Repeat("pp ", 60))
	play("neither staked nor rated", s.joined(t, 0), "rp rp rp")
	play("going on, staked", s.joined(t, 5), "rp ss")
	play("nothing played", s.joined(t, 0), "")
	sparring := s.guest(t)
	play("sparring", s.game(sparring.spar(t).ID, sparring.sender(), nil), "r- p- s-")
	return list
}

// TestProofsOfDuels: the proofs of duels that were played over HTTP satisfy every verifier, before
// and after the chain is sealed.
func TestProofsOfDuels(t *testing.T) {
	t.Parallel()
	s := start(t)
	games := s.provenDuels(t)
	var names []string
	var proofs [][]byte
	for range 2 {
		for name, g := range games {
			a := s.anonymous(t).get(t, g.path+"/proof").ok(t)
			names, proofs = append(names, name), append(proofs, []byte(a.body))
			d, p := g.read(t), decode[api.DuelProof](t, a)
			if p.Status != d.Status || p.Wins != d.Wins || (p.Settle != nil) != (d.SettleTx != nil) ||
				(p.Settle != nil) != (d.Status == "finished") {
				t.Errorf("%s: the proof %+v of %+v", name, p, d)
			}
		}
		s.seal(t)
	}
	// Without a pinned key a proof is pending until the duel is over and in a block; with one it fails.
	wanted := func(i int) verify.Verdict {
		if i < len(games) || games[names[i]].read(t).Status != "finished" {
			return verify.Pending
		}
		return verify.Valid
	}
	for i, proof := range proofs {
		want := wanted(i)
		if report := verify.Duel(proof, verify.Options{}); report.Verdict != want {
			t.Errorf("%s: want %s: %+v\n%s", names[i], want, report, proof)
		}
		if report := verify.Duel(proof, verify.Options{Key: &s.key}); report.Valid != (want == verify.Valid) {
			t.Errorf("%s: with the key, want %s: %+v\n%s", names[i], want, report, proof)
		}
	}
	verdicts := make([]verify.Verdict, len(proofs))
	for i := range proofs {
		verdicts[i] = wanted(i)
	}
	if testing.Short() {
		// The proofs of the sealed chain alone.
		names, proofs, verdicts = names[len(games):], proofs[len(games):], verdicts[len(games):]
	}
	for verifier, command := range map[string][]string{
		"Python": {"python3", "twin.py"}, "TypeScript": {"node", "twin.mjs"},
	} {
		for i, text := range askVerifier(t, command, proofs) {
			if last := text[strings.LastIndexByte(text, '\n')+1:]; !strings.HasPrefix(last, string(verdicts[i])) {
				t.Errorf("%s: %s says\n%s", names[i], verifier, text)
			}
		}
	}
	s.guest(t).chainIsValid(t)
}

// TestProofNamesARecovery checks that the proof of a duel without a stake names the recovery that came during it, while
// it goes on and after its end, and that the proof of a later duel names none.
func TestProofNamesARecovery(t *testing.T) {
	t.Parallel()
	s := start(t)
	crossed := s.joined(t, 0)
	crossed.play(t, "rs", "rr")
	s.clock.forward(time.Second)
	err := s.db.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := s.ledger.Recover(ctx, tx, "a test"); err != nil {
			return err
		}
		return s.ledger.Recovered(ctx, tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.clock.forward(time.Second)
	later := s.joined(t, 0)
	check := func(g *duelGame, recovery bool, want verify.Verdict) {
		t.Helper()
		s.seal(t)
		a := s.anonymous(t).get(t, g.path+"/proof").ok(t)
		p, report := decode[api.DuelProof](t, a), verify.Duel([]byte(a.body), verify.Options{})
		if report.Verdict != want || (p.Recovery != nil) != recovery || (p.Kept != nil) != recovery {
			t.Errorf("%v, with a recovery: %v, want %v: %+v\n%s", want, p.Recovery != nil, recovery, report, a.body)
		}
	}
	check(crossed, true, verify.Pending)
	crossed.play(t, "rs", "rs")
	check(crossed, true, verify.Valid)
	later.play(t, "rs", "rs", "rs")
	check(later, false, verify.Valid)
}

// askVerifier runs a verifier of another language on proofs without a pinned key, and returns its
// output for each.
func askVerifier(t *testing.T, command []string, proofs [][]byte) (texts []string) {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "verify")
	for _, name := range []string{"python/verify.py", "ts/verify.ts", "testdata/twin.py", "testdata/twin.mjs"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil { // or the result would come from the test cache
			t.Fatal(err)
		}
	}
	var in bytes.Buffer
	for _, proof := range proofs {
		line, err := json.Marshal(map[string]any{"proof": proof, "key": nil, "witnesses": []string{}})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	command = append(slices.Clone(command), "proofs")
	command[1] = filepath.Join(folder, "testdata", command[1])
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	var problems bytes.Buffer
	cmd.Stdin, cmd.Stderr = &in, &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, problems.Bytes())
	}
	for line := range strings.Lines(string(out)) {
		var said struct{ Text string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatalf("%s: %v in %q", command, err, line)
		}
		texts = append(texts, strings.TrimSpace(said.Text))
	}
	if len(texts) != len(proofs) {
		t.Fatalf("%s: %d answers to %d proofs", command, len(texts), len(proofs))
	}
	return texts
}

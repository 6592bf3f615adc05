package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/game"
	"roshambo/verify"
)

// receiptVector is a proof with receipts and the expected result.
type receiptVector struct {
	About   string   `json:"about"`
	Proof   string   `json:"proof"` // path below vectors/
	Key     *string  `json:"key"`   // to pin; null for none
	Lines   []string `json:"receipts"`
	Verdict string   `json:"verdict"`
	Result  string   `json:"result"` // of the check receipts
	Text    string   `json:"text"`   // of the check receipts
}

// receiptLine returns a line of a file of receipts, signed by the key.
func receiptLine(key ed25519.PrivateKey, raw string) string {
	signature := ed25519.Sign(key, chain.ReceiptMessage(raw))
	quoted, err := json.Marshal(raw)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"raw":%s,"signature":"%s"}`, quoted, base64.StdEncoding.EncodeToString(signature))
}

// runFacts are what an honest house states about the run of a proof.
type runFacts struct {
	start    *chain.StartStatement
	throws   []*chain.ThrowStatement
	decision *chain.DecisionStatement
}

// factsOfRun derives the statements of an honest house from a proof.
func factsOfRun(file []byte) runFacts {
	var p verify.RunProof
	if err := json.Unmarshal(file, &p); err != nil {
		panic(err)
	}
	tx, err := chain.ParseTx([]byte(p.Start.Raw))
	if err != nil {
		panic(err)
	}
	throws, err := chain.ParseTranscript([]byte(p.Transcript.Raw))
	if err != nil {
		panic(err)
	}
	data := tx.Data.(*chain.RunStart)
	f := runFacts{start: &chain.StartStatement{Account: tx.Actor, ClientSeedHash: data.ClientSeedHash,
		Commitment: data.Commitment, Entry: data.Entry, FirstTier: data.FirstTier, NextCommitment: data.NextCommitment,
		RunID: data.RunID, Time: tx.Time}}
	for i, t := range throws {
		f.throws = append(f.throws, &chain.ThrowStatement{Account: tx.Actor, EntropyHash: t.EntropyHash,
			House: t.House, Move: t.Move, N: int64(t.N), Outcome: t.Outcome, RunID: data.RunID, Seed: t.Seed,
			Time: tx.Time + int64(i+1)*1000})
	}
	f.decision = &chain.DecisionStatement{Account: tx.Actor, Cleared: p.Cleared, Decision: chain.DecideClaim,
		RunID: data.RunID, Throws: int64(len(throws)), Time: tx.Time + 60_000}
	return f
}

// all returns the statements in the order in which the house made them.
func (f runFacts) all() []chain.Statement {
	list := []chain.Statement{f.start}
	for _, t := range f.throws {
		list = append(list, t)
	}
	return append(list, f.decision)
}

// roundsOf derives the statements about the rounds of a duel's proof.
func roundsOf(file []byte) (list []*chain.RoundStatement) {
	var p verify.DuelProof
	if err := json.Unmarshal(file, &p); err != nil {
		panic(err)
	}
	transcript, err := chain.ParseDuelTranscript([]byte(p.Transcript.Raw))
	if err != nil {
		panic(err)
	}
	for _, r := range transcript.Rounds {
		list = append(list, &chain.RoundStatement{A: transcript.A, B: transcript.B, DuelID: p.DuelID, N: int64(r.N),
			CommitmentA: r.Hands[0].Commitment, CommitmentB: r.Hands[1].Commitment, Time: firstTime})
	}
	return list
}

// receipter collects vectors of receipts.
type receipter struct {
	files  map[string][]byte // the proofs
	house  *house
	pinned string
	list   []receiptVector
}

// finding is the expected result of the check receipts.
type finding struct{ result, text string }

// agreeing is the finding when n receipts agree with the proof. more names the others.
func agreeing(n int, more string) finding {
	text := fmt.Sprintf("%d receipts agree with the proof%s", n, more)
	if n == 0 {
		return finding{"note", text}
	}
	return finding{"pass", text}
}

// add adds a vector with the house's key pinned.
func (r *receipter) add(about, proof string, lines []string, verdict string, f finding) {
	r.list = append(r.list, receiptVector{About: about, Proof: proof, Key: &r.pinned, Lines: lines, Verdict: verdict,
		Result: f.result, Text: f.text})
}

// contradicts adds a vector in which the receipts contradict a proof.
func (r *receipter) contradicts(about, proof string, lines []string, text string) {
	r.add(about, proof, lines, "CONTRADICTED", finding{"fail", text})
}

// lines returns receipts of statements, signed by the house.
func (r *receipter) lines(statements ...chain.Statement) (out []string) {
	for _, s := range statements {
		out = append(out, receiptLine(r.house.key, string(chain.StatementRaw(s))))
	}
	return out
}

// The proofs that the receipts are compared with.
const (
	claimedRun = "run/claimed.json"
	activeRun  = "run/active.json"
	stakedDuel = "duel/staked.json"
)

// receiptVectors returns the vectors of receipts. files are the proofs.
func receiptVectors(files map[string][]byte) []receiptVector {
	h := newHouse()
	r := &receipter{files: files, house: h, pinned: verifierKey(h.name, h.key)}
	honest := factsOfRun(files[claimedRun]).all()
	r.add("every receipt of a claimed run", claimedRun, r.lines(honest...), "VALID", agreeing(len(honest), ""))
	r.add("no receipts", claimedRun, []string{}, "VALID", agreeing(0, ""))
	r.starts()
	r.throws()
	r.decisions()
	r.unanchored()
	r.duels()
	r.recoveries()
	r.broken()
	return r.list
}

// starts adds starts of which the house once stated something else.
func (r *receipter) starts() {
	another := chain.HashText("another")
	for _, lie := range []struct {
		member string
		change func(s *chain.StartStatement)
	}{
		{"account", func(s *chain.StartStatement) { s.Account = addressOf("another") }},
		{"client_seed_hash", func(s *chain.StartStatement) { s.ClientSeedHash = another }},
		{"commitment", func(s *chain.StartStatement) { s.Commitment = another }},
		{"entry", func(s *chain.StartStatement) { s.Entry = chain.EntryDaily }},
		{"first_tier", func(s *chain.StartStatement) { s.FirstTier++ }},
		{"next_commitment", func(s *chain.StartStatement) { s.NextCommitment = another }},
	} {
		honest, lied := factsOfRun(r.files[claimedRun]).start, *factsOfRun(r.files[claimedRun]).start
		lie.change(&lied)
		r.contradicts("two receipts of one start differ in "+lie.member, claimedRun, r.lines(honest, &lied),
			"receipt 2 states another "+lie.member+" of the start than the proof")
	}
}

// throws adds throws of which the house once stated something else.
func (r *receipter) throws() {
	for _, lie := range []struct {
		member string
		change func(s *chain.ThrowStatement)
	}{
		{"account", func(s *chain.ThrowStatement) { s.Account = addressOf("another") }},
		{"entropy_hash", func(s *chain.ThrowStatement) { s.EntropyHash = chain.HashText("another") }},
		{"house", func(s *chain.ThrowStatement) { s.House = s.Move }},
		{"move", func(s *chain.ThrowStatement) { s.Move = s.House }},
		{"outcome", func(s *chain.ThrowStatement) { s.Outcome = game.Tie }},
		{"seed", func(s *chain.ThrowStatement) { s.Seed[0] ^= 1 }},
	} {
		lied := *factsOfRun(r.files[claimedRun]).throws[0]
		lie.change(&lied)
		r.contradicts("a throw with another "+lie.member, claimedRun, r.lines(&lied),
			"receipt 1 states another "+lie.member+" of throw 1 than the proof")
	}
	honest := factsOfRun(r.files[claimedRun]).throws
	for _, n := range []int64{0, int64(len(honest)) + 1} {
		lied := *honest[0]
		lied.N = n
		r.contradicts(fmt.Sprintf("a throw %d, which is missing", n), claimedRun, r.lines(&lied),
			fmt.Sprintf("receipt 1 states throw %d, which the proof lacks", n))
	}
}

// decisions adds decisions that do not lead to the end of the run.
func (r *receipter) decisions() {
	for _, lie := range []struct {
		about, member string
		change        func(s *chain.DecisionStatement)
	}{
		{"of another account", "account", func(s *chain.DecisionStatement) { s.Account = addressOf("another") }},
		{"to claim before the last throw", "throws", func(s *chain.DecisionStatement) { s.Throws-- }},
		{"at another tier", "cleared", func(s *chain.DecisionStatement) { s.Cleared++ }},
		{"to abandon", "decision", func(s *chain.DecisionStatement) { s.Decision = chain.DecideAbandon }},
		{"to continue", "decision", func(s *chain.DecisionStatement) { s.Decision = chain.DecideContinue }},
		{"to continue before the first throw", "throws", func(s *chain.DecisionStatement) {
			s.Decision, s.Throws, s.Cleared = chain.DecideContinue, 0, 0
		}},
	} {
		lied := *factsOfRun(r.files[claimedRun]).decision
		lie.change(&lied)
		r.contradicts("a decision "+lie.about+", of a run that was claimed", claimedRun, r.lines(&lied),
			fmt.Sprintf("receipt 1 states another %s of the decision after throw %d than the proof", lie.member, lied.Throws))
	}
}

// unanchored adds receipts for a run that goes on, whose proof the house has not signed.
func (r *receipter) unanchored() {
	going := factsOfRun(r.files[activeRun])
	r.add("receipts of a later state", activeRun, r.lines(going.start, going.throws[0], going.decision), "PENDING",
		agreeing(2, "; 1 state later than it"))
	r.add("a receipt of a later state alone", activeRun, r.lines(going.decision), "PENDING",
		agreeing(0, "; 1 state later than it"))
	lied := *going.throws[0]
	lied.Seed[0] ^= 1
	r.add("a throw in no block differs: the house has not signed the proof", activeRun, r.lines(&lied), "NOT VALID",
		finding{"fail", "receipt 1 states another seed of throw 1 than the proof"})
	other := *going.decision
	other.Account = addressOf("another")
	r.add("a later state of another account", activeRun, r.lines(&other), "NOT VALID",
		finding{"fail", fmt.Sprintf("receipt 1 states another account of the decision after throw %d than the proof",
			other.Throws)})
	for i := len(r.list) - 4; i < len(r.list); i++ {
		r.list[i].Key = nil // a pinned key would refuse the proof
	}
}

// duels adds receipts of rounds.
func (r *receipter) duels() {
	honest := roundsOf(r.files[stakedDuel])
	var statements []chain.Statement
	for _, s := range honest {
		statements = append(statements, s)
	}
	start := factsOfRun(r.files[claimedRun]).start
	r.add("every receipt of a duel, and one of a run", stakedDuel, r.lines(append(statements, start)...), "VALID",
		agreeing(len(honest), "; 1 of other games"))
	r.add("a receipt of a duel with the proof of a run", claimedRun, r.lines(statements[0]), "VALID",
		agreeing(0, "; 1 of other games"))
	for _, lie := range []struct {
		about, member string
		change        func(s *chain.RoundStatement)
	}{
		{"of another side a", "a", func(s *chain.RoundStatement) { s.A = addressOf("another") }},
		{"of another side b", "b", func(s *chain.RoundStatement) { s.B = addressOf("another") }},
		{"with another commitment of a", "commitment_a", func(s *chain.RoundStatement) {
			s.CommitmentA = chain.HashText("another")
		}},
		{"in which b's commitment was exchanged after a revealed", "commitment_b", func(s *chain.RoundStatement) {
			s.CommitmentB = chain.HashText("another")
		}},
	} {
		lied := *honest[0]
		lie.change(&lied)
		r.contradicts("a round "+lie.about, stakedDuel, r.lines(&lied),
			"receipt 1 states another "+lie.member+" of round 1 than the proof")
	}
	late := *honest[0]
	late.N = int64(len(honest)) + 1
	r.contradicts("a round that is missing", stakedDuel, r.lines(&late),
		fmt.Sprintf("receipt 1 states round %d, which the proof lacks", late.N))
}

// recoveries adds receipts of what a recovery has lost, or says that it has.
func (r *receipter) recoveries() {
	// The recovery is in block 6; the newest block that it kept is block 5.
	const kept, recovered = firstTime + 5999, firstTime + 6999
	const limit, latest = kept - 60_000, recovered + 60_000
	throw := func(file string, at int64) *chain.ThrowStatement {
		s := *factsOfRun(r.files[file]).throws[0]
		s.N, s.Outcome, s.Time = 3, game.Win, at
		return &s
	}
	decision := func(file string, d chain.Decision, throws, cleared, at int64) *chain.DecisionStatement {
		s := *factsOfRun(r.files[file]).decision
		s.Decision, s.Throws, s.Cleared, s.Time = d, throws, cleared, at
		return &s
	}
	lost := func(agree, n int) finding {
		return finding{"note", fmt.Sprintf("%d receipts agree with the proof; %d lost, declared by recovery 1", agree, n)}
	}
	lacks := func(what string) string { return "receipt 1 states " + what + ", which the proof lacks" }
	const void, voidFree, claimed, voidDuel = "run/void.json", "run/void-free.json", "run/claimed-by-recovery.json",
		"duel/void-by-recovery.json"
	const voidTwo = "run/void-after-two.json" // the recovery that the proof names is in block 5, another one in block 6
	r.add("a win, lost by the first of two recoveries", voidTwo, r.lines(throw(voidTwo, latest-1000)), "VALID", lost(0, 1))
	r.contradicts("a win that the house signed after the first of two recoveries", voidTwo,
		r.lines(throw(voidTwo, latest-999)), lacks("throw 3"))
	honest := factsOfRun(r.files[void])
	r.add("every receipt of a void run, and a win that was lost with its claim", void, r.lines(honest.start,
		honest.throws[0], honest.throws[1], throw(void, kept), decision(void, chain.DecideClaim, 3, 2, kept)), "VALID",
		lost(3, 2))
	r.add("a win, lost as late as the house needs to store it", void, r.lines(throw(void, limit)), "VALID", lost(0, 1))
	r.contradicts("a win that the house had the time to store", void, r.lines(throw(void, limit-1)), lacks("throw 3"))
	r.add("a win, lost as late as the clocks of the house allow", void, r.lines(throw(void, latest)), "VALID", lost(0, 1))
	r.contradicts("a win that the house signed after the recovery", void, r.lines(throw(void, latest+1)), lacks("throw 3"))
	r.contradicts("a claim that the house signed after the recovery", void,
		r.lines(decision(void, chain.DecideClaim, 3, 2, latest+1)), lacks("the decision after throw 3"))
	r.contradicts("a claim that the house had the time to store", void,
		r.lines(decision(void, chain.DecideClaim, 3, 2, limit-1)), lacks("the decision after throw 3"))
	r.add("an abandonment that was lost", void, r.lines(decision(void, chain.DecideAbandon, 2, 1, kept)), "VALID",
		lost(0, 1))
	r.contradicts("an abandonment that the house had the time to store", void,
		r.lines(decision(void, chain.DecideAbandon, 2, 1, limit-1)), lacks("the decision after throw 2"))
	r.contradicts("a win, and a recovery that names no lost tree", voidFree, r.lines(throw(voidFree, kept)),
		lacks("throw 3"))
	differs := *honest.throws[0]
	differs.Seed[0] ^= 1
	r.contradicts("a throw that the recovery has kept, with another seed", void, r.lines(&differs),
		"receipt 1 states another seed of throw 1 than the proof")
	r.add("a claim of a run that a recovery has claimed", claimed,
		r.lines(decision(claimed, chain.DecideClaim, 2, 1, kept)), "VALID", agreeing(1, ""))
	r.add("a continuation of a run that a recovery has claimed", claimed,
		r.lines(decision(claimed, chain.DecideContinue, 2, 1, kept)), "VALID", agreeing(1, ""))
	r.add("an abandonment of a run that a recovery has claimed", claimed,
		r.lines(decision(claimed, chain.DecideAbandon, 2, 1, kept)), "VALID", lost(0, 1))
	const keptAlone = "run/kept-alone.json"
	r.add("an abandonment of a void run whose proof has the block before a recovery, and no recovery", keptAlone,
		r.lines(decision(keptAlone, chain.DecideAbandon, 2, 1, kept)), "NOT VALID", finding{"fail",
			"receipt 1 states another decision of the decision after throw 2 than the proof"})
	r.strangers(void, voidDuel, kept)
	rounds := roundsOf(r.files[voidDuel])
	late, early, after := *rounds[0], *rounds[0], *rounds[0]
	late.N, late.Time, early.N, early.Time, after.N, after.Time = 3, kept, 3, limit-1, 3, latest+1
	r.add("a round that was lost", voidDuel, r.lines(rounds[0], rounds[1], &late), "VALID", lost(2, 1))
	r.contradicts("a round that the house had the time to store", voidDuel, r.lines(&early), lacks("round 3"))
	r.contradicts("a round that the house signed after the recovery", voidDuel, r.lines(&after), lacks("round 3"))
	changed := *rounds[0]
	changed.CommitmentA, changed.Time = chain.HashText("another"), kept
	r.contradicts("a round with a stake that the recovery has kept, with another commitment", voidDuel, r.lines(&changed),
		"receipt 1 states another commitment_a of round 1 than the proof")
	r.crossings(kept, limit, latest)
}

// crossings adds receipts of rounds that a recovery has lost, in duels without a stake, whose sides play them again.
// The limits are the earliest and the latest time of a statement that the recovery can have lost.
func (r *receipter) crossings(kept, limit, latest int64) {
	const crossed, active, nothing = "duel/crossed.json", "duel/crossed-active.json", "duel/crossed-nothing-lost.json"
	lied := func(file string, n, at int64) *chain.RoundStatement {
		s := *roundsOf(r.files[file])[0]
		s.N, s.CommitmentB, s.Time = n, chain.HashText("another"), at
		return &s
	}
	lost := func(agree, n int) finding {
		return finding{"note", fmt.Sprintf("%d receipts agree with the proof; %d lost, declared by recovery 1", agree, n)}
	}
	const another = "receipt 1 states another commitment_b of round 1 than the proof"
	honest := roundsOf(r.files[crossed])
	r.add("a round without a stake that was lost and played again, another one, and one beyond the end", crossed,
		r.lines(honest[1], lied(crossed, 1, kept), lied(crossed, 6, kept)), "VALID", lost(1, 2))
	r.add("a round without a stake, lost as late as the house needs to store it", crossed,
		r.lines(lied(crossed, 1, limit)), "VALID", lost(0, 1))
	r.contradicts("a round without a stake that the house had the time to store", crossed,
		r.lines(lied(crossed, 1, limit-1)), another)
	r.add("a round without a stake, lost as late as the clocks of the house allow", crossed,
		r.lines(lied(crossed, 1, latest)), "VALID", lost(0, 1))
	r.contradicts("a round without a stake that the house signed after the recovery", crossed,
		r.lines(lied(crossed, 1, latest+1)), another)
	r.contradicts("a missing round without a stake that the house signed after the recovery", crossed,
		r.lines(lied(crossed, 6, latest+1)), "receipt 1 states round 6, which the proof lacks")
	r.contradicts("a round without a stake, and a recovery that names no lost tree", nothing,
		r.lines(lied(nothing, 1, kept)), another)
	other := lied(crossed, 1, kept)
	other.B = addressOf("another")
	r.contradicts("a lost round without a stake of another side", crossed, r.lines(other),
		"receipt 1 states another b of round 1 than the proof")
	r.add("a lost round of a duel without a stake that goes on", active, r.lines(lied(active, 1, kept)), "PENDING",
		lost(0, 1))
	r.list[len(r.list)-1].Key = nil // a pinned key would refuse the proof
}

// strangers adds receipts about other players of what a recovery can have lost at a time: no loss explains them.
func (r *receipter) strangers(void, voidDuel string, at int64) {
	facts := factsOfRun(r.files[void])
	throw, decision, round := *facts.throws[0], *facts.decision, *roundsOf(r.files[voidDuel])[0]
	throw.Account, throw.N, throw.Outcome, throw.Time = addressOf("another"), 3, game.Win, at
	decision.Account, decision.Throws, decision.Cleared, decision.Time = addressOf("another"), 3, 2, at
	round.A, round.N, round.Time = addressOf("another"), 3, at
	const states = "receipt 1 states another "
	r.contradicts("a lost win of another account", void, r.lines(&throw), states+"account of throw 3 than the proof")
	r.contradicts("a lost claim of another account", void, r.lines(&decision),
		states+"account of the decision after throw 3 than the proof")
	r.contradicts("a lost round of another side", voidDuel, r.lines(&round), states+"a of round 3 than the proof")
}

// broken adds files that are not receipts of the house.
func (r *receipter) broken() {
	raw := string(chain.StatementRaw(factsOfRun(r.files[claimedRun]).start))
	good := receiptLine(r.house.key, raw)
	changed := func(old, now string) string { return receiptLine(r.house.key, strings.Replace(raw, old, now, 1)) }
	short := base64.StdEncoding.EncodeToString(make([]byte, 63))
	quoted, _, _ := strings.Cut(good, `,"signature"`)
	lines := map[string]string{
		"a receipt with a space":                 strings.Replace(good, ",", ", ", 1),
		"a receipt with another member":          strings.Replace(good, "{", `{"more":1,`, 1),
		"a receipt without its signature":        quoted + "}",
		"a receipt with a carriage return":       good + "\r",
		"a receipt of an unknown kind":           changed(`"start"`, `"stop"`),
		"a statement with a space":               changed(",", ", "),
		"a signature of 63 bytes":                fmt.Sprintf(`%s,"signature":"%s"}`, quoted, short),
		"a statement with a fraction as time":    changed(`"time":`, `"time":0.`),
		"a statement with a negative number":     changed(`"first_tier":0`, `"first_tier":-1`),
		"a statement with an unknown entry":      changed(`"free"`, `"gift"`),
		"a statement in which a member is twice": changed(`"entry"`, `"entry":"free","entry"`),
	}
	for _, about := range slices.Sorted(maps.Keys(lines)) {
		r.add(about, claimedRun, []string{good, lines[about], good}, "NOT VALID",
			finding{"fail", "receipt 2 is malformed"})
	}
	r.elsewhere(good)
	r.add("a receipt that would contradict a proof whose transactions fail", "run/commit-of-another-kind.json",
		[]string{changed(`"first_tier":0`, `"first_tier":1`)}, "NOT VALID",
		finding{"note", "not checked: the transactions check failed"})
	words := strings.Split(r.pinned, "+")
	wrong := "receipt 2 is not signed by " + words[0] + "+" + words[1]
	stranger := receiptLine(keyOf("stranger"), raw)
	r.add("a receipt signed by another key", claimedRun, []string{good, stranger}, "NOT VALID", finding{"fail", wrong})
	forged := strings.Replace(good, `\"first_tier\":0`, `\"first_tier\":1`, 1)
	r.add("a receipt that was changed", claimedRun, []string{good, forged}, "NOT VALID", finding{"fail", wrong})
}

// elsewhere adds lines that do not contain the game's id as a canonical receipt does: they are counted, and
// not read.
func (r *receipter) elsewhere(good string) {
	other := *factsOfRun(r.files[claimedRun]).start
	other.RunID = "another-run"
	forged := receiptLine(keyOf("stranger"), string(chain.StatementRaw(&other)))
	lines := []string{good, forged, "", "I won.", `{"raw":"{}"}`, strings.ReplaceAll(good, "run_id", "run\\\\u005fid")}
	r.add("lines of other games, whatever they are", claimedRun, lines, "VALID", agreeing(1, "; 5 of other games"))
	r.add("receipts of another game alone", claimedRun, []string{forged}, "VALID", agreeing(0, "; 1 of other games"))
}

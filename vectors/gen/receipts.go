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
	f := runFacts{start: &chain.StartStatement{Account: tx.Actor, ClientSeedHash: chain.HashText(data.ClientSeed),
		Commitment: data.Commitment, Entry: data.Entry, FirstTier: data.FirstTier, NextCommitment: data.NextCommitment,
		RunID: data.RunID, Time: tx.Time}}
	for i, t := range throws {
		f.throws = append(f.throws, &chain.ThrowStatement{Account: tx.Actor, EntropyHash: chain.HashText(t.Entropy),
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

// receiptVectors returns the vectors of receipts. files are the proofs.
func receiptVectors(files map[string][]byte) []receiptVector {
	h := newHouse()
	pinned := verifierKey(h.name, h.key)
	var list []receiptVector
	add := func(about, proof string, lines []string, verdict, result, text string) {
		list = append(list, receiptVector{about, proof, &pinned, lines, verdict, result, text})
	}
	lines := func(statements ...chain.Statement) (out []string) {
		for _, s := range statements {
			out = append(out, receiptLine(h.key, string(chain.StatementRaw(s))))
		}
		return out
	}
	const claimed, active, staked = "run/claimed.json", "run/active.json", "duel/staked.json"
	honest := factsOfRun(files[claimed])
	n := len(honest.all())
	add("every receipt of a claimed run", claimed, lines(honest.all()...), "VALID", "pass",
		fmt.Sprintf("%d receipts agree with the proof", n))
	add("no receipts", claimed, []string{}, "VALID", "note", "0 receipts agree with the proof")

	// lie adds a vector in which the house once signed something else about the claimed run.
	lie := func(about string, change func(f *runFacts) chain.Statement, text string) {
		f := factsOfRun(files[claimed])
		add(about, claimed, lines(f.start, change(&f)), "CONTRADICTED", "fail", "receipt 2 states "+text+" than the proof")
	}
	other := *honest.start
	other.Commitment = chain.HashText("another")
	add("the commitment was exchanged after the start", claimed, lines(&other), "CONTRADICTED", "fail",
		"receipt 1 states another commitment of the start than the proof")
	other = *honest.start
	other.NextCommitment = chain.HashText("another")
	add("two receipts of one start differ", claimed, lines(honest.start, &other), "CONTRADICTED", "fail",
		"receipt 2 states another next_commitment of the start than the proof")
	other = *honest.start
	other.ClientSeedHash = chain.HashText("another")
	add("the client seed was exchanged", claimed, lines(&other), "CONTRADICTED", "fail",
		"receipt 1 states another client_seed_hash of the start than the proof")
	other = *honest.start
	other.Entry = chain.EntryDaily
	add("the entry was exchanged", claimed, lines(&other), "CONTRADICTED", "fail",
		"receipt 1 states another entry of the start than the proof")
	lie("the seed of a throw was exchanged", func(f *runFacts) chain.Statement {
		f.throws[1].Seed[0] ^= 1
		return f.throws[1]
	}, "another seed of throw 2")
	lie("the house's move was exchanged", func(f *runFacts) chain.Statement {
		f.throws[0].House = f.throws[0].Move
		return f.throws[0]
	}, "another house of throw 1")
	lie("the player's move was exchanged", func(f *runFacts) chain.Statement {
		f.throws[0].Move = f.throws[0].House
		return f.throws[0]
	}, "another move of throw 1")
	lie("the outcome was exchanged", func(f *runFacts) chain.Statement {
		f.throws[0].Outcome = game.Tie
		return f.throws[0]
	}, "another outcome of throw 1")
	lie("the entropy was exchanged", func(f *runFacts) chain.Statement {
		f.throws[0].EntropyHash = chain.HashText("another")
		return f.throws[0]
	}, "another entropy_hash of throw 1")
	lie("a continued run was claimed", func(f *runFacts) chain.Statement {
		f.decision.Decision = chain.DecideContinue
		return f.decision
	}, fmt.Sprintf("another decision of the decision after throw %d", honest.decision.Throws))
	lie("an abandoned run was claimed", func(f *runFacts) chain.Statement {
		f.decision.Decision = chain.DecideAbandon
		return f.decision
	}, fmt.Sprintf("another decision of the decision after throw %d", honest.decision.Throws))
	lie("more was cleared at the decision", func(f *runFacts) chain.Statement {
		f.decision.Cleared++
		return f.decision
	}, fmt.Sprintf("another cleared of the decision after throw %d", honest.decision.Throws))
	lie("a claim before the last throw", func(f *runFacts) chain.Statement {
		f.decision.Throws--
		return f.decision
	}, fmt.Sprintf("another throws of the decision after throw %d", honest.decision.Throws-1))
	late := *honest.throws[0]
	late.N = int64(len(honest.throws)) + 1
	add("a throw is missing", claimed, lines(&late), "CONTRADICTED", "fail",
		fmt.Sprintf("receipt 1 states throw %d, which the proof lacks", late.N))
	zero := *honest.throws[0]
	zero.N = 0
	add("a throw without a number", claimed, lines(&zero), "CONTRADICTED", "fail",
		"receipt 1 states throw 0, which the proof lacks")
	return append(list, moreReceipts(files, lines, pinned, active, staked)...)
}

// moreReceipts returns the vectors of other games, of duels and of broken files.
func moreReceipts(files map[string][]byte, lines func(...chain.Statement) []string, pinned, active, staked string) (
	list []receiptVector) {
	const claimed = "run/claimed.json"
	add := func(about, proof string, key *string, lines []string, verdict, result, text string) {
		list = append(list, receiptVector{about, proof, key, lines, verdict, result, text})
	}
	honest, going := factsOfRun(files[claimed]), factsOfRun(files[active])
	add("receipts of a later state, without a pinned key", active, nil, lines(going.start, going.throws[0], going.decision),
		"PENDING", "pass", "2 receipts agree with the proof; 1 state later than it")
	lied := *going.throws[0]
	lied.Seed[0] ^= 1
	add("a throw in no block differs: the house has not signed the proof", active, nil, lines(&lied), "NOT VALID", "fail",
		"receipt 1 states another seed of throw 1 than the proof")
	rounds := roundsOf(files[staked])
	statements := make([]chain.Statement, len(rounds))
	for i, r := range rounds {
		statements[i] = r
	}
	add("every receipt of a duel, and one of a run", staked, &pinned, lines(append(statements, honest.start)...), "VALID",
		"pass", fmt.Sprintf("%d receipts agree with the proof; 1 of other games", len(rounds)))
	add("receipts of a duel with the proof of a run", claimed, &pinned, lines(statements[0]), "VALID", "note",
		"0 receipts agree with the proof; 1 of other games")
	b := *rounds[0]
	b.CommitmentB = chain.HashText("another")
	add("b's commitment was exchanged after a revealed", staked, &pinned, lines(&b), "CONTRADICTED", "fail",
		"receipt 1 states another commitment_b of round 1 than the proof")
	a := *rounds[0]
	a.CommitmentA = chain.HashText("another")
	add("a's commitment was exchanged", staked, &pinned, lines(&a), "CONTRADICTED", "fail",
		"receipt 1 states another commitment_a of round 1 than the proof")
	late := *rounds[0]
	late.N = int64(len(rounds)) + 1
	add("a round is missing", staked, &pinned, lines(&late), "CONTRADICTED", "fail",
		fmt.Sprintf("receipt 1 states round %d, which the proof lacks", late.N))

	h := newHouse()
	raw := string(chain.StatementRaw(honest.start))
	good := receiptLine(h.key, raw)
	broken := map[string]string{
		"a receipt with a space":                 strings.Replace(good, ",", ", ", 1),
		"a receipt with another member":          strings.Replace(good, "{", `{"more":1,`, 1),
		"a receipt without its signature":        `{"raw":"{}"}`,
		"an empty line":                          "",
		"a receipt of an unknown kind":           receiptLine(h.key, strings.Replace(raw, `"start"`, `"stop"`, 1)),
		"a statement with a space":               receiptLine(h.key, strings.Replace(raw, ",", ", ", 1)),
		"a signature of 63 bytes":                fmt.Sprintf(`{"raw":"{}","signature":"%s"}`, base64.StdEncoding.EncodeToString(make([]byte, 63))),
		"a statement with a fraction as time":    receiptLine(h.key, strings.Replace(raw, `"time":`, `"time":0.`, 1)),
		"a statement with a negative number":     receiptLine(h.key, strings.Replace(raw, `"first_tier":0`, `"first_tier":-1`, 1)),
		"a statement with an unknown entry":      receiptLine(h.key, strings.Replace(raw, `"free"`, `"gift"`, 1)),
		"a statement in which a member is twice": receiptLine(h.key, strings.Replace(raw, `"entry"`, `"entry":"free","entry"`, 1)),
	}
	for _, about := range slices.Sorted(maps.Keys(broken)) {
		line := broken[about]
		add(about, claimed, &pinned, []string{good, line, good}, "NOT VALID", "fail", "receipt 2 is malformed")
	}
	name, id, _ := strings.Cut(pinned, "+")
	id, _, _ = strings.Cut(id, "+")
	wrong := "receipt 2 is not signed by " + name + "+" + id
	add("a receipt signed by another key", claimed, &pinned, []string{good, receiptLine(keyOf("stranger"), raw)}, "NOT VALID",
		"fail", wrong)
	forged := strings.Replace(good, `\"first_tier\":0`, `\"first_tier\":1`, 1)
	add("a receipt that was changed", claimed, &pinned, []string{good, forged}, "NOT VALID", "fail", wrong)
	return list
}

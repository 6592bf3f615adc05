package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"roshambo/chain"
)

// Anchored is a transaction with its inclusion proofs: in its block, and of the block in the log.
// While the transaction is in no block, the members from height on are null.
type Anchored struct {
	// Raw is the transaction in canonical JSON, see chain.ParseTx.
	Raw string `json:"raw"`
	// Hash is chain.HashTx of Raw, in hex.
	Hash string `json:"hash"`
	// Height and Index are the position: the block, and the transaction in it from 0.
	Height *int64 `json:"height"`
	Index  *int64 `json:"index"`
	// Header is the raw of the block's header, see chain.ParseHeader.
	Header *string `json:"header"`
	// TxProof proves that Hash is leaf Index of the block's tree. Hashes are in hex, lowest level
	// first; nil is null, and an empty list is the proof in a block of one transaction.
	TxProof []string `json:"tx_proof"`
	// BlockProof proves that Header is leaf Height of the checkpoint's tree, like TxProof.
	BlockProof []string `json:"block_proof"`
}

// Document is a text that was hashed.
type Document struct {
	Raw string `json:"raw"`
}

// RunTexts are the texts that a player gave. The chain and the transcript hold their hashes only.
type RunTexts struct {
	// ClientSeed has at most 64 characters, "" when none was given.
	ClientSeed string `json:"client_seed"`
	// Entropy has the text of each throw in order, with the same bound.
	Entropy []string `json:"entropy"`
}

// check returns an error unless there is one entropy for each throw and every text is within its
// bound. It is part of the format check: the bound limits the size of a proof.
func (t *RunTexts) check(throws int) error {
	if t == nil {
		return nil
	}
	for _, text := range append([]string{t.ClientSeed}, t.Entropy...) {
		if utf8.RuneCountInString(text) > maxTextRunes {
			return fmt.Errorf("texts has a text of more than %d characters", maxTextRunes)
		}
	}
	if len(t.Entropy) != throws {
		return errors.New("texts does not have the entropy of each throw")
	}
	return nil
}

// maxTextRunes is the most characters of a client seed and of an entropy.
const maxTextRunes = 64

// RunProof is the proof of a house run, the answer of GET /api/runs/{run_id}/proof and the shape
// run_proof of docs/protocol.md. A verifier must read it with Run or Proof: encoding/json accepts
// documents that the format check refuses.
type RunProof struct {
	Format string `json:"format"` // FormatRun
	RunID  string `json:"run_id"`
	// Account is the player's address.
	Account string `json:"account"`
	// Status is active, deciding, claimed, lost, abandoned or void.
	Status string `json:"status"`
	// Cleared is the tier reached so far.
	Cleared int64 `json:"cleared"`
	// Transcript is the list of throws, see chain.ParseTranscript.
	Transcript Document `json:"transcript"`
	// Texts opens the hashes of the client seed and of the entropy. It is null for everyone but
	// the player.
	Texts *RunTexts `json:"texts"`
	// Commit is the account.create, run.start or commitment.rotate that published the run's commitment.
	Commit *Anchored `json:"commit"`
	// Start is the run.start, End the run.end, null while the run goes on.
	Start *Anchored `json:"start"`
	End   *Anchored `json:"end"`
	// Recovery is the recovery between Start and End, null for none. Kept is the raw of the header of
	// the block before the block of Recovery, null while Recovery is in no block.
	Recovery *Anchored `json:"recovery"`
	Kept     *string   `json:"kept"`
	// Checkpoint is the signed note that covers all blocks of the proof, null while no
	// transaction is in a block.
	Checkpoint *string `json:"checkpoint"`
	// VerifierKey is the key that signed the checkpoint, name+id+base64.
	VerifierKey string `json:"verifier_key"`
}

// DuelProof is the proof of a duel, the shape duel_proof of docs/protocol.md. A verifier must read
// it with Duel or Proof, like RunProof.
type DuelProof struct {
	Format string `json:"format"` // FormatDuel
	DuelID string `json:"duel_id"`
	// A and B are the addresses of the two sides.
	A string `json:"a"`
	B string `json:"b"`
	// Status is active, finished or void.
	Status string `json:"status"`
	Wins   Score  `json:"wins"`
	// Winner is a, b, or null without a winner.
	Winner *string `json:"winner"`
	// Transcript is the record of the decided rounds, see chain.ParseDuelTranscript.
	Transcript Document `json:"transcript"`
	// StakeA and StakeB are the duel.stake transactions of the sides, null without a stake.
	StakeA *Anchored `json:"stake_a"`
	StakeB *Anchored `json:"stake_b"`
	// Settle is the duel.settle, null while the duel goes on.
	Settle *Anchored `json:"settle"`
	// Recovery is the one that made the duel void or, without a stake, came during it; Kept is the same as in
	// RunProof.
	Recovery *Anchored `json:"recovery"`
	Kept     *string   `json:"kept"`
	// Checkpoint and VerifierKey are the same as in RunProof.
	Checkpoint  *string `json:"checkpoint"`
	VerifierKey string  `json:"verifier_key"`
}

// Score is the number of rounds that each side won.
type Score struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

// parsedProof is a proof of either format that passed the format check. Exactly one of run and duel
// is set.
type parsedProof struct {
	format string // FormatRun or FormatDuel
	run    *parsedRun
	duel   *parsedDuel
	// parts are the transactions that are present, in the order of the shape. It is empty while a
	// duel without a stake goes on.
	parts []*proofTx
	// checkpoint is nil when the proof has none.
	checkpoint  *string
	verifierKey string
	crossed     *crossing // nil when the proof names no recovery
}

// proofTx is a transaction of a proof.
type proofTx struct {
	*Anchored
	name  string       // of the proof's member, for messages
	kinds []chain.Kind // allowed in this position
	tx    chain.Tx     // the parsed raw, set by the transactions check
}

// read is the format check: it parses a proof of one of the formats and its transcript. The error is
// the text of the failure, the same in all verifiers.
func read(data []byte, formats []string) (*parsedProof, error) {
	// The size comes first: it bounds the work on hostile input.
	if len(data) > MaxSize {
		return nil, fmt.Errorf("the proof is larger than %d bytes", MaxSize)
	}
	v, err := readJSON(data)
	if err != nil {
		return nil, err
	}
	// The format decides the shape, so it is read before the shape is checked.
	r := &parsedProof{}
	if o, ok := v.(object); ok {
		for _, f := range formats {
			if o["format"] == f {
				r.format = f
			}
		}
	}
	switch r.format {
	case FormatRun:
		err = r.readRun(v, data)
	case FormatDuel:
		err = r.readDuel(v, data)
	default:
		err = errors.New("the proof has an unknown format")
	}
	return r, err
}

// readRun reads the members of a run's proof. v is the strict reading of data; encoding/json decodes
// data a second time into the struct, after v has the shape.
func (r *parsedProof) readRun(v any, data []byte) error {
	if err := conform(v, "run_proof", ""); err != nil {
		return err
	}
	var p RunProof
	if err := json.Unmarshal(data, &p); err != nil { // cannot fail: the shape holds
		return errJSON
	}
	r.checkpoint, r.verifierKey = p.Checkpoint, p.VerifierKey
	// The order of the calls is the order of r.parts, and of the reports.
	commit := r.add("commit", p.Commit, chain.KindAccountCreate, chain.KindRunStart, chain.KindRotate)
	start := r.add("start", p.Start, chain.KindRunStart)
	end := r.add("end", p.End, chain.KindRunEnd)
	r.addRecovery(p.Recovery, p.Kept)
	throws, err := chain.ParseTranscript([]byte(p.Transcript.Raw))
	if err != nil {
		return errTranscript
	}
	// The number is an input of seed and move, so it must be the position in the list.
	for i, t := range throws {
		if t.N != i+1 {
			return errNumbers
		}
	}
	r.run = &parsedRun{proof: p, throws: throws, commit: commit, start: start, end: end, crossed: r.crossed}
	return p.Texts.check(len(throws))
}

// readDuel reads the members of a duel's proof, like readRun.
func (r *parsedProof) readDuel(v any, data []byte) error {
	if err := conform(v, "duel_proof", ""); err != nil {
		return err
	}
	var p DuelProof
	if err := json.Unmarshal(data, &p); err != nil { // cannot fail: the shape holds
		return errJSON
	}
	r.checkpoint, r.verifierKey = p.Checkpoint, p.VerifierKey
	d := &parsedDuel{proof: p}
	d.stakes[0] = r.add("stake_a", p.StakeA, chain.KindDuelStake)
	d.stakes[1] = r.add("stake_b", p.StakeB, chain.KindDuelStake)
	d.settle = r.add("settle", p.Settle, chain.KindDuelSettle)
	r.addRecovery(p.Recovery, p.Kept)
	d.crossed = r.crossed
	// The transcript is checked last, as in readRun: all verifiers report the same first fault.
	r.duel = d
	return d.readTranscript()
}

// Errors of the transcript, which both formats share.
var (
	errTranscript = errors.New("transcript.raw is not a transcript in canonical JSON")
	errNumbers    = errors.New("the transcript is not numbered 1, 2, 3 and so on")
)

// add adds a transaction of the proof to r.parts and returns it, nil when it is absent.
func (r *parsedProof) add(name string, a *Anchored, kinds ...chain.Kind) *proofTx {
	if a == nil {
		return nil
	}
	p := &proofTx{Anchored: a, name: name, kinds: kinds}
	r.parts = append(r.parts, p)
	return p
}

// unanchored returns the names of the claims that are in no block: the transactions without a height,
// and the transcript while no end and no settlement pins it. It is never nil.
func (r *parsedProof) unanchored() []string {
	names := []string{}
	for _, p := range r.parts {
		if p.Height == nil {
			names = append(names, p.name)
		}
	}
	if r.run != nil && r.run.end == nil || r.duel != nil && r.duel.settle == nil {
		names = append(names, "transcript")
	}
	return names
}

// errUnanchored returns the reason why a pinned key or a required witness refuses the proof: what it
// claims must be on the chain, as the service could still replace a claim that is in no block. It
// returns nil when everything is in a block.
func (r *parsedProof) errUnanchored() error {
	names := r.unanchored()
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("not anchored: in no block yet: %s", strings.Join(names, ", "))
}

// describe is the finding of a format check that passed: what the proof claims.
func (r *parsedProof) describe() finding {
	if r.format == FormatRun {
		p := r.run.proof
		return pass("run %s of %s: %s, %d cleared, %d throws", p.RunID, p.Account, p.Status, p.Cleared, len(r.run.throws))
	}
	p := r.duel.proof
	return pass("duel %s of %s and %s: %s, %d rounds", p.DuelID, p.A, p.B, p.Status, len(r.duel.transcript.Rounds))
}

// steps returns the checks that follow the transactions check, in the order of the report.
func (r *parsedProof) steps(o Options) []step {
	steps := []step{
		{"inclusion", r.inclusion},
		{"checkpoint", func() finding { return r.signature(o.Key) }},
	}
	if w := (witnessPolicy{o.Witnesses, o.Quorum}); r.hasWitnessCheck(w) {
		steps = append(steps, step{"witnesses", func() finding { return r.witnesses(w) }})
	}
	steps = append(steps, step{"order", r.order})
	if r.format == FormatRun {
		steps = append(steps, r.run.steps()...)
	} else {
		steps = append(steps, r.duel.steps()...)
	}
	if r.crossed != nil || r.status() == statusVoid {
		steps = append(steps, step{"recovery", r.recovery})
	}
	return steps
}

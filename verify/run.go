package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// topTier is the highest tier of the standard rules. A proof does not hold the rules in force, so a
// higher tier is a note and not a failure.
const topTier = 16

// parsedRun is the proof of a house run with its parsed transcript.
type parsedRun struct {
	proof              RunProof
	throws             []chain.Throw // numbered 1, 2, …
	commit, start, end *proofTx      // end is nil while the run goes on
	crossed            *crossing     // nil when the proof names no recovery
}

// steps returns the checks of a run in order.
func (r *parsedRun) steps() []step {
	return []step{
		{"commitment", r.commitment},
		{"client_seed", r.clientSeed},
		{"seeds", r.seeds},
		{"moves", r.moves},
		{"outcomes", r.outcomes},
		{"cleared", r.cleared},
		{"status", r.status},
		{"end", r.ending},
	}
}

// started returns the data of the start transaction.
func (r *parsedRun) started() *chain.RunStart { return r.start.tx.Data.(*chain.RunStart) }

// commitment is the check of the same name: the account published the commitment that the run uses in
// an earlier transaction, and neither transaction publishes or uses it a second time: a commitment
// used twice repeats seeds that were revealed before.
func (r *parsedRun) commitment() finding {
	// The actor and the run of every transaction: a commit belongs to an earlier run, or to none.
	for _, p := range []*proofTx{r.commit, r.start, r.end} {
		if p == nil {
			continue
		}
		if p.tx.Actor.String() != r.proof.Account {
			return fail("the actor of %s is not the account", p.name)
		}
		if p != r.commit && runID(p) != r.proof.RunID {
			return fail("%s is of another run", p.name)
		}
	}
	start := r.started()
	// An account.create publishes only; a run.start also uses up a commitment, a rotation replaces one.
	published, spent := chain.Hash{}, chain.Hash{}
	switch commit := r.commit.tx.Data.(type) {
	case *chain.AccountCreate:
		published = commit.Commitment
	case *chain.RunStart:
		published, spent = commit.NextCommitment, commit.Commitment
	case *chain.Rotate:
		published, spent = commit.NextCommitment, commit.Commitment
	}
	switch {
	case published != start.Commitment:
		return fail("commit publishes another commitment than start uses")
	case r.commit.tx.Kind() != chain.KindAccountCreate && spent == published, start.NextCommitment == published:
		return fail("the commitment is used or published twice")
	case runID(r.commit) == r.proof.RunID:
		return fail("commit starts the same run")
	}
	return pass("commit publishes the commitment that start uses")
}

// runID returns the id of the run that a transaction starts or ends, "" for other kinds.
func runID(p *proofTx) string {
	switch data := p.tx.Data.(type) {
	case *chain.RunStart:
		return data.RunID
	case *chain.RunEnd:
		return data.RunID
	}
	return ""
}

// noText is the hash of the empty text, which stands for a text that the player did not give.
var noText = chain.HashText("")

// clientSeed is the check client_seed: the opened text hashes to the start's hash. Only the player
// knows whether it is the one that was given, so the report shows it for comparison.
func (r *parsedRun) clientSeed() finding {
	hash, texts := r.started().ClientSeedHash, r.proof.Texts
	switch {
	case texts != nil && chain.HashText(texts.ClientSeed) != hash:
		return fail("the client seed is not the one whose hash start holds")
	case hash == noText:
		return note("the player gave no client seed and added no randomness to the run")
	case texts == nil:
		return note("the proof does not open the client seed, whose SHA-256 is %v", hash)
	}
	return pass("the player's client seed is %s: it must be the one you gave", quote(texts.ClientSeed))
}

// quote returns text as a JSON string in ASCII, so that it cannot send control sequences to a
// terminal. The escapes are the same as from Python's json.dumps, which the Python twin uses.
func quote(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch at := strings.IndexRune("\b\t\n\f\r\"\\", c); {
		case at >= 0:
			b.WriteString(`\` + `btnfr"\`[at:at+1])
		case c >= ' ' && c <= '~':
			b.WriteRune(c)
		case c < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, c)
		default: // a surrogate pair
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		}
	}
	return `"` + b.String() + `"`
}

// seeds is the check of the same name: seed 1 hashes to the commitment, each later one to the seed
// before it. The chain of hashes proves that every seed was fixed before the run.
func (r *parsedRun) seeds() finding {
	// before is the hash that the next seed must have, label its name in messages.
	before, label := fair.Seed(r.started().Commitment), "the commitment"
	for _, t := range r.throws {
		if fair.Previous(t.N, t.Seed) != before {
			return fail("seed %d does not hash to %s", t.N, label)
		}
		before, label = t.Seed, fmt.Sprintf("seed %d", t.N)
	}
	return pass("%d seeds: each hashes to the one before it, the first to the commitment", len(r.throws))
}

// moves is the check of the same name: each house move follows from its seed, the client seed and the
// entropy. Entropy is a note, because only the player knows the text that was sent.
func (r *parsedRun) moves() finding {
	var withEntropy []string
	for i, t := range r.throws {
		if t.EntropyHash != noText {
			withEntropy = append(withEntropy, strconv.Itoa(t.N))
		}
		if texts := r.proof.Texts; texts != nil && chain.HashText(texts.Entropy[i]) != t.EntropyHash {
			return fail("throw %d: the entropy is not the one whose hash the transcript holds", t.N)
		}
		if move := fair.HouseMove(t.Seed, t.N, r.started().ClientSeedHash, t.EntropyHash); move != t.House {
			return fail("throw %d: the seed gives %v, not %v", t.N, move, t.House)
		}
	}
	if len(withEntropy) > 0 { // a house that made up the entropy could choose the move
		return note("each house move follows; entropy came with throw %s: it must be what you sent",
			strings.Join(withEntropy, ", "))
	}
	return pass("each house move follows from its seed and the client seed; no entropy came with a throw")
}

// outcomes is the check of the same name: each outcome follows from the two moves.
func (r *parsedRun) outcomes() finding {
	for _, t := range r.throws {
		if follows := t.Move.Against(t.House); follows != t.Outcome {
			return fail("throw %d: the outcome is %v, not %v", t.N, follows, t.Outcome)
		}
	}
	return pass("each outcome follows from the two moves")
}

// tier returns the tier that the throws reach: the first tier plus the wins.
func (r *parsedRun) tier() int64 {
	tier := r.started().FirstTier
	for _, t := range r.throws {
		if t.Outcome == game.Win {
			tier++
		}
	}
	return tier
}

// cleared is the check of the same name: the proof's cleared is the tier that the throws reach.
func (r *parsedRun) cleared() finding {
	if r.tier() != r.proof.Cleared {
		return fail("the throws clear %d, not %d", r.tier(), r.proof.Cleared)
	}
	return pass("the throws clear %d", r.proof.Cleared)
}

// status is the check of the same name: no throw follows a loss, the last throw allows the status, and
// there is an end transaction exactly when the status is final.
func (r *parsedRun) status() finding {
	status, reached := r.proof.Status, r.tier()
	// Only the last throw may be a loss.
	for i, t := range r.throws {
		if t.Outcome == game.Loss && i+1 < len(r.throws) {
			return fail("throw %d is a loss, but the run continued", t.N)
		}
	}
	possible := r.possibleStatuses()
	if !slices.Contains(possible, status) {
		return fail("the throws leave a run %s, not %s", strings.Join(possible, " or "), status)
	}
	ended := status != "active" && status != "deciding"
	if ended && r.end == nil {
		return fail("a run that is %s has an end transaction", status)
	}
	if !ended && r.end != nil {
		return fail("a run that is %s has no end transaction", status)
	}
	won := len(r.throws) > 0 && r.throws[len(r.throws)-1].Outcome == game.Win
	if reached > topTier || reached == topTier && (status != "claimed" || !won) {
		return note("%s follows, but the run goes beyond tier %d, which claims by itself in the standard rules", status,
			topTier)
	}
	return pass("%s follows from the throws", status)
}

// possibleStatuses returns the statuses that the last throw allows. When all seeds are used up, the
// run is claimed with the tier it reached, or abandoned with none.
func (r *parsedRun) possibleStatuses() []string {
	last := game.Tie // a run without throws allows the same statuses as a tie
	if len(r.throws) > 0 {
		last = r.throws[len(r.throws)-1].Outcome
	}
	switch {
	case last == game.Loss:
		return []string{"lost"}
	case len(r.throws) == fair.Length && r.tier() > 0:
		return []string{"claimed"}
	case len(r.throws) == fair.Length:
		return []string{"abandoned"}
	case last == game.Win:
		return []string{"active", "abandoned", "deciding", "claimed"}
	}
	return []string{"active", "abandoned", "void"}
}

// ending is the check end: the run.end states tier, status, number of throws and hash of the
// transcript, and creates exactly the token that the run won.
func (r *parsedRun) ending() finding {
	if r.end == nil {
		return note("the run goes on")
	}
	end := r.end.tx.Data.(*chain.RunEnd)
	// The first difference is reported, in the order of the other verifiers.
	mismatch := ""
	switch {
	case end.Cleared != r.tier():
		mismatch = "cleared"
	case string(end.Status) != r.proof.Status:
		mismatch = "status"
	case end.Throws != int64(len(r.throws)):
		mismatch = "throws"
	case end.TranscriptHash != chain.HashTranscript([]byte(r.proof.Transcript.Raw)):
		mismatch = "transcript_hash"
	}
	if mismatch != "" {
		return fail("end states another %s than the transcript", mismatch)
	}
	if end.Bound != r.start.tx.Data.(*chain.RunStart).Bound {
		return fail("of start and end, only one is bound")
	}
	if end.Status == chain.RunVoid {
		if !slices.Equal(r.end.tx.Transfers, r.entryBack()) {
			return fail("end does not give back the entry")
		}
		return pass("end pins the transcript and gives back the entry")
	}
	won := int64(0) // the tier of the token won, 0 for none
	if r.proof.Status == "claimed" {
		won = r.tier()
	}
	if !r.creates(won) {
		return fail("end does not create what the run won")
	}
	if won == 0 {
		return pass("end pins the transcript and creates nothing")
	}
	return pass("end pins the transcript and creates a token of tier %d", won)
}

// entryBack returns the transfers that give back the entry: the coins, or another token of the burnt
// one's tier.
func (r *parsedRun) entryBack() []chain.Transfer {
	paid := r.start.tx.Transfers
	if len(paid) == 0 {
		return nil
	}
	back := chain.Transfer{Amount: paid[0].Amount, To: r.start.tx.Actor}
	if paid[0].Token {
		back.Token, back.Tier = true, r.started().FirstTier
		if ended := r.end.tx.Transfers; len(ended) == 1 {
			back.TokenID = ended[0].TokenID // free: which ids are unused depends on the whole chain
		}
	}
	return []chain.Transfer{back}
}

// creates reports whether the end transaction creates exactly one token of the tier for the account,
// or nothing for tier 0.
func (r *parsedRun) creates(tier int64) bool {
	transfers := r.end.tx.Transfers
	if tier == 0 || len(transfers) != 1 {
		return tier == 0 && len(transfers) == 0
	}
	account, _ := chain.ParseAddress(r.proof.Account) // well formed, or the shape would not hold
	// The token's id is free: which ids are unused depends on the whole chain.
	got := transfers[0]
	return got == chain.Transfer{Token: true, TokenID: got.TokenID, Tier: tier, To: account}
}

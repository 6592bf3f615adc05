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

// topTier is the highest tier of the standard rules. A proof does not hold the
// rules in force, so that going beyond is worth a note and no failure.
const topTier = 16

// runReading is the proof of a house run, read.
type parsedRun struct {
	proof              RunProof
	throws             []chain.Throw // numbered 1, 2, …
	commit, start, end *proofTx      // end is nil while the run goes on
}

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

// started is the data of the start transaction.
func (r *parsedRun) started() *chain.RunStart { return r.start.tx.Data.(*chain.RunStart) }

// commitment checks that the account itself published, before the run and for
// it alone, the commitment that the run uses.
func (r *parsedRun) commitment() finding {
	for _, p := range []*proofTx{r.commit, r.start, r.end} {
		if p == nil {
			continue
		}
		if p.tx.Actor.String() != r.proof.Account {
			return fail("%s is not the account's own", p.name)
		}
		if p != r.commit && runID(p) != r.proof.RunID {
			return fail("%s is of another run", p.name)
		}
	}
	start := r.started()
	published, spent := chain.Hash{}, chain.Hash{}
	switch commit := r.commit.tx.Data.(type) {
	case *chain.AccountCreate:
		published = commit.Commitment
	case *chain.RunStart:
		published, spent = commit.NextCommitment, commit.Commitment
	}
	switch {
	case published != start.Commitment:
		return fail("commit publishes another commitment than start uses")
	case r.commit.tx.Kind() == chain.KindRunStart && spent == published, start.NextCommitment == published:
		return fail("the commitment is used or published twice")
	case runID(r.commit) == r.proof.RunID:
		return fail("commit starts the very run it should come before")
	}
	return pass("commit publishes the commitment that start uses")
}

// runID returns the run that a transaction is of, "" for none.
func runID(p *proofTx) string {
	switch data := p.tx.Data.(type) {
	case *chain.RunStart:
		return data.RunID
	case *chain.RunEnd:
		return data.RunID
	}
	return ""
}

func (r *parsedRun) clientSeed() finding {
	seed := r.started().ClientSeed
	if seed == "" {
		return note("the player gave no client seed, and so added no randomness of their own to the whole run")
	}
	return pass("the player's client seed is %s: it must be the one you gave", quote(seed))
}

// quote writes text as JSON in ASCII, so that it cannot harm a terminal.
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
		default: // as JSON has it, two halves
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		}
	}
	return `"` + b.String() + `"`
}

func (r *parsedRun) seeds() finding {
	before, label := fair.Seed(r.started().Commitment), "the commitment"
	for _, t := range r.throws {
		if fair.Previous(t.N, t.Seed) != before {
			return fail("seed %d does not hash to %s", t.N, label)
		}
		before, label = t.Seed, fmt.Sprintf("seed %d", t.N)
	}
	return pass("%d seeds: each hashes to the one before it, the first to the commitment", len(r.throws))
}

func (r *parsedRun) moves() finding {
	var withEntropy []string
	for _, t := range r.throws {
		if t.Entropy != "" {
			withEntropy = append(withEntropy, strconv.Itoa(t.N))
		}
		if move := fair.HouseMove(t.Seed, t.N, r.started().ClientSeed, t.Entropy); move != t.House {
			return fail("throw %d: the seed gives %v, not %v", t.N, move, t.House)
		}
	}
	if len(withEntropy) > 0 { // whoever could choose it now could choose the move
		return note("each house move follows; entropy came with throw %s: it must be what you sent", strings.Join(withEntropy, ", "))
	}
	return pass("each house move follows from its seed and the client seed; no entropy came with a throw")
}

func (r *parsedRun) outcomes() finding {
	for _, t := range r.throws {
		if follows := t.Move.Against(t.House); follows != t.Outcome {
			return fail("throw %d: the outcome is %v, not %v", t.N, follows, t.Outcome)
		}
	}
	return pass("each outcome follows from the two moves")
}

// tier returns the tier that the throws lead to, from the first tier on.
func (r *parsedRun) tier() int64 {
	tier := r.started().FirstTier
	for _, t := range r.throws {
		if t.Outcome == game.Win {
			tier++
		}
	}
	return tier
}

func (r *parsedRun) cleared() finding {
	if r.tier() != r.proof.Cleared {
		return fail("the throws clear %d, not %d", r.tier(), r.proof.Cleared)
	}
	return pass("the throws clear %d", r.proof.Cleared)
}

func (r *parsedRun) status() finding {
	says, reached := r.proof.Status, r.tier()
	for i, t := range r.throws {
		if t.Outcome == game.Loss && i+1 < len(r.throws) {
			return fail("throw %d is a loss, yet the run went on", t.N)
		}
	}
	possibleStatuses := r.possibleStatuses()
	if !slices.Contains(possibleStatuses, says) {
		return fail("the throws leave a run %s, not %s", strings.Join(possibleStatuses, " or "), says)
	}
	ended := says != "active" && says != "deciding"
	if ended && r.end == nil {
		return fail("a run that is %s has an end transaction", says)
	}
	if !ended && r.end != nil {
		return fail("a run that is %s has no end transaction", says)
	}
	if reached > topTier || reached == topTier && !ended {
		return note("%s follows, but the run goes beyond tier %d, which claims by itself in the standard rules", says, topTier)
	}
	return pass("%s follows from the throws", says)
}

// possible returns the statuses that the last throw leaves. When the seeds are
// used up, what was reached is claimed.
func (r *parsedRun) possibleStatuses() []string {
	last := game.Tie // which leaves what no throw at all leaves
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
	return []string{"active", "abandoned"}
}

// ending checks what the chain says about the end of the run.
func (r *parsedRun) ending() finding {
	if r.end == nil {
		return note("the run goes on")
	}
	statement := r.end.tx.Data.(*chain.RunEnd)
	mismatch := ""
	switch {
	case statement.Cleared != r.tier():
		mismatch = "cleared"
	case string(statement.Status) != r.proof.Status:
		mismatch = "status"
	case statement.Throws != int64(len(r.throws)):
		mismatch = "throws"
	case statement.TranscriptHash != chain.HashTranscript([]byte(r.proof.Transcript.Raw)):
		mismatch = "transcript_hash"
	}
	if mismatch != "" {
		return fail("end states another %s than the transcript", mismatch)
	}
	won := int64(0)
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

// creates says whether end creates exactly a token of the tier for the account;
// nothing for tier 0.
func (r *parsedRun) creates(tier int64) bool {
	transfers := r.end.tx.Transfers
	if tier == 0 || len(transfers) != 1 {
		return tier == 0 && len(transfers) == 0
	}
	account, _ := chain.ParseAddress(r.proof.Account) // well formed, or the shape would not hold
	got := transfers[0]
	return got == chain.Transfer{Token: true, TokenID: got.TokenID, Tier: tier, To: account}
}

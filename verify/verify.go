// Package verify checks proofs of house runs and of duels, and whole chains, offline. It trusts
// nothing but the verifier key that its caller pins. docs/protocol.md is its specification:
// sections 5 and 6 list the checks, section 7 the shapes.
//
//	report := verify.Proof(data, verify.Options{Key: &pinned})
//	report.WriteText(os.Stdout)
//
//	pass  seeds         7 seeds: each hashes to the one before it, the first to the commitment
//	…
//	VALID
//
// # Proofs
//
// A proof is a JSON document (the shapes are in shape.go) around raws, the texts that were
// hashed. A transaction's hash is a leaf of its block's Merkle tree; the block's header is a leaf
// of the log's tree; the root of that tree is in a signed checkpoint. The commitment in the start
// transaction determines the seeds, the seeds and the player's texts the house moves, the moves
// the outcomes, and the outcomes the content of the end transaction.
//
// The checks of both formats, in the order of a report:
//
//	format        size, strict JSON, the exact shape, a canonical and numbered transcript
//	transactions  every raw has its hash, is canonical, of an allowed kind and within its bounds
//	inclusion     every transaction is in its block, every block in the checkpoint's tree, and times fit
//	checkpoint    the checkpoint is signed by the key, and the key is the pinned one
//	witnesses     a quorum of the given witnesses has cosigned the checkpoint
//	order         no transaction precedes one that it builds on
//
// The checks of a run:
//
//	commitment    the account published the run's commitment before the run, for it alone
//	client_seed   the opened client seed has the hash in the start; a note when the player gave none
//	seeds         every seed hashes to the one before it, the first to the commitment
//	moves         every house move follows from seed, client seed and entropy
//	outcomes      every outcome follows from the two moves
//	cleared       the tier reached is the first tier plus the wins
//	status        the last throw allows the status; a final status has an end transaction
//	end           the end transaction pins the transcript and creates exactly the won token
//
// The checks of a duel:
//
//	commitments   every reveal matches its commitment, and no commitment is copied
//	outcomes      every forfeit and outcome follows from the hands
//	score         the wins follow from the rounds, and no round follows the end
//	winner        the winner has three wins, or there is none
//	end           the settlement pins sides, winner and transcript
//	payout        the stakes go into escrow, and from there to the winner or back
//
// Of both, when a recovery of the house has ended the game (docs/protocol.md, section 2):
//
//	recovery      the proof names the recovery, and the newest block that it kept
//
// And of both, when the options hold receipts:
//
//	receipts      the house signed each receipt, and receipts of this game state what the proof states
//
// A receipt of what a recovery has lost is counted, unless the house had the time to store it where it
// was kept: then the house calls void what it had signed.
//
// Every check has a result: pass, fail or note. A note is not a fault, but something that the
// reader should know. Malformed, missing or contradictory input is a failure with its reason; no
// input makes the package panic.
//
// # Verdicts
//
//	VALID      no check failed, and the checkpoint covers everything that the proof claims
//	PENDING    no check failed, and something that the proof claims is in no block yet: a
//	           transaction, or the transcript of a game that goes on
//	NOT VALID  a check failed
//	CONTRADICTED  only the check receipts failed: a receipt and a block state different things, and the
//	           house has signed both
//
// A caller that pins a key or asks for witnesses relies on the chain alone. Then a claim that is in
// no block fails the checkpoint check, and the witnesses check, so such a proof is NOT VALID.
//
// # Chains
//
// Export and Chain verify a whole chain from genesis (package chain/replay) and the checkpoint of
// its log.
//
// # Other languages
//
// python/verify.py and ts/verify.ts are twins of this package, each a single file without
// dependencies. On any input the three return the same results in the same words; a change here
// is a change in all of them and in docs/protocol.md. The tests compare them on every vector.
//
// The package is pure: standard library only, no clock, no files, no network.
package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The formats of proofs, the values of their member format.
const (
	FormatRun  = "roshambo/run-proof/v1"
	FormatDuel = "roshambo/duel-proof/v1"
)

// MaxSize is the largest proof in bytes. A larger one fails the format check unread.
const MaxSize = 4 << 20

// Options hold the keys that the caller trusts.
type Options struct {
	// Key is the verifier key that must have signed the checkpoint, "name+id+base64", from a
	// source other than the proof (the service prints it at its start). When it is nil, the key
	// in the proof is used and the checkpoint check ends in a note. A malformed key, "" included,
	// fails the checkpoint check.
	Key *string
	// Witnesses are the verifier keys of witnesses, of which Quorum must have cosigned the checkpoint,
	// all when it is 0. Without any, a note lists the signature lines that were not checked, and a quorum
	// fails the check witnesses.
	Witnesses []string
	Quorum    int
	// Receipts are what the house signed while the game went on, one receipt per line (receipt.go), nil
	// for none. The check receipts compares them with the proof.
	Receipts []byte
}

// Result is the result of a check.
type Result string

// The results.
const (
	Pass Result = "pass"
	Fail Result = "fail"
	Note Result = "note" // not a fault, but something to know
)

// Verdict is the result of all checks together.
type Verdict string

// The verdicts; the package comment defines them.
const (
	Valid    Verdict = "VALID"
	Pending  Verdict = "PENDING"
	NotValid Verdict = "NOT VALID"
	// Contradicted is evidence against the house.
	Contradicted Verdict = "CONTRADICTED"
)

// Check is one check with its result. The ids form a closed list, in this order: format,
// transactions, inclusion, checkpoint, witnesses, order; then for a run commitment, client_seed,
// seeds, moves, outcomes, cleared, status, end; and for a duel commitments, outcomes, score,
// winner, end, payout; for both recovery and receipts.
type Check struct {
	ID     string `json:"id"`
	Result Result `json:"result"`
	Text   string `json:"text"` // the reason or a summary, printable ASCII
}

// Report is the result of a verification. When the format check fails, it is the only check.
// Otherwise the report has all checks of the format. The check witnesses is there when the
// options name witnesses or a quorum, or when the checkpoint has signature lines by others than the log; the
// check receipts when the options hold receipts.
type Report struct {
	Valid   bool    `json:"valid"` // Verdict is Valid
	Verdict Verdict `json:"verdict"`
	Format  string  `json:"format"` // "" when the format check failed
	// Pending names the claims that are in no block yet, whatever the verdict: the members of the
	// proof that hold transactions, and "transcript" while the game goes on. It is never nil.
	Pending []string `json:"pending"`
	Checks  []Check  `json:"checks"`
}

// Proof checks a proof of either format. It never panics, whatever the bytes are.
func Proof(proof []byte, o Options) Report { return examine(proof, o, FormatRun, FormatDuel) }

// Run checks the proof of a house run. A proof of another format fails the format check.
func Run(proof []byte, o Options) Report { return examine(proof, o, FormatRun) }

// Duel checks the proof of a duel. A proof of another format fails the format check.
func Duel(proof []byte, o Options) Report { return examine(proof, o, FormatDuel) }

// Failed returns the ids of the checks that failed, in order.
func (r Report) Failed() []string {
	var ids []string
	for _, c := range r.Checks {
		if c.Result == Fail {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// WriteText writes the report as text: a line per check, then the verdict, with the pending claims or
// the failed checks. The error comes from w.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%s  %-12s  %s\n", c.Result, c.ID, c.Text)
	}
	switch r.Verdict {
	case Valid:
		b.WriteString("VALID\n")
	case Contradicted:
		b.WriteString("CONTRADICTED: the house signed a receipt and a block that differ\n")
	case Pending:
		fmt.Fprintf(&b, "PENDING: not in a block yet: %s\n", strings.Join(r.Pending, ", "))
	default:
		fmt.Fprintf(&b, "NOT VALID: %s\n", strings.Join(r.Failed(), ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes the report as one line of JSON. The error comes from w.
func (r Report) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	// Without HTML escapes the output is the same as the Python script's.
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// finding is the result of a check with its text.
type finding struct {
	result Result
	text   string
}

// pass, note and fail return findings with a formatted text. Arguments must be printable ASCII: ids,
// addresses, numbers and names that conform or isName has checked, or texts after quote.
func pass(format string, args ...any) finding { return finding{Pass, fmt.Sprintf(format, args...)} }
func note(format string, args ...any) finding { return finding{Note, fmt.Sprintf(format, args...)} }
func fail(format string, args ...any) finding { return finding{Fail, fmt.Sprintf(format, args...)} }

// step is a check with its id, not yet run.
type step struct {
	id    string // see Check
	check func() finding
}

// examine runs all checks of a proof, which must have one of the formats. After a failed format
// check nothing else runs; after a failed transactions check the others are reported as notes,
// because their input cannot be trusted.
func examine(data []byte, o Options, formats ...string) Report {
	// run adds the result of one check to the report and returns whether it did not fail.
	report := Report{Verdict: NotValid, Pending: []string{}}
	failed := false
	run := func(id string, check func() finding) bool {
		f := check()
		report.Checks = append(report.Checks, Check{ID: id, Result: f.result, Text: f.text})
		failed = failed || f.result == Fail
		return f.result != Fail
	}

	var r *parsedProof // set by the format check
	readable := run("format", func() finding {
		var err error
		if r, err = read(data, formats); err != nil {
			return fail("%v", err)
		}
		return r.describe()
	})
	if !readable {
		return report
	}
	report.Format, report.Pending = r.format, r.unanchored()
	trusted := run("transactions", r.transactions)
	for _, s := range r.steps(o) {
		if !trusted {
			s.check = func() finding { return note("not checked: the transactions check failed") }
		}
		run(s.id, s.check)
	}
	contradicted := false
	if o.Receipts != nil {
		sound := !failed
		run("receipts", func() finding {
			if !trusted {
				return note("not checked: the transactions check failed")
			}
			f, err := r.receipts(o.Receipts, o.Key)
			var c *contradiction
			contradicted = sound && errors.As(err, &c) && c.anchored
			return f
		})
	}
	switch {
	case contradicted:
		report.Verdict = Contradicted
	case failed:
	case len(report.Pending) > 0:
		report.Verdict = Pending
	default:
		report.Verdict, report.Valid = Valid, true
	}
	return report
}

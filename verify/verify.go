// Package verify checks, offline and trusting nobody, what Roshambo hands out:
// the proof of a house run and the proof of a duel.
//
//	report := verify.Proof(data, verify.Options{Key: pinned})
//	report.WriteText(os.Stdout)
//
//	pass  seeds         7 seeds: each hashes to the one before it, the first to the commitment
//	…
//	VALID
//
// A proof is a JSON document (the shapes are in shape.go) around raws: texts as
// they were hashed. A transaction's hash is a leaf of its block's Merkle tree,
// the block's header a leaf of the log's tree, whose root stands in a signed
// checkpoint. From the start transaction's commitment follow the seeds, from
// the seeds the house moves, from the moves the outcomes, and from those what
// the end transaction may say.
//
// Every check has a result: pass, fail, or note, which is no fault but
// something to know. A proof is valid when no check failed. Anything malformed,
// missing or contradictory is a failure with its reason, never a crash and
// never a pass.
//
// python/verify.py and ts/verify.ts are twins of this package, each one file
// that stands alone; on any input the three say the same, word for word.
//
// The package is pure: standard library only, no clock, no files, no network.
package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The formats of proofs.
const (
	FormatRun  = "roshambo/run-proof/v1"
	FormatDuel = "roshambo/duel-proof/v1"
)

// MaxSize is the largest proof that is looked at, in bytes.
const MaxSize = 4 << 20

// Options are what the caller knows beside the proof.
type Options struct {
	// Key is the verifier key that must have signed the checkpoint, as known
	// from elsewhere (printed by the service at its start, or pinned earlier).
	// Without it the key in the proof is used, and the report says so.
	Key string
	// Witnesses are the verifier keys of the witnesses that must have cosigned the
	// checkpoint, all of them. Without any the report says whose lines were not checked.
	Witnesses []string
}

// Result is how a check came out.
type Result string

// The results.
const (
	Pass Result = "pass"
	Fail Result = "fail"
	Note Result = "note" // no fault, but something to know
)

// Check is one check with its result. ID is from a closed list, in this order:
// format, transactions, inclusion, checkpoint, witnesses, order; then for a run
// commitment, client_seed, seeds, moves, outcomes, cleared, status, end; and for
// a duel commitments, outcomes, score, winner, end, payout.
type Check struct {
	ID     string `json:"id"`
	Result Result `json:"result"`
	Text   string `json:"text"` // a sentence, printable ASCII
}

// Report is what a verifier found. When the format check fails it is the only
// one; otherwise all checks of the format are there, witnesses when keys of some were
// given or others than the log have signature lines on the checkpoint.
type Report struct {
	Valid  bool    `json:"valid"`  // no check failed
	Format string  `json:"format"` // "" when the format check failed
	Checks []Check `json:"checks"`
}

// Proof checks a proof of whichever format it says it has.
func Proof(proof []byte, o Options) Report { return examine(proof, o, FormatRun, FormatDuel) }

// Run checks the proof of a house run; a proof of any other format fails.
func Run(proof []byte, o Options) Report { return examine(proof, o, FormatRun) }

// Duel checks the proof of a duel; a proof of any other format fails.
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

// WriteText writes the report for people: a line for each check, then the
// verdict.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%s  %-12s  %s\n", c.Result, c.ID, c.Text)
	}
	if r.Valid {
		b.WriteString("VALID\n")
	} else {
		fmt.Fprintf(&b, "NOT VALID: %s\n", strings.Join(r.Failed(), ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes the report as one line of JSON.
func (r Report) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// finding is how one check came out.
type finding struct {
	result Result
	text   string
}

func pass(format string, args ...any) finding { return finding{Pass, fmt.Sprintf(format, args...)} }
func note(format string, args ...any) finding { return finding{Note, fmt.Sprintf(format, args...)} }
func fail(format string, args ...any) finding { return finding{Fail, fmt.Sprintf(format, args...)} }

// step is a check under its id.
type step struct {
	id    string
	check func() finding
}

// examine runs the checks of a proof, which must be of one of the formats.
func examine(data []byte, o Options, formats ...string) Report {
	report := Report{Valid: true}
	run := func(id string, check func() finding) bool {
		f := check()
		report.Checks = append(report.Checks, Check{id, f.result, f.text})
		report.Valid = report.Valid && f.result != Fail
		return f.result != Fail
	}

	var r *parsedProof
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
	report.Format = r.format
	whole := run("transactions", r.transactions)
	for _, s := range r.steps(o) {
		if !whole {
			s.check = func() finding { return note("not checked: the transactions are not what they should be") }
		}
		run(s.id, s.check)
	}
	return report
}

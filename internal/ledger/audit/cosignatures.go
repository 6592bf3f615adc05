package audit

import (
	"fmt"
	"math"
	"strings"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/ledger/layout"
	q "roshambo/internal/store/query/ledgerq"
)

// Cosignatures follow from nothing in the chain, so a missing one is no difference. One that is
// stored must be valid: its checkpoint is this log's checkpoint at its size, and its lines are
// signatures by the witness whose key the row names.

// cosignatures are the rows of log_cosignature and log_kept, and the roots that the log had at their sizes.
type cosignatures struct {
	rows  []q.LogCosignature
	kept  []q.LogKept
	roots map[int64]*tlog.Hash // by size; nil until the log has grown to it
}

// load reads the rows, before the log is rebuilt.
func (c *cosignatures) load(t tables) (err error) {
	c.roots = map[int64]*tlog.Hash{}
	if c.rows, err = t.q.ListCosignatures(t.ctx); err != nil {
		return err
	}
	for _, row := range c.rows {
		c.roots[row.Size] = nil
	}
	if c.kept, err = t.q.ListKept(t.ctx, q.ListKeptParams{Count: math.MaxInt64}); err != nil {
		return err
	}
	for _, row := range c.kept {
		c.roots[row.Size] = nil
	}
	return nil
}

// grown keeps the root of the log if a cosignature is of its present size.
func (c *cosignatures) grown(l *layout.Edge) {
	if _, selected := c.roots[l.Size()]; selected {
		root := l.Root()
		c.roots[l.Size()] = &root
	}
}

// compareCosignatures notes the rows that are not valid; key is the key of the log.
func (s *scan) compareCosignatures(key note.Verifier) {
	for _, row := range s.cosignatures.rows {
		what := "log_cosignature " + row.Witness
		root := s.cosignatures.roots[row.Size]
		if root == nil {
			s.note(noHeight, what+" size", fmt.Sprintf("1 to %d", s.log.Size()), fmt.Sprint(row.Size))
			continue
		}
		differs := func(expected, actual string) { s.note(row.Size-1, what, expected, actual) }
		expected := layout.CheckpointText(key.Name(), row.Size, *root, s.declaredAt(row.Checkpoint))
		checkNote(row.Checkpoint, expected, key, differs)
		witness, err := cosign.NewVerifierForCosignatureV1(row.Witness)
		if err != nil {
			differs("the verifier key of a witness", err.Error())
			continue
		}
		n, err := note.Open([]byte(row.Checkpoint+row.Lines), note.VerifierList(witness))
		if err != nil {
			differs("lines of the witness", err.Error())
			continue
		}
		if lines := signatureLines(n.Sigs); lines != row.Lines {
			differs(lines, row.Lines)
		}
	}
}

// compareKept notes the kept checkpoints that are not of this log, or out of order. Their witnesses may be earlier
// ones, whose keys are not known here.
func (s *scan) compareKept(key note.Verifier) {
	size := int64(0) // of the row before
	// Readers page through the numbers and verify each checkpoint when they have the blocks of its tree, so both
	// must rise from row to row.
	for i, row := range s.cosignatures.kept {
		what := fmt.Sprint("log_kept ", row.Number)
		s.same(noHeight, what+" number", int64(i), row.Number)
		root := s.cosignatures.roots[row.Size]
		if root == nil || row.Size <= size {
			s.note(noHeight, what+" size", fmt.Sprintf("%d to %d", size+1, s.log.Size()), fmt.Sprint(row.Size))
			continue
		}
		size = row.Size
		n, err := note.Open([]byte(row.Checkpoint), note.VerifierList(key))
		expected := layout.CheckpointText(key.Name(), size, *root, s.declaredAt(row.Checkpoint))
		switch {
		case err != nil:
			s.note(size-1, what, "a checkpoint signed by "+key.Name(), err.Error())
		case n.Text != expected:
			s.note(size-1, what, expected, n.Text)
		}
	}
}

// checkNote checks that a signed note is exactly the text with one signature by the key.
func checkNote(signed, text string, key note.Verifier, differs func(expected, actual string)) {
	n, err := note.Open([]byte(signed), note.VerifierList(key))
	switch {
	case err != nil:
		differs("a checkpoint signed by "+key.Name(), err.Error())
	case n.Text != text:
		differs(text, n.Text)
	case signed != text+"\n"+signatureLines(n.Sigs):
		// Base64 has more than one spelling of the same bytes, and note.Open accepts them all.
		differs("the log's signature alone", signed)
	}
}

// signatureLines returns signatures as the lines of a note.
func signatureLines(list []note.Signature) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "— %s %s\n", s.Name, s.Base64)
	}
	return b.String()
}

// declaredAt returns the rollbacks that were declared when a checkpoint was signed: the first
// ones, as many as the checkpoint has lines for.
func (s *scan) declaredAt(checkpoint string) []string {
	text, _, _ := strings.Cut(checkpoint, "\n\n")
	return s.rollbacks[:min(len(s.rollbacks), strings.Count(text, "\n"+layout.RollbackWord+" "))]
}

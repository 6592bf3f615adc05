package ledger

import (
	"fmt"
	"strings"

	cosign "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	q "roshambo/internal/store/query/ledgerq"
)

// Cosignatures: that one is there follows from nothing, but what it says must be right.
// The checkpoint must be that of this log at its size, and its lines those of the witness
// whose key the row has.

// cosignatures are the rows of log_cosignature, and the roots that the log had at their
// sizes.
type cosignatures struct {
	rows  []q.LogCosignature
	roots map[int64]*tlog.Hash // nil until the log has grown to a size
}

// expect reads the rows: the log is asked for its roots as it is built again.
func (c *cosignatures) expect(t tables) (err error) {
	c.roots = map[int64]*tlog.Hash{}
	if c.rows, err = t.q.ListCosignatures(t.ctx); err != nil {
		return err
	}
	for _, row := range c.rows {
		c.roots[row.Size] = nil
	}
	return nil
}

// grown notes the root of a size that a cosignature is of.
func (c *cosignatures) grown(l *logTree) {
	if _, wanted := c.roots[l.size]; wanted {
		root := l.root()
		c.roots[l.size] = &root
	}
}

// cosigned checks all rows.
func (s *scan) cosigned(key note.Verifier) {
	for _, row := range s.cosignatures.rows {
		what := "log_cosignature " + row.Witness
		root := s.cosignatures.roots[row.Size]
		if root == nil {
			s.note(noHeight, what+" size", fmt.Sprintf("1 to %d", s.log.size), fmt.Sprint(row.Size))
			continue
		}
		wrong := func(expected, found string) { s.note(row.Size-1, what, expected, found) }
		signedNote(row.Checkpoint, checkpointText(key.Name(), row.Size, *root, s.declaredThen(row.Checkpoint)), key, wrong)
		witness, err := cosign.NewVerifierForCosignatureV1(row.Witness)
		if err != nil {
			wrong("the verifier key of a witness", err.Error())
			continue
		}
		n, err := note.Open([]byte(row.Checkpoint+row.Lines), note.VerifierList(witness))
		if err != nil {
			wrong("lines of the witness", err.Error())
			continue
		}
		if lines := signatureLines(n.Sigs); lines != row.Lines {
			wrong(lines, row.Lines)
		}
	}
}

// signedNote checks that a note is what signing a text with a key gives.
func signedNote(signed, text string, key note.Verifier, wrong func(expected, found string)) {
	n, err := note.Open([]byte(signed), note.VerifierList(key))
	switch {
	case err != nil:
		wrong("a checkpoint signed by "+key.Name(), err.Error())
	case n.Text != text:
		wrong(text, n.Text)
	case signed != text+"\n"+signatureLines(n.Sigs):
		// Base64 can be written in more than one way, and note.Open takes them all.
		wrong("the log's signature alone", signed)
	}
}

// signatureLines writes signatures as a note has them.
func signatureLines(list []note.Signature) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "— %s %s\n", s.Name, s.Base64)
	}
	return b.String()
}

// declaredThen returns the rollbacks that were declared when a checkpoint was signed: as many
// of the first as it has lines for.
func (s *scan) declaredThen(checkpoint string) []string {
	text, _, _ := strings.Cut(checkpoint, "\n\n")
	return s.rollbacks[:min(len(s.rollbacks), strings.Count(text, "\n"+rollbackWord+" "))]
}

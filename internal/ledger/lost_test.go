package ledger

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/chain/export"
)

// TestLossIsLogged checks that a loss, its declaration and the recovery are a line of the log each, when they begin and
// not again.
func TestLossIsLogged(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	l := &Ledger{log: slog.New(slog.NewTextHandler(&text, nil))}
	lacks, marked := &lostTree{treeHead: treeHead{Size: 9}}, &lostTree{}
	for i, c := range []struct {
		lost *lostTree
		want string
	}{
		{nil, ""}, {lacks, "roshambo accept-rollback --size 9"}, {lacks, ""}, {marked, "until a recovery is stored"},
		{marked, ""}, {lacks, "roshambo accept-rollback"}, {nil, "the recovery is stored"}, {nil, ""}, {marked, "until"},
	} {
		text.Reset()
		l.noteLost(c.lost)
		if got := text.String(); (got != "") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("step %d logs %q, want %q", i, got, c.want)
		}
	}
}

// TestEachOfDamage checks that a transaction that does not parse is an error, and not left out.
func TestEachOfDamage(t *testing.T) {
	t.Parallel()
	damaged := export.Block{Txs: [][]byte{[]byte("no transaction")}}
	err := eachOf(damaged, func(*chain.Tx, []byte) { t.Error("it is passed on") })
	if err == nil {
		t.Error("it is left out")
	}
}

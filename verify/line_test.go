package verify_test

import (
	"bytes"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/chain/export"
	"roshambo/verify"
)

// TestLongestLine checks that a line of an export has at most 4 MiB without its end, in Go and in Python: a longer
// one is refused unread, one of that length as what it is.
func TestLongestLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		more       int
		golang, py string
	}{
		{0, "transaction", "transaction 0 of block 0 is not JSON"},
		{1, "line 3 of the export", "transaction 0 of block 0 is missing or cut off"},
	} {
		raw := bytes.Repeat([]byte("x"), export.MaxLine+tt.more)
		text := export.AppendInfo(nil, export.Info{Blocks: 1, Transactions: 1})
		text = export.AppendBlock(text, export.Block{Header: chain.Header{TxCount: 1}.Raw(), Txs: [][]byte{raw}})
		text = export.AppendCheckpoint(text, "")
		report, err := verify.Export(bytes.NewReader(text), verify.ChainOptions{})
		found := false
		for _, p := range report.Problems {
			found = found || p.What == tt.golang
		}
		if err != nil || !found {
			t.Errorf("%d bytes too many: %v, %+v, want a problem of %q", tt.more, err, report.Problems, tt.golang)
		}
		cmd := twin(t, "python3", "python/verify.py", "-")
		cmd.Stdin = bytes.NewReader(text)
		if out, _ := cmd.Output(); !strings.Contains(string(out), tt.py) { // its status says that the chain is not valid
			t.Errorf("%d bytes too many: Python prints\n%s\nwant %q", tt.more, out, tt.py)
		}
	}
}

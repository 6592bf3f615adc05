package export_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"roshambo/chain"
	"roshambo/chain/export"
)

// sample returns an export of two blocks. Its transactions are arbitrary texts, because the
// package checks the form alone.
func sample() []byte {
	b := export.AppendInfo(nil, export.Info{Blocks: 2, Transactions: 3, VerifierKey: "name+00000000+key"})
	b = export.AppendBlock(b, export.Block{Header: chain.Header{TxCount: 1}.Raw(), Txs: [][]byte{[]byte(`{"a":1}`)}})
	second := chain.Header{Height: 1, TxCount: 2}.Raw()
	b = export.AppendBlock(b, export.Block{Header: second, Txs: [][]byte{[]byte(`{"b":1}`), []byte(`{"c":1}`)}})
	return export.AppendCheckpoint(b, "name\n2\nroot\n\n— name sig\n")
}

// read reads a whole export and writes it again.
func read(r io.Reader) ([]byte, error) {
	x, err := export.NewReader(r)
	if err != nil {
		return nil, err
	}
	b := export.AppendInfo(nil, x.Info)
	for {
		block, err := x.Block()
		if errors.Is(err, io.EOF) {
			return export.AppendCheckpoint(b, x.Checkpoint), nil
		}
		if err != nil {
			return nil, err
		}
		b = export.AppendBlock(b, block)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	got, err := read(iotest.OneByteReader(bytes.NewReader(sample())))
	if err != nil || !bytes.Equal(got, sample()) {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestMalformed checks that exports with extra, missing or wrong lines are refused with the
// number of the line, and that every proper prefix of an export is refused.
func TestMalformed(t *testing.T) {
	t.Parallel()
	whole := string(sample())
	lines := strings.SplitAfter(whole, "\n")
	cases := map[string]int64{
		whole + "\n":                          8,
		whole + "x":                           8,
		strings.Join(lines[1:], ""):           1,
		lines[0] + lines[0]:                   2,
		lines[0] + lines[6] + whole:           3,
		strings.Replace(whole, "v1", "v2", 1): 1,
		strings.Replace(whole, `{"blocks":2`, `{"blocks":-2`, 1):           1,
		strings.Replace(whole, `"tx_count":1`, `"tx_count":200000`, 1):     2,
		lines[0] + lines[1] + strings.Repeat("x", export.MaxLine+1) + "\n": 3,
	}
	for text, line := range cases {
		_, err := read(strings.NewReader(text))
		bad, ok := errors.AsType[*export.MalformedError](err)
		if !ok || bad.Line != line {
			t.Errorf("%.200q: got %v, want line %d", text, err, line)
		}
	}
	for n := range len(whole) - 1 {
		if _, err := read(strings.NewReader(whole[:n])); err == nil {
			t.Errorf("cut off after %d bytes: accepted", n)
		} else if _, ok := errors.AsType[*export.MalformedError](err); !ok {
			t.Errorf("cut off after %d bytes: %v", n, err)
		}
	}
}

// TestReadError checks that an error of the underlying reader is not reported as a malformed
// export.
func TestReadError(t *testing.T) {
	t.Parallel()
	failure := errors.New("injected failure")
	for n := range len(sample()) + 1 {
		_, err := read(io.MultiReader(bytes.NewReader(sample()[:n]), iotest.ErrReader(failure)))
		if !errors.Is(err, failure) {
			t.Errorf("after %d bytes: got %v", n, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(sample())
	f.Fuzz(func(t *testing.T, text []byte) {
		again, err := read(bytes.NewReader(text))
		if err == nil && !bytes.Equal(again, text) {
			t.Errorf("%q was read as %q", text, again)
		}
	})
}

package layout

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// TestChunk checks that SplitChunk returns the transactions that JoinChunk was given.
func TestChunk(t *testing.T) {
	t.Parallel()
	for _, raws := range [][][]byte{{}, {{}}, {[]byte("a")}, {[]byte("a"), {}, bytes.Repeat([]byte("b"), 70_000)}} {
		got, err := SplitChunk(JoinChunk(raws))
		if err != nil || !slices.EqualFunc(got, raws, bytes.Equal) {
			t.Errorf("%d transactions: got %d, error %v", len(raws), len(got), err)
		}
	}
}

// TestDamagedChunk checks that every truncation of a chunk is reported, except between two
// transactions, with the transactions before it.
func TestDamagedChunk(t *testing.T) {
	t.Parallel()
	body := JoinChunk([][]byte{[]byte("first"), []byte("second")})
	const boundary = lengthSize + len("first")
	for n := range body {
		raws, err := SplitChunk(body[:n])
		whole := n == 0 || n == boundary
		if errors.Is(err, ErrDamaged) == whole || (len(raws) == 1) != (n >= boundary) {
			t.Errorf("the first %d bytes: %d transactions, error %v", n, len(raws), err)
		}
	}
}

func FuzzSplitChunk(f *testing.F) {
	f.Add(JoinChunk([][]byte{[]byte("a"), []byte("bc")}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		raws, err := SplitChunk(body)
		if err == nil && !bytes.Equal(JoinChunk(raws), body) {
			t.Errorf("%x is read as %x", body, raws)
		}
	})
}

// TestRollback checks that ParseRollback accepts the lines of String and nothing else.
func TestRollback(t *testing.T) {
	t.Parallel()
	r := Rollback{Size: 7, Root: tlog.RecordHash([]byte("x")), Base: 3}
	if got, err := ParseRollback(r.String()); got != r || err != nil {
		t.Errorf("%q: got %+v, error %v", r, got, err)
	}
	for _, line := range []string{
		"", RollbackWord, r.String() + " ", " " + r.String(), r.String()[1:],
		fmt.Sprintf("%s 7 %v 7", RollbackWord, r.Root),  // Base is not below Size
		fmt.Sprintf("%s 7 %v -1", RollbackWord, r.Root), // Base is negative
		fmt.Sprintf("%s 07 %v 3", RollbackWord, r.Root),
		fmt.Sprintf("%s 7 AAAA 3", RollbackWord),
	} {
		if got, err := ParseRollback(line); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: got %+v, error %v, want ErrDamaged", line, got, err)
		}
	}
}

// stored is a log whose hashes are all stored.
type stored []tlog.Hash

// ReadHashes implements tlog.HashReader.
func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		list[i] = s[x]
	}
	return list, nil
}

// TestEdge compares the hashes and roots of an Edge with a log that stores every hash.
func TestEdge(t *testing.T) {
	t.Parallel()
	var edge Edge
	var all stored
	for n := range int64(300) {
		entry := fmt.Appendf(nil, "entry %d", n)
		want, err := tlog.StoredHashes(n, entry, all)
		if err != nil {
			t.Fatal(err)
		}
		first, got := edge.Add(entry)
		if first != int64(len(all)) || !slices.Equal(got, want) {
			t.Fatalf("entry %d: %d hashes from %d on, want %d from %d on", n, len(got), first, len(want), len(all))
		}
		all = append(all, want...)
		root, err := tlog.TreeHash(n+1, all)
		if err != nil || edge.Root() != root || edge.Size() != n+1 {
			t.Fatalf("%d entries: root %v, want %v, error %v", n+1, edge.Root(), root, err)
		}
	}
}

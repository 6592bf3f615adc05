package ledger

import (
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
)

// TestPageIsFull checks that each of the three limits alone ends a page of the log.
func TestPageIsFull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		blocks                    int64
		transactions, transcripts int
		want                      bool
	}{
		{want: false},
		{logPageBlocks - 1, logPageTransactions - 1, logPageTranscripts - 1, false},
		{logPageBlocks, 0, 0, true},
		{1, logPageTransactions, 0, true}, {1, logPageTransactions + 9, 0, true},
		{1, 0, logPageTranscripts, true}, {1, 0, logPageTranscripts + 9, true},
	} {
		if got := pageIsFull(tt.blocks, tt.transactions, tt.transcripts); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestHashRange checks which digits are searched for, and that the range holds all hashes that begin
// with them.
func TestHashRange(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("0123456789abcdef", 4)
	for digits, want := range map[string]bool{
		"": false, whole[:MinHashPrefix-1]: false, whole[:MinHashPrefix]: true, whole[:7]: true, whole: true,
		whole + "0": false, "xyzxyz": false,
	} {
		first, last, ok := hashRange(digits)
		if ok != want {
			t.Errorf("%q: %v", digits, ok)
			continue
		}
		rest := len(whole) - len(digits)
		if ok && (first.String() != digits+strings.Repeat("0", rest) || last.String() != digits+strings.Repeat("f", rest)) {
			t.Errorf("%q: from %v to %v", digits, first, last)
		}
	}
}

// TestPick checks that a signed block is rebuilt of all its transactions, in its order, or not at all.
func TestPick(t *testing.T) {
	t.Parallel()
	a, b, c := chain.Hash{1}, chain.Hash{2}, chain.Hash{3}
	list := []pending{{hash: a}, {hash: b}}
	for _, tt := range []struct {
		want []chain.Hash
		all  bool
	}{{nil, true}, {[]chain.Hash{b, a}, true}, {[]chain.Hash{b}, true}, {[]chain.Hash{a, c}, false}} {
		s := signedBlock{}
		for _, hash := range tt.want {
			s.Transactions = append(s.Transactions, tlog.Hash(hash))
		}
		picked, all := s.pick(list)
		if all != tt.all || all && len(picked) != len(tt.want) {
			t.Errorf("%v: picked %v, %v", tt.want, picked, all)
		}
		for i := range picked {
			if picked[i].hash != tt.want[i] {
				t.Errorf("%v: at %d is %v", tt.want, i, picked[i].hash)
			}
		}
	}
}

// TestAfter checks which memory of nodes that share a head file is the later one: one of more
// declared rollbacks, or of a larger tree; never one that lacks a rollback.
func TestAfter(t *testing.T) {
	t.Parallel()
	of := func(size int64, rollbacks ...string) *memory {
		return &memory{Stored: treeHead{Size: size}, Rollbacks: rollbacks}
	}
	for _, tt := range []struct {
		m, o *memory
		want bool
	}{
		{of(3), of(3), false}, {of(4), of(3), true}, {of(2), of(3), false},
		{of(2, "a"), of(3), true}, {of(3), of(2, "a"), false}, {of(4, "a"), of(3, "b"), false},
		{of(4, "a"), of(3, "a"), true}, {of(3, "a"), of(3, "a"), false}, {of(4, "a", "b"), of(9, "a"), true},
	} {
		if got := tt.m.after(tt.o); got != tt.want {
			t.Errorf("%+v after %+v: %v", tt.m, tt.o, got)
		}
	}
}

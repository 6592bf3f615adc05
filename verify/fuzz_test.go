package verify_test

import (
	"encoding/json"
	"slices"
	"testing"

	"roshambo/vectors"
	"roshambo/verify"
)

// meaning returns the content of a proof in a form that does not depend on its JSON text: members
// sorted, and only the body of the checkpoint, because anyone can append a signature line.
func meaning(t *testing.T, proof []byte) string {
	t.Helper()
	v, err := verify.ReadJSON(proof)
	if err != nil {
		t.Fatalf("a valid proof cannot be parsed: %v", err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	if note, ok := p["checkpoint"].(string); ok {
		if p["checkpoint"], err = verify.NoteBody(note); err != nil {
			t.Fatalf("a valid proof has a malformed note: %v", err)
		}
	}
	out, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// pinned returns the valid vectors whose whole content a hash pins: those whose end is on the chain.
// While a run goes on, its last entropy can be any hash that gives the same move.
func pinned(tb testing.TB) []vectors.Vector {
	tb.Helper()
	list := slices.DeleteFunc(allVectors(tb), func(v vectors.Vector) bool {
		var p struct{ End, Settle any }
		return !v.Valid || json.Unmarshal(v.Proof, &p) != nil || p.End == nil && p.Settle == nil
	})
	if len(list) < 5 {
		tb.Fatalf("%d valid vectors have their end on the chain", len(list))
	}
	return list
}

// FuzzMutated changes valid proofs: one that is still valid must have the same content. An edit is
// four bytes: operation, position (two bytes), and operand.
func FuzzMutated(f *testing.F) {
	valid := pinned(f)
	for i := range valid {
		f.Add(uint16(i), []byte{0, byte(i), byte(40 * i), 1})
		f.Add(uint16(i), []byte{1, 3, byte(i), '"', 2, 1, byte(i), 'x', 0, 9, byte(i), 0x20})
	}
	f.Fuzz(func(t *testing.T, which uint16, edits []byte) {
		v := valid[int(which)%len(valid)]
		proof := slices.Clone(v.Proof)
		for ; len(edits) >= 4; edits = edits[4:] {
			at := (int(edits[1])<<8 | int(edits[2])) % (len(proof) + 1)
			switch edits[0] % 3 {
			case 0:
				if at < len(proof) {
					proof[at] ^= edits[3]
				}
			case 1:
				proof = slices.Insert(proof, at, edits[3])
			default:
				proof = slices.Delete(proof, at, min(at+int(edits[3]), len(proof)))
			}
		}
		r := verify.Proof(proof, options(v))
		if r.Valid && meaning(t, proof) != meaning(t, v.Proof) {
			t.Errorf("%s: valid with other content:\n%s\n%s", v.File, text(t, r), proof)
		}
	})
}

// FuzzProof checks that arbitrary bytes give a consistent report.
func FuzzProof(f *testing.F) {
	for _, v := range allVectors(f) {
		if len(v.Proof) < 12_000 { // larger ones add nothing and are slow to minimize
			f.Add(v.Proof)
		}
	}
	f.Fuzz(func(t *testing.T, proof []byte) {
		r := verify.Proof(proof, verify.Options{})
		want := verify.Valid
		switch {
		case len(r.Failed()) > 0:
			want = verify.NotValid
		case len(r.Pending) > 0:
			want = verify.Pending
		}
		if r.Verdict != want || r.Valid != (want == verify.Valid) || len(r.Checks) == 0 {
			t.Errorf("%q:\n%s", proof, text(t, r))
		}
	})
}

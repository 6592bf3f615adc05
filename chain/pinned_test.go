package chain

import "testing"

// TestPins checks which transactions pin a document, with and without parsing them.
func TestPins(t *testing.T) {
	t.Parallel()
	pins := map[Kind]bool{KindRunEnd: true, KindDuelSettle: true, KindSeasonClose: true, KindCupClose: true}
	txs := []Tx{{Actor: alice, Data: &DuelStake{DuelID: `,"kind":"run.end",`}}, {Data: &Genesis{Name: "duel.settle"}}}
	for _, known := range knownTxs {
		txs = append(txs, known.tx)
	}
	for _, tx := range txs {
		_, ok := PinnedBy(tx.Data)
		if want := pins[tx.Kind()]; ok != want || Pins(tx.Raw()) != want {
			t.Errorf("%s: %v, %v, want %v", tx.Raw(), ok, Pins(tx.Raw()), want)
		}
	}
}

// TestHashPinned checks the domain of each kind of document, and that no other line of an export begins like one.
func TestHashPinned(t *testing.T) {
	t.Parallel()
	for raw, domain := range map[string]string{
		EmptyTranscript: transcriptDomain, string((&DuelTranscript{A: alice}).Raw()): transcriptDomain,
		`{"cup":7,`: "roshambo/cup/v1\n", `{"ends_at":7,`: "roshambo/season/v1\n",
	} {
		if got, want := HashPinned([]byte(raw)), hashDomain(domain, []byte(raw)); got != want || !IsPinned([]byte(raw)) {
			t.Errorf("%s: %v, want %v in %q", raw, got, want, domain)
		}
	}
	lines := []string{"", `{"blocks":`, `{"checkpoint":`, string(Header{}.Raw())}
	for _, known := range knownTxs {
		lines = append(lines, known.raw)
	}
	for _, line := range lines {
		if IsPinned([]byte(line[:min(len(line), MaxPinnedStart)])) {
			t.Errorf("%s looks like a document", line)
		}
	}
}

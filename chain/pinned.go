package chain

import "bytes"

// Some transactions pin a document that is not part of them, by its hash: the end of a game its transcript, the
// close of a cup or a season its table. The log publishes it beside the block, so any server may send it.

// The domains of the tables. The first bytes of a pinned document tell which one it is.
const (
	cupDomain    = "roshambo/cup/v1\n"
	seasonDomain = "roshambo/season/v1\n"
	cupStart     = `{"cup":`
	seasonStart  = `{"ends_at":`
	duelStart    = `{"a":`
	runStart     = `[`
)

// IsPinned reports whether text may be a pinned document, by its first bytes, which begin no header, transaction
// or checkpoint of an export. MaxPinnedStart bytes of the text are enough.
func IsPinned(text []byte) bool {
	for _, start := range []string{runStart, duelStart, cupStart, seasonStart} {
		if bytes.HasPrefix(text, []byte(start)) {
			return true
		}
	}
	return false
}

// MaxPinnedStart is how many bytes of a text IsPinned reads at most.
const MaxPinnedStart = len(seasonStart)

// HashPinned returns the hash of a pinned document, in the domain of its kind.
func HashPinned(raw []byte) Hash {
	switch {
	case bytes.HasPrefix(raw, []byte(cupStart)):
		return hashDomain(cupDomain, raw)
	case bytes.HasPrefix(raw, []byte(seasonStart)):
		return hashDomain(seasonDomain, raw)
	}
	return HashTranscript(raw)
}

// PinnedBy returns the hash of the document that a transaction pins; false if it pins none.
func PinnedBy(d Data) (Hash, bool) {
	switch data := d.(type) {
	case *RunEnd:
		return data.TranscriptHash, true
	case *DuelSettle:
		return data.TranscriptHash, true
	case *SeasonClose:
		return data.TableHash, true
	case *CupClose:
		return data.TableHash, true
	}
	return Hash{}, false
}

// Pins reports whether a raw transaction pins a document, without parsing it: the raw is canonical JSON, in which
// these bytes can only be its member kind. The pages of the log and an export hold one document for each.
func Pins(raw []byte) bool {
	for _, kind := range []Kind{KindRunEnd, KindDuelSettle, KindSeasonClose, KindCupClose} {
		if bytes.Contains(raw, []byte(`,"kind":"`+string(kind)+`",`)) {
			return true
		}
	}
	return false
}

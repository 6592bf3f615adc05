package event

import "slices"

// Kind says what an event reports. Followers learn the kinds and their bodies from the API document.
type Kind string

// Kinds of stored events. Every kind also stands in Kinds.
const (
	BlockSealed    Kind = "block"
	DuelCreated    Kind = "duel_created"
	DuelJoined     Kind = "duel_joined"
	DuelStarted    Kind = "duel_started"
	DuelFinished   Kind = "duel_finished"
	DuelExpired    Kind = "duel_expired"
	DuelCancelled  Kind = "duel_cancelled"
	DuelRematch    Kind = "duel_rematch"
	DuelChallenge  Kind = "duel_challenge"
	Emote          Kind = "emote"
	CupChanged     Kind = "cup"
	CupResult      Kind = "cup_result"
	Matched        Kind = "matched"
	FeedItem       Kind = "feed"
	ListingChanged Kind = "listing"
	Sold           Kind = "sold"
	OfferChanged   Kind = "offer"
	KeyEnded       Kind = "key_ended"

	corrected Kind = "corrected" // for nodes alone: stored events have been replaced
)

// Kinds returns all kinds that followers receive. Log.Post refuses others, so that an event without a
// description in the API document cannot be stored.
func Kinds() []Kind {
	return []Kind{
		BlockSealed, DuelCreated, DuelJoined, DuelStarted, DuelFinished, DuelExpired, DuelCancelled, DuelRematch,
		DuelChallenge, Emote, CupChanged, CupResult, Matched, FeedItem, ListingChanged, Sold, OfferChanged,
		KeyEnded,
	}
}

// known reports whether events may have the kind.
func (k Kind) known() bool { return k == corrected || slices.Contains(Kinds(), k) }

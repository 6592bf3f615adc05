// Package event keeps a log of what happened, for those who follow it live, and wakes
// who waits.
//
// A use case posts an event inside its own transaction: the event is there if, and only
// if, what it speaks of happened.
//
//	err := log.Post(ctx, tx, event.Event{Topic: event.Feed, Kind: "token_claimed", Body: claimed})
//
// What is not worth a row, such as one step of a duel, only wakes:
//
//	tx.AfterCommit(func() { hub.Wake(event.Duel(code)) })
//
// # Order
//
// Each event has a number, its seq, and one promise is made of it: who has read the
// event n will never find another one with a number up to n. So a reader needs to
// remember nothing but the last number that it saw.
//
// A number that is drawn when an event is posted could not promise that where
// transactions run at the same time: the one that drew 7 may commit before the one that
// drew 6. So posting draws none. It puts the event into an inbox, and whoever is awake
// first moves what is in the inbox into the log: one transaction at a time, as each
// swaps the one row with the last number and holds it until it commits. Numbers are
// therefore committed in their order, without gaps, on every engine, and no transaction
// of the service waits for another because of the log.
//
// The price is a second write for each event and the time of one more commit until it
// can be read; events that are posted meanwhile share it.
//
// A crash before the first commit: nothing happened, and there is no event. Between the
// two: the event waits in the inbox, and the next look of any node numbers it.
//
// A database can lose what it had committed: it fails over to a standby that was behind, or
// a backup is restored. Then other events get numbers that were given before, so readers
// remember more than a number: see [Position].
//
// # Readers
//
// Each node reads the log once, in its [Tail], and hands it to all streams: what was
// posted lately is kept in memory, and a stream is a place in it and not a copy.
//
// # What is kept
//
// The log is there to bridge an interruption and is no record: it keeps the events of
// a day, and not more than [Kept]. Who asks for what comes after an older one is told
// to read anew what he follows (ErrGone).
package event

import (
	"encoding/json"
	"errors"
	"fmt"

	"roshambo/chain"
)

// Topics that anybody may follow. Each event has one topic.
const (
	Blocks = "blocks" // blocks that were sealed
	Feed   = "feed"   // notable things that happened in public
	Duels  = "duels"  // the lobby: open duels that came and went
	Market = "market" // listings that came, were sold and went
)

// Queue is a topic of no events: it is woken when a bot begins to wait in the arena.
const Queue = "queue"

// Duel returns the topic of one duel, which anybody may follow. The code is spelled as
// the duel spells it.
func Duel(code string) string { return "duel:" + code }

// Account returns the topic of what concerns one account alone (its place in the queue,
// its duels, its offers), which nobody else may follow.
func Account(address chain.Address) string { return "account:" + address.String() }

// Event is something that happened.
type Event struct {
	Topic string
	Kind  string // what happened, in lower case: block, matched
	// Body is told to followers as JSON; it may be a json.RawMessage. Everybody who may
	// follow the topic may know all of it.
	Body any
}

// maxBody is the largest body in bytes. An event says what to look at.
const maxBody = 4096

// ErrGone says that the events asked for are not kept any more, or never were.
var ErrGone = errors.New("event: older than what is kept")

// encode returns the body as JSON on one line.
func (e *Event) encode() (string, error) {
	if !plain(e.Topic, ":") || !plain(e.Kind, "_") {
		return "", fmt.Errorf("event: topic %q, kind %q: not plain names", e.Topic, e.Kind)
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		return "", fmt.Errorf("event: body of %s: %w", e.Kind, err)
	}
	if len(body) > maxBody {
		return "", fmt.Errorf("event: body of %s: %d bytes, more than %d", e.Kind, len(body), maxBody)
	}
	return string(body), nil
}

// plain says whether a name consists of letters, digits and marks, so that it needs
// quoting nowhere: not in a stream, not in a pattern.
func plain(name, marks string) bool {
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && string(c) != marks {
			return false
		}
	}
	return name != ""
}

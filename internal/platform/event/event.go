// Package event stores events in the order of their commits for streaming clients, and wakes
// waiting requests on all nodes.
//
// A use case posts an event inside its own transaction, so the event exists if and only if the
// change that it reports is stored:
//
//	err := log.Post(ctx, tx, event.Event{Topic: event.Feed, Kind: event.FeedItem, Body: claimed})
//
// A change that needs no stored event, such as one step of a duel, only wakes:
//
//	tx.AfterCommit(func() { hub.Wake(event.Duel(code)) })
//
// # Order
//
// Each event has a number, its seq, with one guarantee: a reader that has read event n never finds
// another event with a number up to n. So a reader needs to remember only the last number.
//
// Drawing numbers when events are posted would break that guarantee where transactions run
// concurrently: the one that drew 7 may commit before the one that drew 6. So posting inserts the
// event into an inbox without a number, and one transaction at a time moves events from the inbox
// into the log. It swaps the one row with the last number and locks it until it commits. Numbers
// are therefore committed in their order, without gaps, on every engine, and no use case waits for
// another because of the log.
//
// The price is a second write for each event, and one more commit until it can be read; events
// posted meanwhile share it.
//
// A crash before the first commit leaves neither the change nor the event. A crash between the two
// leaves the event in the inbox, and the next poll of any node numbers it.
//
// A database can lose committed data: it fails over to a standby that was behind, or is restored
// from a backup. Then it gives numbers a second time, to other events. So readers remember more
// than a number: see [Position].
//
// # Readers
//
// Each node reads the log once, in its [Tail], and serves all its streams from it: it keeps recent
// events in memory, and a stream is a position in them, not a copy.
//
// # Retention
//
// The log bridges interruptions and is no record: it keeps the events of one day, at most [Kept].
// A reader whose position is older gets ErrGone, and must read its state anew.
package event

import (
	"encoding/json"
	"errors"
	"fmt"

	"roshambo/chain"
)

// Public topics. Each event has one topic.
const (
	Blocks = "blocks" // sealed blocks
	Feed   = "feed"   // notable public events
	Duels  = "duels"  // the lobby: open duels that appeared or disappeared
	Market = "market" // listings that appeared, were sold or disappeared
	Cups   = "cups"   // cups, their rounds and results
)

// Queue is a topic without events. It is woken when a bot enters the arena's queue.
const Queue = "queue"

// Duel returns the public topic of one duel. The code must have the duel's own spelling.
func Duel(code string) string { return "duel:" + code }

// Presence returns the topic that is woken on each node when a side of a duel comes or goes.
func Presence(code string) string { return "presence:" + code }

// Account returns the private topic of one account: its position in the queue, its duels, its
// offers. Only the account may follow it.
func Account(address chain.Address) string { return "account:" + address.String() }

// Event reports a change.
type Event struct {
	Topic string
	Kind  Kind
	// Body is sent to followers as JSON; it may be a json.RawMessage. All followers of the topic
	// receive all of it.
	Body any
}

// maxBody is the largest body, in bytes. An event names the changed object; followers read the
// rest.
const maxBody = 4096

// ErrGone reports a position whose event is no longer kept, or never existed.
var ErrGone = errors.New("event: no longer kept")

// encode validates the event and returns its body as JSON on one line.
func (e *Event) encode() (string, error) {
	if !plain(e.Topic, ":") || !e.Kind.known() {
		return "", fmt.Errorf("event: topic %q, kind %q: not a plain name, or no kind of Kinds", e.Topic, e.Kind)
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

// plain reports whether a name consists of ASCII letters, digits and one mark, so that it needs no
// quoting in streams and patterns.
func plain(name, marks string) bool {
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && string(c) != marks {
			return false
		}
	}
	return name != ""
}

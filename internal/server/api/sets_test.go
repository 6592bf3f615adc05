package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestListsAreOpen: the document and docs/errors.md say that lists of codes may grow, and no kind in an answer, nor
// another member of growing, is one of a closed set: generated clients would break when one is added. A system, a
// status and a member of an event is one of a closed set only with a reason.
func TestListsAreOpen(t *testing.T) {
	t.Parallel()
	s := shared(t)
	errors, err := os.ReadFile("../../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	info := s.doc.root["info"].(object)["description"].(string)
	if !strings.Contains(info, "a list that may grow (docs/errors.md)") ||
		!strings.Contains(string(errors), "The list may grow") {
		t.Errorf("the document and docs/errors.md differ about new codes: %s", info)
	}
	seen, grow, ends := 0, maps.Clone(growing), maps.Clone(closed)
	for name, schema := range s.doc.root["components"].(object)["schemas"].(object) {
		if strings.HasSuffix(name, "In") { // a closed set says what an input may be
			continue
		}
		members, _ := schema.(object)["properties"].(object)
		for member := range members {
			kind, _ := s.doc.member(schema, member)
			if member != "kind" && !strings.HasSuffix(member, "_kind") && !growing[name+"."+member] {
				state := member == "system" || member == "status" || strings.HasSuffix(name, "Event")
				if state && kind["enum"] != nil && closed[name+"."+member] == "" {
					t.Errorf("%s: the values of %s are a closed set without a reason: %v", name, member, kind)
				}
				if kind["enum"] != nil {
					delete(ends, name+"."+member)
				}
				continue
			}
			seen++
			delete(grow, name+"."+member)
			if open := strings.Contains(fmt.Sprint(kind), "x-extensible-enum"); !open || kind["enum"] != nil {
				t.Errorf("%s: the values of %s are no set that may grow: %v", name, member, kind)
			}
		}
	}
	if seen < 10 || len(grow) > 0 || len(ends) > 0 {
		t.Errorf("%d answers have a kind, and none has %v, or the closed sets of %v", seen, slices.Sorted(maps.Keys(grow)),
			slices.Sorted(maps.Keys(ends)))
	}
}

// growing are the members beside kinds whose values may grow: ways to get and lose a token, budgets, methods, boards.
var growing = map[string]bool{"TokenOwner.how": true, "TokenEnd.how": true, "BudgetOut.action": true,
	"Valuation.cost_method": true, "LeaderboardOut.board": true, "BoardLine.board": true, "RatingLine.pool": true}

// closed are the states and the members of events whose values never grow, with the reason.
var closed = map[string]string{
	"Cup.status":          "a player joins an open cup, plays a running one, and is done with each other one",
	"Duel.status":         "a side plays an active duel, and is done with each other one that is not open",
	"DuelProof.status":    "a proof with other states has another format, whose name is new",
	"EmoteEvent.side":     "a duel has two sides",
	"FeedEvent.first":     "a claim of a tier is the first one of its player, of the service, or of neither",
	"Listing.status":      "a listing can be bought, or it has been sold or cancelled",
	"ListingEvent.status": "the status of a listing",
	"Offer.status":        "an offer can be accepted, or it was accepted, declined, expired or void",
	"OfferEvent.status":   "the status of an offer, which expires without an event",
	"QueueOut.status":     "a bot plays the duel, waits, or has left",
	"Run.status":          "a player throws, decides, or is done with the run",
	"RunProof.status":     "a proof with other states has another format, whose name is new",
	"TokenEnd.status":     "a transaction is in a block or waits for one",
	"Transaction.status":  "a transaction is in a block or waits for one",
}

// member returns the schema of a member of an object.
func (d *document) member(schema any, name string) (object, bool) {
	members, _ := schema.(object)["properties"].(object)
	member, ok := members[name].(object)
	if !ok {
		return nil, false
	}
	return d.resolve(member), true
}

// TestExampleOfACommitment: the example of a commitment is the hash of the example of its reveal.
func TestExampleOfACommitment(t *testing.T) {
	t.Parallel()
	s := shared(t)
	schemas := s.doc.root["components"].(object)["schemas"].(object)
	example := func(schema, member string) string {
		t.Helper()
		found, ok := s.doc.member(schemas[schema], member)
		if !ok {
			t.Fatalf("%s has no %s", schema, member)
		}
		if list, ok := found["examples"].([]any); ok {
			return list[0].(string)
		}
		text, _ := found["example"].(string)
		return text
	}
	hash := sha256.Sum256([]byte(example("RevealIn", "move") + ":" + example("RevealIn", "salt")))
	if got, want := example("CommitIn", "commitment"), hex.EncodeToString(hash[:]); got != want {
		t.Errorf("the example of a commitment is %s, want %s", got, want)
	}
}

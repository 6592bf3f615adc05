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
// another member of growing, is one of a closed set: generated clients would break when one is added.
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
	seen, grow := 0, maps.Clone(growing)
	for name, schema := range s.doc.root["components"].(object)["schemas"].(object) {
		if strings.HasSuffix(name, "In") { // a closed set says what an input may be
			continue
		}
		members, _ := schema.(object)["properties"].(object)
		for member := range members {
			if member != "kind" && !strings.HasSuffix(member, "_kind") && !growing[name+"."+member] {
				continue
			}
			kind, _ := s.doc.member(schema, member)
			seen++
			delete(grow, name+"."+member)
			if open := strings.Contains(fmt.Sprint(kind), "x-extensible-enum"); !open || kind["enum"] != nil {
				t.Errorf("%s: the values of %s are no set that may grow: %v", name, member, kind)
			}
		}
	}
	if seen < 10 || len(grow) > 0 {
		t.Errorf("%d answers have a kind, and none has %v", seen, slices.Sorted(maps.Keys(grow)))
	}
}

// growing are the members beside kinds whose values may grow: ways to get and lose a token, budgets, methods, boards.
var growing = map[string]bool{"TokenOwner.how": true, "TokenEnd.how": true, "BudgetOut.action": true,
	"Valuation.cost_method": true, "LeaderboardOut.board": true, "BoardLine.board": true, "RatingLine.pool": true}

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

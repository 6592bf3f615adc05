package conformance

import (
	"encoding/json"
	"os"
	"testing"
)

// answeredKinds are the requests of a duel that meet an answer of the table: the step or read of each has a deadline of
// its own.
var answeredKinds = []string{"commit 1", "reveal 3", "read 2", "queue 1"}

// answered are the scenarios in which the requests of a duel meet an answer of client/testdata/answers.json. The Go
// client and the starters play it against a service (cmd/roshambo/answers_test.go), and so does the page
// (web/src/duel/answers.test.ts). With -short one request of the duel meets the answer, of each kind in turn, as four
// that are held take half a minute.
func answered(t *testing.T) []duel {
	t.Helper()
	text, err := os.ReadFile("../../client/testdata/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct {
		Name       string
		Lost       bool // the request has taken its effect
		Status     int
		Body       string
		RetryAfter int `json:"retry_after_s"`
		Date       bool
		Broken     string
	}
	if err := json.Unmarshal(text, &table); err != nil || len(table) < len(answeredKinds) {
		t.Fatalf("%d answers, error %v", len(table), err)
	}
	list := make([]duel, len(table))
	for i, row := range table {
		list[i] = duel{name: "the answer " + row.Name, late: 2, faults: map[string]answer{}}
		for j, kind := range answeredKinds {
			if !testing.Short() || j == i%len(answeredKinds) {
				list[i].faults[kind] = answer{status: row.Status, body: row.Body, retryAfter: row.RetryAfter, date: row.Date,
					broken: row.Broken, undone: !row.Lost}
			}
		}
	}
	return list
}

//go:build nightly

package main

import (
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var mixedAnswers = flag.Int("mixed.answers", 500, "answers that TestNodes/mixed waits for")

var (
	counterLine = regexp.MustCompile(`(?m)^(roshambo_[a-z_]+)(?:\{(.*)\})? ([0-9.e+]+)$`)
	operationOf = regexp.MustCompile(`operation="([^"]*)"`)
)

// nodesMixed runs house runs, duels and trades on two nodes, one of which seals, and reports the
// retries of each use case because of conflicts (docs/benchmarks.md). No request may fail because
// of a conflict.
func nodesMixed(t *testing.T, url string) {
	f := newFleet(t, url, 2, "--admin-listen", "127.0.0.1:0")
	w := newWorld(t).withPairs()
	for len(w.pairs) < 2*pairs {
		w.withPairs()
	}
	for len(w.traders) < 8 {
		w.withTraders()
	}
	answers := *mixedAnswers
	if testing.Short() {
		answers = 200
	}
	w.playing(t, f.nodes, answers, func() { w.awaitEach(t, func() bool { return false }) })
	total, answered, again := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, n := range f.nodes {
		address, err := n.await(adminAddress)
		if err != nil {
			t.Fatal(err)
		}
		text, err := fetch(t.Context(), "http://"+strings.TrimPrefix(address[1], "http://")+"/metrics")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range counterLine.FindAllStringSubmatch(string(text), -1) {
			value, err := strconv.ParseFloat(m[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			switch operation := operationOf.FindStringSubmatch(m[2]); {
			case operation == nil:
				total[m[1]] += value
			case m[1] == "roshambo_http_reruns_total":
				again[operation[1]] += value
			case m[1] == "roshambo_http_requests_total" && strings.Contains(m[2], `"2xx"`):
				answered[operation[1]] += value
			}
		}
	}
	var table strings.Builder
	asked := 0.0
	for _, operation := range slices.Sorted(maps.Keys(again)) {
		asked += again[operation]
		fmt.Fprintf(&table, "%-16s %6.0f answered %5.0f run again\n", operation, answered[operation], again[operation])
	}
	fmt.Fprintf(&table, "%-16s                 %5.0f run again\n", "the service", total["roshambo_db_retries_total"]-asked)
	if asked > total["roshambo_db_retries_total"] {
		t.Errorf("%v retries by use case, %v in all", asked, total["roshambo_db_retries_total"])
	}
	t.Logf("%.0f use cases:\n%s", total["roshambo_db_updates_total"], &table)
	for _, operation := range []string{"throw", "claimRun", "createDuel", "joinDuel", "commitDuel", "revealDuel",
		"listToken", "buyListing"} {
		if answered[operation] == 0 {
			t.Errorf("%s never succeeded", operation)
		}
	}
	f.stop(t)
}

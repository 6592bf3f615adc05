package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// leastComments is the least share of comment lines in the non-blank lines of a package's
// code: more for public packages.
const (
	leastComments       = 12.0 // of the packages below internal
	leastPublicComments = 20.0
	fewLines            = 40 // a smaller package's share is not checked
)

// public lists the public packages beside the ring.
var public = []string{"contract", "client", "client/lab", "client/strategy"}

// Comments checks that each package explains itself. The share is of comment lines, and of fields with a doc
// text for the contract, in the non-blank lines of hand-written code; tests do not count.
func Comments(t *Tree) []Problem {
	lines, comments := map[string]int{}, map[string]int{}
	for f := range t.goFiles {
		if f.Test() || f.Generated() {
			continue
		}
		for line := range strings.Lines(f.Text) {
			line = strings.TrimSpace(line)
			if line != "" {
				lines[f.Package()]++
			}
			if strings.HasPrefix(line, "//") || strings.Contains(line, " doc:\"") {
				comments[f.Package()]++
			}
		}
	}
	var problems []Problem
	for _, pkg := range slices.Sorted(maps.Keys(lines)) {
		least := leastComments
		if !strings.HasPrefix(pkg, "internal/") {
			least = 0 // commands, generators and measurements
		}
		if slices.Contains(ring, pkg) || slices.Contains(public, pkg) {
			least = leastPublicComments
		}
		share := 100 * float64(comments[pkg]) / float64(lines[pkg])
		if lines[pkg] >= fewLines && share < least {
			problems = append(problems, Problem{Path: pkg, What: fmt.Sprintf("%.1f %% of the lines are comments, less than %.0f",
				share, least)})
		}
	}
	return problems
}

//go:build nightly

package main

import (
	"testing"

	"roshambo/internal/platform/testseed"
)

// manyKills are the kills of the nightly run, of which every round meets another moment.
func manyKills(t *testing.T) (answers []int) {
	t.Helper()
	random := testseed.Rand(t)
	for range 20 {
		answers = append(answers, random.IntN(300))
	}
	return answers
}

// TestManyCrashes is TestCrashes with many kills.
func TestManyCrashes(t *testing.T) {
	t.Parallel()
	survive(t, newWorld(t).withPairs().withTraders(), victim{kills: manyKills(t)})
}

// TestManyCrashesPostgres is TestCrashesPostgres with many kills and a PostgreSQL that waits
// for the disk. Every fifth one takes the database with it, every second one waits until the
// service seals blocks.
func TestManyCrashesPostgres(t *testing.T) {
	t.Parallel()
	survivePostgres(t, nil, manyKills(t), func(round int) (seals, machine bool) { return round%2 == 0, round%5 == 4 })
}

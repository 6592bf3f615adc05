//go:build nightly

package main

import (
	"testing"

	"roshambo/internal/platform/testseed"
)

// manyKills returns the kills of the nightly run, with random numbers of answers in between.
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

// TestManyCrashesPostgres is TestCrashesPostgres with many kills and a PostgreSQL with fsync.
// Every fifth kill takes the database with it; every second one waits until the service seals
// blocks.
func TestManyCrashesPostgres(t *testing.T) {
	t.Parallel()
	survivePostgres(t, nil, manyKills(t), func(round int) (seals, machine bool) { return round%2 == 0, round%5 == 4 })
}

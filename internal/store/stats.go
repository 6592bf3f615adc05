package store

import (
	"sort"
	"time"
)

// Stats counts operations of a database since it was opened, for metrics.
type Stats struct {
	Views         int64         // completed, including failed ones
	Updates       int64         // completed, including failed ones; excluding those whose caller cancelled while queued
	Unavailable   int64         // updates that ended in ErrUnavailable
	Reruns        int64         // additional runs of closures, for any reason
	Batches       int64         // commits
	LargestBatch  int64         // updates in the largest commit
	CommitTime    time.Duration // total time spent in commits
	LongestCommit time.Duration
	CommitTimes   CommitTimes // histogram of commit durations
	BatchSizes    BatchSizes  // histogram of updates per commit
	Batched       int64       // updates in all commits
	Checkpoints   int64       // complete transfers of the write-ahead log into the file (SQLite)
	Queue         int         // updates waiting now
	Conflicts     int64       // runs that failed because of concurrent transactions and were mostly retried (PostgreSQL)
	RoundTrips    int64       // to the server (PostgreSQL)
	UpdateTrips   int64       // round trips of Updates
	Bytes         int64       // on disk now, the write-ahead log included (SQLite)
}

// CommitTimes counts commits by duration: element i counts commits of at most CommitBounds[i]
// and more than the bound before it, the last element commits above all bounds.
type CommitTimes [len(CommitBounds) + 1]int64

// CommitBounds are in seconds. An fsync takes from some tenths of a millisecond to some tens of
// milliseconds.
var CommitBounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}

// BatchSizes counts commits by number of updates, with bounds as in CommitTimes.
type BatchSizes [len(BatchBounds) + 1]int64

// BatchBounds are numbers of updates.
var BatchBounds = [...]float64{1, 2, 4, 8, 16, 32, 64}

// AddCommit counts a commit of a number of updates and its duration.
func (s *Stats) AddCommit(updates int, elapsed time.Duration) {
	s.Batches++
	s.Batched += int64(updates)
	s.LargestBatch = max(s.LargestBatch, int64(updates))
	s.CommitTime += elapsed
	s.LongestCommit = max(s.LongestCommit, elapsed)
	s.CommitTimes[sort.SearchFloat64s(CommitBounds[:], elapsed.Seconds())]++
	s.BatchSizes[sort.SearchFloat64s(BatchBounds[:], float64(updates))]++
}

package store

import "time"

// Stats counts what a database has done since it was opened, for metrics.
type Stats struct {
	Views         int64         // ended, failed ones included
	Updates       int64         // ended, failed ones included; without those whose caller left
	Unavailable   int64         // updates that ended in ErrUnavailable
	Reruns        int64         // times that a closure was run again, for whatever reason
	Batches       int64         // commits
	LargestBatch  int64         // updates in the largest of them
	CommitTime    time.Duration // spent in commits, all together
	LongestCommit time.Duration
	CommitTimes   CommitTimes // how long commits took
	BatchSizes    BatchSizes  // how many updates they held
	Batched       int64       // updates in all of them
	Checkpoints   int64       // times that the write-ahead log was moved into the file as a whole (SQLite)
	Queue         int         // updates waiting now
	Conflicts     int64       // times that others were in the way of a closure, which mostly ran again (PostgreSQL)
	RoundTrips    int64       // to the server and back (PostgreSQL)
	UpdateTrips   int64       // those of them that were made for updates
	Bytes         int64       // on disk now, the write-ahead log included (SQLite)
}

// CommitTimes counts commits by how long they took: those of at most each of
// CommitBounds and more than the one before, and last those that took longer.
type CommitTimes [len(CommitBounds) + 1]int64

// CommitBounds are in seconds. An fsync takes some tenths of a millisecond to some tens.
var CommitBounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}

// BatchSizes counts commits by how many updates they held, as CommitTimes does.
type BatchSizes [len(BatchBounds) + 1]int64

// BatchBounds are in updates.
var BatchBounds = [...]float64{1, 2, 4, 8, 16, 32, 64}

// committed counts a commit of so many updates that took so long.
func (s *Stats) committed(updates int, took time.Duration) {
	s.Batches++
	s.Batched += int64(updates)
	s.LargestBatch = max(s.LargestBatch, int64(updates))
	s.CommitTime += took
	s.LongestCommit = max(s.LongestCommit, took)
	s.CommitTimes[bucketIndex(CommitBounds[:], took.Seconds())]++
	s.BatchSizes[bucketIndex(BatchBounds[:], float64(updates))]++
}

// place returns the index of the first bound that is not less than v.
func bucketIndex(bounds []float64, v float64) int {
	for i, b := range bounds {
		if v <= b {
			return i
		}
	}
	return len(bounds)
}

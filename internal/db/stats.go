package db

import "time"

// Stats counts what a database has done since it was opened, for metrics.
type Stats struct {
	Views         int64         // ended, failed ones included
	Updates       int64         // ended, failed ones included; without those whose caller left
	Unavailable   int64         // updates that ended in ErrUnavailable
	Reruns        int64         // closures run again because a commit was not stored
	Batches       int64         // commits
	LargestBatch  int64         // updates in the largest of them
	CommitTime    time.Duration // spent in commits, all together
	LongestCommit time.Duration
	Checkpoints   int64 // times that the write-ahead log was moved into the file as a whole (SQLite)
	Queue         int   // updates waiting now
	Bytes         int64 // on disk now, the write-ahead log included
}

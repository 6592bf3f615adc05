package store

import (
	"context"
	"time"
)

// Bounds of one round trip to PostgreSQL: how long the server may take to answer a message, or between two parts
// of its answer. The connection is given up then; the error is ErrUnavailable.
const (
	// RoundTrip bounds requests and loops. A larger connect_timeout in the database's URL takes its place.
	RoundTrip = 5 * time.Second
	// LongTrip bounds statements over large parts of the tables: the verification of the chain, an account's
	// export, the upkeep, the close of a season.
	LongTrip = time.Minute
	// CommandTrip bounds the statements of a start, of a recovery, and of commands on the database.
	CommandTrip = 10 * time.Minute
	// MigrationTrip bounds the statements of a migration, and the wait for the migration of another node.
	MigrationTrip = time.Hour
)

// withinKey is the context key of Within.
type withinKey struct{}

// Within returns a context whose Views and Updates have the bound d in place of RoundTrip.
func Within(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, withinKey{}, d)
}

// TripBound returns the bound that Within has set, or else usual. Engines call it.
func TripBound(ctx context.Context, usual time.Duration) time.Duration {
	if d, ok := ctx.Value(withinKey{}).(time.Duration); ok {
		return d
	}
	return usual
}

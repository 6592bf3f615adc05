package adminpage

// The bounds, for tests.
const (
	MaxLinks    = maxLinks
	MaxSessions = maxSessions
)

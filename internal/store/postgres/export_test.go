package postgres

// OpenIdle is Open with another idleAfter.
var OpenIdle = openWith

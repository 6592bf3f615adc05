package duel

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// For the external tests.
var (
	// Equal compares duels.
	Equal = equal
	// Alike compares the results of duels that were played in different ways.
	Alike = cmp.Options{equal, cmpopts.IgnoreFields(
		Duel{}, "Code", "Version", "seq", "StakeTx", "SettleTx", "CreatedAt", "Rated")}
	// NewHandSource returns the sparring bot's hands.
	NewHandSource = newHandSource
)

package duel

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// For the tests from outside.
var (
	// Equal compares duels.
	Equal = equal
	// Alike compares duels that came to the same in different ways.
	Alike = cmp.Options{equal, cmpopts.IgnoreFields(Duel{}, "Code", "Version", "seq", "StakeTx", "SettleTx", "CreatedAt", "Rated")}
	// NewDealer makes the sparring bot's hands.
	NewDealer = newDealer
)

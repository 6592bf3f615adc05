package httpapi

import (
	"context"
	"fmt"
	"slices"

	"roshambo/contract"
	"roshambo/internal/service/account"
)

// Scopes of API keys. Every operation that accepts a player's key needs exactly one scope, which
// before checks for all of them: reading needs read, everything else the scope in this table. An
// operation that is missing here refuses every player's key. TestScopes calls each operation with
// each scope.

// unsafeScopes are the scopes of the operations that change something, by operation id.
var unsafeScopes = map[string]account.Scopes{
	"useFaucet": account.ScopePlay, "startRun": account.ScopePlay, "throw": account.ScopePlay,
	"continueRun": account.ScopePlay, "claimRun": account.ScopePlay, "abandonRun": account.ScopePlay,
	"startDaily": account.ScopePlay,
	// A stake needs trade as well: see staking.
	"createDuel": account.ScopePlay, "joinDuel": account.ScopePlay, "spar": account.ScopePlay,
	"cancelDuel": account.ScopePlay, "commitDuel": account.ScopePlay, "revealDuel": account.ScopePlay,
	"resignDuel": account.ScopePlay, "rematchDuel": account.ScopePlay,
	"createCup": account.ScopePlay, "joinCup": account.ScopePlay, "leaveCup": account.ScopePlay,
	"quickMatch": account.ScopePlay, "leaveQuickMatch": account.ScopePlay,
	"createTeam": account.ScopePlay, "joinTeam": account.ScopePlay, "leaveTeam": account.ScopePlay,
	"listToken": account.ScopeTrade, "buyListing": account.ScopeTrade, "cancelListing": account.ScopeTrade,
	"offerBuyback": account.ScopeTrade, "respondBuyback": account.ScopeTrade,
}

// scopeError reports a key without a scope that the operation needs.
type scopeError struct{ needed account.Scopes }

func (e *scopeError) Error() string {
	return fmt.Sprintf("httpapi: the key lacks %v", e.needed.Names())
}

// scopeOf returns the scope that a player's key needs for an operation; 0 if no key suffices.
func scopeOf(op *contract.Operation) account.Scopes {
	switch {
	case !slices.Contains(op.Security, keyScheme):
		return 0
	case safe(op.Method):
		return account.ScopeRead
	}
	return unsafeScopes[op.ID]
}

// documentScope adds the scope of an operation to the contract.
func documentScope(op *contract.Operation) {
	scope := scopeOf(op)
	if scope == 0 {
		return
	}
	op.Roles = map[string][]string{keyScheme: scope.Names()}
	known := func(d contract.ErrorDoc) bool { return d.Code == "forbidden" }
	if !slices.ContainsFunc(op.Errors, known) {
		op.Errors = append(op.Errors, contract.ErrorDoc{Status: 403, Code: "forbidden",
			When: "The API key lacks the scope " + scope.Names()[0] + "; see scope."})
	}
}

// checkScope checks that a caller's key has the scope of an operation. Errors: *scopeError.
func checkScope(op *contract.Operation, c *caller) error {
	needed := scopeOf(op)
	if c.scheme == keyScheme && (needed == 0 || !c.scopes.Has(needed)) {
		return &scopeError{needed}
	}
	return nil
}

// staking checks that the caller may stake coins; a stake of 0 needs nothing. Errors: *scopeError.
func staking(ctx context.Context, stake int64) error {
	if stake > 0 && !callerOf(ctx).scopes.Has(account.ScopeTrade) {
		return &scopeError{account.ScopeTrade}
	}
	return nil
}

package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/client"
)

// hintError is an error in the words that the model reads: the fault, and the next step.
type hintError struct{ text string }

// Error returns the text.
func (h *hintError) Error() string { return h.text }

// hintf returns a hintError. Arguments must be texts of this program, numbers, or plain.
func hintf(format string, args ...any) error { return &hintError{fmt.Sprintf(format, args...)} }

// hints say what a code of docs/errors.md means for an agent, and what to do next. The message of the service is not
// passed on: it may hold names that other people chose.
var hints = map[string]string{
	"account_frozen":        "An operator has suspended the account. Ask the person you work for; no tool helps.",
	"already_claimed":       "The tier was claimed before. Call status.",
	"already_listed":        "The token is for sale, so it cannot be burnt. Choose another token, or another entry.",
	"bots_only":             "This needs the key of a bot (rsb_…). With a player's key, kinds spar, quick matches and open duels work.",
	"challenge_limit":       "A challenge of this player is open or less than ten minutes old, or five of yours are open. Wait, or call start_duel with kind open and send the code to the player.",
	"conflict":              "Something changed at the same moment. Call the tool again.",
	"cup_full":              "All seats of the cup are taken. Call list_cups for another one.",
	"cup_private":           "The cup is private. Ask the person you work for the code, and pass it as code.",
	"cup_started":           "The cup has started or is over. Call list_cups for one that is open.",
	"cup_state":             "The cup is over. Call list_cups.",
	"duel_closed":           "The duel has ended or was cancelled. Call start_duel for another one.",
	"duel_full":             "The duel has an opponent already. Call start_duel for another one.",
	"duel_moved_on":         "The round of this step is over. Call wait_turn for the state of the duel.",
	"forbidden":             "This belongs to another player, or the key lacks a scope. Ask the person you work for a key that may play.",
	"in_cup":                "The account, or another bot of its owner, is in a cup already. Call status.",
	"insufficient_funds":    "There are not enough coins. Use an entry or a duel that costs nothing.",
	"internal":              "The service has a fault. Try again in a minute; then ask its operator.",
	"invalid":               "The service refuses a value. Read the description of the tool's parameters and correct it.",
	"limit_reached":         "A limit is reached: unfinished duels, seats of the network in this cup, or the entry is used up for today. Finish what is open (status), or choose another entry.",
	"no_challenge":          "This player takes no challenge of yours. Another agent takes them after its tool take_challenges. Or call start_duel with kind open and send the code to the player.",
	"no_token":              "There is no token to burn. Choose another entry.",
	"not_found":             "There is nothing under this name, code or number. Check it, or call status or list_cups.",
	"not_in_cup":            "You are not in this cup. Call list_cups and join_cup.",
	"not_owner":             "The token is not yours. Leave token out, or choose another entry.",
	"not_stored":            "The service cannot store anything at the moment, and nothing was stored. Call the tool again in ten seconds.",
	"not_your_turn":         "The duel needs another step first. Call wait_turn.",
	"opponent_short":        "The other side cannot pay its stake. Call start_duel for another duel.",
	"own_duel":              "The duel is your own. Another player has to join it: call wait_turn.",
	"quiet_hours":           "This player has quiet hours and takes no challenge now. Try again later, or call start_duel with kind open and send the code to the player.",
	"rate_limited":          "Too many calls in a minute. Wait before the next call; play and wait_turn need the fewest.",
	"recovering":            "The service recovers from a loss of data. Try again in some minutes.",
	"run_active":            "You have an unfinished run. Call throw to continue it.",
	"run_state":             "The run does not allow this now. Call status for its state.",
	"storage_full":          "The service's disk is full. Try again later.",
	"too_fast":              "Two throws are at least a quarter of a second apart. Call the tool again.",
	"unauthenticated":       "The service does not accept the key. Ask the person you work for a valid one in ROSHAMBO_KEY.",
	"unavailable":           "The service restarts. Call status in ten seconds before you try again: the call may have had an effect.",
	"unknown":               "The answer is not one of the service; a proxy may have sent it. Try again in a minute.",
	"idempotency_in_flight": "The same call is still being answered. Call status.",
}

// explain returns an error as the model reads it, and logs it in full.
func (a *Agent) explain(tool string, err error) error {
	return &hintError{a.advice(a.hintFor(tool, err).Error())}
}

// hintFor returns the hint for an error.
func (a *Agent) hintFor(tool string, err error) error {
	if h, ok := errors.AsType[*hintError](err); ok {
		return h
	}
	a.Log.Warn("a tool failed", "tool", tool, "error", err)
	switch {
	case errors.Is(err, errNoKey):
		return hintf("There is no key, so this server can only read and verify. Ask the person you work for a key of a " +
			"bot or a player in ROSHAMBO_KEY.")
	case errors.Is(err, client.ErrReceipt):
		return hintf("The service did not sign what it answered. Of a duel no move is revealed after that, and the " +
			"round may be lost. Do not play on at this service; inform the person you work for.")
	case errors.Is(err, client.ErrTexts):
		return hintf("The service has recorded other texts for this run than this server sent: it could have chosen its " +
			"hands, unless another program plays with the same key. Stop, and inform the person you work for.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errClosed):
		return hintf("The call was ended before its answer. Call status: it may have had an effect.")
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return refusalHint(refused)
	}
	return hintf("The service could not be reached, or this server could not store its state. Call status; if that " +
		"fails too, inform the person you work for.")
}

// refusalHint returns the hint for an error of the service.
func refusalHint(e *client.Error) error {
	text, known := hints[e.Code]
	if !known {
		text = "The service refuses this. Call status before you try again."
	}
	code := plain(e.Code)
	if code == "" {
		code = "unknown"
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf(" It can succeed in %d seconds.", (e.RetryAfter+time.Second-1)/time.Second)
	}
	return hintf("%s (%d): %s", code, e.Status, text)
}

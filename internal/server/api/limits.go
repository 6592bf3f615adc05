package api

import (
	"cmp"
	"context"
	"errors"

	"roshambo/contract"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/account"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// limitOperations registers the operation that lists the limits.
func (a *API) limitOperations() {
	add(a, contract.Operation{
		ID: "getLimits", Method: "GET", Path: "/api/limits", Tag: "Documentation", Summary: "The limits of the service",
	}, (*call).getLimits)
}

// LimitsOut is the answer to GET /api/limits.
type LimitsOut struct {
	RequestsPerMinute int64 `json:"requests_per_minute" doc:"Calls answered in any 60 seconds for a network address: IPv6 by its /64, four times as many for a /56, sixteen times for a /48; 0 is no limit."`
	AddressIsShared   bool  `json:"address_is_shared" doc:"Whether many people share the network address of the caller. Then calls with a valid session or key count by it, requests_per_minute each, all others by the address, and those of the address together have shared_times as many."`
	SharedTimes       int64 `json:"shared_times" doc:"The multiple that a shared address has of requests_per_minute, files_per_minute and streams_per_address; if the operator has named it, also of connections_per_address and of the budgets new_accounts, new_listings, new_duels, new_cups, chain_verification and mails."`
	FilesPerMinute    int64 `json:"files_per_minute" doc:"Files of the page, pictures, embeds and files below /log/ in any 60 seconds for a network address; they are no calls. 0 is no limit."`
	LogBytesPerMinute int64 `json:"log_bytes_per_minute" doc:"Bytes of files below /log/, before compression, and of the program below /verify/ for a network address: all of them at once, which refill evenly in 60 seconds; 0 is no limit."`
	ThrowSpacingMS    int64 `json:"throw_spacing_ms"`
	KeysPerAccount    int64 `json:"keys_per_account"`
	BotsPerAccount    int64 `json:"bots_per_account"`
	StreamsPerAccount int64 `json:"streams_per_account" doc:"Concurrent streams of GET /api/events."`
	StreamsPerAddress int64 `json:"streams_per_address" doc:"Concurrent streams for a network address; 0 is no limit."`
	HoldSeconds       int64 `json:"hold_seconds" doc:"The longest delay with Prefer: wait."`
	BodyBytes         int64 `json:"body_bytes"`
	IdempotencyHours  int64 `json:"idempotency_hours" doc:"How long an answer is kept under its Idempotency-Key, unless newer ones of the account need the room: then at least ten minutes."`

	ConnectionsPerAddress    int64         `json:"connections_per_address" doc:"Concurrent connections of a network address; more are closed at once; 0 is no limit."`
	ConnectionsExemptPrivate bool          `json:"connections_exempt_private" doc:"Whether loopback and private addresses are exempt from connections_per_address."`
	Budgets                  []BudgetOut   `json:"budgets" doc:"Limits of costly operations by network address. No period of window_seconds contains more than limit of them."`
	IPv6Networks             []IPv6Network `json:"ipv6_networks" doc:"The networks that count an IPv6 address, for every limit by network address."`
}

// BudgetOut is the limit of a costly operation.
type BudgetOut struct {
	Action        string `json:"action" known:"new_accounts,free_starts,free_wins,ranked_dailies,new_listings,new_duels,new_cups,emotes,chain_verification,mails,failed_logins,failed_logins_of_username,pictures" doc:"new_accounts: guests, registrations without a guest, bots, and links that open an account; free_starts: those with a free start, in a UTC day; free_wins: free and daily runs that win free tokens, in a UTC day; ranked_dailies: daily runs on the day's board; new_duels: by code and against the sparring bot; emotes: of one account in duels; chain_verification: fresh ones; pictures: drawn pictures of link previews."`
	Limit         int64  `json:"limit"`
	WindowSeconds int64  `json:"window_seconds"`
	PrivateExempt bool   `json:"private_exempt" doc:"Whether loopback and private addresses are exempt."`
}

// IPv6Network is a size of networks that count an IPv6 address.
type IPv6Network struct {
	PrefixLength int64 `json:"prefix_length"`
	Times        int64 `json:"times" doc:"The multiple of a limit that the network has."`
}

// getLimits returns the limits from the constants that enforce them.
func (a *call) getLimits(_ context.Context, _ *none) (*LimitsOut, error) {
	out := &LimitsOut{
		ThrowSpacingMS: run.ThrowInterval.Milliseconds(), KeysPerAccount: account.MaxKeys, BotsPerAccount: account.MaxBots,
		StreamsPerAccount: stream.PerAccount, HoldSeconds: int64(stream.MaxWait.Seconds()), BodyBytes: maxBodyBytes,
		IdempotencyHours:      int64(idempotency.Keep.Hours()),
		ConnectionsPerAddress: int64(a.ConnectionLimit), ConnectionsExemptPrivate: a.ConnectionsExemptPrivate,
		Budgets: a.budgets(), AddressIsShared: a.w.Client.Shared, SharedTimes: limit.SharedTimes,
	}
	for _, n := range limit.Networks() {
		out.IPv6Networks = append(out.IPv6Networks, IPv6Network{PrefixLength: int64(n.Bits), Times: int64(n.Times)})
	}
	if a.RateLimit != nil {
		out.RequestsPerMinute, out.StreamsPerAddress = int64(a.RateLimit.Max()), stream.PerClient
	}
	if a.FileLimit != nil {
		out.FilesPerMinute = int64(a.FileLimit.Max())
	}
	if a.LogLimit != nil {
		out.LogBytesPerMinute = int64(a.LogLimit.Max()) << 10
	}
	return out, nil
}

// budgets lists the rates of all budgets by network address.
func (a *API) budgets() []BudgetOut {
	list := []BudgetOut{}
	for _, b := range []struct {
		action string
		budget *limit.Budget
	}{
		{"new_accounts", a.AccountLimit}, {"free_starts", a.FreeStarts}, {"free_wins", a.FreeWins},
		{"ranked_dailies", a.RankedDailies},
		{"new_listings", a.ListingLimit}, {"new_duels", a.DuelLimit}, {"new_cups", a.CupLimit},
		{"emotes", a.EmoteLimit},
		{"chain_verification", a.VerifyLimit},
		{"mails", a.ClientMailLimit}, {"failed_logins", a.FailureLimits.ByClient},
		{"failed_logins_of_username", a.FailureLimits.ByNameAndClient}, {"pictures", a.PictureLimit},
	} {
		if b.budget == nil {
			continue
		}
		for _, rate := range b.budget.Rates() {
			list = append(list, BudgetOut{Action: b.action, Limit: int64(rate.Max),
				WindowSeconds: int64(rate.Window.Seconds()), PrivateExempt: b.budget.ExemptsPrivate()})
		}
	}
	return list
}

// Budgets of costly operations by network address. An operation counts once its input is valid,
// before its transaction, as the limiter may wait for Redis; when the call fails, or repeats a
// stored answer, the count is returned. A crash in between leaves a count without an effect: the
// address may do one thing less until the window ends.

// budgetOf returns the budget of an operation and the message when it is used up; nil for none.
func (a *API) budgetOf(operation string) (*limit.Budget, string) {
	switch operation {
	case "listToken":
		return a.ListingLimit, "Too many new listings from this network address."
	case "createDuel", "spar", "rematchDuel":
		return a.DuelLimit, "Too many new duels from this network address."
	case "createCup":
		return a.CupLimit, "Too many new cups from this network address."
	case "emoteDuel":
		return a.EmoteLimit, "Too many emotes: wait a moment."
	}
	return nil, ""
}

// countBudget counts a request against the budget of its operation. Errors: *RateLimitError.
func (a *call) countBudget(ctx context.Context, op *contract.Operation) error {
	budget, message := a.budgetOf(op.ID)
	action := ""
	if budget != nil && budget == a.EmoteLimit {
		action = a.caller.address.String()
	}
	d, refund := a.count(ctx, budget, action)
	if !d.OK {
		return &RateLimitError{Wait: d.Wait, Message: message}
	}
	a.charged = refund
	return nil
}

// refundBudget returns what a failed request has counted. An unknown outcome stays counted.
func (a *call) refundBudget(err error) {
	if a.charged == nil || errors.Is(err, store.ErrUnavailable) {
		return
	}
	a.charged()
	a.charged = nil
}

// documentBudget adds the error of an operation's budget to the contract.
func documentBudget(op *contract.Operation) {
	of := "this network address"
	switch op.ID {
	case "emoteDuel":
		of = "this account from this network address"
	case "listToken", "createDuel", "spar", "rematchDuel", "createCup":
	default:
		return
	}
	op.Errors = append(op.Errors, contract.ErrorDoc{Status: 429, Code: "rate_limited",
		When: "Too many of " + of + " (GET /api/limits); see retry_after_ms."})
}

// CountLogBytes counts the bytes of a file of the public log, or of data in bulk, against the limit of the client's
// address, in KiB. Errors: *RateLimitError.
func (a *API) CountLogBytes(ctx context.Context, client Client, n int) error {
	if a.LogLimit == nil || client.Inside {
		return nil
	}
	for _, level := range limit.AppendLevels(nil, client.Address, 1) {
		kib := max(1, n>>10/level.Max) // instead of a limit of level.Max times as many
		if d, err := a.LogLimit.Spend(ctx, level.Prefix.String(), kib); err != nil || !d.OK {
			return cmp.Or[error](err, &RateLimitError{Wait: d.Wait})
		}
	}
	return nil
}

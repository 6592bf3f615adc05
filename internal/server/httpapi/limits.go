package httpapi

import (
	"context"

	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/service/run"
)

func (a *API) limitOperations() {
	contract.Add(a.contract, contract.Operation{
		ID: "getLimits", Method: "GET", Path: "/api/limits", Tag: "Documentation", Summary: "The limits of the service",
	}, a.getLimits)
}

// LimitsOut is the answer to GET /api/limits.
type LimitsOut struct {
	RequestsPerMinute int64 `json:"requests_per_minute" doc:"Answered in any 60 seconds, by network address: IPv6 by its /64, with four times as many for a /56 and sixteen times for a /48; 0 is no limit."`
	ThrowSpacingMS    int64 `json:"throw_spacing_ms"`
	KeysPerAccount    int64 `json:"keys_per_account"`
	BotsPerAccount    int64 `json:"bots_per_account"`
	StreamsPerAccount int64 `json:"streams_per_account" doc:"Open at the same time, of GET /api/events."`
	StreamsPerAddress int64 `json:"streams_per_address" doc:"The same, by network address; 0 is no limit."`
	HoldSeconds       int64 `json:"hold_seconds" doc:"The longest that an answer is held with Prefer: wait."`
	BodyBytes         int64 `json:"body_bytes"`
	IdempotencyHours  int64 `json:"idempotency_hours" doc:"How long an answer is kept under its Idempotency-Key."`
}

func (a *API) getLimits(context.Context, *none) (*LimitsOut, error) {
	out := &LimitsOut{
		ThrowSpacingMS: run.Spacing.Milliseconds(), KeysPerAccount: account.MaxKeys, BotsPerAccount: account.MaxBots,
		StreamsPerAccount: streamsPerAccount, HoldSeconds: int64(maxLongPoll.Seconds()), BodyBytes: 64 << 10, IdempotencyHours: 24,
	}
	if a.RateLimit != nil {
		out.RequestsPerMinute, out.StreamsPerAddress = int64(a.RateLimit.Max()), streamsPerClient
	}
	return out, nil
}

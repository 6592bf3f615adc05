package httpapi

import (
	"context"

	"roshambo/contract"
	"roshambo/internal/platform/idempotency"
	"roshambo/internal/service/account"
	"roshambo/internal/service/run"
)

// maxBodyBytes bounds the body of a request.
const maxBodyBytes = 64 << 10

// MaxHeaderBytes bounds the headers of a request. The server that serves the API enforces it.
const MaxHeaderBytes = 32 << 10

// limitOperations registers the operation that lists the limits.
func (a *API) limitOperations() {
	contract.Add(a.contract, contract.Operation{
		ID: "getLimits", Method: "GET", Path: "/api/limits", Tag: "Documentation", Summary: "The limits of the service",
	}, a.getLimits)
}

// LimitsOut is the answer to GET /api/limits.
type LimitsOut struct {
	RequestsPerMinute int64 `json:"requests_per_minute" doc:"Requests answered in any 60 seconds for a network address: IPv6 by its /64, four times as many for a /56, sixteen times for a /48; 0 is no limit."`
	ThrowSpacingMS    int64 `json:"throw_spacing_ms"`
	KeysPerAccount    int64 `json:"keys_per_account"`
	BotsPerAccount    int64 `json:"bots_per_account"`
	StreamsPerAccount int64 `json:"streams_per_account" doc:"Concurrent streams of GET /api/events."`
	StreamsPerAddress int64 `json:"streams_per_address" doc:"Concurrent streams for a network address; 0 is no limit."`
	HoldSeconds       int64 `json:"hold_seconds" doc:"The longest delay with Prefer: wait."`
	BodyBytes         int64 `json:"body_bytes"`
	IdempotencyHours  int64 `json:"idempotency_hours" doc:"How long an answer is kept under its Idempotency-Key."`
}

// getLimits returns the limits from the constants that enforce them.
func (a *API) getLimits(context.Context, *none) (*LimitsOut, error) {
	out := &LimitsOut{
		ThrowSpacingMS: run.ThrowInterval.Milliseconds(), KeysPerAccount: account.MaxKeys, BotsPerAccount: account.MaxBots,
		StreamsPerAccount: streamsPerAccount, HoldSeconds: int64(maxLongPoll.Seconds()), BodyBytes: maxBodyBytes,
		IdempotencyHours: int64(idempotency.Keep.Hours()),
	}
	if a.RateLimit != nil {
		out.RequestsPerMinute, out.StreamsPerAddress = int64(a.RateLimit.Max()), streamsPerClient
	}
	return out, nil
}

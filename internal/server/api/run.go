package api

import (
	"context"
	"fmt"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/game"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/limit"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// Every answer about a run holds the whole run, transcript included, so that a client needs no
// second call after a throw. The seed of a throw is in the answer only because the throw is durable
// by then: a crash before the commit reveals nothing.

// runOperations registers the operations on house runs.
func (a *API) runOperations() {
	op := func(id, method, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: method, Path: path, Tag: "Runs", Summary: summary, Errors: may(errors...)}
	}
	mine := func(o contract.Operation) contract.Operation {
		o.Security = anyScheme
		o.Errors = append(o.Errors, may("unauthenticated")...)
		if o.Method == "POST" {
			o.Errors = append(o.Errors, may("csrf_failed", "conflict")...)
			o.OptionalBody = true
		}
		return o
	}
	add(a, mine(op("getActiveRun", "GET", "/api/runs/active", "The caller's unfinished run, or null")),
		(*call).getActiveRun)
	add(a, mine(op("startRun", "POST", "/api/runs", "Start a run against the house",
		"run_active", "insufficient_funds", "limit_reached", "no_token", "not_owner", "already_listed")), (*call).startRun)
	// throw makes a throw and, with then, the decision after a win, in one transaction. Only once
	// it is durable is the seed revealed.
	throw := mine(op("throw", "POST", "/api/runs/{run_id}/throw", "Throw; reveals the house's seed",
		"not_found", "forbidden", "run_state", "too_fast"))
	throw.OptionalBody = false
	add(a, throw, (*call).throw)
	add(a, mine(op("continueRun", "POST", "/api/runs/{run_id}/continue", "Risk the tier reached",
		"not_found", "forbidden", "run_state")), (*call).continueRun)
	add(a, mine(op("claimRun", "POST", "/api/runs/{run_id}/claim", "Claim the tier reached as a token",
		"not_found", "forbidden", "run_state", "already_claimed")), (*call).claimRun)
	abandon := mine(op("abandonRun", "POST", "/api/runs/{run_id}/abandon", "Abandon the run without a prize",
		"not_found", "forbidden", "run_state"))
	abandon.Description = "To abandon a run that has reached a tier, or was entered by burning a token, a key needs the " +
		"scope trade, too."
	add(a, abandon, (*call).abandonRun)
	get := op("getRun", "GET", "/api/runs/{run_id}", "A run", "not_found", "unauthenticated")
	get.Security, get.Anonymous = anyScheme, true
	add(a, get, (*call).getRun)
	add(a, mine(op("listRuns", "GET", "/api/runs", "The caller's runs, the newest first",
		"bad_request")), (*call).listRuns)
	add(a, op("getTiers", "GET", "/api/tiers", "The ladder and the numbers of the game"), (*call).getTiers)
}

// Run is a house run.
type Run struct {
	ID            string  `json:"id"`
	Account       string  `json:"account" doc:"Address of the player."`
	Status        string  `json:"status" enum:"active,deciding,claimed,lost,abandoned,void"`
	Entry         string  `json:"entry" enum:"free,fee,burn,daily"`
	Bound         bool    `json:"bound" doc:"It wins a bound token."`
	Unranked      bool    `json:"unranked" doc:"A daily run that is not on the day's board: those of other accounts at its network address were there first."`
	FirstTier     int64   `json:"first_tier" doc:"The burnt token's tier, otherwise 0."`
	Cleared       int64   `json:"cleared" doc:"The tier reached."`
	ClaimableTier *Tier   `json:"claimable_tier" doc:"While deciding, and once claimed; otherwise null."`
	ClientSeed    string  `json:"client_seed" doc:"The player's text whose hash goes into every house move. Empty for other callers than the player."`
	SeedHash      string  `json:"client_seed_hash" doc:"SHA-256 of the client seed, which the chain holds."`
	Commitment    string  `json:"commitment" doc:"The house's commitment from before the run."`
	Throws        []Throw `json:"throws"`
	NextThrowAt   *Time   `json:"next_throw_at" doc:"When the next throw is accepted; null unless active."`
	StartedAt     Time    `json:"started_at"`
	EndedAt       *Time   `json:"ended_at"`
	TokenID       *int64  `json:"token_id" doc:"Once claimed."`
	CommitTx      string  `json:"commit_tx" doc:"The transaction that published the commitment."`
	StartTx       string  `json:"start_tx"`
	EndTx         *string `json:"end_tx"`
}

// Throw is a throw of the transcript.
type Throw struct {
	N       int64  `json:"n" doc:"From 1; ties count."`
	Move    string `json:"move" enum:"rock,paper,scissors"`
	Entropy string `json:"entropy" doc:"The player's text for this throw. Empty for other callers than the player."`
	Hash    string `json:"entropy_hash" doc:"SHA-256 of the entropy, which the transcript holds."`
	House   string `json:"house" enum:"rock,paper,scissors"`
	Outcome string `json:"outcome" enum:"win,loss,tie" doc:"From the player's view."`
	Seed    string `json:"seed" doc:"The seed of the house's move."`
}

// wireThrow returns the wire form of a throw with the entropy that its hash stands for.
func wireThrow(t chain.Throw, entropy string) Throw {
	return Throw{N: int64(t.N), Move: t.Move.String(), Entropy: entropy, Hash: t.EntropyHash.String(),
		House: t.House.String(), Outcome: t.Outcome.String(), Seed: chain.Hash(t.Seed).String()}
}

// wireRun returns the wire form of a run as its player sees it, its throws parsed from the transcript.
func (a *API) wireRun(r *run.Run) (*Run, error) {
	throws, err := chain.ParseTranscript(r.Transcript)
	if err != nil {
		return nil, err
	}
	if len(r.Entropy) != len(throws) {
		return nil, fmt.Errorf("api: run %s has %d throws and the entropy of %d", r.ID, len(throws), len(r.Entropy))
	}
	out := &Run{
		ID: r.ID, Account: r.Account.String(), Status: string(r.Status), Entry: string(r.Entry), Bound: r.Bound,
		Unranked: r.Unranked, FirstTier: r.FirstTier, Cleared: r.Cleared, ClientSeed: r.ClientSeed,
		SeedHash: chain.HashText(r.ClientSeed).String(), Commitment: r.Commitment.String(),
		Throws:    make([]Throw, len(throws)),
		StartedAt: Time{r.StartedAt}, EndedAt: optionalTime(r.EndedAt), TokenID: r.TokenID, CommitTx: r.CommitTx.String(),
		StartTx: r.StartTx.String(), EndTx: optionalHash(r.EndTx),
	}
	for i, t := range throws {
		out.Throws[i] = wireThrow(t, r.Entropy[i])
	}
	if r.Status == run.Deciding || r.Status == run.Claimed {
		out.ClaimableTier = new(wireTier(a.Ledger.Rules(), r.Cleared))
	}
	if r.Status == run.Active {
		out.NextThrowAt = &Time{r.NextThrowAt()}
	}
	return out, nil
}

// ActiveRunOut is the answer to GET /api/runs/active.
type ActiveRunOut struct {
	Run *Run `json:"run"`
}

// getActiveRun reads the caller's unfinished run, null when there is none.
func (a *call) getActiveRun(ctx context.Context, _ *none) (*ActiveRunOut, error) {
	address := a.caller.address
	return readOnce(ctx, a, func(ctx context.Context, tx *store.Tx) (*ActiveRunOut, error) {
		r, err := a.Runs.Unfinished(ctx, tx, address)
		if err != nil || r == nil {
			return &ActiveRunOut{}, err
		}
		out, err := a.wireRun(r)
		return &ActiveRunOut{out}, err
	})
}

// StartRunIn is the body of POST /api/runs.
type StartRunIn struct {
	Entry      string   `json:"entry" enum:"auto,fee,free,burn,daily" default:"auto" doc:"How to pay: auto picks free, then fee; burn destroys a token and starts at its tier, for double or nothing."`
	ClientSeed *string  `json:"client_seed" maxLength:"64" pattern:"^[^\\x00]*$" doc:"The player's text, which goes into every house move."`
	TokenID    *int64   `json:"token_id" min:"0" max:"2147483647" doc:"The token to burn; the cheapest by default."`
	Move       *string  `json:"move" enum:"rock,paper,scissors,r,p,s" doc:"The first throw, in the same transaction as the start."`
	Entropy    *string  `json:"entropy" maxLength:"64" doc:"As in a throw; only with move."`
	Then       *string  `json:"then" enum:"claim,continue" doc:"As in a throw; only with move."`
	_          struct{} `needs:"move=entropy,then"`
}

// StartRunOut is the answer to POST /api/runs.
type StartRunOut struct {
	Run            Run        `json:"run"`
	Balance        int64      `json:"balance"`
	NextCommitment Commitment `json:"next_commitment" doc:"The published commitment of the next run."`
	TxHash         string     `json:"tx_hash" doc:"Of the start."`
	// Set for a start with a throw only.
	Outcome  *string      `json:"outcome" enum:"win,loss,tie" doc:"Of the first throw; null without one, as are seed and throw."`
	Seed     *string      `json:"seed" doc:"The revealed seed."`
	Throw    *ThrowResult `json:"throw"`
	Token    *Token       `json:"token" doc:"The claimed token; null unless the throw won and was claimed."`
	Receipts []Receipt    `json:"receipts,omitempty" doc:"With Prefer: receipt."`
}

// startRun starts a run and, when a move is given, makes the first throw in the same transaction.
func (a *call) startRun(ctx context.Context, in *body[StartRunIn]) (*StartRunOut, error) {
	o := run.StartOptions{TokenID: in.Body.TokenID, ClientSeed: deref(in.Body.ClientSeed)}
	if in.Body.Entry != "auto" {
		o.Entry = chain.Entry(in.Body.Entry)
	}
	if o.Entry == chain.EntryBurn { // a token is destroyed; auto burns none
		if err := a.trading(); err != nil {
			return nil, err
		}
	}
	if in.Body.Move != nil {
		o.First = &run.Play{
			Move:    moves[*in.Body.Move],
			Entropy: deref(in.Body.Entropy),
			Then:    run.Then(deref(in.Body.Then)),
		}
	}
	return a.begin(ctx, o)
}

// begin starts a run of the caller, with its first throw when o has one.
func (a *call) begin(ctx context.Context, o run.StartOptions) (*StartRunOut, error) {
	address := a.caller.address
	var wins, dailies *limit.Budget
	switch o.Entry {
	case chain.EntryDaily:
		wins, dailies = a.FreeWins, a.RankedDailies
	case chain.EntryFree, "":
		wins = a.FreeWins
	case chain.EntryFee, chain.EntryBurn:
	}
	win, ranked := a.countShare(ctx, wins), a.countShare(ctx, dailies)
	o.FreeWin, o.Ranked = win.take, ranked.take
	out, err := a.beginCounted(ctx, address, o, win, ranked)
	win.end(err)
	ranked.end(err)
	return out, err
}

// beginCounted is begin after the run was counted for its network address. Each attempt of the
// transaction begins the shares counted anew.
func (a *call) beginCounted(
	ctx context.Context, address chain.Address, o run.StartOptions, counted ...*share,
) (*StartRunOut, error) {
	return writeAt(ctx, a, run.Isolation, func(ctx context.Context, tx *store.Tx) (*StartRunOut, error) {
		for _, c := range counted {
			c.again()
		}
		s, err := a.Runs.Start(ctx, tx, address, o)
		if err != nil {
			return nil, err
		}
		out, err := a.wireRun(s.Run)
		if err != nil {
			return nil, err
		}
		hash := s.Posted.Hash.String()
		answer := &StartRunOut{Run: *out, Balance: s.Posted.Balance,
			NextCommitment: Commitment{Commitment: s.NextCommitment.String(), TxHash: hash, Height: nil}, TxHash: hash}
		statements := []chain.Statement{startStatement(&s, tx.Now())}
		if s.First != nil {
			statements = append(statements, throwStatements(s.First, tx.Now())...)
			thrown := a.thrownOut(out, s.First)
			answer.Outcome, answer.Seed, answer.Throw, answer.Token = &thrown.Outcome, &thrown.Seed, &thrown.Throw, thrown.Token
		}
		answer.Receipts, err = a.receipts(statements...)
		return answer, err
	})
}

// ThrowIn is the body of a throw.
type ThrowIn struct {
	Move    string  `json:"move" required:"true" enum:"rock,paper,scissors,r,p,s"`
	Entropy *string `json:"entropy" maxLength:"64" doc:"Random text for this throw, so that not even the house can know its move in advance."`
	Then    *string `json:"then" enum:"claim,continue" doc:"The decision after a win, in the same transaction: claim the tier or continue. Ignored unless the throw wins."`
}

// throwIn is the input of throw.
type throwIn struct {
	RunID string `path:"run_id"`
	Body  ThrowIn
}

// ThrowOut is the answer to a throw.
type ThrowOut struct {
	Outcome  string      `json:"outcome" enum:"win,loss,tie"`
	Seed     string      `json:"seed" doc:"The revealed seed."`
	Throw    ThrowResult `json:"throw"`
	Run      Run         `json:"run"`
	TxHash   *string     `json:"tx_hash" doc:"When the throw ended the run."`
	Token    *Token      `json:"token" doc:"The claimed token when the throw won and was claimed, by then or at the highest tier; otherwise null."`
	Receipts []Receipt   `json:"receipts,omitempty" doc:"With Prefer: receipt."`
}

// ThrowResult is the result of a throw.
type ThrowResult struct {
	N           int64  `json:"n"`
	Move        string `json:"move" enum:"rock,paper,scissors"`
	Entropy     string `json:"entropy"`
	HouseMove   string `json:"house_move" enum:"rock,paper,scissors"`
	Outcome     string `json:"outcome" enum:"win,loss,tie"`
	Seed        string `json:"seed"`
	NextThrowAt *Time  `json:"next_throw_at" doc:"Null when the next step is not a throw."`
}

// moves maps the accepted texts to moves.
var moves = map[string]game.Move{
	"rock": game.Rock, "paper": game.Paper, "scissors": game.Scissors,
	"r": game.Rock, "p": game.Paper, "s": game.Scissors,
}

// throw plays one throw of the caller's run, and the decision that comes with it.
func (a *call) throw(ctx context.Context, in *throwIn) (*ThrowOut, error) {
	address := a.caller.address
	play := run.Play{Move: moves[in.Body.Move], Entropy: deref(in.Body.Entropy), Then: run.Then(deref(in.Body.Then))}
	return writeAt(ctx, a, run.Isolation, func(ctx context.Context, tx *store.Tx) (*ThrowOut, error) {
		t, err := a.Runs.Throw(ctx, tx, address, in.RunID, play)
		if err != nil {
			return nil, err
		}
		r, err := a.wireRun(t.Run)
		if err != nil {
			return nil, err
		}
		out := a.thrownOut(r, &t)
		out.Receipts, err = a.receipts(throwStatements(&t, tx.Now())...)
		return out, err
	})
}

// thrownOut returns the answer to a throw. r is the wire form of its run.
func (a *API) thrownOut(r *Run, t *run.Thrown) *ThrowOut {
	w := r.Throws[len(r.Throws)-1]
	out := &ThrowOut{
		Outcome: w.Outcome, Seed: w.Seed, Run: *r, TxHash: optional(t.Posted, postedHash),
		Throw: ThrowResult{N: w.N, Move: w.Move, Entropy: w.Entropy, HouseMove: w.House, Outcome: w.Outcome, Seed: w.Seed,
			NextThrowAt: r.NextThrowAt},
	}
	if t.Run.TokenID != nil {
		out.Token = new(wireToken(a.Ledger.Rules(), *t.Run.TokenID, t.Run.Cleared, t.Run.Bound))
	}
	return out
}

// postedHash returns the hash of a posted transaction.
func postedHash(p ledger.Posted) string { return p.Hash.String() }

// runIn names a run.
type runIn struct {
	RunID string `path:"run_id"`
}

// RunOut is a run.
type RunOut struct {
	Run      Run       `json:"run"`
	Voided   *Voided   `json:"voided,omitempty" doc:"In answers to a read: of a daily run whose result is void. It is on no board."`
	Receipts []Receipt `json:"receipts,omitempty" doc:"With Prefer: receipt."`
}

// runOut returns the answer that holds a run.
func (a *API) runOut(r *run.Run) (*RunOut, error) {
	out, err := a.wireRun(r)
	if err != nil {
		return nil, err
	}
	return &RunOut{Run: *out}, nil
}

// continueRun risks the tier reached for the next one.
func (a *call) continueRun(ctx context.Context, in *runIn) (*RunOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, run.Isolation, func(ctx context.Context, tx *store.Tx) (*RunOut, error) {
		r, err := a.Runs.Continue(ctx, tx, address, in.RunID)
		if err != nil {
			return nil, err
		}
		out, err := a.runOut(r)
		if err != nil {
			return nil, err
		}
		out.Receipts, err = a.receipts(decisionStatement(r, chain.DecideContinue, len(out.Run.Throws), tx.Now()))
		return out, err
	})
}

// ClaimOut is the answer to a claim.
type ClaimOut struct {
	Run      Run       `json:"run"`
	Token    Token     `json:"token"`
	TxHash   string    `json:"tx_hash"`
	Receipts []Receipt `json:"receipts,omitempty" doc:"With Prefer: receipt."`
}

// claimRun ends the run with a token of the tier reached.
func (a *call) claimRun(ctx context.Context, in *runIn) (*ClaimOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, run.Isolation, func(ctx context.Context, tx *store.Tx) (*ClaimOut, error) {
		r, posted, err := a.Runs.Claim(ctx, tx, address, in.RunID)
		if err != nil {
			return nil, err
		}
		out, err := a.wireRun(r)
		if err != nil {
			return nil, err
		}
		receipts, err := a.receipts(decisionStatement(r, chain.DecideClaim, len(out.Throws), tx.Now()))
		return &ClaimOut{Run: *out, Token: wireToken(a.Ledger.Rules(), *r.TokenID, r.Cleared, r.Bound),
			TxHash: posted.Hash.String(), Receipts: receipts}, err
	})
}

// AbandonOut is the answer to abandoning a run.
type AbandonOut struct {
	Run      Run       `json:"run"`
	TxHash   string    `json:"tx_hash"`
	Receipts []Receipt `json:"receipts,omitempty" doc:"With Prefer: receipt."`
}

// abandonRun ends the run without a token.
func (a *call) abandonRun(ctx context.Context, in *runIn) (*AbandonOut, error) {
	address := a.caller.address
	return writeAt(ctx, a, run.Isolation, func(ctx context.Context, tx *store.Tx) (*AbandonOut, error) {
		r, posted, err := a.Runs.Abandon(ctx, tx, address, in.RunID)
		if err != nil {
			return nil, err
		}
		if r.Cleared > 0 || r.Entry == chain.EntryBurn { // value is thrown away: an error takes the end back
			if _, err := a.callerIn(ctx, tx); err != nil { // for its scopes
				return nil, err
			}
			if err := a.trading(); err != nil {
				return nil, err
			}
		}
		out, err := a.wireRun(r)
		if err != nil {
			return nil, err
		}
		receipts, err := a.receipts(decisionStatement(r, chain.DecideAbandon, len(out.Throws), tx.Now()))
		return &AbandonOut{Run: *out, TxHash: posted.Hash.String(), Receipts: receipts}, err
	})
}

// getRun reads a run. Runs are public; unrevealed seeds are not part of them, and the texts that the
// player typed are for the player alone.
func (a *call) getRun(ctx context.Context, in *runIn) (*RunOut, error) {
	me := a.viewer()
	return readOnce(ctx, a, func(ctx context.Context, tx *store.Tx) (*RunOut, error) {
		r, err := a.Runs.Get(ctx, tx, in.RunID)
		if err != nil {
			return nil, err
		}
		out, err := a.runOut(r)
		if err != nil {
			return nil, err
		}
		if r.Account != me {
			out.Run.hideTexts()
		}
		if r.Entry == chain.EntryDaily && r.EndedAt != nil {
			out.Voided, err = voidOf(ctx, tx, chain.RunGameID(r.ID))
		}
		return out, err
	})
}

// hideTexts removes the player's texts; their hashes stay.
func (r *Run) hideTexts() {
	r.ClientSeed = ""
	for i := range r.Throws {
		r.Throws[i].Entropy = ""
	}
}

// RunsOut is a page of runs.
type RunsOut struct {
	Runs []Run   `json:"runs"`
	Next *string `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// listRuns reads a page of the caller's runs, the newest first.
func (a *call) listRuns(ctx context.Context, in *pageIn) (*RunsOut, error) {
	address := a.caller.address
	name := listOf(cursorRuns, address)
	before, err := parseRunCursor(in.Cursor, name)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*RunsOut, error) {
		list, err := a.Runs.List(ctx, tx, address, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		list, more := page(list, in.Limit)
		out := &RunsOut{Runs: make([]Run, len(list))}
		for i, r := range list {
			w, err := a.wireRun(r)
			if err != nil {
				return nil, err
			}
			out.Runs[i] = *w
		}
		if more {
			out.Next = runCursor(name, list[len(list)-1])
		}
		return out, nil
	})
}

// TiersOut is the answer to GET /api/tiers.
type TiersOut struct {
	Tiers           []Tier `json:"tiers"`
	EntryFee        int64  `json:"entry_fee" doc:"In coins. While each tier doubles the value, a paid run returns half the base value of tier 1 on average."`
	StartingBalance int64  `json:"starting_balance"`
	FaucetAmount    int64  `json:"faucet_amount"`
	BuybackBPS      int64  `json:"buyback_bps" doc:"What the house pays for a token, in basis points of its base value; the price is rounded down."`
	MarketFeeBPS    int64  `json:"market_fee_bps"`
	ThrowSpacingMS  int64  `json:"throw_spacing_ms"`
	Class           bool   `json:"class" doc:"Whether the service is for a class: it opens no cup of its own, and duels with the house's bots are not rated."`
	RulesTx         string `json:"rules_tx" doc:"The transaction that recorded these numbers."`
	// Rules change a day after their announcement on the chain.
	NextRulesTx *string `json:"next_rules_tx" doc:"The transaction with rules that are announced and not in force yet; null for none."`
	NextRulesAt *Time   `json:"next_rules_at" doc:"When they will be in force."`
}

// getTiers returns the rules in force and the transaction that recorded them.
func (a *call) getTiers(context.Context, *none) (*TiersOut, error) {
	rules := a.Ledger.Rules()
	out := &TiersOut{
		EntryFee: rules.EntryFee, StartingBalance: rules.StartingBalance, FaucetAmount: rules.FaucetAmount,
		BuybackBPS: rules.BuybackBPS, MarketFeeBPS: rules.MarketFeeBPS,
		ThrowSpacingMS: run.ThrowInterval.Milliseconds(), Class: a.Class, RulesTx: a.Ledger.RulesTx().String(),
	}
	if tx, at := a.Ledger.Announced(); !at.IsZero() {
		out.NextRulesTx, out.NextRulesAt = new(tx.String()), &Time{at}
	}
	for k := int64(1); k <= rules.Top(); k++ {
		out.Tiers = append(out.Tiers, wireTier(rules, k))
	}
	return out, nil
}

package score

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// The kinds of report that make no fact. All others are the kinds of fact.
const (
	reportTeamClosed  = "team_closed"
	reportTeamRenamed = "team_renamed"
	reportRenamed     = "renamed"
	reportCup         = "cup"
)

// reportBody is the part of a report that is stored as JSON. A node of another release may
// read it: releases may add members and never change the meaning of one.
type reportBody struct {
	ID       string `json:"id,omitempty"` // of the run, duel, listing, offer or membership
	At       int64  `json:"at,omitempty"` // in Unix milliseconds
	Result   string `json:"result,omitempty"`
	Entry    string `json:"entry,omitempty"`
	Day      int64  `json:"day,omitempty"`      // of a daily run, by its start
	Unranked bool   `json:"unranked,omitempty"` // of a daily run
	Tier     int64  `json:"tier,omitempty"`     // cleared, or traded
	First    int64  `json:"first,omitempty"`    // the tier that a run started from
	Throws   int64  `json:"throws,omitempty"`
	Coins    int64  `json:"coins,omitempty"`    // stake or price
	Winner   string `json:"winner,omitempty"`   // "a", "b" or "" for a draw
	Earned   bool   `json:"earned,omitempty"`   // of a duel: the winner gets points
	Unlisted bool   `json:"unlisted,omitempty"` // makes no item of the feed
	Unplayed bool   `json:"unplayed,omitempty"` // of a duel: no two reveals decided a round
	Practice bool   `json:"practice,omitempty"`
	Above    int64  `json:"above,omitempty"` // of a rated duel: points
	TokenID  *int64 `json:"token_id,omitempty"`
	Tx       string `json:"tx,omitempty"`

	Cup     int64   `json:"cup,omitempty"` // its number
	CupKind string  `json:"cup_kind,omitempty"`
	Table   string  `json:"table,omitempty"` // the hash of its final table
	Top     []Party `json:"top,omitempty"`   // of a cup
}

// Run describes an ended run against the house.
type Run struct {
	ID                 string
	Account            chain.Address
	Entry              chain.Entry
	Status             chain.RunStatus
	Unranked           bool  // a daily run that is not on the day's board
	First, Cleared     int64 // the tier it started from, and the highest cleared
	Throws             int64
	StartedAt, EndedAt time.Time
	TokenID            *int64 // of the claimed token; nil without one
	EndTx              chain.Hash
}

// RunEnded reports the end of a run.
func (s *Service) RunEnded(ctx context.Context, tx *store.Tx, r Run) error {
	b := reportBody{
		ID: r.ID, At: r.EndedAt.UnixMilli(), Result: string(r.Status), Entry: string(r.Entry),
		Tier: r.Cleared, First: r.First, Throws: r.Throws, TokenID: r.TokenID, Tx: r.EndTx.String(),
	}
	if r.Entry == chain.EntryDaily {
		b.Day, b.Unranked = DayOf(r.StartedAt), r.Unranked
	}
	return s.post(ctx, tx, report{kind: factRun, account: r.Account[:], body: b, mayEarn: r.Status == chain.RunClaimed})
}

// Duel describes a finished duel. At is the time of its settlement.
type Duel struct {
	Code     string
	A, B     chain.Address
	Winner   string // "a", "b" or "" for a draw
	Stake    int64
	Earned   bool  // a rated duel whose winner gets points (chain.Earned)
	Unplayed bool  // no two reveals decided a round: it counts for nothing
	Unlisted bool  // in no public list: the feed has no item of it, nor of the achievements that it unlocks
	Practice bool  // against the sparring bot; a step finds duels against the player's own bots
	Above    int64 // by how many points the loser was rated above the winner; 0 if not, or not established
	At       time.Time
	SettleTx *chain.Hash // the settlement; nil is left out of the report
	// Network is charged with the feed items of a listed duel: that of the side that opened it, whichever side ends it.
	// It is nil for an address that is not charged.
	Network fairshare.Tag
}

// DuelFinished reports the end of a duel that both sides had joined.
func (s *Service) DuelFinished(ctx context.Context, tx *store.Tx, d Duel) error {
	b := reportBody{ID: d.Code, At: d.At.UnixMilli(), Winner: d.Winner, Coins: d.Stake, Earned: d.Earned,
		Unlisted: d.Unlisted, Unplayed: d.Unplayed, Practice: d.Practice, Above: d.Above}
	if d.SettleTx != nil {
		b.Tx = d.SettleTx.String()
	}
	return s.post(ctx, tx, report{
		kind: factDuel, account: d.A[:], other: d.B[:], body: b, mayEarn: d.Winner != "" && d.Earned,
		network: d.Network,
	})
}

// Cup describes a finished cup.
type Cup struct {
	Number int64
	Kind   string  // bots or people
	Top    []Party // the first rows of its final table
	At     time.Time
	Table  chain.Hash // of the final table
	Tx     chain.Hash // cup.close
}

// CupFinished reports a finished cup, for the feed.
func (s *Service) CupFinished(ctx context.Context, tx *store.Tx, c Cup) error {
	return s.post(ctx, tx, report{kind: reportCup, account: []byte{}, body: reportBody{
		At: c.At.UnixMilli(), Tx: c.Tx.String(), Cup: c.Number, CupKind: c.Kind, Table: c.Table.String(),
		Top: c.Top}})
}

// Sale describes the sale of a token on the market.
type Sale struct {
	ListingID     int64
	Seller, Buyer chain.Address
	TokenID, Tier int64
	Price         int64 // coins
	At            time.Time
	Tx            chain.Hash
}

// Sold reports a sale.
func (s *Service) Sold(ctx context.Context, tx *store.Tx, e Sale) error {
	return s.post(ctx, tx, report{kind: factSale, account: e.Seller[:], other: e.Buyer[:], body: reportBody{
		ID: fmt.Sprint(e.ListingID), At: e.At.UnixMilli(), Tier: e.Tier, Coins: e.Price,
		TokenID: &e.TokenID, Tx: e.Tx.String(),
	}})
}

// Buyback describes a token that the house bought back.
type Buyback struct {
	OfferID       int64
	Seller        chain.Address
	TokenID, Tier int64
	Price         int64 // coins
	At            time.Time
	Tx            chain.Hash
}

// BoughtBack reports a buyback.
func (s *Service) BoughtBack(ctx context.Context, tx *store.Tx, e Buyback) error {
	return s.post(ctx, tx, report{kind: factBuyback, account: e.Seller[:], body: reportBody{
		ID: fmt.Sprint(e.OfferID), At: e.At.UnixMilli(), Tier: e.Tier, Coins: e.Price,
		TokenID: &e.TokenID, Tx: e.Tx.String(),
	}})
}

// Joined describes an account that founded or joined a team.
type Joined struct {
	Account chain.Address
	Team    int64
	Seq     int64 // unique within the team
	At      time.Time
}

// TeamJoined reports that an account founded or joined a team.
func (s *Service) TeamJoined(ctx context.Context, tx *store.Tx, j Joined) error {
	return s.post(ctx, tx, report{kind: factTeam, account: j.Account[:], team: j.Team, body: reportBody{
		ID: fmt.Sprintf("%d:%d", j.Team, j.Seq), At: j.At.UnixMilli()}})
}

// TeamClosed reports that the last member left a team: its entries are removed.
func (s *Service) TeamClosed(ctx context.Context, tx *store.Tx, team int64) error {
	return s.post(ctx, tx, report{kind: reportTeamClosed, account: []byte{}, team: team})
}

// TeamRenamed reports that the name of a team changed, like Renamed.
func (s *Service) TeamRenamed(ctx context.Context, tx *store.Tx, team int64) error {
	return s.post(ctx, tx, report{kind: reportTeamRenamed, account: []byte{}, team: team})
}

// Renamed reports that the name or kind of an account changed: cached rows that show it are
// invalidated.
func (s *Service) Renamed(ctx context.Context, tx *store.Tx, account []byte) error {
	return s.post(ctx, tx, report{kind: reportRenamed, account: account})
}

// report is a row of the inbox before it is stored.
type report struct {
	kind           string
	account, other []byte // addresses; other is nil for one account
	team           int64
	mayEarn        bool // points, which count for the team too
	body           reportBody
	network        fairshare.Tag // charged with the feed items of a duel; the caller's network for all others
}

// post inserts a report into the inbox, and wakes the reducer after the commit. It reads
// nothing, so the insert is sent together with other statements; the insert itself looks up
// the teams of a report that may earn points.
//
// A crash before the commit: the event did not happen. After it: the report is pending until
// the next step of any node.
//
// What no call causes, and no caller has charged to a network, makes no item of the feed: one of no network would be
// within any share.
func (s *Service) post(ctx context.Context, tx *store.Tx, r report) error {
	if r.kind != factDuel {
		r.network = fairshare.From(ctx, fairshare.Days(tx.Now()))
		r.body.Unlisted = !fairshare.Known(ctx)
	}
	text, err := json.Marshal(&r.body)
	if err != nil {
		return fmt.Errorf("score: report of %s %s: %w", r.kind, r.body.ID, err)
	}
	at, queries := tx.Now().UnixMilli(), writes(tx)
	if r.mayEarn && s.Teams != nil {
		err = queries.PostWithTeams(ctx, q.PostWithTeamsParams{
			PostedAt: at, Kind: r.kind, Account: r.account, Other: r.other, Body: string(text),
			Network: r.network})
	} else {
		err = queries.Post(ctx, q.PostParams{
			PostedAt: at, Kind: r.kind, Account: r.account, Other: r.other, Team: r.team, Body: string(text),
			Network: r.network})
	}
	if err != nil {
		return fmt.Errorf("score: report of %s %s: %w", r.kind, r.body.ID, err)
	}
	tx.AfterCommit(s.reported)
	return nil
}

// writes returns the statements of this package, for outcomes that the use case assumes
// (store.Deferred).
func writes(tx *store.Tx) *q.Queries { return q.New(tx.Deferred()) }

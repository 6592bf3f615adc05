package score

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// Reports that are no facts.
const (
	reportTeamClosed = "team_closed"
	reportRenamed    = "renamed"
)

// body is the part of a report that is stored as JSON. A node of another release may read
// it: members are added and never given another meaning.
type body struct {
	ID       string `json:"id,omitempty"` // of what it is about
	At       int64  `json:"at,omitempty"` // in milliseconds
	Result   string `json:"result,omitempty"`
	Entry    string `json:"entry,omitempty"`
	Day      int64  `json:"day,omitempty"`
	Tier     int64  `json:"tier,omitempty"`
	First    int64  `json:"first,omitempty"`
	Throws   int64  `json:"throws,omitempty"`
	Coins    int64  `json:"coins,omitempty"`
	Winner   string `json:"winner,omitempty"`
	Practice bool   `json:"practice,omitempty"`
	TokenID  *int64 `json:"token_id,omitempty"`
	Tx       string `json:"tx,omitempty"`
}

// Run is a house run that has ended.
type Run struct {
	ID                 string
	Account            chain.Address
	Entry              chain.Entry
	Status             chain.RunStatus
	First, Cleared     int64 // tiers
	Throws             int64
	StartedAt, EndedAt time.Time
	TokenID            *int64
	EndTx              chain.Hash
}

// RunEnded is told of the end of a run.
func (s *Service) RunEnded(ctx context.Context, tx *store.Tx, r Run) error {
	b := body{
		ID: r.ID, At: r.EndedAt.UnixMilli(), Result: string(r.Status), Entry: string(r.Entry), Tier: r.Cleared, First: r.First,
		Throws: r.Throws, TokenID: r.TokenID, Tx: r.EndTx.String(),
	}
	if r.Entry == chain.EntryDaily {
		b.Day = DayOf(r.StartedAt)
	}
	report := report{kind: factRun, account: r.Account[:], body: b, earns: r.Status == chain.RunClaimed}
	return s.post(ctx, tx, report)
}

// Duel is a duel that has been decided.
type Duel struct {
	Code     string
	A, B     chain.Address
	Winner   string // "a", "b" or "" for a draw
	Stake    int64
	Practice bool // against the sparring bot; against a bot of one's own it is so anyway
	At       time.Time
	SettleTx *chain.Hash // when it was staked or rated
}

// DuelFinished is told of the end of a duel that both sides have joined.
func (s *Service) DuelFinished(ctx context.Context, tx *store.Tx, d Duel) error {
	b := body{ID: d.Code, At: d.At.UnixMilli(), Winner: d.Winner, Coins: d.Stake, Practice: d.Practice}
	if d.SettleTx != nil {
		b.Tx = d.SettleTx.String()
	}
	return s.post(ctx, tx, report{kind: factDuel, account: d.A[:], other: d.B[:], body: b, earns: d.Winner != "" && !d.Practice})
}

// Sale is a token that was sold on the market.
type Sale struct {
	ListingID     int64
	Seller, Buyer chain.Address
	TokenID, Tier int64
	Price         int64
	At            time.Time
	Tx            chain.Hash
}

// Sold is told of a sale.
func (s *Service) Sold(ctx context.Context, tx *store.Tx, e Sale) error {
	return s.post(ctx, tx, report{kind: factSale, account: e.Seller[:], other: e.Buyer[:], body: body{
		ID: fmt.Sprint(e.ListingID), At: e.At.UnixMilli(), Tier: e.Tier, Coins: e.Price, TokenID: &e.TokenID, Tx: e.Tx.String()}})
}

// Buyback is a token that the house bought back.
type Buyback struct {
	OfferID       int64
	Seller        chain.Address
	TokenID, Tier int64
	Price         int64
	At            time.Time
	Tx            chain.Hash
}

// BoughtBack is told of a buyback.
func (s *Service) BoughtBack(ctx context.Context, tx *store.Tx, e Buyback) error {
	return s.post(ctx, tx, report{kind: factBuyback, account: e.Seller[:], body: body{
		ID: fmt.Sprint(e.OfferID), At: e.At.UnixMilli(), Tier: e.Tier, Coins: e.Price, TokenID: &e.TokenID, Tx: e.Tx.String()}})
}

// Joined is somebody who has founded a team or joined it.
type Joined struct {
	Account chain.Address
	Team    int64
	Seq     int64 // no two of a team have the same
	At      time.Time
}

// TeamJoined is told of somebody who founds or joins a team.
func (s *Service) TeamJoined(ctx context.Context, tx *store.Tx, j Joined) error {
	return s.post(ctx, tx, report{kind: factTeam, account: j.Account[:], team: j.Team, body: body{
		ID: fmt.Sprintf("%d:%d", j.Team, j.Seq), At: j.At.UnixMilli()}})
}

// TeamClosed is told of a team that nobody is left in: it stands on no board any more.
func (s *Service) TeamClosed(ctx context.Context, tx *store.Tx, team int64) error {
	return s.post(ctx, tx, report{kind: reportTeamClosed, account: []byte{}, team: team})
}

// Renamed is told of an account whose name or kind has changed: what is kept in memory of
// the boards that it leads is read anew.
func (s *Service) Renamed(ctx context.Context, tx *store.Tx, account []byte) error {
	return s.post(ctx, tx, report{kind: reportRenamed, account: account})
}

// report is what is put into the inbox.
type report struct {
	kind           string
	account, other []byte
	team           int64
	earns          bool // it may give points, for the team, too
	body           body
}

// post puts a report into the inbox, and has the loop react to it once it is committed. It
// asks nothing, so it goes out with other statements.
//
// A crash before the commit: it did not happen. After it: the report waits for the next
// turn of any node.
func (s *Service) post(ctx context.Context, tx *store.Tx, r report) error {
	text, err := json.Marshal(&r.body)
	if err != nil {
		return fmt.Errorf("score: report of %s %s: %w", r.kind, r.body.ID, err)
	}
	at, queries := s.now().UnixMilli(), q.New(tx.Deferred())
	if r.earns && s.Teams != nil {
		err = queries.PostWithTeams(ctx, q.PostWithTeamsParams{
			PostedAt: at, Kind: r.kind, Account: r.account, Other: r.other, Body: string(text)})
	} else {
		err = queries.Post(ctx, q.PostParams{
			PostedAt: at, Kind: r.kind, Account: r.account, Other: r.other, Team: r.team, Body: string(text)})
	}
	if err != nil {
		return fmt.Errorf("score: report of %s %s: %w", r.kind, r.body.ID, err)
	}
	tx.AfterCommit(s.reported)
	return nil
}

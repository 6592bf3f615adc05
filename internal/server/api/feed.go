package api

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/platform/event"
	"roshambo/internal/server/stream"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// feedOperations registers the feed.
func (a *API) feedOperations() {
	add(a, contract.Operation{
		ID: "getFeed", Method: "GET", Path: "/api/feed", Tag: "Social", Summary: "Notable public events, the newest first",
		Description: "High tiers, first claims, large sales, staked duels won, upsets, rare achievements, long streaks, closed " +
			"seasons and cups, void results. With Prefer: wait=N the answer is delayed until there is a newer event than " +
			"`after`, or, without it, than at arrival. GET /api/events sends each as well.",
		Errors: may("bad_request"),
	}, (*call).getFeed)
}

// feedIn selects a page of the feed, or the items to wait for.
type feedIn struct {
	Limit  int64   `query:"limit" default:"20" min:"1" max:"50"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
	After  *int64  `query:"after" min:"0" doc:"The id of the newest event that the caller knows."`
}

// FeedOut is a page of the feed.
type FeedOut struct {
	Events []FeedEvent `json:"events"`
	Next   *string     `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// FeedEvent is an item of the feed, with links to its subject. Members that do not apply to its
// kind are null.
type FeedEvent struct {
	ID           int64       `json:"id"`
	Kind         string      `json:"kind" known:"tier_claimed,sale,duel_won,upset,season_closed,cup_closed,achievement,streak,result_voided,result_restored"`
	Time         Time        `json:"time"`
	Username     *string     `json:"username" doc:"The player, by the current name; the seller of a sale, the winner of a season or cup."`
	Address      *string     `json:"address"`
	ShortAddress *string     `json:"short_address"`
	Tier         *int64      `json:"tier"`
	Material     *string     `json:"material" doc:"Of the tier."`
	Coins        *int64      `json:"coins" doc:"The price, or one side's stake."`
	Streak       *int64      `json:"streak" doc:"In days."`
	Achievement  *string     `json:"achievement" doc:"Its id."`
	Title        *string     `json:"title" doc:"Of the achievement."`
	Season       *int64      `json:"season"`
	Cup          *int64      `json:"cup" doc:"Its number."`
	CupKind      *string     `json:"cup_kind" known:"bots,people"`
	First        *string     `json:"first" enum:"player,service" doc:"Of a claimed tier: player, if the player has claimed neither it nor a higher one before; service, if no player of the service has claimed it before."`
	Above        *int64      `json:"above" doc:"Of an upset: by how many points the loser was rated higher, at least 200."`
	Opponent     *PlayerName `json:"opponent" doc:"Of an upset: the loser."`
	TableHash    *string     `json:"table_hash" doc:"Of the final table of a closed season or cup, as on the chain. The page draws the medals from it."`
	Medals       []FeedMedal `json:"medals" doc:"Of a closed season or cup: the first three of its final table, the best first; empty for all others."`
	RunID        *string     `json:"run_id"`
	DuelID       *string     `json:"duel_id"`
	TokenID      *int64      `json:"token_id"`
	TxHash       *string     `json:"tx_hash"`
	Reason       *string     `json:"reason" doc:"Of a void or restored result: why an operator decided so."`
}

// FeedMedal is a medal in the feed.
type FeedMedal struct {
	PlayerName
	Place int64 `json:"place" doc:"1 to 3; players of a cup can share one."`
}

// NewFeedEvent returns the wire form of an item of the feed. material returns the name of a
// tier's material.
func NewFeedEvent(s *score.FeedItem, material func(tier int64) string) FeedEvent {
	e := FeedEvent{
		ID: s.ID, Kind: s.Kind, Time: Time{s.At}, Username: given(s.Username), Tier: given(s.Tier),
		Coins: given(s.Coins), Streak: given(s.Streak), Achievement: given(s.Achievement), Season: given(s.Season),
		RunID: given(s.RunID), DuelID: given(s.DuelID), TokenID: s.TokenID, TxHash: given(s.TxHash),
		Reason: given(s.Reason), Cup: given(s.Cup), CupKind: given(s.CupKind), First: given(s.First), Above: given(s.Above),
		TableHash: given(s.Table), Medals: []FeedMedal{},
	}
	for _, p := range s.Parties {
		name := wireName(chain.Address(p.Account), p.Username)
		if s.Kind == score.ItemUpset {
			e.Opponent = &name
		} else {
			e.Medals = append(e.Medals, FeedMedal{name, p.Place})
		}
	}
	if s.Account != (chain.Address{}) {
		e.Address, e.ShortAddress = new(s.Account.String()), new(s.Account.Short())
	}
	if s.Tier != 0 {
		e.Material = new(material(s.Tier))
	}
	for i := range score.Achievements {
		if a := &score.Achievements[i]; a.ID == s.Achievement {
			e.Title = &a.Title
		}
	}
	return e
}

// getFeed reads a page of the feed. Without a cursor and with Prefer: wait, it waits for an item
// newer than in.After.
func (a *call) getFeed(ctx context.Context, in *feedIn) (*FeedOut, error) {
	before, err := parseCursor(in.Cursor, cursorFeed)
	if err != nil {
		return nil, err
	}
	if in.Cursor != nil {
		return a.feedPage(ctx, before, in.Limit) // past items do not change, so there is nothing to wait for
	}
	known, me := in.After, a.remembered()
	topics := []string{event.Feed}
	if me != (chain.Address{}) {
		topics = append(topics, event.Account(me)) // a duel of the caller may begin
	}
	return longPoll(ctx, a, topics, func(ctx context.Context) (stream.Poll[FeedOut], error) {
		out, err := a.feedPage(ctx, before, in.Limit)
		if err != nil {
			return stream.Poll[FeedOut]{}, err
		}
		newest := int64(0)
		if len(out.Events) > 0 {
			newest = out.Events[0].ID
		}
		if known == nil {
			known = &newest
		}
		s := stream.Poll[FeedOut]{Out: out, Changed: newest > *known}
		err = inTime(ctx, a, &s, me)
		return s, err
	})
}

// feedPage reads a page of items with ids below before, the newest first.
func (a *call) feedPage(ctx context.Context, before, limit int64) (*FeedOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*FeedOut, error) {
		list, err := a.Score.FeedItems(ctx, tx, before, limit+1)
		if err != nil {
			return nil, err
		}
		out := &FeedOut{}
		out.Events, out.Next = paged(list, limit, func(s *score.FeedItem) FeedEvent {
			return NewFeedEvent(s, a.material)
		}, func(s *score.FeedItem) *string { return cursor(cursorFeed, s.ID) })
		return out, nil
	})
}

// material returns the name of a tier's material in the rules in force.
func (a *API) material(tier int64) string { return a.Ledger.Rules().Tier(tier).Material }

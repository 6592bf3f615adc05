package score

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// The kinds of story.
const (
	StoryTier        = "tier_claimed"
	StorySale        = "sale"
	StoryDuel        = "duel_won"
	StorySeason      = "season_closed"
	StoryAchievement = "achievement"
	StoryStreak      = "streak"
)

// Story is something notable that happened in public. Members that do not matter to its
// kind are zero.
type Story struct {
	ID          int64         `json:"-"`
	Kind        string        `json:"-"`
	At          time.Time     `json:"-"`
	Account     chain.Address `json:"-"`
	Address     string        `json:"address,omitempty"` // of Account
	Username    string        `json:"username,omitempty"`
	Tier        int64         `json:"tier,omitempty"`
	Coins       int64         `json:"coins,omitempty"` // price or stake
	Streak      int64         `json:"streak,omitempty"`
	Achievement string        `json:"achievement,omitempty"` // its id
	Season      int64         `json:"season,omitempty"`
	RunID       string        `json:"run_id,omitempty"`
	DuelID      string        `json:"duel_id,omitempty"`
	TokenID     *int64        `json:"token_id,omitempty"`
	TxHash      string        `json:"tx_hash,omitempty"`
}

// What is notable.
const (
	notableTier  = 8    // and the highest one of a shorter ladder
	notablePrice = 1000 // coins
)

// notableStreak says whether a streak is worth telling: a week, and whole months.
func notableStreak(days int64) bool { return days == 7 || days > 0 && days%30 == 0 }

// newStories returns the stories that a fact makes; what is the fact itself as one, and
// topTier the highest tier there is.
func newStories(f *deed, what Story, topTier int64) []*Story {
	var list []*Story
	add := func(kind string, s Story) {
		s.Kind = kind
		list = append(list, &s)
	}
	switch {
	case f.kind == factRun && f.result == string(chain.RunClaimed) && f.tier >= min(notableTier, topTier):
		add(StoryTier, what)
	case f.kind == factSale && f.coins >= notablePrice:
		add(StorySale, what)
	case f.kind == factDuel && f.result == duelWon && f.coins > 0:
		add(StoryDuel, what)
	}
	about := Story{At: what.At, Account: what.Account, Username: what.Username}
	for _, a := range f.unlocked {
		if a.Rare {
			s := about
			s.Achievement = a.ID
			add(StoryAchievement, s)
		}
	}
	if f.after.BestStreak > f.before.BestStreak && notableStreak(f.after.BestStreak) {
		s := about
		s.Streak, s.RunID = f.after.BestStreak, what.RunID
		add(StoryStreak, s)
	}
	return list
}

// tell stores stories, and hands them to the feed.
func (s *Service) tell(ctx context.Context, tx *store.Tx, list []*Story) error {
	for _, story := range list {
		if story.Account != (chain.Address{}) {
			story.Address = story.Account.String()
		}
		body, err := json.Marshal(story)
		if err != nil {
			return err
		}
		story.ID, err = q.New(tx).InsertStory(ctx, q.InsertStoryParams{Kind: story.Kind, At: story.At.UnixMilli(), Body: string(body)})
		if err != nil {
			return err
		}
		if s.Feed == nil {
			continue
		}
		if err := s.Feed.Notable(ctx, tx, story); err != nil {
			return err
		}
	}
	return nil
}

// Newest is behind every story.
const Newest = math.MaxInt64

// Stories returns up to count stories before one, the newest first.
func (s *Service) Stories(ctx context.Context, tx *store.Tx, before, count int64) ([]*Story, error) {
	rows, err := q.New(tx).ListStories(ctx, q.ListStoriesParams{Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("score: stories: %w", err)
	}
	list := make([]*Story, len(rows))
	for i, r := range rows {
		list[i] = &Story{ID: r.ID, Kind: r.Kind, At: column.Time(r.At)}
		if err := json.Unmarshal([]byte(r.Body), list[i]); err != nil {
			return nil, fmt.Errorf("score: story %d: %w", r.ID, err)
		}
		if list[i].Address == "" {
			continue
		}
		if list[i].Account, err = chain.ParseAddress(list[i].Address); err != nil {
			return nil, fmt.Errorf("score: story %d: %w", r.ID, err)
		}
	}
	return list, nil
}

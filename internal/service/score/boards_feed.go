package score

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/scoreq"
)

// The kinds of feed item.
const (
	ItemTier        = "tier_claimed"
	ItemSale        = "sale"
	ItemDuel        = "duel_won"
	ItemSeason      = "season_closed"
	ItemAchievement = "achievement"
	ItemStreak      = "streak"
	ItemVoid        = "result_voided"
	ItemRestored    = "result_restored"
	ItemCup         = "cup_closed"
	ItemUpset       = "upset"
)

// A claim is the first one of its tier for its player, or on the whole service.
const (
	FirstOfPlayer  = "player"
	FirstOfService = "service" // of all its players
)

// FeedItem is a notable public event. Members that do not apply to its kind are zero. The
// JSON form is stored.
type FeedItem struct {
	ID          int64         `json:"-"`
	Kind        string        `json:"-"`
	At          time.Time     `json:"-"`
	Account     chain.Address `json:"-"` // zero for none
	Username    string        `json:"-"` // the current one of Account
	Tier        int64         `json:"tier,omitempty"`
	Coins       int64         `json:"coins,omitempty"`       // price or stake
	Streak      int64         `json:"streak,omitempty"`      // days
	Achievement string        `json:"achievement,omitempty"` // its id
	Season      int64         `json:"season,omitempty"`
	RunID       string        `json:"run_id,omitempty"`
	DuelID      string        `json:"duel_id,omitempty"`
	TokenID     *int64        `json:"token_id,omitempty"`
	TxHash      string        `json:"tx_hash,omitempty"`
	Reason      string        `json:"reason,omitempty"` // of a void or restored result
	First       string        `json:"first,omitempty"`  // of a claim: FirstOf…, if it is one
	Above       int64         `json:"above,omitempty"`  // of an upset: by how many points the loser was rated higher
	Cup         int64         `json:"cup,omitempty"`    // its number
	CupKind     string        `json:"cup_kind,omitempty"`
	Table       string        `json:"table,omitempty"`   // the hash of the final table of a cup or season
	Parties     []Party       `json:"parties,omitempty"` // the medals of a cup or season; the loser of an upset
	network     fairshare.Tag // charged with it; nil for an address that is not charged, and for what players do not make
}

// Party is an account in a feed item.
type Party struct {
	Account  []byte `json:"account"`         // an address: 20 bytes
	Place    int64  `json:"place,omitempty"` // of a medal: 1 to 3
	Username string `json:"-"`               // the current one
}

// The least tier, price and difference of ratings of a feed item.
const (
	notableTier  = 8    // the top tier of a shorter ladder is notable too
	notableFirst = 5    // the least tier whose first claims are notable
	notablePrice = 1000 // coins
	notableUpset = 200  // points
)

// Medals is how many rows of a final table win a medal. Players of a cup on a shared place win the same one.
const Medals = 3

// notableStreak reports whether a streak of that many days makes a feed item: a week, and
// every 30 days.
func notableStreak(days int64) bool { return days == 7 || days > 0 && days%30 == 0 }

// feedItems returns the feed items of a reduced activity. topTier is the highest tier of the
// ladder.
func feedItems(a *activity, topTier int64) []*FeedItem {
	if a.unlisted {
		return nil
	}
	var list []*FeedItem
	add := func(kind string, item FeedItem) {
		item.Kind = kind
		list = append(list, &item)
	}
	a.item.First = a.first()
	switch {
	case a.claim() && (a.tier >= min(notableTier, topTier) || a.item.First != "" && a.tier >= notableFirst):
		add(ItemTier, a.item)
	case a.kind == factSale && a.coins >= notablePrice:
		add(ItemSale, a.item)
	case a.kind == factDuel && a.result == duelWon && a.above >= notableUpset:
		item := a.item
		item.Above, item.Parties = a.above, []Party{{Account: a.other[:], Username: a.opponent}}
		add(ItemUpset, item)
	case a.kind == factDuel && a.result == duelWon && a.coins > 0:
		add(ItemDuel, a.item)
	}
	base := FeedItem{At: a.item.At, Account: a.item.Account, Username: a.item.Username, network: a.item.network}
	for _, unlocked := range a.unlocked {
		if unlocked.Rare {
			item := base
			item.Achievement = unlocked.ID
			add(ItemAchievement, item)
		}
	}
	if a.after.BestStreak > a.before.BestStreak && notableStreak(a.after.BestStreak) {
		item := base
		item.Streak, item.RunID = a.after.BestStreak, a.item.RunID
		add(ItemStreak, item)
	}
	return list
}

// first returns whether a claim is the first one of its tier for its player or for the service; "" for no claim, and
// for a player with an earlier claim of the tier or a higher one.
func (a *activity) first() string {
	switch {
	case !a.claim():
		return ""
	case a.firstHere:
		return FirstOfService
	case a.before.BestTier < a.tier:
		return FirstOfPlayer
	}
	return ""
}

// feedShare is what a network may have of the feedWindow newest items.
var feedShare = fairshare.Share{Network: 3, Wide: 12}

const feedWindow = 50

// withinShares drops the items beyond the shares of their networks. Steps are stored one after the other, so
// none is counted too late.
func withinShares(ctx context.Context, tx *store.Tx, list []*FeedItem) (kept []*FeedItem, err error) {
	if !slices.ContainsFunc(list, func(item *FeedItem) bool { return item.network != nil }) {
		return list, nil
	}
	newest, err := q.New(tx).FeedNetworks(ctx, feedWindow-1)
	if err != nil {
		return nil, fmt.Errorf("score: networks of the feed: %w", err)
	}
	for _, item := range list {
		counter := feedShare.Counter()
		for _, network := range newest[:min(len(newest), feedWindow-1)] {
			counter.Take(network)
		}
		if counter.Take(item.network) {
			kept, newest = append(kept, item), slices.Insert(newest, 0, []byte(item.network))
		}
	}
	return kept, nil
}

// publish stores the feed items that are within the shares of their networks, sets their ids, and passes them
// to Config.Feed.
func (s *Service) publish(ctx context.Context, tx *store.Tx, list []*FeedItem) error {
	list, err := withinShares(ctx, tx, list)
	if err != nil {
		return err
	}
	for _, item := range list {
		body, err := json.Marshal(item)
		if err != nil {
			return fmt.Errorf("score: encode a feed item: %w", err)
		}
		p := q.InsertFeedItemParams{Kind: item.Kind, At: item.At.UnixMilli(), Body: string(body), Network: item.network}
		if item.Account != (chain.Address{}) {
			p.Account = item.Account[:]
		}
		item.ID, err = q.New(tx).InsertFeedItem(ctx, p)
		if err != nil {
			return err
		}
		if s.Feed == nil {
			continue
		}
		if err := s.Feed.Publish(ctx, tx, item); err != nil {
			return err
		}
	}
	return nil
}

// Newest is greater than the id of every feed item.
const Newest = math.MaxInt64

// FeedItems returns up to count feed items with ids below before, the newest first, without hidden ones.
func (s *Service) FeedItems(ctx context.Context, tx *store.Tx, before, count int64) ([]*FeedItem, error) {
	rows, err := q.New(tx).ListFeedItems(ctx, q.ListFeedItemsParams{Before: before, Count: count})
	if err != nil {
		return nil, fmt.Errorf("score: feed items: %w", err)
	}
	list := make([]*FeedItem, len(rows))
	for i, r := range rows {
		list[i] = &FeedItem{ID: r.ID, Kind: r.Kind, At: column.Time(r.At)}
		if err := json.Unmarshal([]byte(r.Body), list[i]); err != nil {
			return nil, fmt.Errorf("score: feed item %d: %w", r.ID, err)
		}
		copy(list[i].Account[:], r.Account)
		if r.Username != nil {
			list[i].Username = *r.Username
		}
	}
	return list, nameParties(tx, list)
}

// nameParties fills in the current names of the parties of feed items.
func nameParties(tx *store.Tx, list []*FeedItem) error {
	parties := map[chain.Address][]*Party{}
	var accounts []any
	for _, item := range list {
		for i := range item.Parties {
			p := &item.Parties[i]
			a := chain.Address(p.Account)
			if parties[a] == nil {
				accounts = append(accounts, a[:])
			}
			parties[a] = append(parties[a], p)
		}
	}
	query := store.Query{Text: "SELECT address, username FROM account WHERE address IN (?)"}
	err := store.BulkSelect(tx, query, accounts, func(r store.Row) error {
		for _, p := range parties[chain.Address(r.Bytes(0))] {
			p.Username = string(r.Bytes(1))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("score: names in the feed: %w", err)
	}
	return nil
}

// HideFeedItem hides a feed item for a reason, or shows it again for the reason "". Errors: ErrNotFound when
// there is no such item, or nothing to change.
func (s *Service) HideFeedItem(ctx context.Context, tx *store.Tx, id int64, reason string) error {
	n, err := q.New(tx).SetFeedItemHidden(ctx, q.SetFeedItemHiddenParams{Reason: reason, ID: id})
	if err != nil {
		return fmt.Errorf("score: hide feed item %d: %w", id, err)
	}
	if n == 0 {
		return ErrNotFound
	}
	return nil
}

// ForgetNames outdates, on every node, what boards show of the name of an account that this transaction takes
// away. Reports of new names do so as well, but only once they are reduced. A step that is being reduced now has
// read the name, and becomes stale.
func (s *Service) ForgetNames(ctx context.Context, tx *store.Tx, account chain.Address) error {
	return s.forgetName(ctx, tx, account[:], s.currentBoards(tx.Now()))
}

// ForgetTeamName is ForgetNames for a team.
func (s *Service) ForgetTeamName(ctx context.Context, tx *store.Tx, team int64) error {
	return s.forgetName(ctx, tx, teamMember(team), []Board{boardOf(kindTeams, s.calendar.season(tx.Now()))})
}

// forgetName outdates the rows of a member on boards.
func (s *Service) forgetName(ctx context.Context, tx *store.Tx, member []byte, boards []Board) error {
	if err := ledger.OneRow(q.New(tx).AdvanceStep(ctx)); err != nil {
		return err
	}
	u, ids := newBoardUpdate(), make([]any, len(boards))
	for i, b := range boards {
		ids[i] = int64(b)
	}
	if err := u.load(tx, ids, []any{member}); err != nil {
		return fmt.Errorf("score: forget a name: %w", err)
	}
	for _, b := range boards {
		u.refresh(entryKey{b, string(member)})
	}
	return u.store(ctx, tx, s.ranks)
}

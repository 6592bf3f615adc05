package score

import (
	"context"
	"encoding/json"
	"fmt"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/scoreq"
)

// Forget replaces the name of an account that is being deleted in the feed, which keeps the
// names of the time of each item. Boards show current names.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, account chain.Address, name string) error {
	queries := q.New(tx)
	rows, err := queries.FeedItemsOf(ctx, `%"address":"`+account.String()+`"%`)
	if err != nil {
		return fmt.Errorf("score: feed items of %v: %w", account, err)
	}
	for _, r := range rows { // notable events alone: few
		var item FeedItem
		if err := json.Unmarshal([]byte(r.Body), &item); err != nil {
			return fmt.Errorf("score: feed item %d: %w", r.ID, err)
		}
		item.Username = name
		body, err := json.Marshal(&item)
		if err != nil {
			return fmt.Errorf("score: feed item %d: %w", r.ID, err)
		}
		if err := queries.SetFeedItem(ctx, q.SetFeedItemParams{Body: string(body), ID: r.ID}); err != nil {
			return fmt.Errorf("score: feed item %d: %w", r.ID, err)
		}
	}
	return nil
}

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
		body, err := renamed(r.Body, name)
		if err == nil {
			err = queries.SetFeedItem(ctx, q.SetFeedItemParams{Body: body, ID: r.ID})
		}
		if err != nil {
			return fmt.Errorf("score: feed item %d: %w", r.ID, err)
		}
	}
	return nil
}

// renamed returns the body of a feed item with another name.
func renamed(body, name string) (string, error) {
	var item FeedItem
	if err := json.Unmarshal([]byte(body), &item); err != nil {
		return "", err
	}
	item.Username = name
	text, err := json.Marshal(&item)
	return string(text), err
}

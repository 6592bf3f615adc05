package account

import (
	"context"
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// Named is an account by its name.
type Named struct {
	Address  chain.Address
	Username string
}

// FindNames returns up to count accounts whose names begin with a text, without regard to
// case; one that is called just so comes first.
func (s *Service) FindNames(ctx context.Context, tx *store.Tx, text string, count int64) (list []Named, err error) {
	key := strings.ToLower(text)
	// No name holds a character above z.
	rows, err := q.New(tx).FindNames(ctx, q.FindNamesParams{First: key, Last: key + "~", Count: count})
	if err != nil {
		return nil, fmt.Errorf("account: names %q…: %w", text, err)
	}
	for _, r := range rows {
		if strings.HasPrefix(r.UsernameKey, key) { // a collation may take others for these
			list = append(list, Named{chain.Address(r.Address), r.Username})
		}
	}
	return list, nil
}

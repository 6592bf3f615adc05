package account

import (
	"context"
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// Named is an account's address with its username.
type Named struct {
	Address  chain.Address
	Username string
}

// FindNames returns up to count accounts whose names begin with text, in alphabetical
// order, so that an exact match comes first. Case, - and _ do not matter.
func (s *Service) FindNames(ctx context.Context, tx *store.Tx, text string, count int64) (list []Named, err error) {
	key := nameKey(text)
	if key == "" { // every name would match
		return nil, nil
	}
	// "~" sorts after every character that a name may contain.
	rows, err := q.New(tx).FindNames(ctx, q.FindNamesParams{First: key, Last: key + "~", Count: count})
	if err != nil {
		return nil, fmt.Errorf("account: names %q…: %w", text, err)
	}
	for _, r := range rows {
		if strings.HasPrefix(r.UsernameKey, key) { // a database collation may include other names in the range
			list = append(list, Named{Address: chain.Address(r.Address), Username: r.Username})
		}
	}
	return list, nil
}

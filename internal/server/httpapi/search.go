package httpapi

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"roshambo/chain"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

type searchIn struct {
	Q string `query:"q" required:"true" minLength:"1" maxLength:"128" doc:"A height, a token id, a hash or its first 6 hex digits or more, an address or its first 8 characters or more, a username or the first 3 characters or more of it."`
}

// Hit is something that a search found.
type Hit struct {
	Kind     string  `json:"kind" enum:"block,transaction,address,token"`
	ID       string  `json:"id" doc:"What its path takes: height, hash, address or token id."`
	Username *string `json:"username" doc:"Of an address that was found by it."`
}

// SearchOut is the answer to a search.
type SearchOut struct {
	Results []Hit `json:"results" doc:"What it may mean, at most 10 of each kind: more than one when it is ambiguous."`
}

const (
	// maxHits bounds the results of a kind.
	maxHits = 10
	// minNamePrefix is how many characters a username must at least be given by.
	minNamePrefix = 3
)

// search looks a text up as everything that it might be.
func (a *API) search(ctx context.Context, in *searchIn) (*SearchOut, error) {
	text := strings.TrimSpace(in.Q)
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*SearchOut, error) {
		out := &SearchOut{Results: []Hit{}}
		for _, look := range []func(context.Context, *store.Tx, string) ([]Hit, error){
			a.findNumber, a.findHash, a.findAddress, a.findName,
		} {
			hits, err := look(ctx, tx, text)
			if err != nil {
				return nil, err
			}
			for _, hit := range hits {
				known := func(other Hit) bool { return other.Kind == hit.Kind && other.ID == hit.ID }
				if !slices.ContainsFunc(out.Results, known) {
					out.Results = append(out.Results, hit)
				}
			}
		}
		return out, nil
	})
}

// number reads a height or an id.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64)
	if err != nil || n < 0 || n > chain.MaxID {
		return 0, ledger.ErrNotFound
	}
	return n, nil
}

// findNumber takes the text for a height and for a token's id.
func (a *API) findNumber(ctx context.Context, tx *store.Tx, text string) (hits []Hit, err error) {
	n, err := number(text)
	if err != nil {
		return nil, nil //nolint:nilerr // it is no number: there is nothing to be found
	}
	id := strconv.FormatInt(n, 10)
	if _, err := a.Ledger.Block(ctx, tx, n); err == nil {
		hits = append(hits, Hit{Kind: "block", ID: id})
	} else if !errors.Is(err, ledger.ErrNotFound) {
		return nil, err
	}
	if _, _, err := a.Ledger.Token(ctx, tx, n); err == nil {
		hits = append(hits, Hit{Kind: "token", ID: id})
	} else if !errors.Is(err, ledger.ErrNotFound) {
		return nil, err
	}
	return hits, nil
}

// findHash takes it for a hash or the beginning of one.
func (a *API) findHash(ctx context.Context, tx *store.Tx, text string) (hits []Hit, err error) {
	digits := strings.ToLower(text)
	blocks, err := a.Ledger.FindBlocks(ctx, tx, digits, maxHits)
	if err != nil {
		return nil, err
	}
	for _, height := range blocks {
		hits = append(hits, Hit{Kind: "block", ID: strconv.FormatInt(height, 10)})
	}
	txs, err := a.Ledger.FindTxs(ctx, tx, digits, maxHits)
	if err != nil {
		return nil, err
	}
	for _, hash := range txs {
		hits = append(hits, Hit{Kind: "transaction", ID: hash.String()})
	}
	return hits, nil
}

// findAddress takes it for an address or the beginning of one.
func (a *API) findAddress(ctx context.Context, tx *store.Tx, text string) (hits []Hit, err error) {
	list, err := a.Ledger.FindAddresses(ctx, tx, strings.ToLower(text), maxHits)
	if err != nil {
		return nil, err
	}
	for _, address := range list {
		hits = append(hits, Hit{Kind: "address", ID: address.String()})
	}
	return hits, nil
}

// findName takes it for a username or the beginning of one.
func (a *API) findName(ctx context.Context, tx *store.Tx, text string) (hits []Hit, err error) {
	if len(text) < minNamePrefix {
		return nil, nil
	}
	list, err := a.Accounts.FindNames(ctx, tx, strings.TrimPrefix(text, "@"), maxHits)
	if err != nil {
		return nil, err
	}
	for i := range list {
		hits = append(hits, Hit{Kind: "address", ID: list[i].Address.String(), Username: &list[i].Username})
	}
	return hits, nil
}

package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// searchIn holds the text to search for.
type searchIn struct {
	Q string `query:"q" required:"true" minLength:"1" maxLength:"128" doc:"A height, a token id, a hash or its first 6 hex digits or more, an address or its first 8 characters or more, a username or the first 3 characters or more of it."`
}

// Hit is a result of a search.
type Hit struct {
	Kind     string  `json:"kind" known:"block,transaction,address,token"`
	ID       string  `json:"id" doc:"The id for its path: height, hash, address or token id."`
	Username *string `json:"username" doc:"Of an address found by username."`
}

// SearchOut is the answer to a search.
type SearchOut struct {
	Results []Hit `json:"results" doc:"All matches, at most 10 of each kind."`
}

const (
	// maxHits bounds the results of a kind.
	maxHits = 10
	// minNamePrefix is the shortest prefix of a username that is searched for, in characters.
	minNamePrefix = 3
)

// search looks the text up as a number, hash, address and name, and returns each result once.
func (a *call) search(ctx context.Context, in *searchIn) (*SearchOut, error) {
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

// findNumber finds the block and the token with a number.
func (a *API) findNumber(ctx context.Context, tx *store.Tx, text string) (hits []Hit, err error) {
	n, err := number(text)
	if err != nil {
		return nil, nil //nolint:nilerr // not a number: no results
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

// findHash finds blocks and transactions by a hash or a prefix of one.
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

// findAddress finds addresses by an address or a prefix of one.
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

// findName finds accounts by a username or a prefix of one.
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

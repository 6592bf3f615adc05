package httpapi

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"roshambo/chain"
	"roshambo/internal/db"
	"roshambo/internal/ledger"
)

type searchIn struct {
	Q string `query:"q" required:"true" minLength:"1" maxLength:"128" doc:"A height, a token id, a hash or an address."`
}

// Hit is something that a search found.
type Hit struct {
	Kind string `json:"kind" enum:"block,transaction,address,token"`
	ID   string `json:"id" doc:"What its path takes: height, hash, address or token id."`
}

// SearchOut is the answer to a search.
type SearchOut struct {
	Results []Hit `json:"results"`
}

// search looks a text up as everything that it might be.
func (a *API) search(ctx context.Context, in *searchIn) (*SearchOut, error) {
	text := strings.TrimSpace(in.Q)
	return read(ctx, a, func(ctx context.Context, tx *db.Tx) (*SearchOut, error) {
		out := &SearchOut{Results: []Hit{}}
		for _, look := range []func(context.Context, *db.Tx, string) (*Hit, error){
			a.findHeight, a.findBlock, a.findTx, a.findAddress, a.findToken,
		} {
			hit, err := look(ctx, tx, text)
			if errors.Is(err, ledger.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			out.Results = append(out.Results, *hit)
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

func (a *API) findHeight(ctx context.Context, tx *db.Tx, text string) (*Hit, error) {
	height, err := number(text)
	if err != nil {
		return nil, err
	}
	b, err := a.Ledger.Block(ctx, tx, height)
	if err != nil {
		return nil, err
	}
	return &Hit{"block", strconv.FormatInt(b.Header.Height, 10)}, nil
}

func (a *API) findBlock(ctx context.Context, tx *db.Tx, text string) (*Hit, error) {
	hash, err := chain.ParseHash(strings.ToLower(text))
	if err != nil {
		return nil, ledger.ErrNotFound
	}
	b, err := a.Ledger.BlockByHash(ctx, tx, hash)
	if err != nil {
		return nil, err
	}
	return &Hit{"block", strconv.FormatInt(b.Header.Height, 10)}, nil
}

func (a *API) findTx(ctx context.Context, tx *db.Tx, text string) (*Hit, error) {
	hash, err := chain.ParseHash(strings.ToLower(text))
	if err != nil {
		return nil, ledger.ErrNotFound
	}
	r, err := a.Ledger.Tx(ctx, tx, hash)
	if err != nil {
		return nil, err
	}
	return &Hit{"transaction", r.Hash.String()}, nil
}

func (a *API) findAddress(ctx context.Context, tx *db.Tx, text string) (*Hit, error) {
	address, err := chain.ParseAddress(strings.ToLower(text))
	if err != nil {
		return nil, ledger.ErrNotFound
	}
	if _, _, err := a.Ledger.Account(ctx, tx, address); err != nil {
		return nil, err
	}
	return &Hit{"address", address.String()}, nil
}

func (a *API) findToken(ctx context.Context, tx *db.Tx, text string) (*Hit, error) {
	id, err := number(text)
	if err != nil {
		return nil, err
	}
	if _, _, err := a.Ledger.Token(ctx, tx, id); err != nil {
		return nil, err
	}
	return &Hit{"token", strconv.FormatInt(id, 10)}, nil
}

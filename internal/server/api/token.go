package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/server/tokenart"
	"roshambo/internal/service/account"
	"roshambo/internal/service/market"
	"roshambo/internal/service/run"
	"roshambo/internal/store"
)

// tokenIn names a token by its id.
type tokenIn struct {
	TokenID int64 `path:"token_id" min:"0" max:"2147483647"`
}

// TokenState is a token with its history.
type TokenState struct {
	TokenID      int64         `json:"token_id"`
	Tier         int64         `json:"tier"`
	Material     string        `json:"material"`
	Value        int64         `json:"value" doc:"Base value in coins, which the rules fix. The house pays buyback_bps of it (GET /api/tiers)."`
	Bound        bool          `json:"bound" doc:"It cannot be sold to another account."`
	Owner        *string       `json:"owner" doc:"Null once destroyed."`
	Burnt        bool          `json:"burnt"`
	RunID        *string       `json:"run_id" doc:"The run that won it."`
	Birth        *Birth        `json:"birth" doc:"How it was won."`
	Owners       []TokenOwner  `json:"owners" doc:"All owners, the first one first, at most 201."`
	End          *TokenEnd     `json:"end" doc:"How it was destroyed; null while it exists."`
	Listing      *Listing      `json:"listing" doc:"When it is for sale."`
	Image        string        `json:"image" doc:"Path of its picture."`
	Transactions []Transaction `json:"transactions" doc:"The sealed transactions that created, moved or destroyed it, the oldest first, at most 200."`
}

// Birth is the run that a token was won in.
type Birth struct {
	RunID  string `json:"run_id"`
	Winner string `json:"winner" doc:"Address."`
	Throws int64  `json:"throws"`
	At     Time   `json:"at"`
	TxHash string `json:"tx_hash" doc:"The transaction that created the token."`
	Proof  string `json:"proof" doc:"Path of the run's proof."`
}

// TokenOwner is a current or former owner of a token.
type TokenOwner struct {
	Address string  `json:"address"`
	Name    *string `json:"name" doc:"Username; null where none is known."`
	How     string  `json:"how" known:"won,bought"`
	Price   *int64  `json:"price" doc:"The price paid; null for the winner."`
	Since   Time    `json:"since"`
	TxHash  string  `json:"tx_hash" doc:"The transaction by which it was won or bought."`
}

// TokenEnd is the destruction of a token.
type TokenEnd struct {
	How    string `json:"how" known:"bought_back,burnt" doc:"Bought back by the house, or burnt to enter a run."`
	Price  *int64 `json:"price" doc:"The price paid by the house; null when burnt."`
	At     Time   `json:"at"`
	TxHash string `json:"tx_hash" doc:"The transaction that destroyed it."`
	Status string `json:"status" enum:"pending,sealed"`
}

// TokenOut is the answer to GET /api/chain/token/{token_id}.
type TokenOut struct {
	Token TokenState `json:"token"`
}

// getToken reads a token with its listing, owners, transactions and, once it is destroyed, its end.
func (a *call) getToken(ctx context.Context, in *tokenIn) (*TokenOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*TokenOut, error) {
		token, runID, err := a.Ledger.Token(ctx, tx, in.TokenID)
		if err != nil {
			return nil, err
		}
		history, err := a.Ledger.TokenHistory(ctx, tx, in.TokenID)
		if err != nil {
			return nil, err
		}
		w := wireToken(a.Ledger.Rules(), in.TokenID, token.Tier, token.Bound)
		out := &TokenOut{TokenState{
			TokenID: w.TokenID, Tier: w.Tier, Material: w.Material, Value: w.Value, Bound: w.Bound, Image: in.path() +
				"/image.svg",
			Owner: optionalAddress(token.Owner), Burnt: token.Owner == chain.Address{}, Transactions: mapped(history, a.wireTx),
		}}
		if runID != "" {
			out.Token.RunID = &runID
		}
		if err := a.provenance(ctx, tx, &out.Token); err != nil || !out.Token.Burnt {
			return out, err
		}
		out.Token.End, err = a.tokenEnd(ctx, tx, &out.Token, history)
		return out, err
	})
}

// maxEndSearch bounds the pending transactions of the last owner that tokenEnd reads.
const maxEndSearch = 500

// tokenEnd finds the transaction that destroyed a token: the last of its sealed history, or a
// pending one of its last owner. It returns nil when history or owners are truncated.
func (a *API) tokenEnd(ctx context.Context, tx *store.Tx, t *TokenState, history []ledger.Record) (*TokenEnd, error) {
	if n := len(history); n > 0 {
		if end := wireEnd(t.TokenID, &history[n-1]); end != nil {
			return end, nil
		}
	}
	if len(t.Owners) == 0 {
		return nil, nil
	}
	owner, err := chain.ParseAddress(t.Owners[len(t.Owners)-1].Address)
	if err != nil {
		return nil, err
	}
	pending, err := a.Ledger.Pending(ctx, tx, owner, maxEndSearch)
	if err != nil {
		return nil, err
	}
	for i := range pending {
		if end := wireEnd(t.TokenID, &pending[i]); end != nil {
			return end, nil
		}
	}
	return nil, nil
}

// wireEnd returns the destruction of a token by a transaction; nil when it does not destroy it.
func wireEnd(token int64, r *ledger.Record) *TokenEnd {
	destroys := func(t chain.Transfer) bool { return t.Token && t.TokenID == token && t.To == chain.Address{} }
	if !slices.ContainsFunc(r.Parsed.Transfers, destroys) {
		return nil
	}
	end := &TokenEnd{How: "burnt", At: Time{timeOf(r.Parsed.Time)}, TxHash: r.Hash.String(), Status: "pending"}
	if r.Sealed {
		end.Status = "sealed"
	}
	if r.Parsed.Kind() == chain.KindBuyback {
		end.How, end.Price = "bought_back", new(int64)
		for _, t := range r.Parsed.Transfers {
			*end.Price += t.Amount // a transfer of the token has the amount 0
		}
	}
	return end
}

// provenance sets a token's listing, birth and owners. It reads the run and the sales, not their
// transactions, which may still be pending.
func (a *API) provenance(ctx context.Context, tx *store.Tx, t *TokenState) error {
	l, err := a.Market.ListingOf(ctx, tx, t.TokenID)
	if err != nil {
		return err
	}
	if l != nil {
		w := a.wireListing(l)
		t.Listing = &w
	}
	t.Owners = []TokenOwner{}
	if t.RunID == nil {
		return nil
	}
	r, err := a.Runs.Get(ctx, tx, *t.RunID)
	if errors.Is(err, run.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	t.Birth = &Birth{
		RunID: r.ID, Winner: r.Account.String(), Throws: r.Throws, At: Time{*r.EndedAt}, TxHash: r.EndTx.String(),
		Proof: "/api/runs/" + r.ID + "/proof",
	}
	sales, err := a.Market.SalesOfToken(ctx, tx, t.TokenID)
	if err != nil {
		return err
	}
	last, err := a.lastOwner(ctx, tx, r, sales)
	if err != nil {
		return err
	}
	t.Owners = wireOwners(t.Birth, sales, last)
	return nil
}

// lastOwner returns the username of the token's last owner, "" when unknown.
func (a *API) lastOwner(ctx context.Context, tx *store.Tx, r *run.Run, sales []*market.Listing) (string, error) {
	address := r.Account
	if n := len(sales); n > 0 {
		address = *sales[n-1].Buyer
	}
	owner, err := a.Accounts.Get(ctx, tx, address)
	if errors.Is(err, account.ErrNotFound) {
		return "", nil
	}
	return owner.Username, err
}

// wireOwners returns the winner and the buyers of a token. last is the username of the last owner;
// the names of the others come from their sales.
func wireOwners(birth *Birth, sales []*market.Listing, last string) []TokenOwner {
	list := []TokenOwner{{Address: birth.Winner, How: "won", Since: birth.At, TxHash: birth.TxHash}}
	for i, s := range sales {
		if s.SellerName != "" {
			list[i].Name = &s.SellerName
		}
		list = append(list, TokenOwner{
			Address: s.Buyer.String(), How: "bought", Price: &s.Price, Since: Time{*s.ClosedAt}, TxHash: s.SaleTx.String(),
		})
	}
	if last != "" {
		list[len(list)-1].Name = &last
	}
	return list
}

// path returns the path of the token's operations.
func (in *tokenIn) path() string { return "/api/chain/token/" + strconv.FormatInt(in.TokenID, 10) }

// getTokenImage draws a token. The picture never changes. Its Content-Security-Policy keeps a
// browser that opens it as a document from running or loading anything.
func (a *call) getTokenImage(ctx context.Context, in *tokenIn) (contract.Stream, error) {
	token, err := read(ctx, a, func(ctx context.Context, tx *store.Tx) (*chain.Token, error) {
		token, _, err := a.Ledger.Token(ctx, tx, in.TokenID)
		return &token, err
	})
	if err != nil {
		return nil, err
	}
	picture := tokenart.SVG(token.Tier, in.TokenID)
	return func(_ context.Context, w http.ResponseWriter) {
		h := w.Header()
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		if a.w.packs {
			picture = withGzip(picture)
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("ETag", etag(picture)) // it names the bytes that are sent
		http.ServeContent(w, a.r, "", time.Time{}, bytes.NewReader(picture))
	}, nil
}

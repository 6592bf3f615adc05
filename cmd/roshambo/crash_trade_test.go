package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// sale is the purchase of a token.
type sale struct {
	token int64
	buyer string // address
}

// trader sells its tokens to a second account of its own. When the outcome of a request is
// unknown, it starts over with new accounts.
type trader struct {
	world         *world
	random        *rand.Rand
	seller, buyer visitor
	err           error // an unexpected response
}

// withTraders adds traders.
func (w *world) withTraders() *world {
	for range traders {
		w.traders = append(w.traders, &trader{world: w, random: w.random(1000 + len(w.traders))})
	}
	return w
}

// play continues until ctx is done.
func (tr *trader) play(ctx context.Context, url string) {
	for ctx.Err() == nil && tr.err == nil && !tr.world.stopping.Load() {
		err := tr.trade(ctx, url)
		var refused *statusError
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.status != http.StatusServiceUnavailable:
			if refused.code != "insufficient_funds" {
				tr.err = err
				tr.world.abort()
			}
			fallthrough
		default:
			tr.seller, tr.buyer = visitor{}, visitor{}
			pause(ctx, 50*time.Millisecond)
		}
	}
}

// trade wins a token, lists it, buys it with the other account and records the sale.
func (tr *trader) trade(ctx context.Context, url string) error {
	for _, v := range []*visitor{&tr.seller, &tr.buyer} {
		if v.cookie == "" {
			v.url, v.client = url, http.DefaultClient
			if err := v.arrive(ctx); err != nil {
				return err
			}
		}
	}
	token, err := tr.win(ctx)
	if err != nil {
		return err
	}
	var listed struct{ Listing struct{ ID int64 } }
	if err := tr.seller.call(ctx, "POST", "/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":10}`, token),
		&listed); err != nil {
		return err
	}
	var bought struct {
		TxHash string `json:"tx_hash"`
	}
	if err := tr.buyer.call(ctx, "POST", fmt.Sprintf("/api/market/%d/buy", listed.Listing.ID), "", &bought); err != nil {
		return err
	}
	tr.world.note(&fact{action: "sale", seat: tr.buyer, txHash: bought.TxHash, sold: &sale{token, tr.buyer.address}})
	return nil
}

// win plays runs until one yields a token.
func (tr *trader) win(ctx context.Context) (token int64, err error) {
	for {
		var out struct{ Run runView }
		if err := tr.seller.call(ctx, "POST", "/api/runs", `{"entry":"fee"}`, &out); err != nil {
			return 0, err
		}
		for out.Run.Status == "active" {
			body := fmt.Sprintf(`{"move":"%c"}`, "rps"[tr.random.IntN(3)])
			if err := tr.seller.throw(ctx, &out.Run, body); err != nil {
				return 0, err
			}
		}
		if out.Run.Status == "deciding" {
			err := tr.seller.call(ctx, "POST", "/api/runs/"+out.Run.ID+"/claim", "", &out)
			if err == nil {
				token = *out.Run.TokenID
			}
			return token, err
		}
	}
}

// throw waits until the run's next throw is due, makes it, and reads the run. The service goes by the clock of
// its database, which may be some milliseconds behind this one: a throw that is too early is repeated, as all
// clients do.
func (v *visitor) throw(ctx context.Context, run *runView, body string) error {
	pause(ctx, time.Until(run.NextThrow)) // the last throw of the run before counts, too
	for {
		out := struct{ Run *runView }{run}
		err := v.call(ctx, "POST", "/api/runs/"+run.ID+"/throw", body, &out)
		if refused, ok := errors.AsType[*statusError](err); !ok || refused.code != "too_fast" {
			return err
		}
		pause(ctx, 10*time.Millisecond)
	}
}

// checkSale requires that the token still belongs to its buyer, as buyers never sell.
func (f *fact) checkSale(ctx context.Context, v *visitor) error {
	var out struct{ Token struct{ Owner *string } }
	if err := v.call(ctx, "GET", fmt.Sprint("/api/chain/token/", f.sold.token), "", &out); err != nil {
		return fmt.Errorf("the bought token: %w", err)
	}
	if out.Token.Owner == nil || *out.Token.Owner != f.sold.buyer {
		return fmt.Errorf("the token %d, bought by %s, is now %+v", f.sold.token, f.sold.buyer, out.Token)
	}
	return nil
}

// pause waits for d or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(max(d, 0)):
	}
}

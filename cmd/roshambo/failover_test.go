package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"roshambo/internal/db/pgtest"
)

// TestFailover loses the database's primary under load, with SIGKILL, and has its
// synchronous standby promoted. The two nodes find it by themselves, and every throw,
// claim, stake and sale that was answered is there; the chain is valid, and the log goes
// on from the last checkpoint that was handed out.
//
// Once the standby follows to the end, and once it was cut off before. Then a primary that
// waits for it answers nothing more, and one that did not would have answered something of
// every kind by the time it is killed, all of it lost.
//
// Mistakes that were made on purpose, to see it fail: a primary with synchronous_standby_names
// empty (cut off: 9 times of 9; followed: once of 3, as what is lost then is what the standby
// happens to be behind); a COMMIT whose connection was lost taken for done (cut off: 3 of 3;
// followed: 1 of 3); an answer before the COMMIT is sent (always, and without any failover).
func TestFailover(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]bool{"followed": false, "cut off": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failOver(t, cut)
		})
	}
}

func failOver(t *testing.T, cut bool) {
	primary := pgtest.Start(t, nil)
	standby := primary.Standby(t)
	f := newFleet(t, pgtest.URL("postgres", primary, standby), 2, "--rate-limit", "0")
	w := newWorld(t).withPairs()
	w.away = true
	for range 4 {
		w.traders = append(w.traders, &trader{world: w})
	}
	answers := 150
	if testing.Short() {
		answers = 60
	}
	w.loadAll(t, f.urls(), answers, func(context.Context) {
		w.awaitEach(t, func() bool { return false })
		if cut {
			standby.CutOff(t)
			w.awaitEach(t, func() bool { return primary.Is(t, waits) })
		}
		primary.Kill(t)
		standby.Promote(t)
		w.awaitEach(t, func() bool { return false }) // every kind is done again
	})
	w.look(t, f.nodes[0].url, w.facts)
	w.look(t, f.nodes[1].url, w.facts[len(w.facts)-20:])
	for _, p := range w.pairs {
		p.finish(t, f.nodes[0].url)
	}
	if len(w.facts) < 2*answers {
		t.Errorf("%d answers are too little load", len(w.facts))
	}
	t.Logf("%d answers, %v", len(w.facts), w.deeds())
	f.stop(t)
}

// promised is what is never lost once it was answered. A block counts as answered with the
// checkpoint that is handed out.
var promised = []string{"throw", "claim", "stake", "sale", "block"}

// waits says whether commits wait for the standby, more than one, as one may be a beat or a
// block of the service's own.
const waits = "SELECT count(*) > 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

// awaitEach waits until something of each promised kind was answered that was not when it
// was called, or until something else is true.
func (w *world) awaitEach(t *testing.T, or func() bool) {
	t.Helper()
	before := w.deeds()
	missing := func(now map[string]int) bool {
		return slices.ContainsFunc(promised, func(kind string) bool { return now[kind] == before[kind] })
	}
	for began := time.Now(); missing(w.deeds()) && !w.wrong.Load() && !or(); <-time.After(10 * time.Millisecond) {
		if time.Since(began) > answerTime {
			t.Errorf("of %v something is missing after %v: there were %v, and are %v", promised, answerTime, before, w.deeds())
			return
		}
	}
}

// deeds counts what was answered, by kind.
func (w *world) deeds() map[string]int {
	n := map[string]int{}
	for _, f := range w.soFar() {
		n[f.deed]++
	}
	n["block"] = w.blocks()
	return n
}

// sale is a token that was bought.
type sale struct {
	token int64
	buyer string // address
}

// trader sells what it wins to itself, under another name; when it is not known what
// happened, it begins anew.
type trader struct {
	world         *world
	seller, buyer visitor
	err           error // that must not be
}

// play goes on until ctx ends.
func (tr *trader) play(ctx context.Context, url string) {
	for ctx.Err() == nil && tr.err == nil && !tr.world.evening.Load() {
		err := tr.trade(ctx, url)
		var refused *statusError
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.status != http.StatusServiceUnavailable:
			if refused.code != "insufficient_funds" {
				tr.err = err
				tr.world.giveUp()
			}
			fallthrough
		default:
			tr.seller, tr.buyer = visitor{}, visitor{}
			pause(ctx, 50*time.Millisecond)
		}
	}
}

// trade wins a token, sells it, and notes that it was bought.
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
	if err := tr.seller.call(ctx, "POST", "/api/market/list", fmt.Sprintf(`{"token_id":%d,"price":10}`, token), &listed); err != nil {
		return err
	}
	var bought struct {
		TxHash string `json:"tx_hash"`
	}
	if err := tr.buyer.call(ctx, "POST", fmt.Sprintf("/api/market/%d/buy", listed.Listing.ID), "", &bought); err != nil {
		return err
	}
	tr.world.note(&fact{deed: "sale", seat: tr.buyer, txHash: bought.TxHash, sold: &sale{token, tr.buyer.address}})
	return nil
}

// win plays runs until one gives a token.
func (tr *trader) win(ctx context.Context) (token int64, err error) {
	for {
		var out struct{ Run runView }
		if err := tr.seller.call(ctx, "POST", "/api/runs", `{"entry":"fee"}`, &out); err != nil {
			return 0, err
		}
		for out.Run.Status == "active" {
			body := fmt.Sprintf(`{"move":"%c"}`, "rps"[rand.IntN(3)])
			if err := tr.seller.call(ctx, "POST", "/api/runs/"+out.Run.ID+"/throw", body, &out); err != nil {
				return 0, err
			}
			pause(ctx, time.Until(out.Run.NextThrow))
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

// holdSale says how a token is not its buyer's any more, who never sells.
func (f *fact) holdSale(ctx context.Context, v *visitor) error {
	var out struct{ Token struct{ Owner *string } }
	if err := v.call(ctx, "GET", fmt.Sprint("/api/chain/token/", f.sold.token), "", &out); err != nil {
		return fmt.Errorf("the token that was bought: %w", err)
	}
	if out.Token.Owner == nil || *out.Token.Owner != f.sold.buyer {
		return fmt.Errorf("the token %d, which %s has bought, is %+v", f.sold.token, f.sold.buyer, out.Token)
	}
	return nil
}

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(max(d, 0)):
	}
}

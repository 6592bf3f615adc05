package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// fact is a response of the service: its content must survive every crash.
type fact struct {
	action string // the request that was answered, or "look" for a read
	seat   visitor
	run    runView // the run in the response; without id for a new guest or a duel
	duel   *duelView
	sold   *sale
	txHash string // of the transaction in the response, if any
	tier   int64  // of the claimed token
}

// checkFacts compares a restarted service with the facts, verifies its chain, and checks that its
// log extends the last checkpoint.
func (w *world) checkFacts(t *testing.T, url string, facts []*fact) {
	t.Helper()
	v := &visitor{url: url, client: http.DefaultClient}
	read := map[string]runView{} // current state of each run
	duels := map[string]duelView{}
	last := map[string]*fact{} // latest fact of each run
	for _, f := range facts {
		var err error
		switch {
		case f.duel != nil:
			err = errors.Join(f.checkDuel(t.Context(), v, duels), f.checkTx(t.Context(), v))
		case f.sold != nil:
			err = errors.Join(f.checkSale(t.Context(), v), f.checkTx(t.Context(), v))
		default:
			err = f.check(t.Context(), v, read)
		}
		if err != nil {
			t.Errorf("the response was %+v, now: %v", f, err)
		}
		last[f.run.ID] = f
	}
	for id, now := range read {
		// The crash may have interrupted one throw between its commit and its response.
		if then := last[id].run; len(now.Throws) > len(then.Throws)+1 {
			t.Errorf("a run has %d throws, %d of them answered: %+v", len(now.Throws), len(then.Throws), now)
		}
	}
	var verified struct {
		Valid    bool
		Problems []any
	}
	if err := v.call(t.Context(), "GET", "/api/chain/verify", "", &verified); err != nil || !verified.Valid {
		t.Errorf("the chain: %+v, %v", verified, err)
	}
	if err := w.checkConsistency(t.Context(), v); err != nil {
		t.Error(err)
	}
}

// check compares the fact with the current state of its run.
func (f *fact) check(ctx context.Context, v *visitor, read map[string]runView) error {
	asked := visitor{url: v.url, client: v.client, cookie: f.seat.cookie} // only the player sees the texts of a run
	if f.run.ID == "" {
		var me struct{ Account struct{ Address string } }
		err := asked.call(ctx, "GET", "/api/me", "", &me)
		if err == nil && me.Account.Address != f.seat.address {
			err = fmt.Errorf("the session is that of %s", me.Account.Address)
		}
		return err
	}
	now, ok := read[f.run.ID]
	if !ok {
		var out struct{ Run runView }
		if err := asked.call(ctx, "GET", "/api/runs/"+f.run.ID, "", &out); err != nil {
			return err
		}
		now = out.Run
		read[now.ID] = now
	}
	if err := checkProgress(f.run, now); err != nil {
		return err
	}
	if err := f.checkTx(ctx, v); err != nil {
		return err
	}
	if f.run.TokenID != nil {
		return f.checkToken(ctx, v)
	}
	return nil
}

// checkTx requires that the fact's transaction is on the chain, if it has one.
func (f *fact) checkTx(ctx context.Context, v *visitor) error {
	if f.txHash == "" {
		return nil
	}
	var out struct{ Transaction struct{ Hash string } }
	if err := v.call(ctx, "GET", "/api/chain/tx/"+f.txHash, "", &out); err != nil {
		return fmt.Errorf("its transaction: %w", err)
	}
	return nil
}

// checkToken requires that the claimed token belongs to the player.
func (f *fact) checkToken(ctx context.Context, v *visitor) error {
	var out struct {
		Token struct {
			Owner *string
			Tier  int64
			RunID *string `json:"run_id"`
		}
	}
	if err := v.call(ctx, "GET", fmt.Sprint("/api/chain/token/", *f.run.TokenID), "", &out); err != nil {
		return fmt.Errorf("its token: %w", err)
	}
	if out.Token.Owner == nil || *out.Token.Owner != f.seat.address || *out.Token.RunID != f.run.ID ||
		out.Token.Tier != f.run.Cleared {
		return fmt.Errorf("its token is %+v", out.Token)
	}
	return nil
}

// checkProgress returns an error if the current state of a run cannot follow from an earlier one.
func checkProgress(then, now runView) error {
	same := then.ID == now.ID && then.Account == now.Account && then.Entry == now.Entry &&
		then.ClientSeed == now.ClientSeed &&
		then.Commitment == now.Commitment && then.StartTx == now.StartTx
	if !same || len(now.Throws) < len(then.Throws) || !slices.Equal(now.Throws[:len(then.Throws)], then.Throws) {
		return fmt.Errorf("the run is %+v", now)
	}
	switch then.Status {
	case "claimed", "lost":
		if now.Status != then.Status || *now.EndTx != *then.EndTx || len(now.Throws) != len(then.Throws) {
			return fmt.Errorf("the finished run is now %+v", now)
		}
	case "deciding":
		if now.Cleared < then.Cleared {
			return fmt.Errorf("the run went back to %+v", now)
		}
	}
	return nil
}

// survivors are the kinds of answers that must survive. A block counts as answered with the
// checkpoint that was published.
var survivors = []string{"throw", "claim", "stake", "sale", "block"}

// missing returns the durable kinds without a new answer since before.
func (w *world) missing(before map[string]int) (kinds []string) {
	now := w.counts()
	for _, kind := range survivors {
		if now[kind] == before[kind] {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// counts returns the number of answers by kind.
func (w *world) counts() map[string]int {
	n := map[string]int{}
	for _, f := range w.factsSoFar() {
		n[f.action]++
	}
	n["block"] = max(0, w.blocks()-1) // the genesis block answers no request
	return n
}

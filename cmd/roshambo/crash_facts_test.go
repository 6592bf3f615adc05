package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// fact is an answer: from then on it must hold, whatever happens.
type fact struct {
	deed   string // what was done, or "look"
	seat   visitor
	run    runView // as it was answered; no id for a new guest, or for a duel
	duel   *duelView
	sold   *sale
	txHash string // of the transaction that the answer named, if any
	tier   int64  // of the token that was claimed
}

// look compares the service with the facts, after a crash.
func (w *world) look(t *testing.T, url string, facts []*fact) {
	t.Helper()
	v := &visitor{url: url, client: http.DefaultClient}
	read := map[string]runView{} // each run as it is now
	duels := map[string]duelView{}
	last := map[string]*fact{} // that was answered of each run
	for _, f := range facts {
		var err error
		switch {
		case f.duel != nil:
			err = errors.Join(f.holdDuel(t.Context(), v, duels), f.holdTx(t.Context(), v))
		case f.sold != nil:
			err = errors.Join(f.holdSale(t.Context(), v), f.holdTx(t.Context(), v))
		default:
			err = f.hold(t.Context(), v, read)
		}
		if err != nil {
			t.Errorf("answered was %+v, but: %v", f, err)
		}
		last[f.run.ID] = f
	}
	for id, now := range read {
		// One throw may have been under way, whose answer nobody got.
		if then := last[id].run; len(now.Throws) > len(then.Throws)+1 {
			t.Errorf("a run has %d throws, of which %d were answered: %+v", len(now.Throws), len(then.Throws), now)
		}
	}
	var verified struct {
		Valid    bool
		Problems []any
	}
	if err := v.call(t.Context(), "GET", "/api/chain/verify", "", &verified); err != nil || !verified.Valid {
		t.Errorf("the chain: %+v, %v", verified, err)
	}
	if err := w.goesOn(t.Context(), v); err != nil {
		t.Error(err)
	}
}

// hold reads what the fact is about, and says how it is not what it was.
func (f *fact) hold(ctx context.Context, v *visitor, read map[string]runView) error {
	if f.run.ID == "" {
		var me struct{ Account struct{ Address string } }
		asked := visitor{url: v.url, client: v.client, cookie: f.seat.cookie}
		err := asked.call(ctx, "GET", "/api/me", "", &me)
		if err == nil && me.Account.Address != f.seat.address {
			err = fmt.Errorf("the session is that of %s", me.Account.Address)
		}
		return err
	}
	now, ok := read[f.run.ID]
	if !ok {
		var out struct{ Run runView }
		if err := v.call(ctx, "GET", "/api/runs/"+f.run.ID, "", &out); err != nil {
			return err
		}
		now = out.Run
		read[now.ID] = now
	}
	if err := follows(f.run, now); err != nil {
		return err
	}
	if err := f.holdTx(ctx, v); err != nil {
		return err
	}
	if f.run.TokenID != nil {
		return f.holdToken(ctx, v)
	}
	return nil
}

// holdTx looks for the transaction that was answered, if any.
func (f *fact) holdTx(ctx context.Context, v *visitor) error {
	if f.txHash == "" {
		return nil
	}
	var out struct{ Transaction struct{ Hash string } }
	if err := v.call(ctx, "GET", "/api/chain/tx/"+f.txHash, "", &out); err != nil {
		return fmt.Errorf("its transaction: %w", err)
	}
	return nil
}

func (f *fact) holdToken(ctx context.Context, v *visitor) error {
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
	if out.Token.Owner == nil || *out.Token.Owner != f.seat.address || *out.Token.RunID != f.run.ID || out.Token.Tier != f.run.Cleared {
		return fmt.Errorf("its token is %+v", out.Token)
	}
	return nil
}

// follows says how a run, as it is now, cannot have come from what was answered.
func follows(then, now runView) error {
	same := then.ID == now.ID && then.Account == now.Account && then.Entry == now.Entry && then.ClientSeed == now.ClientSeed &&
		then.Commitment == now.Commitment && then.StartTx == now.StartTx
	if !same || len(now.Throws) < len(then.Throws) || !slices.Equal(now.Throws[:len(then.Throws)], then.Throws) {
		return fmt.Errorf("the run is %+v", now)
	}
	switch then.Status {
	case "claimed", "lost":
		if now.Status != then.Status || *now.EndTx != *then.EndTx || len(now.Throws) != len(then.Throws) {
			return fmt.Errorf("the run, which was over, is %+v", now)
		}
	case "deciding":
		if now.Cleared < then.Cleared {
			return fmt.Errorf("the run fell back to %+v", now)
		}
	}
	return nil
}

// promised is what is never lost once it was answered. A block counts as answered with the
// checkpoint that is handed out.
var promised = []string{"throw", "claim", "stake", "sale", "block"}

// missing returns the promised kinds of which nothing was answered that was not before.
func (w *world) missing(before map[string]int) (kinds []string) {
	now := w.deeds()
	for _, kind := range promised {
		if now[kind] == before[kind] {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// deeds counts what was answered, by kind.
func (w *world) deeds() map[string]int {
	n := map[string]int{}
	for _, f := range w.soFar() {
		n[f.deed]++
	}
	n["block"] = max(0, w.blocks()-1) // the genesis block answers no player
	return n
}

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"testing"
)

// Parts of a duel that the tests read.
type (
	duelView struct {
		ID       string
		Status   string
		Version  int64
		Stake    int64
		Rounds   []roundView
		Winner   *string
		StakeTxA *string `json:"stake_tx_a"`
		StakeTxB *string `json:"stake_tx_b"`
		SettleTx *string `json:"settle_tx"`
	}
	roundView struct {
		Round               int64
		Committed, Revealed struct{ A, B bool }
		Outcome             string
		CommitmentA         *string `json:"commitment_a"`
		CommitmentB         *string `json:"commitment_b"`
		MoveA               *string `json:"move_a"`
		MoveB               *string `json:"move_b"`
		SaltA               *string `json:"salt_a"`
		SaltB               *string `json:"salt_b"`
		ForfeitedBy         *string `json:"forfeited_by"`
	}
)

// duelists are two players of staked duels against each other, with one request at a time. Their
// moves and salts are derived from duel and round, so that they can reveal after a crash.
type duelists struct {
	world   *world
	sides   [2]visitor
	duel    *duelView
	unknown bool // a request has no response: its outcome is unknown
	err     error
}

// withPairs adds duelists.
func (w *world) withPairs() *world {
	for range pairs {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
		p := &duelists{world: w}
		p.sides[0].client, p.sides[1].client = client, client
		w.pairs = append(w.pairs, p)
	}
	return w
}

// play continues until the server has ended.
func (p *duelists) play(ctx context.Context, url string) {
	for i := range p.sides {
		p.sides[i].url = url
	}
	for ctx.Err() == nil && p.err == nil && !p.world.stopping.Load() {
		err := p.step(ctx)
		var refused *statusError
		switch {
		case err == nil:
		case p.world.outcomeUnknown(ctx, err):
			p.unknown = p.sides[1].cookie != ""
		case errors.As(err, &refused):
			p.err = err
			p.world.abort()
		default: // the server has ended
			p.unknown = true
			return
		}
	}
}

// step makes the next request and records its response.
func (p *duelists) step(ctx context.Context) error {
	for i := range p.sides {
		if v := &p.sides[i]; v.cookie == "" {
			return v.arrive(ctx)
		}
	}
	if p.unknown {
		return p.resync(ctx)
	}
	side, action, body := p.next()
	var out struct {
		Duel   duelView
		TxHash *string `json:"tx_hash"`
	}
	if err := p.sides[side].call(ctx, "POST", "/api/duels"+action, body, &out); err != nil {
		return err
	}
	f := &fact{action: "step", seat: p.sides[side], duel: &out.Duel}
	if action == "" || action == "/"+out.Duel.ID+"/join" {
		f.action = "stake"
	}
	if out.TxHash != nil {
		f.txHash = *out.TxHash
	}
	p.world.note(f)
	p.duel = &out.Duel
	return nil
}

// resync reads the duel when the outcome of a request is unknown.
func (p *duelists) resync(ctx context.Context) error {
	var list struct{ Duels []duelView }
	if err := p.sides[0].call(ctx, "GET", "/api/duels?mine=true&limit=1", "", &list); err != nil {
		return err
	}
	p.duel = nil
	if len(list.Duels) > 0 {
		var out struct{ Duel duelView }
		if err := p.sides[0].call(ctx, "GET", "/api/duels/"+list.Duels[0].ID, "", &out); err != nil {
			return err
		}
		p.duel = &out.Duel
		p.world.note(&fact{action: "look", seat: p.sides[0], duel: p.duel})
	}
	p.unknown = false
	return nil
}

// next returns the side to act and its request.
func (p *duelists) next() (side int, action, body string) {
	d := p.duel
	switch {
	case d == nil || d.Status == "finished":
		return 0, "", `{"stake":5}`
	case d.Status == "open":
		return 1, "/" + d.ID + "/join", ""
	}
	r := &d.Rounds[len(d.Rounds)-1]
	for i, committed := range []bool{r.Committed.A, r.Committed.B} {
		if !committed {
			move, salt := p.hand(i, r.Round)
			return i, "/" + d.ID + "/commit", fmt.Sprintf(`{"commitment":"%x"}`, sha256.Sum256([]byte(move+":"+salt)))
		}
	}
	if r.Revealed.A {
		side = 1
	}
	move, salt := p.hand(side, r.Round)
	return side, "/" + d.ID + "/reveal", fmt.Sprintf(`{"move":%q,"salt":%q}`, move, salt)
}

// hand derives the move and salt of a side in a round.
func (p *duelists) hand(side int, round int64) (move, salt string) {
	salt = fmt.Sprintf("%s %d %d", p.duel.ID, round, side)
	sum := sha256.Sum256([]byte(salt))
	return []string{"rock", "paper", "scissors"}[sum[0]%3], salt
}

// finish plays the last duel to its end. The two players then have all coins between them.
func (p *duelists) finish(t *testing.T, url string) {
	t.Helper()
	for i := range p.sides {
		p.sides[i].url, p.sides[i].client = url, http.DefaultClient
	}
	p.unknown = p.sides[1].cookie != ""
	for p.unknown || p.duel != nil && p.duel.Status != "finished" {
		if err := p.step(t.Context()); err != nil {
			t.Fatalf("duelists failed: %v", err)
		}
	}
	coins := int64(0)
	for _, v := range p.sides {
		if v.cookie == "" {
			return
		}
		var me struct{ Balance int64 }
		if err := v.call(t.Context(), "GET", "/api/me", "", &me); err != nil {
			t.Fatal(err)
		}
		coins += me.Balance
	}
	if coins != 2000 {
		t.Errorf("the two players have %d coins in total, want 2000: %+v", coins, p.duel)
	}
}

// checkDuel compares the duel with the fact: a round or step that was answered must not change.
func (f *fact) checkDuel(ctx context.Context, v *visitor, read map[string]duelView) error {
	now, ok := read[f.duel.ID]
	if !ok {
		var out struct{ Duel duelView }
		if err := v.call(ctx, "GET", "/api/duels/"+f.duel.ID, "", &out); err != nil {
			return err
		}
		now = out.Duel
		read[now.ID] = now
	}
	then := *f.duel
	same := then.Stake == now.Stake && reflect.DeepEqual(then.StakeTxA, now.StakeTxA) && now.Version >= then.Version &&
		(then.StakeTxB == nil || reflect.DeepEqual(then.StakeTxB, now.StakeTxB)) && len(then.Rounds) <= len(now.Rounds)
	if !same || then.Status == "finished" && !reflect.DeepEqual(then, now) || then.Status == "active" &&
		now.Status == "open" {
		return fmt.Errorf("the duel is %+v", now)
	}
	for i, r := range then.Rounds {
		after := now.Rounds[i]
		if r.Outcome != "pending" && !reflect.DeepEqual(r, after) {
			return fmt.Errorf("the decided round %d is now %+v", r.Round, after)
		}
		if r.Committed.A && !after.Committed.A || r.Committed.B && !after.Committed.B || r.Revealed.A && !after.Revealed.A ||
			r.Revealed.B && !after.Revealed.B {
			return fmt.Errorf("round %d lost a step: %+v", r.Round, after)
		}
	}
	return nil
}

package api

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/service/duel"
	"roshambo/internal/store"
)

// DuelProof is the proof bundle of a duel.
type DuelProof struct {
	Format      string    `json:"format"`
	DuelID      string    `json:"duel_id"`
	A           string    `json:"a" doc:"Address."`
	B           string    `json:"b"`
	Status      string    `json:"status" enum:"active,finished,void"`
	Wins        DuelWins  `json:"wins"`
	Winner      *string   `json:"winner" enum:"a,b"`
	Transcript  RawText   `json:"transcript"`
	StakeA      *Anchored `json:"stake_a" doc:"The transaction of a's stake; null without a stake."`
	StakeB      *Anchored `json:"stake_b"`
	Settle      *Anchored `json:"settle" doc:"Null while the duel is in progress."`
	Recovery    *Anchored `json:"recovery" doc:"The recovery that made the duel void or, without a stake, came during it."`
	Kept        *string   `json:"kept" doc:"Raw of the header of the block before that of the recovery."`
	Checkpoint  *string   `json:"checkpoint" doc:"Signed note that covers the blocks of all of them."`
	VerifierKey string    `json:"verifier_key"`
}

// getDuelProof builds the proof of a duel after applying passed deadlines.
func (a *call) getDuelProof(ctx context.Context, in *duelIn) (*DuelProof, error) {
	d, err := a.current(ctx, in.Code) // settles a duel that has ended by a deadline
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*DuelProof, error) {
		return a.duelProof(ctx, tx, d)
	})
}

// duelProof builds the bundle from the duel's transcript and the inclusion proofs of its
// transactions. A duel without an opponent has none: duel.ErrNotFound.
func (a *API) duelProof(ctx context.Context, tx *store.Tx, d *duel.Duel) (*DuelProof, error) {
	if d.B.Address == (chain.Address{}) {
		return nil, duel.ErrNotFound // no round was played
	}
	you := wireDuel(d, chain.Address{})
	out := &DuelProof{
		Format: "roshambo/duel-proof/v1", DuelID: d.Code, A: you.A.Address, B: you.B.Address, Status: string(d.Status),
		Wins: you.Wins, Winner: you.Winner, Transcript: RawText{string(d.Transcript())}, VerifierKey: a.Ledger.VerifierKey(),
	}
	var hashes []chain.Hash
	var places []**Anchored
	for _, p := range []struct {
		hash  *chain.Hash
		place **Anchored
	}{{hash: d.StakeTx[0], place: &out.StakeA}, {hash: d.StakeTx[1], place: &out.StakeB},
		{hash: d.SettleTx, place: &out.Settle}} {
		if p.hash != nil {
			hashes, places = append(hashes, *p.hash), append(places, p.place)
		}
	}
	recovery, err := a.duelRecovery(ctx, tx, d)
	if err != nil {
		return nil, err
	}
	if recovery != nil {
		hashes, places = append(hashes, *recovery), append(places, &out.Recovery)
	}
	anchors, checkpoint, err := a.Ledger.Anchors(ctx, tx, hashes...)
	if err != nil {
		return nil, err
	}
	for i, anchor := range anchors {
		w := wireAnchor(anchor)
		*places[i] = &w
	}
	if out.Recovery != nil {
		if out.Kept, err = a.kept(ctx, tx, &anchors[len(anchors)-1].Record); err != nil {
			return nil, err
		}
	}
	out.Checkpoint = &checkpoint
	return out, nil
}

// duelRecovery returns the recovery that a duel crosses, nil for none: the one that has made it void, or the first one
// since the start of a duel without a stake, which goes on. A duel with a stake that is active or finished crosses
// none.
func (a *API) duelRecovery(ctx context.Context, tx *store.Tx, d *duel.Duel) (*chain.Hash, error) {
	switch {
	case d.Status == duel.Void:
		return a.Ledger.CrossedRecovery(ctx, tx, *d.StakeTx[1], *d.SettleTx)
	case d.Stake == 0 && d.StartedAt != nil:
		return a.Ledger.RecoverySince(ctx, tx, *d.StartedAt, d.SettleTx)
	}
	return nil, nil
}

package api

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// proofOperations registers the proofs of runs.
func (a *API) proofOperations() {
	add(a, contract.Operation{
		ID: "getRunProof", Method: "GET", Path: "/api/runs/{run_id}/proof", Tag: "Runs",
		Summary: "The proof of a run, for offline verification",
		Description: "A bundle of format roshambo/run-proof/v1 (docs/protocol.md), checked by `roshambo verify`, " +
			"verify/python/verify.py and the verifier on the web page. It never contains unrevealed seeds. Only the player's " +
			"own call gets the texts behind the hashes of client seed and entropy.",
		Security: anyScheme, Anonymous: true, Errors: may("not_found", "unauthenticated"),
	}, (*call).getRunProof)
}

// RunProof is the proof bundle of a run.
type RunProof struct {
	Format      string    `json:"format"`
	RunID       string    `json:"run_id"`
	Account     string    `json:"account"`
	Status      string    `json:"status" enum:"active,deciding,claimed,lost,abandoned,void"`
	Cleared     int64     `json:"cleared"`
	Transcript  RawText   `json:"transcript"`
	Texts       *RunTexts `json:"texts" doc:"Opens the hashes; null unless the caller is the player."`
	Commit      Anchored  `json:"commit" doc:"The transaction that published the commitment."`
	Start       Anchored  `json:"start"`
	End         *Anchored `json:"end"`
	Recovery    *Anchored `json:"recovery" doc:"The recovery between start and end; null for none."`
	Kept        *string   `json:"kept" doc:"Raw of the header of the block before that of the recovery."`
	Checkpoint  *string   `json:"checkpoint" doc:"Signed note that covers the blocks of all of them."`
	VerifierKey string    `json:"verifier_key"`
}

// RunTexts are the texts that the player gave; everything public holds their SHA-256 only.
type RunTexts struct {
	ClientSeed string   `json:"client_seed"`
	Entropy    []string `json:"entropy" doc:"Of each throw; empty for none."`
}

// RawText is a text exactly as it was hashed.
type RawText struct {
	Raw string `json:"raw"`
}

// Anchored is a transaction with its proofs up to the checkpoint. All members after the hash are
// null while the transaction is pending.
type Anchored struct {
	Raw        string    `json:"raw"`
	Hash       string    `json:"hash"`
	Height     *int64    `json:"height"`
	Index      *int64    `json:"index"`
	Header     *string   `json:"header" doc:"Raw of the block's header."`
	TxProof    *[]string `json:"tx_proof" doc:"RFC 6962 inclusion of the hash in the block's Merkle root."`
	BlockProof *[]string `json:"block_proof" doc:"RFC 6962 inclusion of the header in the checkpoint's tree."`
}

// wireAnchor returns the wire form of a transaction and its proofs.
func wireAnchor(a ledger.Anchor) Anchored {
	out := Anchored{Raw: string(a.Record.Raw), Hash: a.Record.Hash.String()}
	if a.Record.Sealed {
		out.Height, out.Index, out.Header = &a.Record.Height, &a.Record.Index, new(string(a.Header))
		out.TxProof, out.BlockProof = hexes(a.TxProof), hexes(a.BlockProof)
	}
	return out
}

// hexes returns the hex texts of hashes.
func hexes(hashes []chain.Hash) *[]string {
	return new(mapped(hashes, chain.Hash.String))
}

// getRunProof builds the proof of a run: its transcript and the inclusion proofs of its two or
// three transactions, all from one snapshot.
func (a *call) getRunProof(ctx context.Context, in *runIn) (*RunProof, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*RunProof, error) {
		r, err := a.Runs.Get(ctx, tx, in.RunID)
		if err != nil {
			return nil, err
		}
		hashes := []chain.Hash{r.CommitTx, r.StartTx}
		var recovery *chain.Hash
		if r.EndTx != nil {
			hashes = append(hashes, *r.EndTx)
			if recovery, err = a.Ledger.CrossedRecovery(ctx, tx, r.StartTx, *r.EndTx); err != nil {
				return nil, err
			}
		}
		if recovery != nil {
			hashes = append(hashes, *recovery)
		}
		anchors, checkpoint, err := a.Ledger.Anchors(ctx, tx, hashes...)
		if err != nil {
			return nil, err
		}
		out := &RunProof{
			Format: "roshambo/run-proof/v1", RunID: r.ID, Account: r.Account.String(), Status: string(r.Status),
			Cleared: r.Cleared, Transcript: RawText{string(r.Transcript)}, Commit: wireAnchor(anchors[0]),
			Start: wireAnchor(anchors[1]), Checkpoint: &checkpoint, VerifierKey: a.Ledger.VerifierKey(),
		}
		if r.Account == a.viewer() {
			out.Texts = &RunTexts{ClientSeed: r.ClientSeed, Entropy: append([]string{}, r.Entropy...)}
		}
		if r.EndTx != nil {
			out.End = new(wireAnchor(anchors[2]))
		}
		if recovery != nil {
			out.Recovery = new(wireAnchor(anchors[3]))
			out.Kept, err = a.kept(ctx, tx, &anchors[3].Record)
		}
		return out, err
	})
}

// kept returns the header of the block before the block of a recovery, nil while the recovery is in no block.
func (a *API) kept(ctx context.Context, tx *store.Tx, recovery *ledger.Record) (*string, error) {
	if !recovery.Sealed {
		return nil, nil
	}
	raw, err := a.Ledger.Kept(ctx, tx, recovery)
	return new(string(raw)), err
}

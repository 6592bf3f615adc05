package httpapi

import (
	"context"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

func (a *API) proofOperations() {
	contract.Add(a.contract, contract.Operation{
		ID: "getRunProof", Method: "GET", Path: "/api/runs/{run_id}/proof", Tag: "Runs",
		Summary:     "Everything that is needed to verify a run offline",
		Description: "A bundle of format roshambo/run-proof/v1 (docs/protocol.md), checked by `roshambo verify`, verify/python/verify.py and the page's own verifier. Seeds that were not used yet are never in it.",
		Errors:      may("not_found"),
	}, a.getRunProof)
}

// RunProof is the proof bundle of a run.
type RunProof struct {
	Format      string    `json:"format"`
	RunID       string    `json:"run_id"`
	Account     string    `json:"account"`
	Status      string    `json:"status" enum:"active,deciding,claimed,lost,abandoned"`
	Cleared     int64     `json:"cleared"`
	Transcript  RawText   `json:"transcript"`
	Commit      Anchored  `json:"commit" doc:"The transaction that published the commitment."`
	Start       Anchored  `json:"start"`
	End         *Anchored `json:"end"`
	Checkpoint  *string   `json:"checkpoint" doc:"Signed note that covers the blocks of the three."`
	VerifierKey string    `json:"verifier_key"`
}

// RawText is a document as it was hashed.
type RawText struct {
	Raw string `json:"raw"`
}

// Anchored is a transaction with the proofs that lead to the checkpoint. What follows
// its hash is null while it waits for its block.
type Anchored struct {
	Raw        string    `json:"raw"`
	Hash       string    `json:"hash"`
	Height     *int64    `json:"height"`
	Index      *int64    `json:"index"`
	Header     *string   `json:"header" doc:"Raw of the block's header."`
	TxProof    *[]string `json:"tx_proof" doc:"RFC 6962 inclusion of the hash in the block's Merkle root."`
	BlockProof *[]string `json:"block_proof" doc:"RFC 6962 inclusion of the header in the checkpoint's tree."`
}

func wireAnchor(a ledger.Anchor) Anchored {
	out := Anchored{Raw: string(a.Record.Raw), Hash: a.Record.Hash.String()}
	if a.Record.Sealed {
		header := string(a.Header)
		out.Height, out.Index, out.Header = &a.Record.Height, &a.Record.Index, &header
		out.TxProof, out.BlockProof = hexes(a.TxProof), hexes(a.BlockProof)
	}
	return out
}

func hexes(hashes []chain.Hash) *[]string {
	list := make([]string, len(hashes))
	for i, h := range hashes {
		list[i] = h.String()
	}
	return &list
}

func (a *API) getRunProof(ctx context.Context, in *runIn) (*RunProof, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*RunProof, error) {
		r, err := a.Runs.Get(ctx, tx, in.RunID)
		if err != nil {
			return nil, err
		}
		hashes := []chain.Hash{r.CommitTx, r.StartTx}
		if r.EndTx != nil {
			hashes = append(hashes, *r.EndTx)
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
		if len(anchors) == 3 {
			end := wireAnchor(anchors[2])
			out.End = &end
		}
		return out, nil
	})
}

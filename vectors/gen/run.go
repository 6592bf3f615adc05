package main

import (
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// run is the script of a house run. The zero value but for plan and end is an
// honest run of a guest, wholly sealed; the fields from tx on are where to lie.
type run struct {
	plan       string          // the outcomes wanted: w, l, t
	end        chain.RunStatus // "" while the run goes on
	status     string          // what the proof says; "" for what is true
	clientSeed string
	entropy    []string // by throw; "" beyond
	entry      chain.Entry
	firstTier  int64
	second     bool           // not the account's first run: the first one's start published the commitment
	place      map[string]int // blocks of commit, start and end; -1 for none
	late       bool           // in one block, the latest comes first

	tx     map[string]func(*chain.Tx)     // changes a transaction
	raw    map[string]func(string) string // changes a raw
	throws func([]chain.Throw)            // changes the throws
	spoken func(string) string            // changes the transcript's raw
	header func(*chain.Header)            // changes a block's header
	note   func(h *house) string          // makes the checkpoint
	proof  func(p object)                 // changes the proof
	text   func(string) string            // changes the file
	chain  func(name string) *fair.Chain  // makes the seeds
}

// places is where the transactions of an honest run stand.
var places = map[string]int{"commit": 1, "start": 3, "end": 6}

// make plays the run and returns its proof as a file.
func (r *run) make(name string) []byte {
	h := newHouse()
	h.header = r.header
	account, runID := addressOf("player"), "0199c0de-0000-7000-8000-000000000001"
	seeds := r.seeds(name)
	throws := r.play(seeds)
	if r.throws != nil {
		r.throws(throws)
	}
	spoken := transcript(throws)
	if r.spoken != nil {
		spoken = r.spoken(spoken)
	}

	txs := map[string]*chain.Tx{
		"commit": r.commit(account, seeds.Commitment()),
		"start":  r.start(account, runID, seeds.Commitment()),
	}
	txs["start"].Nonce = txs["commit"].Nonce + 1
	if r.end != "" {
		txs["end"] = r.finish(account, runID, throws, spoken)
		txs["end"].Nonce = txs["start"].Nonce + 1
	}
	posts := r.post(h, txs)
	h.seal()

	p := object{
		"format": "roshambo/run-proof/v1", "run_id": runID, "account": account.String(),
		"status": r.says(), "cleared": r.tier(throws), "transcript": object{"raw": spoken}, "end": nil,
		"verifier_key": verifierKey(h.name, h.key), "checkpoint": sign(h.head(), h.name, h.key),
	}
	for name, tx := range posts {
		p[name] = h.anchored(tx)
	}
	if r.note != nil {
		p["checkpoint"] = orNull(r.note(h))
	}
	if r.proof != nil {
		r.proof(p)
	}
	return finish(p, r.text)
}

func (r *run) seeds(name string) *fair.Chain {
	if r.chain != nil {
		return r.chain(name)
	}
	return fair.NewChain(fair.Seed(digest("seed/" + name)))
}

// play makes the throws, each with the move that leads to the outcome wanted.
func (r *run) play(seeds *fair.Chain) []chain.Throw {
	var throws []chain.Throw
	for i, want := range r.plan {
		t := chain.Throw{N: i + 1, Seed: seeds.Seed(i + 1), Outcome: map[rune]game.Outcome{'w': game.Win, 'l': game.Loss, 't': game.Tie}[want]}
		if i < len(r.entropy) {
			t.Entropy = r.entropy[i]
		}
		t.House = fair.HouseMove(t.Seed, t.N, r.clientSeed, t.Entropy)
		for _, move := range []game.Move{game.Rock, game.Paper, game.Scissors} {
			if move.Against(t.House) == t.Outcome {
				t.Move = move
			}
		}
		throws = append(throws, t)
	}
	return throws
}

func transcript(throws []chain.Throw) string {
	raw := []byte(chain.EmptyTranscript)
	for _, t := range throws {
		raw = chain.AppendThrow(raw, t)
	}
	return string(raw)
}

// tier is what the throws lead to.
func (r *run) tier(throws []chain.Throw) int64 {
	tier := r.firstTier
	for _, t := range throws {
		if t.Outcome == game.Win {
			tier++
		}
	}
	return tier
}

// says is the status that the proof states.
func (r *run) says() string {
	switch {
	case r.status != "":
		return r.status
	case r.end != "":
		return string(r.end)
	case strings.HasSuffix(r.plan, "w"):
		return "deciding"
	}
	return "active"
}

// commit is the transaction that publishes the commitment.
func (r *run) commit(account chain.Address, commitment fair.Seed) *chain.Tx {
	tx := &chain.Tx{
		Actor: account, Time: firstTime + 1500, Transfers: []chain.Transfer{{To: account, Amount: 1000}},
		Data: &chain.AccountCreate{Commitment: chain.Hash(commitment), AccountKind: chain.Guest},
	}
	if r.second {
		tx.Nonce, tx.Transfers = 1, []chain.Transfer{{From: account, Amount: 50}}
		tx.Data = &chain.RunStart{
			Commitment: digest("first commitment"), NextCommitment: chain.Hash(commitment), ClientSeed: "my first run",
			Entry: chain.EntryFee, RunID: "0199c0de-0000-7000-8000-000000000000",
		}
	}
	return tx
}

func (r *run) start(account chain.Address, runID string, commitment fair.Seed) *chain.Tx {
	data := &chain.RunStart{
		ClientSeed: r.clientSeed, Commitment: chain.Hash(commitment), Entry: r.entry, FirstTier: r.firstTier,
		NextCommitment: digest("next commitment"), RunID: runID,
	}
	tx := &chain.Tx{Actor: account, Time: firstTime + 3500, Data: data}
	switch r.entry {
	case "":
		data.Entry = chain.EntryFree
	case chain.EntryFee:
		tx.Transfers = []chain.Transfer{{From: account, Amount: 50}}
	case chain.EntryBurn:
		tx.Transfers = []chain.Transfer{{Token: true, TokenID: 7, From: account}}
	}
	return tx
}

func (r *run) finish(account chain.Address, runID string, throws []chain.Throw, spoken string) *chain.Tx {
	tx := &chain.Tx{Actor: account, Time: firstTime + 6500, Data: &chain.RunEnd{
		Cleared: r.tier(throws), RunID: runID, Status: r.end, Throws: int64(len(throws)),
		TranscriptHash: chain.HashTranscript([]byte(spoken)),
	}}
	if r.end == chain.RunClaimed {
		tx.Transfers = []chain.Transfer{{Token: true, TokenID: 12, Tier: r.tier(throws), To: account}}
	}
	return tx
}

// post changes the transactions as the script says, and puts them in their
// blocks.
func (r *run) post(h *house, txs map[string]*chain.Tx) map[string]*posted {
	p := poster{names: []string{"commit", "start", "end"}, usual: places, place: r.place, tx: r.tx, raw: r.raw}
	if r.late {
		slices.Reverse(p.names)
	}
	return p.post(h, txs)
}

// sub replaces what stands in a text, which must be there.
func sub(old, with string) func(string) string {
	return func(s string) string {
		if !strings.Contains(s, old) {
			panic(fmt.Sprintf("gen: no %q in %.200s", old, s))
		}
		return strings.Replace(s, old, with, 1)
	}
}

// orNull is null for no text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

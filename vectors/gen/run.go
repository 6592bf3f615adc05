package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/fair"
	"roshambo/game"
)

// run is the script of a house run. A run with plan and end alone is an honest run of a guest, with
// every transaction in a block. The fields from tx on tamper with it.
type run struct {
	// plan has the outcome of each throw: w, l or t.
	plan string
	// end is the status in the run.end, "" while the run goes on.
	end chain.RunStatus
	// status is the status in the proof, "" for the one that follows from plan and end.
	status     string
	clientSeed string
	// entropy has the entropy of the first throws; later ones have none.
	entropy []string
	// entry is the payment, free by default; firstTier belongs to a burn.
	entry     chain.Entry
	firstTier int64
	// second makes it the account's second run, whose commitment is in the start of the first.
	second bool
	// rotated makes a recovery publish the commitment.
	rotated bool
	// recovery is what the recovery that ends the run states, nil for none.
	recovery *chain.Recovery
	// again makes another recovery follow, in the block of the end, which the proof does not name.
	again bool
	// place overrides the heights of commit, start and end; -1 is no block.
	place map[string]int
	// reversed puts later transactions first within a block.
	reversed bool

	// The rest tampers with the run, each field at one stage: tx with a transaction, raw with its
	// text before it is hashed, throws with the throws, transcriptRaw with the transcript before
	// it is hashed, header with a header before it is hashed.
	tx            map[string]func(*chain.Tx)
	raw           map[string]func(string) string
	throws        func([]chain.Throw)
	transcriptRaw func(string) string
	header        func(*chain.Header)
	// note replaces the signed checkpoint; "" removes it.
	note func(h *house) string
	// proof changes the finished proof, text the file.
	proof func(p object)
	text  func(string) string
	// chain replaces the seed chain.
	chain func(name string) *fair.Chain
}

// places are the heights of the transactions of an honest run.
var places = map[string]int{"commit": 1, "start": 3, "end": 6, "recovery": 6, "again": 6}

// make plays the run and returns its proof as a file. It tampers with each value before anything that
// depends on it is computed.
func (r *run) make(name string) []byte {
	h := newHouse()
	h.header = r.header
	account, runID := addressOf("player"), "0199c0de-0000-7000-8000-000000000001"
	seeds := r.seeds(name)
	throws := r.play(seeds)
	if r.throws != nil {
		r.throws(throws)
	}
	transcriptRaw := transcript(throws)
	if r.transcriptRaw != nil {
		transcriptRaw = r.transcriptRaw(transcriptRaw)
	}

	txs := map[string]*chain.Tx{
		"commit": r.commit(account, seeds.Commitment()),
		"start":  r.start(account, runID, seeds.Commitment()),
	}
	// Nonces follow each other; a script may change them afterwards.
	txs["start"].Nonce = txs["commit"].Nonce + 1
	if r.end != "" {
		txs["end"] = r.finish(account, runID, throws, transcriptRaw)
		txs["end"].Nonce = txs["start"].Nonce + 1
	}
	if r.recovery != nil {
		data := *r.recovery
		txs["recovery"] = &chain.Tx{Time: firstTime + 6400, Data: &data}
	}
	if r.again {
		txs["again"] = &chain.Tx{Time: firstTime + 6400, Data: &chain.Recovery{ReasonHash: chain.HashText("again"), Number: 2}}
	}
	posts := r.post(h, txs)
	delete(posts, "again")
	h.seal()

	p := object{
		"format": "roshambo/run-proof/v1", "run_id": runID, "account": account.String(),
		"status": r.statusText(), "cleared": r.tier(throws), "transcript": object{"raw": transcriptRaw}, "end": nil,
		"recovery": nil, "kept": nil,
		"texts":        object{"client_seed": r.clientSeed, "entropy": r.entropies()},
		"verifier_key": verifierKey(h.name, h.key), "checkpoint": sign(h.head(), h.name, h.key),
	}
	for name, tx := range posts {
		p[name] = h.anchored(tx)
	}
	p["kept"] = h.keptBefore(posts["recovery"])
	if r.note != nil {
		p["checkpoint"] = orNull(r.note(h))
	}
	if r.proof != nil {
		r.proof(p)
	}
	return encode(p, r.text)
}

// seeds returns the seed chain of the run, which depends on the vector's name.
func (r *run) seeds(name string) *fair.Chain {
	if r.chain != nil {
		return r.chain(name)
	}
	return fair.NewChain(fair.Seed(digest("seed/" + name)))
}

// play returns the throws, with the player's moves that give the planned outcomes.
func (r *run) play(seeds *fair.Chain) []chain.Throw {
	var throws []chain.Throw
	for i, want := range r.plan {
		t := chain.Throw{N: i + 1, Seed: seeds.Seed(i + 1),
			Outcome: map[rune]game.Outcome{'w': game.Win, 'l': game.Loss, 't': game.Tie}[want]}
		t.EntropyHash = textHash(r.entropies()[i])
		t.House = fair.HouseMove(t.Seed, t.N, textHash(r.clientSeed), t.EntropyHash)
		// The house's move is fixed by its seed, so the player's move decides the outcome.
		for _, move := range []game.Move{game.Rock, game.Paper, game.Scissors} {
			if move.Against(t.House) == t.Outcome {
				t.Move = move
			}
		}
		throws = append(throws, t)
	}
	return throws
}

// entropies returns the entropy of every throw.
func (r *run) entropies() []string {
	list := make([]string, len(r.plan))
	copy(list, r.entropy)
	return list
}

// textHash returns SHA-256 of a player's text.
func textHash(text string) chain.Hash { return sha256.Sum256([]byte(text)) }

// transcript returns the transcript raw of the throws.
func transcript(throws []chain.Throw) string {
	raw := []byte(chain.EmptyTranscript)
	for _, t := range throws {
		raw = chain.AppendThrow(raw, t)
	}
	return string(raw)
}

// tier returns the tier that the throws reach.
func (r *run) tier(throws []chain.Throw) int64 {
	tier := r.firstTier
	for _, t := range throws {
		if t.Outcome == game.Win {
			tier++
		}
	}
	return tier
}

// statusText returns the status in the proof.
func (r *run) statusText() string {
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

// commit returns the transaction that publishes the commitment: the account.create, or the start of
// the first run.
func (r *run) commit(account chain.Address, commitment fair.Seed) *chain.Tx {
	tx := &chain.Tx{
		Actor: account, Time: firstTime + 1500, Transfers: []chain.Transfer{{To: account, Amount: 1000}},
		Data: &chain.AccountCreate{Commitment: chain.Hash(commitment), AccountKind: chain.Guest},
	}
	if r.second {
		tx.Nonce, tx.Transfers = 1, []chain.Transfer{{From: account, Amount: 50}}
		tx.Data = &chain.RunStart{
			Commitment: digest("first commitment"), NextCommitment: chain.Hash(commitment),
			ClientSeedHash: textHash("my first run"),
			Entry:          chain.EntryFee, RunID: "0199c0de-0000-7000-8000-000000000000",
		}
	}
	if r.rotated {
		tx.Nonce, tx.Transfers = 1, nil
		tx.Data = &chain.Rotate{Commitment: digest("first commitment"), NextCommitment: chain.Hash(commitment)}
	}
	return tx
}

// start returns the run.start, paid by its entry.
func (r *run) start(account chain.Address, runID string, commitment fair.Seed) *chain.Tx {
	data := &chain.RunStart{
		ClientSeedHash: textHash(r.clientSeed), Commitment: chain.Hash(commitment), Entry: r.entry, FirstTier: r.firstTier,
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

// finish returns the run.end. A claimed run creates a token.
func (r *run) finish(account chain.Address, runID string, throws []chain.Throw, transcriptRaw string) *chain.Tx {
	tx := &chain.Tx{Actor: account, Time: firstTime + 6500, Data: &chain.RunEnd{
		Cleared: r.tier(throws), RunID: runID, Status: r.end, Throws: int64(len(throws)),
		TranscriptHash: chain.HashTranscript([]byte(transcriptRaw)),
	}}
	switch {
	case r.end == chain.RunClaimed:
		tx.Transfers = []chain.Transfer{{Token: true, TokenID: 12, Tier: r.tier(throws), To: account}}
	case r.end == chain.RunVoid && r.entry == chain.EntryFee:
		tx.Transfers = []chain.Transfer{{Amount: 50, To: account}}
	case r.end == chain.RunVoid && r.entry == chain.EntryBurn:
		tx.Transfers = []chain.Transfer{{Token: true, TokenID: 12, Tier: r.firstTier, To: account}}
	}
	return tx
}

// post tampers with the transactions and posts them into their blocks.
func (r *run) post(h *house, txs map[string]*chain.Tx) map[string]*postedTx {
	p := txPlacer{
		names:    []string{"commit", "start", "recovery", "again", "end"},
		defaults: places,
		place:    r.place,
		tx:       r.tx,
		raw:      r.raw,
	}
	if r.reversed {
		slices.Reverse(p.names)
	}
	return p.post(h, txs)
}

// sub returns a function that replaces the first old in a text by with. It panics when there is none,
// so that a vector cannot silently stay honest.
func sub(old, with string) func(string) string {
	return func(s string) string {
		if !strings.Contains(s, old) {
			panic(fmt.Sprintf("gen: no %q in %.200s", old, s))
		}
		return strings.Replace(s, old, with, 1)
	}
}

// orNull returns s, null for "".
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

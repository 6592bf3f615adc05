package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"roshambo/chain"
)

// firstTime is the time of genesis, in Unix milliseconds.
const firstTime = 1_760_000_000_000

// house is a chain under construction: transactions in blocks, blocks in a log, and the key that signs
// the log's checkpoint.
type house struct {
	name   string
	key    ed25519.PrivateKey
	blocks []*block
	// header, which may be nil, tampers with a header before it is hashed.
	header func(*chain.Header)
}

// block is a block. seal sets its header.
type block struct {
	txs    []*postedTx
	header string // raw
}

// postedTx is a transaction of the house with its position; height is -1 outside any block.
type postedTx struct {
	raw           string
	hash          chain.Hash
	height, index int
}

// newHouse returns the house of all vectors, with an empty chain.
func newHouse() *house {
	return &house{name: "roshambo-vectors-1", key: keyOf("house")}
}

// digest returns 32 pseudorandom bytes that depend on the label alone. Every key, address, seed and
// salt of the vectors is a digest, so the labels must not change.
func digest(label string) [32]byte { return sha256.Sum256([]byte("roshambo/vectors/" + label)) }

// keyOf returns the signing key of a named party.
func keyOf(name string) ed25519.PrivateKey {
	seed := digest("key/" + name)
	return ed25519.NewKeyFromSeed(seed[:])
}

// addressOf returns the address of a named party.
func addressOf(name string) chain.Address {
	d := digest("address/" + name)
	return chain.Address(d[:20])
}

// post appends a transaction to the block at height, and to none when height is -1. change, which may
// be nil, tampers with the raw before it is hashed.
func (h *house) post(tx *chain.Tx, height int, change func(string) string) *postedTx {
	raw := string(tx.Raw())
	if change != nil {
		raw = change(raw)
	}
	p := &postedTx{raw: raw, hash: chain.HashTx([]byte(raw)), height: height}
	if height >= 0 {
		for len(h.blocks) <= height {
			h.blocks = append(h.blocks, &block{})
		}
		p.index = len(h.blocks[height].txs)
		h.blocks[height].txs = append(h.blocks[height].txs, p)
	}
	return p
}

// fill appends count unrelated transactions to the block at height, so that its tree has some depth.
// The block at height 0 has the genesis alone.
func (h *house) fill(height, count int) {
	// Replays refuse a block 0 with more than the genesis; these vectors are not replayed, but they
	// should look like the real chain.
	if height == 0 {
		h.post(&chain.Tx{Time: firstTime, Data: &chain.Genesis{Name: h.name, Rules: chain.Rules{
			BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, FaucetPause: 14_400_000, FreePerDay: 3, MarketFeeBPS: 250,
			StartingBalance: 1000,
			Tiers:           []chain.Tier{{Material: "Clay", Value: 96}, {Material: "Wood", Value: 192}},
		}}}, 0, nil)
		return
	}
	// Each transaction is a faucet of its own account, so that they are independent.
	for i := range count {
		stranger := addressOf(fmt.Sprintf("stranger/%d/%d", height, i))
		h.post(&chain.Tx{
			Actor: stranger, Nonce: int64(i + 1), Time: firstTime + int64(1000*height+i), Data: &chain.Faucet{},
			Transfers: []chain.Transfer{{To: stranger, Amount: 200}},
		}, height, nil)
	}
}

// txPlacer places the transactions of a proof among unrelated ones.
type txPlacer struct {
	names           []string // in their order within a block
	defaults, place map[string]int
	tx              map[string]func(*chain.Tx)
	raw             map[string]func(string) string
}

// sizes is the number of unrelated transactions in each block.
var sizes = []int{0, 4, 2, 5, 3, 0, 6, 1}

// post tampers with the transactions txs as p requires and posts them into their blocks. It returns
// them by name.
func (p *txPlacer) post(h *house, txs map[string]*chain.Tx) map[string]*postedTx {
	posts := map[string]*postedTx{}
	// A transaction is made when its block is.
	for name, height := range p.place {
		if txs[name] != nil && height >= 0 {
			txs[name].Time += 1000 * int64(height-p.defaults[name])
		}
	}
	for name, change := range p.tx {
		if txs[name] != nil {
			change(txs[name])
		}
	}
	put := func(height int) {
		for _, name := range p.names {
			if txs[name] != nil && p.at(name) == height {
				posts[name] = h.post(txs[name], height, p.raw[name])
			}
		}
	}
	// The proof's transactions follow the unrelated ones of their block.
	for height, size := range sizes {
		h.fill(height, size)
		put(height)
	}
	put(-1)
	return posts
}

// at returns the height for a transaction.
func (p *txPlacer) at(name string) int {
	if place, ok := p.place[name]; ok {
		return place
	}
	return p.defaults[name]
}

// seal sets the headers of all blocks, in order.
func (h *house) seal() {
	// Each header has the hash of the one before it, tampered or not.
	prev := chain.Hash{}
	for height, b := range h.blocks {
		header := chain.Header{
			Height: int64(height), Prev: prev, Time: firstTime + 1000*int64(height) + 999,
			TxCount: int64(len(b.txs)), MerkleRoot: treeHash(b.leaves()),
		}
		if h.header != nil {
			h.header(&header)
		}
		b.header = string(header.Raw())
		prev = chain.HashBlock([]byte(b.header))
	}
}

// leaves returns the leaves of the block's tree: the hashes of its transactions.
func (b *block) leaves() [][]byte {
	var leaves [][]byte
	for _, tx := range b.txs {
		leaves = append(leaves, tx.hash[:])
	}
	return leaves
}

// log returns the entries of the log, a header raw per block.
func (h *house) log() [][]byte {
	var entries [][]byte
	for _, b := range h.blocks {
		entries = append(entries, []byte(b.header))
	}
	return entries
}

// object is a JSON object of a proof. It is a map, so that a script can change any part of it.
type object = map[string]any

// anchored returns a transaction in the shape anchored, with its inclusion proofs.
func (h *house) anchored(p *postedTx) object {
	o := object{
		"raw": p.raw, "hash": p.hash.String(), "height": nil, "index": nil, "header": nil,
		"tx_proof": nil, "block_proof": nil,
	}
	if p.height >= 0 {
		b := h.blocks[p.height]
		o["height"], o["index"], o["header"] = p.height, p.index, b.header
		o["tx_proof"] = treePath(p.index, b.leaves())
		o["block_proof"] = treePath(p.height, h.log())
	}
	return o
}

// keptBefore returns the header of the block before the block of a transaction, null when it is in none.
func (h *house) keptBefore(p *postedTx) any {
	if p == nil || p.height < 1 {
		return nil
	}
	return h.blocks[p.height-1].header
}

// head returns the body of the checkpoint: origin, size and root.
func (h *house) head() string {
	root := treeHash(h.log())
	return fmt.Sprintf("%s\n%d\n%s\n", h.name, len(h.blocks), base64.StdEncoding.EncodeToString(root[:]))
}

// sign returns text as a signed note with one signature.
func sign(text, name string, key ed25519.PrivateKey) string {
	return text + "\n" + signatureLine(text, name, key)
}

// signatureLine returns the signature line of a note for text.
func signatureLine(text, name string, key ed25519.PrivateKey) string {
	id := keyID(name, key)
	return fmt.Sprintf("— %s %s\n", name,
		base64.StdEncoding.EncodeToString(append(id, ed25519.Sign(key, []byte(text))...)))
}

// verifierKey returns the verifier key of a log, name+id+base64.
func verifierKey(name string, key ed25519.PrivateKey) string {
	return fmt.Sprintf("%s+%s+%s", name, hex.EncodeToString(keyID(name, key)),
		base64.StdEncoding.EncodeToString(publicKey(key)))
}

// publicKey returns the algorithm byte 1, then the public key.
func publicKey(key ed25519.PrivateKey) []byte {
	return append([]byte{1}, key.Public().(ed25519.PublicKey)...)
}

// keyID returns the 4 bytes of the key id.
func keyID(name string, key ed25519.PrivateKey) []byte {
	sum := sha256.Sum256(append([]byte(name+"\n"), publicKey(key)...))
	return sum[:4]
}

// treeHash returns MTH of RFC 6962 section 2.1, by its recursive definition.
func treeHash(leaves [][]byte) chain.Hash {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, leaves[0]...))
	}
	k := split(len(leaves))
	left, right := treeHash(leaves[:k]), treeHash(leaves[k:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

// treePath returns PATH of RFC 6962 section 2.1.1 by its recursive definition, in hex.
func treePath(m int, leaves [][]byte) []string {
	if len(leaves) == 1 {
		return []string{}
	}
	k := split(len(leaves))
	if m < k {
		return append(treePath(m, leaves[:k]), treeHash(leaves[k:]).String())
	}
	return append(treePath(m-k, leaves[k:]), treeHash(leaves[:k]).String())
}

// split returns the largest power of two below n, for n >= 2.
func split(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"roshambo/chain"
)

// start of the chain, in Unix milliseconds.
const firstTime = 1_760_000_000_000

// house is a chain in the making: transactions, put into blocks, put into a log.
type house struct {
	name   string
	key    ed25519.PrivateKey
	blocks []*block
	// header changes the header of a block before it is hashed.
	header func(*chain.Header)
}

// block is a block whose header is made when the chain is sealed.
type block struct {
	txs    []*posted
	header string // raw
}

// posted is a transaction as the house wrote it. height is -1 while it waits.
type posted struct {
	raw           string
	hash          chain.Hash
	height, index int
}

func newHouse() *house {
	return &house{name: "roshambo-vectors-1", key: keyOf("house")}
}

// digest returns 32 bytes that look like chance and are always the same.
func digest(what string) [32]byte { return sha256.Sum256([]byte("roshambo/vectors/" + what)) }

func keyOf(whose string) ed25519.PrivateKey {
	seed := digest("key/" + whose)
	return ed25519.NewKeyFromSeed(seed[:])
}

func addressOf(whose string) chain.Address {
	d := digest("address/" + whose)
	return chain.Address(d[:20])
}

// post writes a transaction into a block; into none when height is -1. change,
// which may be nil, changes the raw before it is hashed.
func (h *house) post(tx *chain.Tx, height int, change func(string) string) *posted {
	raw := string(tx.Raw())
	if change != nil {
		raw = change(raw)
	}
	p := &posted{raw: raw, hash: chain.HashTx([]byte(raw)), height: height}
	if height >= 0 {
		for len(h.blocks) <= height {
			h.blocks = append(h.blocks, &block{})
		}
		p.index = len(h.blocks[height].txs)
		h.blocks[height].txs = append(h.blocks[height].txs, p)
	}
	return p
}

// fill posts transactions of strangers, so that the trees have some depth; the
// block at height 0 has the genesis alone.
func (h *house) fill(height, count int) {
	if height == 0 {
		h.post(&chain.Tx{Time: firstTime, Data: &chain.Genesis{Name: h.name, Rules: chain.Rules{
			BuybackBPS: 8000, EntryFee: 50, FaucetAmount: 200, MarketFeeBPS: 250, StartingBalance: 1000,
			Tiers: []chain.Tier{{Material: "Clay", Value: 96}, {Material: "Wood", Value: 192}},
		}}}, 0, nil)
		return
	}
	for i := range count {
		who := addressOf(fmt.Sprintf("stranger/%d/%d", height, i))
		h.post(&chain.Tx{
			Actor: who, Nonce: int64(i + 1), Time: firstTime + int64(1000*height+i), Data: &chain.Faucet{},
			Transfers: []chain.Transfer{{To: who, Amount: 200}},
		}, height, nil)
	}
}

// poster puts the transactions of a proof among those of strangers.
type poster struct {
	names        []string // in their order within one block
	usual, place map[string]int
	tx           map[string]func(*chain.Tx)
	raw          map[string]func(string) string
}

// sizes is how many strangers' transactions are in each block.
var sizes = []int{0, 4, 2, 5, 3, 0, 6, 1}

func (p *poster) post(h *house, txs map[string]*chain.Tx) map[string]*posted {
	posts := map[string]*posted{}
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
	for height, size := range sizes {
		h.fill(height, size)
		put(height)
	}
	put(-1)
	return posts
}

func (p *poster) at(name string) int {
	if place, ok := p.place[name]; ok {
		return place
	}
	return p.usual[name]
}

// seal makes the headers of all blocks.
func (h *house) seal() {
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

// leaves are the hashes of the block's transactions.
func (b *block) leaves() [][]byte {
	var leaves [][]byte
	for _, tx := range b.txs {
		leaves = append(leaves, tx.hash[:])
	}
	return leaves
}

// log is the entries of the log, one for each block.
func (h *house) log() [][]byte {
	var entries [][]byte
	for _, b := range h.blocks {
		entries = append(entries, []byte(b.header))
	}
	return entries
}

// object is a JSON object of a proof, open to any change.
type object = map[string]any

// anchored returns a transaction with its proofs, as a proof holds it.
func (h *house) anchored(p *posted) object {
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

// head is the text of a checkpoint, before it is signed.
func (h *house) head() string {
	root := treeHash(h.log())
	return fmt.Sprintf("%s\n%d\n%s\n", h.name, len(h.blocks), base64.StdEncoding.EncodeToString(root[:]))
}

// sign makes a signed note of a text.
func sign(text, name string, key ed25519.PrivateKey) string {
	return text + "\n" + signatureLine(text, name, key)
}

// signatureLine is one signature of a note.
func signatureLine(text, name string, key ed25519.PrivateKey) string {
	id := keyID(name, key)
	return fmt.Sprintf("— %s %s\n", name, base64.StdEncoding.EncodeToString(append(id, ed25519.Sign(key, []byte(text))...)))
}

// verifierKey is the public half of a key, as it is published.
func verifierKey(name string, key ed25519.PrivateKey) string {
	return fmt.Sprintf("%s+%s+%s", name, hex.EncodeToString(keyID(name, key)), base64.StdEncoding.EncodeToString(publicKey(key)))
}

// publicKey is 1 for Ed25519, then the key.
func publicKey(key ed25519.PrivateKey) []byte {
	return append([]byte{1}, key.Public().(ed25519.PublicKey)...)
}

func keyID(name string, key ed25519.PrivateKey) []byte {
	sum := sha256.Sum256(append([]byte(name+"\n"), publicKey(key)...))
	return sum[:4]
}

// treeHash is MTH of RFC 6962 section 2.1, written as it is defined there.
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

// treePath is PATH of RFC 6962 section 2.1.1, in hex.
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

// split is the largest power of two below n.
func split(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

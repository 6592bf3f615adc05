package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/chain/replay"
	"roshambo/contract"
	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
	"roshambo/internal/platform/limit"
	"roshambo/internal/server/stream"
	"roshambo/internal/store"
)

// The explorer reads the tables of the ledger, which the verification compares with the chain.
// Texts that are hashed (raw) are returned exactly as they were hashed, so that a caller can check
// every hash and signature without this service's help.

// chainOperations registers the explorer of the chain and its verification.
func (a *API) chainOperations() {
	op := func(id, path, summary string, errors ...string) contract.Operation {
		return contract.Operation{ID: id, Method: "GET", Path: path, Tag: "Chain", Summary: summary, Errors: may(errors...)}
	}
	// head reads the newest block, the counts around it and the checkpoint, in one snapshot.
	head := op("getHead", "/api/chain/head", "The newest block and the signed checkpoint")
	head.Description = "With `Prefer: wait=20` (RFC 7240, 30 seconds at most) the answer is delayed until there is a " +
		"new block."
	add(a, head, (*call).getHead)
	add(a, op("listBlocks", "/api/chain/blocks", "Blocks, the newest first", "bad_request"),
		(*call).listBlocks)
	add(a, op("getBlock", "/api/chain/blocks/{height}", "A block with its transactions", "not_found"),
		(*call).getBlock)
	add(a, op("getTx", "/api/chain/tx/{tx_hash}", "A transaction, sealed or pending", "not_found"),
		(*call).getTx)
	add(a, op("getAddress", "/api/chain/address/{address}", "An address: balance, tokens, history",
		"not_found", "bad_request"), (*call).getAddress)
	add(a, op("getToken", "/api/chain/token/{token_id}", "A token: owner, tier and all earlier owners",
		"not_found"), (*call).getToken)
	addStream(a, op("getTokenImage", "/api/chain/token/{token_id}/image.svg",
		"A token's picture, derived from its id", "not_found"),
		"image/svg+xml", (*call).getTokenImage)
	add(a, op("search", "/api/chain/search",
		"Find a block, transaction, address, token or player by its name or a prefix of it"), (*call).search)
	add(a, op("getChainStats", "/api/chain/stats", "Activity and coins in circulation over time",
		"bad_request"), (*call).chainStats)
	verify := op("verifyChain", "/api/chain/verify", "Recompute everything from genesis and compare it with the tables")
	verify.Description = fmt.Sprintf("Every block hash, Merkle root, transaction hash, balance, nonce, commitment and "+
		"owner, and every game. A pass begins at genesis and trusts no earlier result. Callers share the pass of the "+
		"last %d seconds, see verified_at; signed-in callers may ask for a fresh one. Private network addresses always "+
		"get a fresh one, unless the service limits them, too.", sharedVerification/time.Second)
	verify.Security, verify.Anonymous = anyScheme, true
	verify.Errors = append(verify.Errors, append(may("unauthenticated"), contract.ErrorDoc{Status: 429,
		Code: "rate_limited", When: "Too many fresh verifications from this network address; see retry_after_ms."})...)
	add(a, verify, (*call).verifyChain)
}

// Head is the newest block with the signed checkpoint.
type Head struct {
	Height       int64         `json:"height"`
	Hash         string        `json:"hash"`
	Time         Time          `json:"time"`
	Transactions int64         `json:"transactions" doc:"In all blocks."`
	Pending      int64         `json:"pending" doc:"Transactions without a block."`
	Origin       string        `json:"origin" doc:"The chain's name."`
	VerifierKey  string        `json:"verifier_key" doc:"Checks the checkpoint (c2sp.org/signed-note)."`
	Witnesses    WitnessPolicy `json:"witnesses" doc:"Whose cosignatures a reader should require."`
	Checkpoint   string        `json:"checkpoint" doc:"Signed note (c2sp.org/tlog-checkpoint)."`
}

// HeadOut is the answer to GET /api/chain/head.
type HeadOut struct {
	Head Head `json:"head"`
}

// headIn holds the height that a waiting caller knows.
type headIn struct {
	Height *int64 `query:"height" min:"0" max:"2147483647" doc:"The newest block that the caller knows: with Prefer: wait the answer is delayed while that is the newest. Default: the newest at arrival."`
}

// getHead reads the newest block and, with Prefer: wait, waits for the next.
func (a *call) getHead(ctx context.Context, in *headIn) (*HeadOut, error) {
	known := in.Height
	return longPoll(ctx, a, []string{event.Blocks}, func(ctx context.Context) (s stream.Poll[HeadOut], err error) {
		if s.Out, err = read(ctx, a, a.head); err != nil {
			return s, err
		}
		if known == nil {
			known = &s.Out.Head.Height
		}
		s.Changed = s.Out.Head.Height != *known
		return s, nil
	})
}

// head reads the newest block, and how many transactions wait for the next one.
func (a *API) head(ctx context.Context, tx *store.Tx) (*HeadOut, error) {
	h, err := a.Ledger.Head(ctx, tx)
	if err != nil {
		return nil, err
	}
	return &HeadOut{Head{
		Height: h.Block.Header.Height, Hash: h.Block.Hash.String(), Time: Time{timeOf(h.Block.Header.Time)},
		Transactions: h.Transactions, Pending: h.Pending, Origin: a.Ledger.Origin(),
		VerifierKey: a.Ledger.VerifierKey(), Checkpoint: h.Checkpoint, Witnesses: a.Witnesses,
	}}, nil
}

// BlockHeader is a block without its transactions.
type BlockHeader struct {
	Height     int64  `json:"height"`
	Hash       string `json:"hash"`
	Raw        string `json:"raw" doc:"The text that is hashed."`
	Prev       string `json:"prev"`
	MerkleRoot string `json:"merkle_root"`
	TxCount    int64  `json:"tx_count"`
	Time       Time   `json:"time"`
}

// wireHeader returns the wire form of a block's header.
func wireHeader(b ledger.Block) BlockHeader {
	h := b.Header
	return BlockHeader{Height: h.Height, Hash: b.Hash.String(), Raw: string(b.Raw), Prev: h.Prev.String(),
		MerkleRoot: h.MerkleRoot.String(), TxCount: h.TxCount, Time: Time{timeOf(h.Time)}}
}

// listBlocksIn selects a page of blocks.
type listBlocksIn struct {
	Before *int64  `query:"before" min:"0" max:"2147483647" doc:"Blocks below this height."`
	Limit  int64   `query:"limit" default:"20" min:"1" max:"100"`
	Cursor *string `query:"cursor" doc:"The next of the page before."`
}

// BlocksOut is a page of blocks.
type BlocksOut struct {
	Blocks []BlockHeader `json:"blocks"`
	Next   *string       `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// listBlocks reads a page of block headers, the newest first, from the lower of cursor and before.
func (a *call) listBlocks(ctx context.Context, in *listBlocksIn) (*BlocksOut, error) {
	before, err := parseCursor(in.Cursor, cursorBlocks)
	if err != nil {
		return nil, err
	}
	if in.Before != nil {
		before = min(before, *in.Before)
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*BlocksOut, error) {
		list, err := a.Ledger.Blocks(ctx, tx, before, in.Limit)
		if err != nil {
			return nil, err
		}
		out := &BlocksOut{Blocks: mapped(list, wireHeader)}
		if n := len(list); n > 0 && list[n-1].Header.Height > 0 {
			out.Next = cursor(cursorBlocks, list[n-1].Header.Height)
		}
		return out, nil
	})
}

// heightIn names a block.
type heightIn struct {
	Height int64 `path:"height" min:"0" max:"2147483647"`
}

// Block is a block with its transactions.
type Block struct {
	BlockHeader
	Transactions []Transaction `json:"transactions"`
}

// BlockOut is the answer to GET /api/chain/blocks/{height}.
type BlockOut struct {
	Block Block `json:"block"`
}

// getBlock reads a block with all its transactions.
func (a *call) getBlock(ctx context.Context, in *heightIn) (*BlockOut, error) {
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*BlockOut, error) {
		b, err := a.Ledger.Block(ctx, tx, in.Height)
		if err != nil {
			return nil, err
		}
		list, err := a.Ledger.Txs(ctx, tx, b)
		if err != nil {
			return nil, err
		}
		return &BlockOut{Block{wireHeader(b), mapped(list, a.wireTx)}}, nil
	})
}

// txIn names a transaction.
type txIn struct {
	TxHash string `path:"tx_hash"`
}

// TxOut is the answer to GET /api/chain/tx/{tx_hash}.
type TxOut struct {
	Transaction Transaction `json:"transaction"`
}

// getTx reads a transaction. A malformed hash is ledger.ErrNotFound, as an unknown one is.
func (a *call) getTx(ctx context.Context, in *txIn) (*TxOut, error) {
	hash, err := chain.ParseHash(in.TxHash)
	if err != nil {
		return nil, ledger.ErrNotFound
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*TxOut, error) {
		r, err := a.Ledger.Tx(ctx, tx, hash)
		if err != nil {
			return nil, err
		}
		return &TxOut{a.wireTx(r)}, nil
	})
}

// addressIn names an address and a page of its transactions.
type addressIn struct {
	Address string  `path:"address"`
	Limit   int64   `query:"limit" default:"20" min:"1" max:"100" doc:"Transactions on a page."`
	Cursor  *string `query:"cursor" doc:"The next of the page before."`
}

// AddressState is the state of an address on the chain.
type AddressState struct {
	Address      string  `json:"address"`
	ShortAddress string  `json:"short_address"`
	Kind         string  `json:"kind" known:"guest,account,bot,escrow"`
	Balance      int64   `json:"balance"`
	Bound        int64   `json:"bound" doc:"The bound part of balance."`
	Nonce        int64   `json:"nonce" doc:"Of its next transaction: the number of transactions so far."`
	Commitment   *string `json:"commitment" doc:"Of its next house run."`
	Tokens       []Token `json:"tokens" doc:"The first 200."`
}

// AddressOut is the answer to GET /api/chain/address/{address}.
type AddressOut struct {
	Address      AddressState  `json:"address"`
	Transactions []Transaction `json:"transactions" doc:"The newest first."`
	Next         *string       `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// maxTokensShown bounds the tokens of an address in one answer.
const maxTokensShown = 200

// getAddress reads the state of an address and a page of its transactions in one snapshot.
func (a *call) getAddress(ctx context.Context, in *addressIn) (*AddressOut, error) {
	address, err := chain.ParseAddress(in.Address)
	if err != nil {
		return nil, ledger.ErrNotFound
	}
	name := listOf(cursorAddress, address)
	before, err := parseCursor(in.Cursor, name)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*AddressOut, error) {
		state, _, err := a.Ledger.Account(ctx, tx, address)
		if err != nil {
			return nil, err
		}
		tokens, err := a.Ledger.TokensOf(ctx, tx, address, -1, maxTokensShown)
		if err != nil {
			return nil, err
		}
		history, err := a.Ledger.History(ctx, tx, address, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &AddressOut{Address: a.wireAddress(address, state, tokens)}
		out.Transactions, out.Next = paged(history, in.Limit, a.wireTx, func(r ledger.Record) *string {
			return cursor(name, r.Pos)
		})
		return out, nil
	})
}

// wireAddress returns the wire form of an address. An address without an account is an escrow.
func (a *API) wireAddress(address chain.Address, state chain.Account, tokens []ledger.OwnedToken) AddressState {
	out := AddressState{
		Address: address.String(), ShortAddress: address.Short(), Kind: string(state.Kind),
		Balance: state.Balance, Bound: state.Bound, Nonce: state.Nonce,
		Commitment: optional(given(state.Commitment), chain.Hash.String),
		Tokens: mapped(tokens, func(t ledger.OwnedToken) Token {
			return wireToken(a.Ledger.Rules(), t.ID, t.Tier, t.Bound)
		}),
	}
	if state.Kind == "" {
		out.Kind = "escrow"
	}
	return out
}

// VerifyOut is the answer to GET /api/chain/verify.
type VerifyOut struct {
	Valid        bool        `json:"valid"`
	Height       int64       `json:"height"`
	Blocks       int64       `json:"blocks"`
	Transactions int64       `json:"transactions" doc:"In blocks."`
	Addresses    int64       `json:"addresses"`
	Tokens       int64       `json:"tokens" doc:"Tokens that exist."`
	Checkpoint   string      `json:"checkpoint" doc:"Of the state that was verified."`
	Problems     []Problem   `json:"problems" doc:"The first 20."`
	Record       HouseRecord `json:"record" doc:"Totals over all games: the record of the house."`
	TookMS       int64       `json:"took_ms"`
	VerifiedAt   Time        `json:"verified_at" doc:"When the pass began. Callers share passes of the last 60 seconds."`
}

// Problem is a difference that the verification found.
type Problem struct {
	Height   *int64  `json:"height" doc:"Null where no block is concerned."`
	Hash     *string `json:"hash" doc:"Of a block or transaction; null where none is concerned."`
	What     string  `json:"what"`
	Expected string  `json:"expected"`
	Found    string  `json:"found"`
}

// verifyIn asks for a verification.
type verifyIn struct {
	Fresh bool `query:"fresh" default:"false" doc:"Begin a new pass: for callers who are signed in, within chain_verification of GET /api/limits."`
}

// sharedVerification is how old a result may be that callers share.
const sharedVerification = time.Minute

// verificationAge returns how old the result for the caller may be. Callers whose network address
// has no limit always get a fresh one. Errors: errUnauthenticated, *RateLimitError.
func (a *call) verificationAge(ctx context.Context, fresh bool) (time.Duration, error) {
	address := a.w.Client.Charged
	if a.VerifyLimit == nil || a.VerifyLimit.ExemptsPrivate() && limit.Private(address) {
		return 0, nil
	}
	if !fresh {
		return sharedVerification, nil
	}
	if a.caller == nil {
		return 0, errUnauthenticated
	}
	if d := a.VerifyLimit.Take(ctx, "", address); !d.OK {
		return 0, &RateLimitError{Wait: d.Wait, Message: "Too many verifications from this network address."}
	}
	return 0, nil
}

// verifyChain verifies the whole chain. It may take long, so it ends early when the service is
// about to stop; the caller can repeat it.
func (a *call) verifyChain(ctx context.Context, in *verifyIn) (*VerifyOut, error) {
	age, err := a.verificationAge(ctx, in.Fresh)
	if err != nil {
		return nil, err
	}
	ctx, stop := a.Streams.UntilDrain(ctx)
	defer stop()
	v, err := a.Auditor.VerifyWithin(ctx, age)
	if errors.Is(context.Cause(ctx), store.ErrClosed) {
		return nil, store.ErrClosed
	}
	if err != nil {
		return nil, err
	}
	return &VerifyOut{
		Valid: v.Valid(), Height: v.Height, Blocks: v.Blocks, Transactions: v.Transactions, Addresses: v.Addresses,
		Tokens: v.Tokens, Checkpoint: v.Checkpoint, TookMS: v.Took.Milliseconds(), Record: wireHouseRecord(&v.Record),
		VerifiedAt: Time{v.At},
		Problems: mapped(v.Problems, func(p replay.Problem) Problem {
			w := Problem{What: p.What, Expected: p.Expected, Found: p.Found, Hash: given(p.Hash)}
			if p.Height >= 0 {
				w.Height = &p.Height
			}
			return w
		}),
	}, nil
}

// BlockEvent reports a sealed block.
type BlockEvent struct {
	Height  int64  `json:"height"`
	Hash    string `json:"hash"`
	TxCount int64  `json:"tx_count"`
	Time    Time   `json:"time"`
}

// NewBlockEvent returns the event that reports b.
func NewBlockEvent(b ledger.Block) BlockEvent {
	return BlockEvent{Height: b.Header.Height, Hash: b.Hash.String(), TxCount: b.Header.TxCount,
		Time: Time{timeOf(b.Header.Time)}}
}

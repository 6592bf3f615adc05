package chain

import (
	"roshambo/canon"
)

// Kind is the kind of a transaction.
type Kind string

// The kinds.
const (
	KindGenesis       Kind = "genesis"
	KindRules         Kind = "rules"
	KindAccountCreate Kind = "account.create"
	KindFaucet        Kind = "faucet"
	KindRunStart      Kind = "run.start"
	KindRunEnd        Kind = "run.end"
	KindDuelStake     Kind = "duel.stake"
	KindDuelSettle    Kind = "duel.settle"
	KindMarketSale    Kind = "market.sale"
	KindBuyback       Kind = "buyback"
	KindSeasonClose   Kind = "season.close"
)

// Data is what a transaction says beside its transfers: one of the types below,
// which also decides the kind.
type Data interface {
	Kind() Kind
	// appendRaw appends the data member in canonical form.
	appendRaw(b []byte) []byte
	// effects checks the transaction against the rules in force and adds what
	// it does to accounts, tokens and games.
	effects(b *builder)
}

// Genesis begins a chain: its name and its first rules. It is the only
// transaction of block 0.
type Genesis struct {
	Name  string // unique, without spaces; also the origin of the log
	Rules Rules
}

// RulesChange puts other rules in force from this transaction on.
type RulesChange struct {
	Number int64 // one more than that of the rules before; those of genesis are 0
	Rules  Rules
}

// AccountCreate opens the actor's account. Its nonce is 0.
type AccountCreate struct {
	Commitment  Hash // of the account's first run
	AccountKind AccountKind
}

// Faucet gives the actor a few coins.
type Faucet struct{}

// RunStart begins a house run.
type RunStart struct {
	ClientSeed     string // at most 64 characters, "" when the player gave none
	Commitment     Hash   // the actor's outstanding one, used up by this
	Entry          Entry
	FirstTier      int64 // the burnt token's tier, otherwise 0
	NextCommitment Hash  // of the run after this one
	RunID          string
}

// RunEnd ends a house run.
type RunEnd struct {
	Cleared        int64 // the tier reached
	RunID          string
	Status         RunStatus
	Throws         int64
	TranscriptHash Hash
}

// DuelStake moves the actor's stake into the duel's escrow.
type DuelStake struct{ DuelID string }

// DuelSettle ends a duel that was staked or rated. B is none when nobody joined.
type DuelSettle struct {
	A, B           Address
	DuelID         string
	Rated          bool
	TranscriptHash Hash
	Winner         string // "a", "b" or "" for a draw
}

// MarketSale is a sale; the actor is the buyer.
type MarketSale struct{ ListingID int64 }

// Buyback is a token sold to the house; the actor is the seller.
type Buyback struct{ OfferID int64 }

// SeasonClose pins a season's final table.
type SeasonClose struct {
	Season    int64
	TableHash Hash
}

// AccountKind says what an account is.
type AccountKind string

// The kinds of account.
const (
	Guest AccountKind = "guest"
	Full  AccountKind = "account"
	Bot   AccountKind = "bot"
)

// Entry is how a run was paid for.
type Entry string

// The entries.
const (
	EntryFee   Entry = "fee"
	EntryFree  Entry = "free"
	EntryBurn  Entry = "burn"
	EntryDaily Entry = "daily"
)

// RunStatus is how a run ended.
type RunStatus string

// The ends of a run.
const (
	RunClaimed   RunStatus = "claimed"
	RunLost      RunStatus = "lost"
	RunAbandoned RunStatus = "abandoned"
)

// Kind returns the kind of transaction that carries the data.
func (*Genesis) Kind() Kind       { return KindGenesis }
func (*RulesChange) Kind() Kind   { return KindRules }         //nolint:revive // one line says it for all
func (*AccountCreate) Kind() Kind { return KindAccountCreate } //nolint:revive // see Genesis
func (*Faucet) Kind() Kind        { return KindFaucet }        //nolint:revive // see Genesis
func (*RunStart) Kind() Kind      { return KindRunStart }      //nolint:revive // see Genesis
func (*RunEnd) Kind() Kind        { return KindRunEnd }        //nolint:revive // see Genesis
func (*DuelStake) Kind() Kind     { return KindDuelStake }     //nolint:revive // see Genesis
func (*DuelSettle) Kind() Kind    { return KindDuelSettle }    //nolint:revive // see Genesis
func (*MarketSale) Kind() Kind    { return KindMarketSale }    //nolint:revive // see Genesis
func (*Buyback) Kind() Kind       { return KindBuyback }       //nolint:revive // see Genesis
func (*SeasonClose) Kind() Kind   { return KindSeasonClose }   //nolint:revive // see Genesis

// readData reads the data member. Its first member tells the kind, because no
// two kinds start alike; ParseTx then holds the kind member to it.
func readData(r *canon.Reader) Data {
	switch {
	case r.Try(`{}`):
		return &Faucet{}
	case r.Try(`{"client_seed":`):
		return readRunStart(r)
	case r.Try(`{"cleared":`):
		return readRunEnd(r)
	case r.Try(`{"commitment":`):
		return readAccountCreate(r)
	case r.Try(`{"duel_id":`):
		return readSingle(r, &DuelStake{}, func(d *DuelStake) { d.DuelID = r.String() })
	case r.Try(`{"a":`):
		return readDuelSettle(r)
	case r.Try(`{"listing_id":`):
		return readSingle(r, &MarketSale{}, func(d *MarketSale) { d.ListingID = readCount(r) })
	case r.Try(`{"offer_id":`):
		return readSingle(r, &Buyback{}, func(d *Buyback) { d.OfferID = readCount(r) })
	case r.Try(`{"season":`):
		return readSeasonClose(r)
	case r.Try(`{"name":`):
		return readGenesis(r)
	case r.Try(`{"number":`):
		return readRulesChange(r)
	}
	r.Fail("data of no known kind")
	return nil
}

// readSingle reads data of one member.
func readSingle[D any](r *canon.Reader, d D, member func(D)) D {
	member(d)
	r.Literal(`}`)
	return d
}

func (d *AccountCreate) appendRaw(b []byte) []byte {
	b = appendHash(append(b, `{"commitment":`...), d.Commitment)
	b = canon.AppendString(append(b, `,"kind":`...), string(d.AccountKind))
	return append(b, '}')
}

func readAccountCreate(r *canon.Reader) Data {
	d := &AccountCreate{Commitment: readHash(r)}
	r.Literal(`,"kind":`)
	d.AccountKind = readWord(r, Guest, Full, Bot)
	r.Literal(`}`)
	return d
}

func (*Faucet) appendRaw(b []byte) []byte { return append(b, "{}"...) }

func (d *RunStart) appendRaw(b []byte) []byte {
	b = canon.AppendString(append(b, `{"client_seed":`...), d.ClientSeed)
	b = appendHash(append(b, `,"commitment":`...), d.Commitment)
	b = canon.AppendString(append(b, `,"entry":`...), string(d.Entry))
	b = canon.AppendInt(append(b, `,"first_tier":`...), d.FirstTier)
	b = appendHash(append(b, `,"next_commitment":`...), d.NextCommitment)
	b = canon.AppendString(append(b, `,"run_id":`...), d.RunID)
	return append(b, '}')
}

func readRunStart(r *canon.Reader) Data {
	d := &RunStart{ClientSeed: r.String()}
	r.Literal(`,"commitment":`)
	d.Commitment = readHash(r)
	r.Literal(`,"entry":`)
	d.Entry = readWord(r, EntryFee, EntryFree, EntryBurn, EntryDaily)
	r.Literal(`,"first_tier":`)
	d.FirstTier = readCount(r)
	r.Literal(`,"next_commitment":`)
	d.NextCommitment = readHash(r)
	r.Literal(`,"run_id":`)
	d.RunID = r.String()
	r.Literal(`}`)
	return d
}

func (d *RunEnd) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"cleared":`...), d.Cleared)
	b = canon.AppendString(append(b, `,"run_id":`...), d.RunID)
	b = canon.AppendString(append(b, `,"status":`...), string(d.Status))
	b = canon.AppendInt(append(b, `,"throws":`...), d.Throws)
	b = appendHash(append(b, `,"transcript_hash":`...), d.TranscriptHash)
	return append(b, '}')
}

func readRunEnd(r *canon.Reader) Data {
	d := &RunEnd{Cleared: readCount(r)}
	r.Literal(`,"run_id":`)
	d.RunID = r.String()
	r.Literal(`,"status":`)
	d.Status = readWord(r, RunClaimed, RunLost, RunAbandoned)
	r.Literal(`,"throws":`)
	d.Throws = readCount(r)
	r.Literal(`,"transcript_hash":`)
	d.TranscriptHash = readHash(r)
	r.Literal(`}`)
	return d
}

func (d *DuelStake) appendRaw(b []byte) []byte {
	return append(canon.AppendString(append(b, `{"duel_id":`...), d.DuelID), '}')
}

func (d *DuelSettle) appendRaw(b []byte) []byte {
	b = appendAddress(append(b, `{"a":`...), d.A)
	b = appendAddress(append(b, `,"b":`...), d.B)
	b = canon.AppendString(append(b, `,"duel_id":`...), d.DuelID)
	b = append(b, `,"rated":false`...)
	if d.Rated {
		b = append(b[:len(b)-len("false")], "true"...)
	}
	b = appendHash(append(b, `,"transcript_hash":`...), d.TranscriptHash)
	b = append(b, `,"winner":`...)
	if d.Winner == "" {
		return append(b, "null}"...)
	}
	return append(canon.AppendString(b, d.Winner), '}')
}

func readDuelSettle(r *canon.Reader) Data {
	d := &DuelSettle{A: readAddress(r)}
	r.Literal(`,"b":`)
	d.B = readOptionalAddress(r)
	r.Literal(`,"duel_id":`)
	d.DuelID = r.String()
	r.Literal(`,"rated":`)
	d.Rated = r.Bool()
	r.Literal(`,"transcript_hash":`)
	d.TranscriptHash = readHash(r)
	r.Literal(`,"winner":`)
	if !r.Try("null") {
		d.Winner = readWord(r, "a", "b")
	}
	r.Literal(`}`)
	return d
}

func (d *MarketSale) appendRaw(b []byte) []byte {
	return append(canon.AppendInt(append(b, `{"listing_id":`...), d.ListingID), '}')
}

func (d *Buyback) appendRaw(b []byte) []byte {
	return append(canon.AppendInt(append(b, `{"offer_id":`...), d.OfferID), '}')
}

func (d *SeasonClose) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"season":`...), d.Season)
	return append(appendHash(append(b, `,"table_hash":`...), d.TableHash), '}')
}

func readSeasonClose(r *canon.Reader) Data {
	d := &SeasonClose{Season: readCount(r)}
	r.Literal(`,"table_hash":`)
	d.TableHash = readHash(r)
	r.Literal(`}`)
	return d
}

// readWord reads a string that must be one of the words.
func readWord[S ~string](r *canon.Reader, words ...S) S {
	s := r.Bytes()
	if r.Err() != nil {
		return ""
	}
	for _, w := range words {
		if string(s) == string(w) {
			return w
		}
	}
	r.Fail("a word that may not stand here")
	return ""
}

package chain

import "roshambo/canon"

// Kind is the kind of a transaction, in the form of the member kind.
type Kind string

// The kinds, in the order of the table in section 2 of docs/protocol.md. The package comment
// says what each does.
const (
	KindGenesis       Kind = "genesis"
	KindRules         Kind = "rules"
	KindRulesBegin    Kind = "rules.begin"
	KindAccountCreate Kind = "account.create"
	KindAccountSecure Kind = "account.secure"
	KindFaucet        Kind = "faucet"
	KindRecovery      Kind = "recovery"
	KindRotate        Kind = "commitment.rotate"
	KindRunStart      Kind = "run.start"
	KindRunEnd        Kind = "run.end"
	KindDuelStake     Kind = "duel.stake"
	KindDuelSettle    Kind = "duel.settle"
	KindMarketSale    Kind = "market.sale"
	KindBuyback       Kind = "buyback"
	KindSeasonClose   Kind = "season.close"
	KindCupClose      Kind = "cup.close"
	KindResultVoid    Kind = "result.void"
	KindResultRestore Kind = "result.restore"
)

// Data is the part of a transaction that depends on its kind: one of the pointer types below.
// The type determines the kind. The fields of each type are in the canonical order of the
// members.
type Data interface {
	Kind() Kind
	document // the value of the member data
	// effects checks the transaction against the rules in force and adds its effects on
	// accounts, tokens and games.
	effects(b *builder)
}

// Genesis begins a chain with its name and first rules. It is the only transaction of
// block 0. It has no transfers.
//
//	{"name":text,"rules":rules}
type Genesis struct {
	Name  string // 1 to 64 printable ASCII characters, no space or plus; also the log's origin
	Rules Rules
}

// RulesChange announces rules. It has no transfers; InForce says when they can begin.
//
//	{"number":n,"rules":rules}
type RulesChange struct {
	Number int64 // one more than the number of the previous rules; genesis has number 0
	Rules  Rules
}

// RulesBegin puts the announced rules into force, for every transaction behind it. It has no transfers.
//
//	{"number":n}
type RulesBegin struct {
	Number int64 // of the rules announced last, which wait
}

// AccountCreate opens the actor's account; its nonce is 0. One transfer creates the starting
// balance, none when that is 0. An account of kind "account" has a password or a mailbox from the
// beginning: it counts as secured at the time of the transaction.
//
//	{"bound":bool,"commitment":hash,"kind":"guest"|"account"|"bot"}
type AccountCreate struct {
	Bound       bool // the start is bound: the starting balance, and free wins until secured
	Commitment  Hash // of the account's first run
	AccountKind AccountKind
}

// AccountSecure records that the actor, a guest, has a password or a verified mailbox now. It
// names neither. It has no transfers, and an account has one at most.
//
//	{"secured":true}
type AccountSecure struct{}

// Faucet credits the actor with coins, which are bound. One transfer creates the faucet's amount.
// Its data is the empty object. The rules set the pause between two of an account.
type Faucet struct{}

// Recovery declares that the house continues from an older state of its database, a backup for
// example: players may know seeds that this state has not revealed. Its consequences follow before
// anything else: every open run ends, claimed or void, and every active staked duel is settled void.
// It has no transfers.
//
//	{"lost":{"root":hash,"size":n}|null,"reason_hash":hash,"recovery":n}
type Recovery struct {
	Lost       LostTree // the newest tree that the house signed and this chain abandons from here on
	ReasonHash Hash     // HashText of the published reason
	Number     int64    // one more than the number of the previous recovery; the first has number 1
}

// LostTree is a signed tree of the log that a chain does not contain, of at least as many blocks as come before
// the recovery's own. The zero value is null: the house knows of no such tree. A house that names none has no excuse
// for a receipt that the chain contradicts, so an honest one names the newest tree that it finds (its own record, or a
// witness's).
type LostTree struct {
	Root Hash
	Size int64 // in blocks, at least 1
}

// Rotate replaces the actor's outstanding commitment after a recovery. It has no transfers.
//
//	{"commitment":hash,"next_commitment":hash}
type Rotate struct {
	Commitment     Hash // the outstanding one, which no run will use
	NextCommitment Hash // of the account's next run
}

// RunStart starts a run against the house. One transfer destroys the entry fee or the burnt
// token; the entries free and daily have no transfer.
//
//	{"bound":bool,"client_seed_hash":hash,"commitment":hash,"entry":"fee"|"free"|"burn"|"daily",
//	 "first_tier":n,"next_commitment":hash,"run_id":text}
type RunStart struct {
	Bound          bool // the run wins a bound token; see Account.Apply
	ClientSeedHash Hash // HashText of the player's text, "" when none was given
	Commitment     Hash // the actor's outstanding one, which this run uses up
	Entry          Entry
	FirstTier      int64  // the burnt token's tier, otherwise 0
	NextCommitment Hash   // of the account's next run
	RunID          string // unique, 1 to 64 bytes
}

// RunEnd ends a run against the house. When it is claimed, one transfer creates a token of
// tier Cleared for the actor. When it is void, one transfer gives back the fee or a token of the burnt
// one's tier. Otherwise there is no transfer.
//
//	{"bound":bool,"cleared":n,"run_id":text,"status":"claimed"|"lost"|"abandoned"|"void","throws":n,
//	 "transcript_hash":hash}
type RunEnd struct {
	Bound          bool  // as at the start of the run; the token that it creates is bound
	Cleared        int64 // the tier reached, first tier plus wins
	RunID          string
	Status         RunStatus
	Throws         int64 // 0 to MaxThrows; ties count
	TranscriptHash Hash  // see HashTranscript
}

// DuelStake moves the actor's stake into the duel's escrow, by one transfer. Each side stakes
// once, the same amount.
//
//	{"duel_id":text}
type DuelStake struct{ DuelID string }

// DuelSettle ends a duel. Every finished duel has one, so its sides, its winner and its transcript
// are on the chain; a duel without an opponent has one if it was staked. The transfers pay the
// escrow to the winner, or each stake back; a duel without a stake has none.
//
//	{"a":address,"b":address|null,"duel_id":text,"rated":bool,"status":"finished"|"void",
//	 "transcript_hash":hash,"winner":"a"|"b"|null}
type DuelSettle struct {
	A, B           Address // B is null when no opponent joined
	DuelID         string
	Rated          bool   // the result changes the players' ratings
	Void           bool   // the duel was active at a recovery: no winner, not rated, both stakes go back
	TranscriptHash Hash   // see DuelTranscript
	Winner         string // "a", "b", or "" without a winner
}

// MarketSale sells a token; the actor is the buyer. Its transfers are the price less the fee
// to the seller, the fee destroyed, and the token to the buyer. Transfers of 0 coins are left
// out.
//
//	{"listing_id":n}
type MarketSale struct{ ListingID int64 } // each id once

// Buyback sells a token to the house; the actor is the seller. Its transfers destroy the
// token and create the price, which is left out when it is 0.
//
//	{"bound":bool,"offer_id":n}
type Buyback struct {
	Bound   bool  // the token is bound, and so is the price
	OfferID int64 // each id once
}

// SeasonClose pins a season's final table by its hash. It has no transfers.
//
//	{"season":n,"table_hash":hash}
type SeasonClose struct {
	Season    int64 // the season's number
	TableHash Hash  // section 2 of docs/protocol.md gives the table's raw
}

// CupClose pins a cup's final table by its hash. It has no transfers.
//
//	{"cup":n,"table_hash":hash}
type CupClose struct {
	Cup       int64 // the cup's number
	TableHash Hash  // docs/cups.md gives the table's raw
}

// ResultVoid declares the result of a rated duel, or of a daily run, void: an operator has found that
// it was not played fairly. It changes no coin and no token, and it is posted once for a game. Ratings
// and boards follow from it. It has no transfers.
//
//	{"game":text,"reason_hash":hash}
type ResultVoid struct {
	Game       string // RunGameID or DuelGameID of the game, which the chain must have
	ReasonHash Hash   // HashText of the public reason
}

// ResultRestore takes a ResultVoid back: the result counts again. It is posted once for a game, before the
// season.close that follows the ResultVoid; a game whose result was restored is not declared void again.
// It has no transfers.
//
//	{"game":text,"reason_hash":hash,"restored":true}
type ResultRestore struct {
	Game       string // as in the ResultVoid
	ReasonHash Hash   // HashText of the public reason
}

// AccountKind is the kind of an account.
type AccountKind string

// The kinds of account.
const (
	Guest AccountKind = "guest"
	Full  AccountKind = "account"
	Bot   AccountKind = "bot"
)

// Entry is the payment for a run.
type Entry string

// The entries. An account has Rules.FreePerDay free ones and one daily one in a UTC day.
const (
	EntryFee   Entry = "fee"   // coins destroyed
	EntryFree  Entry = "free"  // nothing
	EntryBurn  Entry = "burn"  // a token destroyed, whose tier is the first tier
	EntryDaily Entry = "daily" // nothing
)

// RunStatus is the status of a run that has ended.
type RunStatus string

// The statuses of a run that has ended. Only a claimed one creates a token.
const (
	RunClaimed   RunStatus = "claimed"
	RunLost      RunStatus = "lost"
	RunAbandoned RunStatus = "abandoned" // given up, or 256 throws without a win
	RunVoid      RunStatus = "void"      // in play at a recovery
)

// Kind returns the kind of transaction that carries the data.
func (*Genesis) Kind() Kind       { return KindGenesis }
func (*RulesChange) Kind() Kind   { return KindRules }         //nolint:revive // see Genesis
func (*RulesBegin) Kind() Kind    { return KindRulesBegin }    //nolint:revive // see Genesis
func (*AccountCreate) Kind() Kind { return KindAccountCreate } //nolint:revive // see Genesis
func (*AccountSecure) Kind() Kind { return KindAccountSecure } //nolint:revive // see Genesis
func (*Faucet) Kind() Kind        { return KindFaucet }        //nolint:revive // see Genesis
func (*Recovery) Kind() Kind      { return KindRecovery }      //nolint:revive // see Genesis
func (*Rotate) Kind() Kind        { return KindRotate }        //nolint:revive // see Genesis
func (*RunStart) Kind() Kind      { return KindRunStart }      //nolint:revive // see Genesis
func (*RunEnd) Kind() Kind        { return KindRunEnd }        //nolint:revive // see Genesis
func (*DuelStake) Kind() Kind     { return KindDuelStake }     //nolint:revive // see Genesis
func (*DuelSettle) Kind() Kind    { return KindDuelSettle }    //nolint:revive // see Genesis
func (*MarketSale) Kind() Kind    { return KindMarketSale }    //nolint:revive // see Genesis
func (*Buyback) Kind() Kind       { return KindBuyback }       //nolint:revive // see Genesis
func (*SeasonClose) Kind() Kind   { return KindSeasonClose }   //nolint:revive // see Genesis
func (*CupClose) Kind() Kind      { return KindCupClose }      //nolint:revive // see Genesis
func (*ResultVoid) Kind() Kind    { return KindResultVoid }    //nolint:revive // see Genesis
func (*ResultRestore) Kind() Kind { return KindResultRestore } //nolint:revive // see Genesis

// dataAhead returns zero data of the kind whose members come next, without reading them. The first members
// identify the kind, because no two kinds begin with the same ones; Tx.members then requires the member kind
// to agree. Otherwise it returns nil, and reading fails.
func dataAhead(in *canon.Reader) Data {
	switch ahead := *in; {
	case ahead.Try(`{}`):
		return &Faucet{}
	case ahead.Try(`{"secured":`):
		return &AccountSecure{}
	case ahead.Try(`{"bound":`):
		return boundAhead(in, ahead)
	case ahead.Try(`{"lost":`):
		return &Recovery{}
	case ahead.Try(`{"commitment":`):
		return &Rotate{}
	case ahead.Try(`{"duel_id":`):
		return &DuelStake{}
	case ahead.Try(`{"a":`):
		return &DuelSettle{}
	case ahead.Try(`{"listing_id":`):
		return &MarketSale{}
	case ahead.Try(`{"season":`):
		return &SeasonClose{}
	case ahead.Try(`{"cup":`):
		return &CupClose{}
	case ahead.Try(`{"name":`):
		return &Genesis{}
	case ahead.Try(`{"game":`):
		ahead.Bytes()
		ahead.Literal(`,"reason_hash":`)
		ahead.Bytes()
		if ahead.Try(`,"restored":`) {
			return &ResultRestore{}
		}
		return &ResultVoid{}
	case ahead.Try(`{"number":`):
		ahead.Int()
		if ahead.Try(`}`) {
			return &RulesBegin{}
		}
		return &RulesChange{}
	}
	in.Fail("data of no known kind")
	return nil
}

// boundAhead is dataAhead for data whose first member is bound; ahead stands at its value.
func boundAhead(in *canon.Reader, ahead canon.Reader) Data {
	ahead.Bool()
	switch {
	case ahead.Try(`,"client_seed_hash":`):
		return &RunStart{}
	case ahead.Try(`,"cleared":`):
		return &RunEnd{}
	case ahead.Try(`,"commitment":`):
		return &AccountCreate{}
	case ahead.Try(`,"offer_id":`):
		return &Buyback{}
	}
	*in = ahead
	in.Fail("data of no known kind")
	return nil
}

func (d *AccountCreate) members(f *form) {
	f.bool(`{"bound":`, &d.Bound)
	f.hash(`,"commitment":`, &d.Commitment)
	word(f, `,"kind":`, &d.AccountKind, plain, Guest, Full, Bot)
	f.literal(`}`)
}

func (*AccountSecure) members(f *form) { f.literal(`{"secured":true}`) }

func (*Faucet) members(f *form) { f.literal(`{}`) }

func (d *Recovery) members(f *form) {
	if has := d.Lost != (LostTree{}); f.known(`{"lost":`, &has) {
		f.hash(`{"root":`, &d.Lost.Root)
		if f.count(`,"size":`, &d.Lost.Size); d.Lost.Size == 0 {
			f.fail("a lost tree has at least one block")
		}
		f.literal(`}`)
	}
	f.hash(`,"reason_hash":`, &d.ReasonHash)
	f.count(`,"recovery":`, &d.Number)
	f.literal(`}`)
}

func (d *Rotate) members(f *form) {
	f.hash(`{"commitment":`, &d.Commitment)
	f.hash(`,"next_commitment":`, &d.NextCommitment)
	f.literal(`}`)
}

func (d *RunStart) members(f *form) {
	f.bool(`{"bound":`, &d.Bound)
	f.hash(`,"client_seed_hash":`, &d.ClientSeedHash)
	f.hash(`,"commitment":`, &d.Commitment)
	word(f, `,"entry":`, &d.Entry, plain, EntryFee, EntryFree, EntryBurn, EntryDaily)
	f.count(`,"first_tier":`, &d.FirstTier)
	f.hash(`,"next_commitment":`, &d.NextCommitment)
	f.text(`,"run_id":`, &d.RunID)
	f.literal(`}`)
}

func (d *RunEnd) members(f *form) {
	f.bool(`{"bound":`, &d.Bound)
	f.count(`,"cleared":`, &d.Cleared)
	f.text(`,"run_id":`, &d.RunID)
	word(f, `,"status":`, &d.Status, plain, RunClaimed, RunLost, RunAbandoned, RunVoid)
	f.count(`,"throws":`, &d.Throws)
	f.hash(`,"transcript_hash":`, &d.TranscriptHash)
	f.literal(`}`)
}

func (d *DuelStake) members(f *form) {
	f.text(`{"duel_id":`, &d.DuelID)
	f.literal(`}`)
}

// members gives the status of the settlement, which is on the chain because the replay, which reads no
// transcripts, must know which settlements only a recovery explains.
func (d *DuelSettle) members(f *form) {
	f.account(`{"a":`, &d.A)
	f.address(`,"b":`, &d.B)
	f.text(`,"duel_id":`, &d.DuelID)
	f.bool(`,"rated":`, &d.Rated)
	word(f, `,"status":`, &d.Void, func(void bool) string {
		if void {
			return "void"
		}
		return "finished"
	}, false, true)
	f.hash(`,"transcript_hash":`, &d.TranscriptHash)
	if has := d.Winner != ""; f.known(`,"winner":`, &has) {
		word(f, "", &d.Winner, plain, "a", "b")
	}
	f.literal(`}`)
}

func (d *MarketSale) members(f *form) {
	f.count(`{"listing_id":`, &d.ListingID)
	f.literal(`}`)
}

func (d *Buyback) members(f *form) {
	f.bool(`{"bound":`, &d.Bound)
	f.count(`,"offer_id":`, &d.OfferID)
	f.literal(`}`)
}

func (d *SeasonClose) members(f *form) {
	f.count(`{"season":`, &d.Season)
	f.hash(`,"table_hash":`, &d.TableHash)
	f.literal(`}`)
}

func (d *CupClose) members(f *form) {
	f.count(`{"cup":`, &d.Cup)
	f.hash(`,"table_hash":`, &d.TableHash)
	f.literal(`}`)
}

func (d *ResultVoid) members(f *form) {
	f.text(`{"game":`, &d.Game)
	f.hash(`,"reason_hash":`, &d.ReasonHash)
	f.literal(`}`)
}

func (d *ResultRestore) members(f *form) {
	f.text(`{"game":`, &d.Game)
	f.hash(`,"reason_hash":`, &d.ReasonHash)
	f.literal(`,"restored":true}`)
}

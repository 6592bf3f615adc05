package chain

import (
	"strconv"

	"roshambo/canon"
)

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
	// appendRaw appends the value of the member data in canonical form.
	appendRaw(b []byte) []byte
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
	Lost       LostTree // the newest tree that the house signed and this chain does not contain
	ReasonHash Hash     // HashText of the published reason
	Number     int64    // one more than that of the previous recovery; the first has number 1
}

// LostTree is a signed tree of the log that a chain does not contain. The zero value is null: the house
// knows of no such tree. A house that names none has no excuse for a receipt that the chain contradicts,
// so an honest one names the newest tree that it finds (its own record, or a witness's).
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
	Game       string // that of the ResultVoid
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

// readData reads the value of the member data. Its first member identifies the kind, after the
// member bound where there is one, because no two kinds begin with the same one; ParseTx then
// requires the member kind to agree.
func readData(r *canon.Reader) Data {
	switch {
	case r.Try(`{}`):
		return &Faucet{}
	case r.Try(`{"secured":true}`):
		return &AccountSecure{}
	case r.Try(`{"bound":`):
		return readBound(r)
	case r.Try(`{"lost":`):
		return readRecovery(r)
	case r.Try(`{"commitment":`):
		return readRotate(r)
	case r.Try(`{"duel_id":`):
		return readSingle(r, &DuelStake{}, func(d *DuelStake) { d.DuelID = r.String() })
	case r.Try(`{"a":`):
		return readDuelSettle(r)
	case r.Try(`{"listing_id":`):
		return readSingle(r, &MarketSale{}, func(d *MarketSale) { d.ListingID = readCount(r) })
	case r.Try(`{"season":`):
		return readSeasonClose(r)
	case r.Try(`{"cup":`):
		return readCupClose(r)
	case r.Try(`{"game":`):
		return readResult(r)
	case r.Try(`{"name":`):
		return readGenesis(r)
	case r.Try(`{"number":`):
		return readRulesChange(r)
	}
	r.Fail("data of no known kind")
	return nil
}

// readBound reads the rest of data whose first member is bound.
func readBound(r *canon.Reader) Data {
	bound := r.Bool()
	switch {
	case r.Try(`,"client_seed_hash":`):
		return readRunStart(r, bound)
	case r.Try(`,"cleared":`):
		return readRunEnd(r, bound)
	case r.Try(`,"commitment":`):
		return readAccountCreate(r, bound)
	case r.Try(`,"offer_id":`):
		return readSingle(r, &Buyback{Bound: bound}, func(d *Buyback) { d.OfferID = readCount(r) })
	}
	r.Fail("data of no known kind")
	return nil
}

// readSingle reads data of a single member, after the member's name.
func readSingle[D any](r *canon.Reader, d D, member func(D)) D {
	member(d)
	r.Literal(`}`)
	return d
}

// The appendRaw methods write the members in canonical order; the read functions below expect
// them in the same order, after the name of the first member, which readData has read.

func (d *AccountCreate) appendRaw(b []byte) []byte {
	b = strconv.AppendBool(append(b, `{"bound":`...), d.Bound)
	b = appendHash(append(b, `,"commitment":`...), d.Commitment)
	b = canon.AppendString(append(b, `,"kind":`...), string(d.AccountKind))
	return append(b, '}')
}

func readAccountCreate(r *canon.Reader, bound bool) Data {
	d := &AccountCreate{Bound: bound, Commitment: readHash(r)}
	r.Literal(`,"kind":`)
	d.AccountKind = readWord(r, Guest, Full, Bot)
	r.Literal(`}`)
	return d
}

func (*AccountSecure) appendRaw(b []byte) []byte { return append(b, `{"secured":true}`...) }

func (*Faucet) appendRaw(b []byte) []byte { return append(b, "{}"...) }

func (d *Recovery) appendRaw(b []byte) []byte {
	b = append(b, `{"lost":`...)
	if d.Lost == (LostTree{}) {
		b = append(b, "null"...)
	} else {
		b = appendHash(append(b, `{"root":`...), d.Lost.Root)
		b = append(canon.AppendInt(append(b, `,"size":`...), d.Lost.Size), '}')
	}
	b = appendHash(append(b, `,"reason_hash":`...), d.ReasonHash)
	return append(canon.AppendInt(append(b, `,"recovery":`...), d.Number), '}')
}

// readRecovery reads the data of a recovery after the name of its first member.
func readRecovery(r *canon.Reader) Data {
	d := &Recovery{}
	if !r.Try("null") {
		r.Literal(`{"root":`)
		d.Lost.Root = readHash(r)
		r.Literal(`,"size":`)
		if d.Lost.Size = readCount(r); d.Lost.Size == 0 {
			r.Fail("a lost tree has at least one block")
		}
		r.Literal(`}`)
	}
	r.Literal(`,"reason_hash":`)
	d.ReasonHash = readHash(r)
	r.Literal(`,"recovery":`)
	d.Number = readCount(r)
	r.Literal(`}`)
	return d
}

func (d *Rotate) appendRaw(b []byte) []byte {
	b = appendHash(append(b, `{"commitment":`...), d.Commitment)
	return append(appendHash(append(b, `,"next_commitment":`...), d.NextCommitment), '}')
}

// readRotate reads the data of a commitment.rotate after the name of its first member.
func readRotate(r *canon.Reader) Data {
	d := &Rotate{Commitment: readHash(r)}
	r.Literal(`,"next_commitment":`)
	d.NextCommitment = readHash(r)
	r.Literal(`}`)
	return d
}

func (d *RunStart) appendRaw(b []byte) []byte {
	b = strconv.AppendBool(append(b, `{"bound":`...), d.Bound)
	b = appendHash(append(b, `,"client_seed_hash":`...), d.ClientSeedHash)
	b = appendHash(append(b, `,"commitment":`...), d.Commitment)
	b = canon.AppendString(append(b, `,"entry":`...), string(d.Entry))
	b = canon.AppendInt(append(b, `,"first_tier":`...), d.FirstTier)
	b = appendHash(append(b, `,"next_commitment":`...), d.NextCommitment)
	b = canon.AppendString(append(b, `,"run_id":`...), d.RunID)
	return append(b, '}')
}

func readRunStart(r *canon.Reader, bound bool) Data {
	d := &RunStart{Bound: bound, ClientSeedHash: readHash(r)}
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
	b = strconv.AppendBool(append(b, `{"bound":`...), d.Bound)
	b = canon.AppendInt(append(b, `,"cleared":`...), d.Cleared)
	b = canon.AppendString(append(b, `,"run_id":`...), d.RunID)
	b = canon.AppendString(append(b, `,"status":`...), string(d.Status))
	b = canon.AppendInt(append(b, `,"throws":`...), d.Throws)
	b = appendHash(append(b, `,"transcript_hash":`...), d.TranscriptHash)
	return append(b, '}')
}

func readRunEnd(r *canon.Reader, bound bool) Data {
	d := &RunEnd{Bound: bound, Cleared: readCount(r)}
	r.Literal(`,"run_id":`)
	d.RunID = r.String()
	r.Literal(`,"status":`)
	d.Status = readWord(r, RunClaimed, RunLost, RunAbandoned, RunVoid)
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
	b = strconv.AppendBool(append(b, `,"rated":`...), d.Rated)
	b = canon.AppendString(append(b, `,"status":`...), d.status())
	b = appendHash(append(b, `,"transcript_hash":`...), d.TranscriptHash)
	b = append(b, `,"winner":`...)
	if d.Winner == "" {
		return append(b, "null}"...)
	}
	return append(canon.AppendString(b, d.Winner), '}')
}

// The statuses of a settlement. They are on the chain because the replay, which reads no transcripts, must
// know which settlements only a recovery explains.
const (
	duelFinished = "finished"
	duelVoid     = "void"
)

func (d *DuelSettle) status() string {
	if d.Void {
		return duelVoid
	}
	return duelFinished
}

func readDuelSettle(r *canon.Reader) Data {
	d := &DuelSettle{A: readAddress(r)}
	r.Literal(`,"b":`)
	d.B = readOptionalAddress(r)
	r.Literal(`,"duel_id":`)
	d.DuelID = r.String()
	r.Literal(`,"rated":`)
	d.Rated = r.Bool()
	r.Literal(`,"status":`)
	d.Void = readWord(r, duelFinished, duelVoid) == duelVoid
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
	b = strconv.AppendBool(append(b, `{"bound":`...), d.Bound)
	return append(canon.AppendInt(append(b, `,"offer_id":`...), d.OfferID), '}')
}

func (d *SeasonClose) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"season":`...), d.Season)
	return append(appendHash(append(b, `,"table_hash":`...), d.TableHash), '}')
}

// readSeasonClose reads the rest of data whose first member is season.
func readSeasonClose(r *canon.Reader) Data {
	d := &SeasonClose{Season: readCount(r)}
	r.Literal(`,"table_hash":`)
	d.TableHash = readHash(r)
	r.Literal(`}`)
	return d
}

func (d *CupClose) appendRaw(b []byte) []byte {
	b = canon.AppendInt(append(b, `{"cup":`...), d.Cup)
	return append(appendHash(append(b, `,"table_hash":`...), d.TableHash), '}')
}

// readCupClose reads the rest of data whose first member is cup. The number comes first, as in a
// season.close, and the hash is the last member.
func readCupClose(r *canon.Reader) Data {
	d := &CupClose{Cup: readCount(r)}
	r.Literal(`,"table_hash":`)
	d.TableHash = readHash(r)
	r.Literal(`}`)
	return d
}

func (d *ResultVoid) appendRaw(b []byte) []byte {
	b = canon.AppendString(append(b, `{"game":`...), d.Game)
	return append(appendHash(append(b, `,"reason_hash":`...), d.ReasonHash), '}')
}

func (d *ResultRestore) appendRaw(b []byte) []byte {
	b = canon.AppendString(append(b, `{"game":`...), d.Game)
	return append(appendHash(append(b, `,"reason_hash":`...), d.ReasonHash), `,"restored":true}`...)
}

// readResult reads the rest of data whose first member is game.
func readResult(r *canon.Reader) Data {
	game := r.String()
	r.Literal(`,"reason_hash":`)
	reason := readHash(r)
	if r.Try(`,"restored":true}`) {
		return &ResultRestore{Game: game, ReasonHash: reason}
	}
	r.Literal(`}`)
	return &ResultVoid{Game: game, ReasonHash: reason}
}

// readWord reads a string that must be one of words, and returns the constant: no copy of
// the document survives.
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
	r.Fail("an unknown word")
	return ""
}

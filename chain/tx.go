package chain

import (
	"errors"

	"roshambo/canon"
)

// Tx is a transaction (docs/protocol.md, section 2). The zero Address stands for null: as
// Actor for the chain itself, as From of a transfer for creation, as To for destruction.
//
//	{"actor":address|null,"data":data,"kind":kind,"nonce":n,"time":ms,
//	 "transfers":[transfer…],"v":1}
type Tx struct {
	Actor     Address    // the account that acts
	Nonce     int64      // 0, 1, 2, … per actor without a gap; 0 for the chain's own
	Time      int64      // Unix milliseconds
	Transfers []Transfer // at most 3, in the order that the kind prescribes
	Data      Data       // never nil; its type determines the kind
}

// Kind returns the kind of the transaction, for example "run.start".
func (tx *Tx) Kind() Kind { return tx.Data.Kind() }

// Transfer moves coins or one token from one address to another. A transfer of coins has
// Amount >= 1 and the zero value in all token fields; one of a token has TokenID >= 0 and
// Amount 0. The member tier is present exactly when the token is created.
//
//	{"amount":n,"asset":"coin","from":address|null,"to":address|null}
//	{"asset":"token","from":address|null,"tier":n,"to":address|null,"token_id":n}
type Transfer struct {
	Token    bool
	TokenID  int64
	Tier     int64 // >= 1 for a token that is created; 0 otherwise
	Amount   int64
	From, To Address
}

// Raw returns the canonical text of the transaction, which HashTx hashes. It panics when a
// number or text of tx is outside the bounds of package canon; Effects refuses such a tx.
func (tx *Tx) Raw() []byte { return write(768, tx) } // 768 fits every kind but genesis and rules

// ParseTx reads a transaction's raw. It accepts only texts that Raw writes, so raws and
// transactions are one to one. The error names the first fault and its byte offset. ParseTx
// checks the form alone; Rules.Effects and the Apply methods check the rules.
func ParseTx(raw []byte) (Tx, error) { return parse("transaction", raw, (*Tx).members) }

func (tx *Tx) members(f *form) {
	f.address(`{"actor":`, &tx.Actor)
	f.literal(`,"data":`)
	if f.reading {
		if tx.Data = dataAhead(&f.in); tx.Data == nil {
			return
		}
	}
	tx.Data.members(f)
	f.literal(`,"kind":"`)
	f.literal(string(tx.Kind()))
	f.count(`","nonce":`, &tx.Nonce)
	f.count(`,"time":`, &tx.Time)
	list(f, `,"transfers":[`, &tx.Transfers, (*Transfer).members)
	f.literal(`,"v":1}`)
}

// maxTransfers is the largest number of transfers of any kind: a sale has price, fee and
// token.
const maxTransfers = 3

func (t *Transfer) members(f *form, i int) {
	if i == maxTransfers {
		f.fail("more transfers than any kind has")
	}
	f.literal(`{`)
	coins := !t.Token
	if f.try(`"amount":`, &coins); coins {
		f.count("", &t.Amount)
		f.address(`,"asset":"coin","from":`, &t.From)
		f.address(`,"to":`, &t.To)
		f.literal(`}`)
		return
	}
	if f.reading {
		t.Token = true
	}
	f.address(`"asset":"token","from":`, &t.From)
	created := t.Tier != 0
	if f.try(`,"tier":`, &created); created {
		if f.count("", &t.Tier); t.Tier == 0 {
			f.fail("a tier of 0")
		}
	}
	f.address(`,"to":`, &t.To)
	f.count(`,"token_id":`, &t.TokenID)
	f.literal(`}`)
}

// Check returns an error for a transfer that no kind of transaction has.
func (t Transfer) Check() error {
	switch {
	case t.From == t.To:
		return errors.New("a transfer from an address to itself")
	case !t.Token && (t.Amount < 1 || t.Amount > canon.MaxInt):
		return errors.New("a transfer of no coins, or of 2^53 or more")
	case t.Token && (t.TokenID < 0 || t.TokenID > MaxID):
		return errors.New("a token id beyond 2147483647")
	case t.Token && (t.Tier != 0) != (t.From == Address{}):
		return errors.New("a token's tier is stated when it is created, and only then")
	case t.Token && (t.Tier < 0 || t.Tier > maxTier):
		return errors.New("a tier beyond the highest")
	}
	return nil
}

// MaxID is the largest id of a token, listing or offer, and the largest stake and price: they
// fit in 32 bits, and sums and products of them in 63.
const MaxID = 1<<31 - 1

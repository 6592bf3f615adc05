package chain

import (
	"errors"
	"fmt"

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
func (tx *Tx) Raw() []byte {
	b := make([]byte, 0, 768) // fits every kind but genesis and rules
	b = appendAddress(append(b, `{"actor":`...), tx.Actor)
	b = tx.Data.appendRaw(append(b, `,"data":`...))
	b = canon.AppendString(append(b, `,"kind":`...), string(tx.Kind()))
	b = canon.AppendInt(append(b, `,"nonce":`...), tx.Nonce)
	b = canon.AppendInt(append(b, `,"time":`...), tx.Time)
	b = append(b, `,"transfers":[`...)
	for i, t := range tx.Transfers {
		if i > 0 {
			b = append(b, ',')
		}
		b = t.appendRaw(b)
	}
	return append(b, `],"v":1}`...)
}

// appendRaw appends the transfer as a member of the list of transfers.
func (t Transfer) appendRaw(b []byte) []byte {
	if !t.Token {
		b = canon.AppendInt(append(b, `{"amount":`...), t.Amount)
		b = appendAddress(append(b, `,"asset":"coin","from":`...), t.From)
		b = appendAddress(append(b, `,"to":`...), t.To)
		return append(b, '}')
	}
	b = appendAddress(append(b, `{"asset":"token","from":`...), t.From)
	if t.Tier != 0 {
		b = canon.AppendInt(append(b, `,"tier":`...), t.Tier)
	}
	b = appendAddress(append(b, `,"to":`...), t.To)
	b = canon.AppendInt(append(b, `,"token_id":`...), t.TokenID)
	return append(b, '}')
}

// ParseTx reads a transaction's raw. It accepts only texts that Raw writes, so raws and
// transactions are one to one. The error names the first fault and its byte offset. ParseTx
// checks the form alone; Rules.Effects and the Apply methods check the rules.
func ParseTx(raw []byte) (Tx, error) {
	var tx Tx
	r := canon.NewReader(raw)
	r.Literal(`{"actor":`)
	tx.Actor = readOptionalAddress(&r)
	r.Literal(`,"data":`)
	tx.Data = readData(&r)
	if r.Err() == nil { // Data is nil after an error
		r.Literal(`,"kind":"`)
		r.Literal(string(tx.Data.Kind()))
		r.Literal(`","nonce":`)
	}
	tx.Nonce = readCount(&r)
	r.Literal(`,"time":`)
	tx.Time = readCount(&r)
	r.Literal(`,"transfers":[`)
	tx.Transfers = readTransfers(&r)
	r.Literal(`,"v":1}`)
	if err := r.End(); err != nil {
		return Tx{}, fmt.Errorf("chain: transaction: %w", err)
	}
	return tx, nil
}

// maxTransfers is the largest number of transfers of any kind: a sale has price, fee and
// token.
const maxTransfers = 3

// readTransfers reads an array of transfers after its opening bracket, nil when it is empty.
func readTransfers(r *canon.Reader) []Transfer {
	if r.Try(`]`) {
		return nil
	}
	list := make([]Transfer, 0, 1) // most transactions have one
	for more := true; more && r.Err() == nil; more = !r.Try(`]`) {
		if len(list) == maxTransfers {
			r.Fail("more transfers than any kind has")
		}
		if len(list) > 0 {
			r.Literal(`,`)
		}
		r.Literal(`{`)
		list = append(list, readTransfer(r))
	}
	return list
}

// readTransfer reads a transfer after its opening brace.
func readTransfer(r *canon.Reader) Transfer {
	var t Transfer
	if r.Try(`"amount":`) {
		t.Amount = readCount(r)
		r.Literal(`,"asset":"coin","from":`)
		t.From = readOptionalAddress(r)
		r.Literal(`,"to":`)
		t.To = readOptionalAddress(r)
		r.Literal(`}`)
		return t
	}
	t.Token = true
	r.Literal(`"asset":"token","from":`)
	t.From = readOptionalAddress(r)
	if r.Try(`,"tier":`) {
		if t.Tier = readCount(r); t.Tier == 0 {
			r.Fail("a tier of 0")
		}
	}
	r.Literal(`,"to":`)
	t.To = readOptionalAddress(r)
	r.Literal(`,"token_id":`)
	t.TokenID = readCount(r)
	r.Literal(`}`)
	return t
}

// check returns an error for a transfer that no kind allows.
func (t Transfer) check() error {
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

// appendAddress appends a as a string, null for the zero Address.
func appendAddress(b []byte, a Address) []byte {
	if a == (Address{}) {
		return append(b, "null"...)
	}
	return append(a.appendText(append(b, '"')), '"')
}

// readOptionalAddress reads an address or null, which is the zero Address.
func readOptionalAddress(r *canon.Reader) Address {
	if r.Try("null") {
		return Address{}
	}
	return readAddress(r)
}

// readAddress reads an address. It refuses the text of the zero Address, which would be a
// second text for null.
func readAddress(r *canon.Reader) Address {
	// Chars is safe here: parseAddress refuses every byte outside the bech32 alphabet.
	s := r.Chars(addressLength)
	if r.Err() != nil {
		return Address{}
	}
	a, err := parseAddress(s)
	if err != nil {
		r.Fail(err.Error())
	} else if a == (Address{}) {
		r.Fail("the address of 20 zero bytes, which is reserved for null")
	}
	return a
}

package replay

import (
	"encoding/binary"
	"fmt"

	"roshambo/chain"
)

// A record is one recorded call of the part interface: the length of the rest in 4 bytes, little
// endian, a byte for the method, and the arguments in order. Integers are varints, texts have a
// varint length, hashes, addresses and keys have fixed lengths. Spill files do not outlive the
// replay, so the format may change.

// The method of a record, with the same name in the part interface.
const (
	recordAccount byte = iota + 1
	recordToken
	recordGame
	recordCommitment
	recordEarn
	recordExpectPublished
	recordExpectAccount
	recordExpectToken
	recordExpectGame
)

// The flags of a recordAccount. flagSpend and flagPublish state that the hash follows. The others are
// the booleans of the effect.
const (
	flagActor byte = 1 << iota
	flagEscrow
	flagEmpty
	flagSpend
	flagPublish
	flagBoundStart
	flagRunBound
)

// record is a record being encoded. Its methods append one field and return the result.
type record []byte

// recordHead is the size of the length field, in bytes.
const recordHead = 4

// begin returns a new record with room for its length.
func (s *spill) begin(kind byte) record { return append(s.scratch[:0], 0, 0, 0, 0, kind) }

// end sets the length and writes the record. After a write error it does nothing; replayInto
// returns the error.
func (s *spill) end(r record) {
	s.scratch = r
	if s.err != nil {
		return
	}
	binary.LittleEndian.PutUint32(r, uint32(len(r)-recordHead))
	s.written += int64(len(r))
	_, s.err = s.w.Write(r)
}

// number appends a varint.
func (r record) number(n int64) record { return binary.AppendVarint(r, n) }

// text appends a varint length and the bytes.
func (r record) text(s string) record { return append(r.number(int64(len(s))), s...) }

// flag appends a byte, 1 for true.
func (r record) flag(v bool) record {
	if v {
		return append(r, 1)
	}
	return append(r, 0)
}

// position appends height and index as varints, then the hash.
func (r record) position(at *position) record {
	return append(r.number(at.height).number(at.index), at.hash[:]...)
}

// account records: position, address, flags, kind, nonce, delta, bound, act, with an act its time,
// entry, limit and recovery, then the hashes that the flags announce. Leaving out zero hashes
// halves the size of most records.
func (s *spill) account(e *chain.AccountEffect, at *position) {
	r := s.begin(recordAccount).position(at)
	r = append(append(r, e.Address[:]...), accountFlags(e)).text(string(e.Create)).number(e.Nonce).number(e.Delta)
	r = append(r.number(e.Bound), byte(e.Act))
	if e.Act != 0 {
		r = r.number(e.Time).text(string(e.Entry)).number(e.Limit).number(e.Recovery)
	}
	if e.Spend != (chain.Hash{}) {
		r = append(r, e.Spend[:]...)
	}
	if e.Publish != (chain.Hash{}) {
		r = append(r, e.Publish[:]...)
	}
	s.end(r)
}

// accountFlags packs the booleans of e and the presence of its hashes.
func accountFlags(e *chain.AccountEffect) (flags byte) {
	if e.Actor {
		flags |= flagActor
	}
	if e.Escrow {
		flags |= flagEscrow
	}
	if e.Empty {
		flags |= flagEmpty
	}
	if e.BoundStart {
		flags |= flagBoundStart
	}
	if e.RunBound {
		flags |= flagRunBound
	}
	if e.Spend != (chain.Hash{}) {
		flags |= flagSpend
	}
	if e.Publish != (chain.Hash{}) {
		flags |= flagPublish
	}
	return flags
}

// token records: position, id, from, to, mark, and the set of tiers in 8 bytes, little endian.
func (s *spill) token(e *chain.TokenEffect, at *position) {
	r := s.begin(recordToken).position(at).number(e.ID)
	r = append(append(append(r, e.From[:]...), e.To[:]...), byte(e.Mark))
	s.end(binary.LittleEndian.AppendUint64(r, e.Tiers))
}

// game records: position, key, id, step, a, b, tier, throws, stake, bound, back. The id is for problems only;
// the key saves a second hash.
func (s *spill) game(k key, e *chain.GameEffect, at *position) {
	r := append(s.begin(recordGame).position(at), k[:]...).text(e.ID)
	r = append(append(append(r, byte(e.Step)), e.A[:]...), e.B[:]...)
	s.end(r.number(e.Tier).number(e.Throws).number(e.Stake).flag(e.Bound).number(e.Back))
}

// commitment records: position, hash.
func (s *spill) commitment(c chain.Hash, at *position) {
	s.end(append(s.begin(recordCommitment).position(at), c[:]...))
}

// earn records: position, address, points.
func (s *spill) earn(address chain.Address, points int64, at *position) {
	s.end(append(s.begin(recordEarn).position(at), address[:]...).number(points))
}

// expectPublished records: address, hash.
func (s *spill) expectPublished(address chain.Address, claimed chain.Hash) {
	s.end(append(append(s.begin(recordExpectPublished), address[:]...), claimed[:]...))
}

// expectAccount records: address, then the fields of the account in their order.
func (s *spill) expectAccount(address chain.Address, a *chain.Account) {
	r := append(s.begin(recordExpectAccount), address[:]...).text(string(a.Kind)).number(a.Balance).number(a.Bound).
		number(a.Nonce)
	r = append(r, a.Commitment[:]...).flag(a.BoundStart).number(a.SecuredAt).number(a.FaucetAt).text(string(a.Playing))
	r = r.number(a.FreeDay).number(a.Free).number(a.DailyDay).number(a.Daily)
	s.end(r.number(a.Paid).number(a.PaidBound).number(a.Recovery))
}

// expectToken records: id, tier, owner, bound.
func (s *spill) expectToken(id int64, t *chain.Token) {
	s.end(append(s.begin(recordExpectToken).number(id).number(t.Tier), t.Owner[:]...).flag(t.Bound))
}

// expectGame records: key, id, step, a, b, tier, stake, bound.
func (s *spill) expectGame(k key, id string, g *chain.Game) {
	r := append(s.begin(recordExpectGame), k[:]...).text(id)
	r = append(append(append(r, byte(g.Step)), g.A[:]...), g.B[:]...)
	s.end(r.number(g.Tier).number(g.Stake).flag(g.Bound))
}

// applyRecord decodes the record body and makes the recorded call on to. It decodes all fields
// before the call, so a malformed record has no effect; then the error is errRecord.
func applyRecord(to *state, body []byte) error {
	r := recordReader{rest: body}
	switch kind := r.byte(); kind {
	case recordAccount:
		at, e := r.position(), r.accountEffect()
		if r.ended() {
			to.account(&e, &at)
		}
	case recordToken:
		at, e := r.position(), r.tokenEffect()
		if r.ended() {
			to.token(&e, &at)
		}
	case recordGame:
		at, k, e := r.position(), r.key(), r.gameEffect()
		if r.ended() {
			to.game(k, &e, &at)
		}
	case recordCommitment:
		at, c := r.position(), r.hash()
		if r.ended() {
			to.commitment(c, &at)
		}
	case recordEarn:
		at, address, points := r.position(), r.address(), r.number()
		if r.ended() {
			to.earn(address, points, &at)
		}
	case recordExpectPublished:
		address, claimed := r.address(), r.hash()
		if r.ended() {
			to.expectPublished(address, claimed)
		}
	case recordExpectAccount:
		address, claimed := r.address(), r.accountState()
		if r.ended() {
			to.expectAccount(address, &claimed)
		}
	case recordExpectToken:
		id, claimed := r.number(), r.tokenState()
		if r.ended() {
			to.expectToken(id, &claimed)
		}
	case recordExpectGame:
		k, id, claimed := r.key(), r.text(), r.gameState()
		if r.ended() {
			to.expectGame(k, id, &claimed)
		}
	default:
		return fmt.Errorf("%w: kind %d", errRecord, kind)
	}
	if !r.ended() {
		return errRecord
	}
	return nil
}

// recordReader decodes a record. Beyond its end it returns zero values and sets short.
type recordReader struct {
	rest  []byte // not yet decoded
	short bool   // a field extended beyond the end
}

// ended reports whether exactly the whole record was read.
func (r *recordReader) ended() bool { return !r.short && len(r.rest) == 0 }

// take returns the next n bytes, nil when there are fewer.
func (r *recordReader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// byte reads one byte.
func (r *recordReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// flag reads one byte: 1 is true.
func (r *recordReader) flag() bool { return r.byte() == 1 }

// number reads a varint. A malformed one counts as short.
func (r *recordReader) number() int64 {
	n, used := binary.Varint(r.rest)
	if used <= 0 {
		used = -1
	}
	r.take(used)
	return n
}

// word reads 8 bytes, little endian.
func (r *recordReader) word() uint64 {
	var b [8]byte
	copy(b[:], r.take(len(b)))
	return binary.LittleEndian.Uint64(b[:])
}

// text reads a varint length and so many bytes; take refuses a negative length.
func (r *recordReader) text() string { return string(r.take(int(r.number()))) }

func (r *recordReader) address() (a chain.Address) {
	copy(a[:], r.take(len(a)))
	return a
}

func (r *recordReader) hash() (h chain.Hash) {
	copy(h[:], r.take(len(h)))
	return h
}

func (r *recordReader) key() (k key) {
	copy(k[:], r.take(len(k)))
	return k
}

func (r *recordReader) position() position {
	return position{height: r.number(), index: r.number(), hash: r.hash()}
}

// The following methods read the arguments of the record's call, in the order in which the
// methods of spill write them.

func (r *recordReader) accountEffect() (e chain.AccountEffect) {
	e.Address = r.address()
	flags := r.byte()
	e.Actor, e.Escrow, e.Empty = flags&flagActor != 0, flags&flagEscrow != 0, flags&flagEmpty != 0
	e.BoundStart, e.RunBound = flags&flagBoundStart != 0, flags&flagRunBound != 0
	e.Create, e.Nonce, e.Delta = chain.AccountKind(r.text()), r.number(), r.number()
	e.Bound, e.Act = r.number(), chain.AccountAct(r.byte())
	if e.Act != 0 {
		e.Time, e.Entry, e.Limit, e.Recovery = r.number(), chain.Entry(r.text()), r.number(), r.number()
	}
	if flags&flagSpend != 0 {
		e.Spend = r.hash()
	}
	if flags&flagPublish != 0 {
		e.Publish = r.hash()
	}
	return e
}

func (r *recordReader) tokenEffect() chain.TokenEffect {
	return chain.TokenEffect{ID: r.number(), From: r.address(), To: r.address(), Mark: chain.Mark(r.byte()),
		Tiers: r.word()}
}

func (r *recordReader) gameEffect() chain.GameEffect {
	return chain.GameEffect{ID: r.text(), Step: chain.GameStep(r.byte()), A: r.address(), B: r.address(),
		Tier: r.number(), Throws: r.number(), Stake: r.number(), Bound: r.flag(), Back: r.number()}
}

func (r *recordReader) accountState() chain.Account {
	return chain.Account{
		Kind: chain.AccountKind(r.text()), Balance: r.number(), Bound: r.number(), Nonce: r.number(),
		Commitment: r.hash(), BoundStart: r.flag(), SecuredAt: r.number(), FaucetAt: r.number(),
		Playing: chain.Entry(r.text()), FreeDay: r.number(), Free: r.number(),
		DailyDay: r.number(), Daily: r.number(), Paid: r.number(),
		PaidBound: r.number(), Recovery: r.number(),
	}
}

func (r *recordReader) tokenState() chain.Token {
	return chain.Token{Tier: r.number(), Owner: r.address(), Bound: r.flag()}
}

func (r *recordReader) gameState() chain.Game {
	return chain.Game{
		Step: chain.GameStep(r.byte()), A: r.address(), B: r.address(), Tier: r.number(), Stake: r.number(), Bound: r.flag(),
	}
}

package replay

import (
	"encoding/binary"
	"fmt"

	"roshambo/chain"
)

// A record is what a spill was told once: its length in 4 bytes, a byte that says
// which kind it is, and its fields, one behind the other. Nothing of it outlives
// the replay, so the format is free to change.

const (
	recordAccount byte = iota + 1
	recordToken
	recordGame
	recordExpectPublished
	recordExpectAccount
	recordExpectToken
	recordExpectGame
)

// The bits of a recordAccount's flags.
const (
	flagActor byte = 1 << iota
	flagEscrow
	flagEmpty
	flagSpend
	flagPublish
)

// record is a record being written.
type record []byte

const recordHead = 4

func (s *spill) begin(kind byte) record { return append(s.scratch[:0], 0, 0, 0, 0, kind) }

func (s *spill) end(r record) {
	s.scratch = r
	if s.err != nil {
		return
	}
	binary.LittleEndian.PutUint32(r, uint32(len(r)-recordHead))
	s.written += int64(len(r))
	_, s.err = s.w.Write(r)
}

func (r record) number(n int64) record { return binary.AppendVarint(r, n) }

func (r record) text(s string) record { return append(r.number(int64(len(s))), s...) }

func (r record) position(at *position) record {
	return append(r.number(at.height).number(at.index), at.hash[:]...)
}

func (s *spill) account(e *chain.AccountEffect, at *position) {
	r := s.begin(recordAccount).position(at)
	r = append(append(r, e.Address[:]...), accountFlags(e)).text(string(e.Create)).number(e.Nonce).number(e.Delta)
	if e.Spend != (chain.Hash{}) {
		r = append(r, e.Spend[:]...)
	}
	if e.Publish != (chain.Hash{}) {
		r = append(r, e.Publish[:]...)
	}
	s.end(r)
}

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
	if e.Spend != (chain.Hash{}) {
		flags |= flagSpend
	}
	if e.Publish != (chain.Hash{}) {
		flags |= flagPublish
	}
	return flags
}

func (s *spill) token(e *chain.TokenEffect, at *position) {
	r := s.begin(recordToken).position(at).number(e.ID)
	r = append(append(r, e.From[:]...), e.To[:]...)
	s.end(binary.LittleEndian.AppendUint64(r, e.Tiers))
}

func (s *spill) game(k key, e *chain.GameEffect, at *position) {
	r := append(s.begin(recordGame).position(at), k[:]...).text(e.ID)
	r = append(append(append(r, byte(e.Step)), e.A[:]...), e.B[:]...)
	s.end(r.number(e.Tier).number(e.Throws).number(e.Stake))
}

func (s *spill) expectPublished(address chain.Address, said chain.Hash) {
	s.end(append(append(s.begin(recordExpectPublished), address[:]...), said[:]...))
}

func (s *spill) expectAccount(address chain.Address, a *chain.Account) {
	r := append(s.begin(recordExpectAccount), address[:]...).text(string(a.Kind)).number(a.Balance).number(a.Nonce)
	s.end(append(r, a.Commitment[:]...))
}

func (s *spill) expectToken(id int64, t *chain.Token) {
	s.end(append(s.begin(recordExpectToken).number(id).number(t.Tier), t.Owner[:]...))
}

func (s *spill) expectGame(k key, id string, g *chain.Game) {
	r := append(s.begin(recordExpectGame), k[:]...).text(id)
	r = append(append(append(r, byte(g.Step)), g.A[:]...), g.B[:]...)
	s.end(r.number(g.Tier).number(g.Stake))
}

// applyRecord tells to what one record says.
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
	case recordExpectPublished:
		address, said := r.address(), r.hash()
		if r.ended() {
			to.expectPublished(address, said)
		}
	case recordExpectAccount:
		address, said := r.address(), r.accountState()
		if r.ended() {
			to.expectAccount(address, &said)
		}
	case recordExpectToken:
		id, said := r.number(), r.tokenState()
		if r.ended() {
			to.expectToken(id, &said)
		}
	case recordExpectGame:
		k, id, said := r.key(), r.text(), r.gameState()
		if r.ended() {
			to.expectGame(k, id, &said)
		}
	default:
		return fmt.Errorf("%w: kind %d", errRecord, kind)
	}
	if !r.ended() {
		return errRecord
	}
	return nil
}

// recordReader takes a record apart. Beyond its end it gives zeros.
type recordReader struct {
	rest  []byte
	short bool
}

// ended says whether the record was read to its end and not beyond.
func (r *recordReader) ended() bool { return !r.short && len(r.rest) == 0 }

func (r *recordReader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *recordReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *recordReader) number() int64 {
	n, used := binary.Varint(r.rest)
	if used <= 0 {
		used = -1
	}
	r.take(used)
	return n
}

func (r *recordReader) word() uint64 {
	var b [8]byte
	copy(b[:], r.take(len(b)))
	return binary.LittleEndian.Uint64(b[:])
}

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

func (r *recordReader) accountEffect() (e chain.AccountEffect) {
	e.Address = r.address()
	flags := r.byte()
	e.Actor, e.Escrow, e.Empty = flags&flagActor != 0, flags&flagEscrow != 0, flags&flagEmpty != 0
	e.Create, e.Nonce, e.Delta = chain.AccountKind(r.text()), r.number(), r.number()
	if flags&flagSpend != 0 {
		e.Spend = r.hash()
	}
	if flags&flagPublish != 0 {
		e.Publish = r.hash()
	}
	return e
}

func (r *recordReader) tokenEffect() chain.TokenEffect {
	return chain.TokenEffect{ID: r.number(), From: r.address(), To: r.address(), Tiers: r.word()}
}

func (r *recordReader) gameEffect() chain.GameEffect {
	return chain.GameEffect{ID: r.text(), Step: chain.GameStep(r.byte()), A: r.address(), B: r.address(),
		Tier: r.number(), Throws: r.number(), Stake: r.number()}
}

func (r *recordReader) accountState() chain.Account {
	return chain.Account{Kind: chain.AccountKind(r.text()), Balance: r.number(), Nonce: r.number(), Commitment: r.hash()}
}

func (r *recordReader) tokenState() chain.Token {
	return chain.Token{Tier: r.number(), Owner: r.address()}
}

func (r *recordReader) gameState() chain.Game {
	return chain.Game{Step: chain.GameStep(r.byte()), A: r.address(), B: r.address(), Tier: r.number(), Stake: r.number()}
}

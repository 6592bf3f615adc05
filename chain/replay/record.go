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
	recordStated
	recordExpectPublished
	recordExpectAccount
	recordExpectToken
	recordExpectGame
)

// call holds the arguments of a call, of which each method has some. One type serves writing and reading, and one
// list of fields (fields): a field that is written and not read would shift all that follow it.
type call struct {
	at            position
	key           key
	id            string // of the game of key
	address       chain.Address
	hash          chain.Hash
	number        int64 // points, or the id of a token
	season        int64
	earned        earned
	accountEffect chain.AccountEffect
	tokenEffect   chain.TokenEffect
	gameEffect    chain.GameEffect
	account       chain.Account
	token         chain.Token
	game          chain.Game
}

// The methods of part record their call. They copy the arguments: the caller may change them after the call.
//
// First the effects of a transaction, in the order of the chain. Each carries its position, by which a
// problem is reported.

func (s *spill) account(e *chain.AccountEffect, at *position) {
	s.add(recordAccount, call{at: *at, accountEffect: *e})
}

func (s *spill) token(e *chain.TokenEffect, at *position) {
	s.add(recordToken, call{at: *at, tokenEffect: *e})
}

func (s *spill) game(k key, e *chain.GameEffect, at *position) {
	s.add(recordGame, call{at: *at, key: k, gameEffect: *e})
}

func (s *spill) commitment(c chain.Hash, at *position) {
	s.add(recordCommitment, call{at: *at, hash: c})
}

func (s *spill) earn(address chain.Address, e earned, at *position) {
	s.add(recordEarn, call{at: *at, address: address, earned: e})
}

func (s *spill) stated(address chain.Address, season, points int64, at *position) {
	s.add(recordStated, call{at: *at, address: address, season: season, number: points})
}

// Then what the user of a replay expects of the derived state, after its end: such a call has no position
// on the chain.

func (s *spill) expectPublished(address chain.Address, claimed chain.Hash) {
	s.add(recordExpectPublished, call{address: address, hash: claimed})
}

func (s *spill) expectAccount(address chain.Address, a *chain.Account) {
	s.add(recordExpectAccount, call{address: address, account: *a})
}

func (s *spill) expectToken(id int64, t *chain.Token) {
	s.add(recordExpectToken, call{number: id, token: *t})
}

func (s *spill) expectGame(k key, id string, g *chain.Game) {
	s.add(recordExpectGame, call{key: k, id: id, game: *g})
}

// applyRecord decodes the record body and makes the recorded call on to. It decodes all fields
// before the call, so a malformed record has no effect; then the error is errRecord.
func applyRecord(to *state, body []byte) error {
	if len(body) == 0 {
		return errRecord
	}
	r, kind := record{reading: true, b: body[1:]}, body[0]
	// A body that is too short or too long fails here; so does a varint that does not end.
	var c call
	c.fields(&r, kind)
	if !r.ended() {
		return errRecord
	}
	switch kind {
	case recordAccount:
		to.account(&c.accountEffect, &c.at)
	case recordToken:
		to.token(&c.tokenEffect, &c.at)
	case recordGame:
		to.game(c.key, &c.gameEffect, &c.at)
	case recordCommitment:
		to.commitment(c.hash, &c.at)
	case recordEarn:
		to.earn(c.address, c.earned, &c.at)
	case recordStated:
		to.stated(c.address, c.season, c.number, &c.at)
	case recordExpectPublished:
		to.expectPublished(c.address, c.hash)
	case recordExpectAccount:
		to.expectAccount(c.address, &c.account)
	case recordExpectToken:
		to.expectToken(c.number, &c.token)
	case recordExpectGame:
		to.expectGame(c.key, c.id, &c.game)
	default:
		return fmt.Errorf("%w: kind %d", errRecord, kind)
	}
	return nil
}

// fields writes or reads the arguments of a method.
func (c *call) fields(r *record, kind byte) {
	if kind < recordExpectPublished {
		r.number(&c.at.height)
		r.number(&c.at.index)
		r.fixed(c.at.hash[:])
	}
	// The order of the fields is free, as no record outlives the replay, but it must be the same for writing and
	// reading.
	switch kind {
	case recordAccount:
		r.account(&c.accountEffect)
	case recordToken: // the set of tiers has a bit for each tier
		e := &c.tokenEffect
		r.number(&e.ID)
		r.fixed(e.From[:])
		r.fixed(e.To[:])
		octet(r, &e.Mark)
		tiers := int64(e.Tiers)
		r.number(&tiers)
		e.Tiers = uint64(tiers)
	case recordGame: // the id is for problems only; the key saves a second hash
		e := &c.gameEffect
		r.fixed(c.key[:])
		text(r, &e.ID)
		octet(r, &e.Step)
		r.fixed(e.A[:])
		r.fixed(e.B[:])
		r.flag(&e.Bound)
		r.numbers(&e.Tier, &e.Throws, &e.Stake, &e.Back)
	case recordCommitment:
		r.fixed(c.hash[:])
	case recordEarn:
		e := &c.earned
		r.fixed(c.address[:])
		r.fixed(e.game[:])
		r.numbers(&e.Season, &e.Day, &e.Points)
		r.flag(&e.Duel)
	case recordStated:
		r.fixed(c.address[:])
		r.numbers(&c.season, &c.number)
	case recordExpectPublished:
		r.fixed(c.address[:])
		r.fixed(c.hash[:])
	case recordExpectAccount:
		a := &c.account
		r.fixed(c.address[:])
		text(r, &a.Kind)
		text(r, &a.Playing)
		r.fixed(a.Commitment[:])
		r.flag(&a.BoundStart)
		r.numbers(&a.Balance, &a.Bound, &a.Nonce, &a.SecuredAt, &a.FaucetAt, &a.FreeDay, &a.Free, &a.DailyDay, &a.Daily,
			&a.Paid, &a.PaidBound, &a.Recovery)
	case recordExpectToken:
		r.numbers(&c.number, &c.token.Tier)
		r.fixed(c.token.Owner[:])
		r.flag(&c.token.Bound)
	case recordExpectGame:
		r.fixed(c.key[:])
		text(r, &c.id)
		octet(r, &c.game.Step)
		r.fixed(c.game.A[:])
		r.fixed(c.game.B[:])
		r.numbers(&c.game.Tier, &c.game.Stake)
		r.flag(&c.game.Bound)
	}
}

// account is the effect on an account.
func (r *record) account(e *chain.AccountEffect) {
	r.fixed(e.Address[:])
	for _, v := range [...]*bool{&e.Actor, &e.Escrow, &e.Empty, &e.BoundStart, &e.RunBound} {
		r.flag(v)
	}
	text(r, &e.Create)
	r.numbers(&e.Nonce, &e.Delta, &e.Bound)
	if octet(r, &e.Act); e.Act != 0 {
		r.numbers(&e.Time, &e.Limit, &e.Recovery)
		text(r, &e.Entry)
	}
	r.optional(&e.Spend)
	r.optional(&e.Publish)
}

// record is a record that is written or read: each method is a field. Beyond the end of a record, reading
// gives zero values and sets short.
type record struct {
	reading bool
	b       []byte // the whole record so far, or the unread rest of its body
	short   bool   // a field extended beyond the end
}

// recordHead is the size of the length field, in bytes.
const recordHead = 4

// add sets the length of the record of a call and writes it. After a write error it does nothing;
// replayInto returns the error.
func (s *spill) add(kind byte, c call) {
	r := record{b: append(s.scratch[:0], 0, 0, 0, 0, kind)}
	c.fields(&r, kind)
	s.scratch = r.b
	if s.err != nil {
		return
	}
	binary.LittleEndian.PutUint32(r.b, uint32(len(r.b)-recordHead))
	s.written += int64(len(r.b))
	_, s.err = s.w.Write(r.b)
}

// ended reports whether exactly the whole record was read.
func (r *record) ended() bool { return !r.short && len(r.b) == 0 }

// take returns the next n bytes, nil when there are fewer.
func (r *record) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.short, r.b = true, nil
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

// fixed is a field of fixed length: the bytes themselves.
func (r *record) fixed(field []byte) {
	if r.reading {
		copy(field, r.take(len(field)))
	} else {
		r.b = append(r.b, field...)
	}
}

// number is a varint. A malformed one counts as short.
func (r *record) number(n *int64) {
	if !r.reading {
		r.b = binary.AppendVarint(r.b, *n)
		return
	}
	v, used := binary.Varint(r.b)
	if used <= 0 {
		used = -1
	}
	r.take(used)
	*n = v
}

// numbers are several varints, in the order of the list.
func (r *record) numbers(list ...*int64) {
	for _, n := range list {
		r.number(n)
	}
}

// flag is a byte, 1 for true.
func (r *record) flag(v *bool) {
	var b [1]byte
	if *v {
		b[0] = 1
	}
	if r.fixed(b[:]); r.reading {
		*v = b[0] == 1
	}
}

// octet is a byte.
func octet[T ~uint8](r *record, v *T) {
	b := [1]byte{byte(*v)}
	if r.fixed(b[:]); r.reading {
		*v = T(b[0])
	}
}

// text is a varint length and so many bytes; take refuses a negative length.
func text[S ~string](r *record, s *S) {
	n := int64(len(*s))
	if r.number(&n); r.reading {
		*s = S(r.take(int(n)))
	} else {
		r.b = append(r.b, *s...)
	}
}

// optional is a flag, and the hash unless it is zero: leaving out zero hashes halves the size of most
// records.
func (r *record) optional(h *chain.Hash) {
	has := *h != (chain.Hash{})
	if r.flag(&has); has {
		r.fixed(h[:])
	}
}

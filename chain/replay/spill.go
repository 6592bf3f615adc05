package replay

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"roshambo/chain"
)

// spill is a file of what a part has to do when its turn comes: fixed-size
// records behind a byte that says which kind. Nothing of it outlives the
// replay, so the format is free to change.
type spill struct {
	file io.ReadWriteCloser
	w    *bufio.Writer
	err  error // the first one; said when the file is read
}

func newSpill(file io.ReadWriteCloser) *spill {
	return &spill{file: file, w: bufio.NewWriterSize(file, 64<<10)}
}

const (
	recordAccount byte = iota + 1
	recordToken
	recordGame
	recordExpectAccount
	recordExpectToken
	recordExpectGame
)

// record is every kind of record in one: binary.Write of fixed-size fields.
// Kinds of account are kept as their place in accountKinds.
type record struct {
	At                   position64
	Address              chain.Address
	Create               uint8
	Flags                uint8
	Nonce, Delta         int64
	Spend, Publish       chain.Hash
	ID                   int64
	From, To             chain.Address
	Tiers                uint64
	Key                  key
	Step                 chain.GameStep
	A, B                 chain.Address
	Tier, Throws, Stakes int64
}

type position64 struct{ Height, Index int64 }

const (
	flagEscrow = 1 << iota
	flagEmpty
	flagActor
)

var accountKinds = []chain.AccountKind{"", chain.Guest, chain.Full, chain.Bot}

func kindNumber(k chain.AccountKind) uint8 {
	for i, known := range accountKinds {
		if k == known {
			return uint8(i)
		}
	}
	return 0
}

func (s *spill) write(kind byte, fields ...any) {
	if s.err != nil {
		return
	}
	s.err = s.w.WriteByte(kind)
	for _, f := range fields {
		if s.err == nil {
			s.err = binary.Write(s.w, binary.LittleEndian, f)
		}
	}
}

func flags(e *chain.AccountEffect) (f uint8) {
	for bit, set := range map[uint8]bool{flagEscrow: e.Escrow, flagEmpty: e.Empty, flagActor: e.Actor} {
		if set {
			f |= bit
		}
	}
	return f
}

func (s *spill) account(e *chain.AccountEffect, at position) {
	s.write(recordAccount, position64{at.height, at.index}, e.Address, kindNumber(e.Create), flags(e),
		e.Nonce, e.Delta, e.Spend, e.Publish)
}

func (s *spill) token(e *chain.TokenEffect, at position) {
	s.write(recordToken, position64{at.height, at.index}, e.ID, e.From, e.To, e.Tiers)
}

func (s *spill) game(k key, e *chain.GameEffect, at position) {
	s.write(recordGame, position64{at.height, at.index}, k, e.Step, e.A, e.B, e.Tier, e.Throws, e.Stake)
}

func (s *spill) expectAccount(address chain.Address, a *chain.Account) {
	s.write(recordExpectAccount, address, kindNumber(a.Kind), a.Balance, a.Nonce, a.Commitment)
}

func (s *spill) expectToken(id int64, t *chain.Token) {
	s.write(recordExpectToken, id, t.Tier, t.Owner)
}

func (s *spill) expectGame(k key, g *chain.Game) {
	s.write(recordExpectGame, k, g.Step, g.A, g.B, g.Tier, g.Stake)
}

// readSpill does all that was written down for the part.
func (p *part) readSpill() error {
	s := p.spill
	if s.err != nil {
		return s.err
	}
	if err := s.w.Flush(); err != nil {
		return err
	}
	if seeker, ok := s.file.(io.Seeker); ok {
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	in := recordReader{r: bufio.NewReaderSize(s.file, 64<<10)}
	for {
		kind, err := in.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		p.perform(kind, &in)
		if in.err != nil {
			return in.err
		}
	}
}

type recordReader struct {
	r   *bufio.Reader
	err error
}

func (in *recordReader) read(fields ...any) {
	for _, f := range fields {
		if in.err == nil {
			in.err = binary.Read(in.r, binary.LittleEndian, f)
		}
	}
}

// perform reads one record and does what it says.
func (p *part) perform(kind byte, in *recordReader) {
	var r record
	at := func() position { return position{r.At.Height, r.At.Index} }
	switch kind {
	case recordAccount:
		in.read(&r.At, &r.Address, &r.Create, &r.Flags, &r.Nonce, &r.Delta, &r.Spend, &r.Publish)
		p.account(&chain.AccountEffect{Address: r.Address, Create: accountKinds[r.Create],
			Escrow: r.Flags&flagEscrow != 0, Empty: r.Flags&flagEmpty != 0, Actor: r.Flags&flagActor != 0,
			Nonce: r.Nonce, Delta: r.Delta, Spend: r.Spend, Publish: r.Publish}, at())
	case recordToken:
		in.read(&r.At, &r.ID, &r.From, &r.To, &r.Tiers)
		p.token(&chain.TokenEffect{ID: r.ID, From: r.From, To: r.To, Tiers: r.Tiers}, at())
	case recordGame:
		in.read(&r.At, &r.Key, &r.Step, &r.A, &r.B, &r.Tier, &r.Throws, &r.Stakes)
		p.game(r.Key, &chain.GameEffect{ID: fmt.Sprintf("%x", r.Key), Step: r.Step, A: r.A, B: r.B,
			Tier: r.Tier, Throws: r.Throws, Stake: r.Stakes}, at())
	case recordExpectAccount:
		in.read(&r.Address, &r.Create, &r.Delta, &r.Nonce, &r.Publish)
		p.expectAccount(r.Address, &chain.Account{Kind: accountKinds[r.Create], Balance: r.Delta,
			Nonce: r.Nonce, Commitment: r.Publish})
	case recordExpectToken:
		in.read(&r.ID, &r.Tier, &r.To)
		p.expectToken(r.ID, &chain.Token{Tier: r.Tier, Owner: r.To})
	case recordExpectGame:
		in.read(&r.Key, &r.Step, &r.A, &r.B, &r.Tier, &r.Stakes)
		p.expectGame(r.Key, &chain.Game{Step: r.Step, A: r.A, B: r.B, Tier: r.Tier, Stake: r.Stakes})
	default:
		in.err = fmt.Errorf("a record of unknown kind %d", kind)
	}
}

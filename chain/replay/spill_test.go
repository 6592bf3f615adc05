package replay

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"roshambo/chain"
	"roshambo/chain/tables"
)

// countCloses returns a Spill function whose files in memory count their Close calls in n.
func countCloses(n *int) func() (io.ReadWriteCloser, error) {
	return func() (io.ReadWriteCloser, error) { return &faultyFile{Buffer: new(bytes.Buffer), closed: n}, nil }
}

var errFault = errors.New("injected disk failure")

// faultyFile is a file in memory with injected failures.
type faultyFile struct {
	*bytes.Buffer
	closed    *int
	room      int // bytes that can be written before Write fails; 0 for no limit
	badRead   int // the Read that fails, counted from 1; 0 for none
	lost      int // bytes missing at the end when it is read
	seekFails bool
	garbled   int // the byte that is changed when it is read, counted from 1; 0 for none
}

func (f *faultyFile) Close() error { *f.closed++; return nil }

func (f *faultyFile) Write(p []byte) (int, error) {
	if f.room > 0 && f.Len()+len(p) > f.room {
		return 0, errFault
	}
	return f.Buffer.Write(p)
}

func (f *faultyFile) Read(p []byte) (int, error) {
	if f.lost > 0 {
		f.Truncate(f.Len() - f.lost)
		f.lost = 0
	}
	if f.garbled > 0 {
		f.Bytes()[f.garbled-1] ^= 0x40
		f.garbled = 0
	}
	if f.badRead--; f.badRead == 0 {
		return 0, errFault
	}
	return f.Buffer.Read(p)
}

func (f *faultyFile) Seek(int64, int) (int64, error) {
	if f.seekFails {
		return 0, errFault
	}
	return 0, nil
}

// TestFaultySpill checks that every failure of a spill file is an error of Finish, without a
// report.
func TestFaultySpill(t *testing.T) {
	t.Parallel()
	var blocks []Block
	manyRuns(700, 500, func(b Block) { blocks = append(blocks, b) })
	for name, tt := range map[string]struct {
		fault faultyFile
		want  error
	}{
		"no room at all":             {faultyFile{room: 1}, errFault},
		"no room after some":         {faultyFile{room: 3 * spillBuffer}, errFault},
		"no room for the last bytes": {faultyFile{room: spillBuffer}, errFault},
		"cannot be sought":           {faultyFile{seekFails: true}, errFault},
		"cannot be read":             {faultyFile{badRead: 1}, errFault},
		"cannot be read to its end":  {faultyFile{badRead: 3}, errFault},
		"lost its last byte":         {faultyFile{lost: 1}, io.ErrUnexpectedEOF},
		"lost its end":               {faultyFile{lost: 5000}, io.ErrUnexpectedEOF},
		"another length":             {faultyFile{garbled: 4}, errRecord},
		"another kind":               {faultyFile{garbled: 5}, errRecord},
		"lost everything":            {faultyFile{lost: -1}, io.ErrUnexpectedEOF},
	} {
		made, closed := 0, 0
		r, err := New(Options{Parts: 4, Spill: func() (io.ReadWriteCloser, error) {
			file := tt.fault
			file.Buffer, file.closed = new(bytes.Buffer), &closed
			if made++; made != 2 { // the others work
				file = faultyFile{Buffer: file.Buffer, closed: &closed}
			} else if file.lost < 0 {
				return &discardingFile{file}, nil
			}
			return &file, nil
		}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, b := range blocks {
			r.Block(b)
		}
		report, err := r.Finish()
		if report != nil || !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, %v, want no report and %v", name, report, err, tt.want)
		}
		if r.Close(); closed != 3 {
			t.Errorf("%s: %d files closed, want 3", name, closed)
		}
	}
}

// discardingFile discards everything written to it.
type discardingFile struct{ faultyFile }

func (*discardingFile) Write(p []byte) (int, error) { return len(p), nil }

// TestNewWithoutFiles checks that New fails when a file cannot be created, and closes the others.
func TestNewWithoutFiles(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{Parts: 2}); err == nil {
		t.Error("two parts without files: got nil, want an error")
	}
	made, closed := 0, 0
	spill := countCloses(&closed)
	_, err := New(Options{Parts: 5, Spill: func() (io.ReadWriteCloser, error) {
		if made++; made == 4 {
			return nil, errFault
		}
		return spill()
	}})
	if !errors.Is(err, errFault) || closed != 3 {
		t.Errorf("got %v and %d files closed, want the failure and 3", err, closed)
	}
}

// recorded returns the body of the record that a spill writes.
func recorded(record func(s *spill)) []byte {
	s := newSpill(buffer{new(bytes.Buffer)})
	record(s)
	return bytes.Clone(s.scratch[recordHead:])
}

// TestRecords checks that every record decodes to the encoded call, and that shorter and longer
// bodies are refused.
func TestRecords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawer{t}
		at := position{draw.number("height"), draw.number("index"), draw.hash("hash")}
		k, id := gameKey("id"), draw.text("id")
		account, token, game := draw.accountEffect(), draw.tokenEffect(), draw.gameEffect()
		claimed, claimedToken, claimedGame := draw.account(), draw.token(), draw.game()
		won := earned{k, tables.Earning{Season: at.height, Day: at.index, Points: draw.number("points"),
			Duel: draw.yes("duel")}}
		for name, tt := range map[string]struct {
			body []byte
			want call
		}{
			"account": {recorded(func(s *spill) { s.account(&account, &at) }), call{at: at, accountEffect: account}},
			"token":   {recorded(func(s *spill) { s.token(&token, &at) }), call{at: at, tokenEffect: token}},
			"game":    {recorded(func(s *spill) { s.game(k, &game, &at) }), call{at: at, key: k, gameEffect: game}},
			"points":  {recorded(func(s *spill) { s.earn(alice, won, &at) }), call{at: at, address: alice, earned: won}},
			"row": {recorded(func(s *spill) { s.stated(alice, at.height, at.index, &at) }),
				call{at: at, address: alice, season: at.height, number: at.index}},
			"claimed publisher": {recorded(func(s *spill) { s.expectPublished(alice, at.hash) }),
				call{address: alice, hash: at.hash}},
			"claimed account": {recorded(func(s *spill) { s.expectAccount(alice, &claimed) }),
				call{address: alice, account: claimed}},
			"claimed token": {recorded(func(s *spill) { s.expectToken(at.index, &claimedToken) }),
				call{number: at.index, token: claimedToken}},
			"claimed game": {recorded(func(s *spill) { s.expectGame(k, id, &claimedGame) }),
				call{key: k, id: id, game: claimedGame}},
		} {
			r, got := record{reading: true, b: tt.body[1:]}, call{}
			if got.fields(&r, tt.body[0]); !reflect.DeepEqual(got, tt.want) || !r.ended() {
				t.Fatalf("%s: got %+v, want %+v", name, got, tt.want)
			}
			cut := rapid.IntRange(0, len(tt.body)-1).Draw(t, "cut")
			for _, reject := range [][]byte{tt.body[:cut], append(tt.body, 0)} {
				if err := applyRecord(newState(1), reject); !errors.Is(err, errRecord) {
					t.Fatalf("%s of %d bytes, %d given: got %v, want errRecord", name, len(tt.body), len(reject), err)
				}
			}
		}
	})
}

// drawer generates arbitrary fields of records.
type drawer struct{ t *rapid.T }

func (d drawer) number(label string) int64 {
	return rapid.OneOf(rapid.Int64(), rapid.Int64Range(-2, 70),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64})).Draw(d.t, label)
}
func (d drawer) text(label string) string { return rapid.StringN(0, 200, -1).Draw(d.t, label) }
func (d drawer) yes(label string) bool    { return rapid.Bool().Draw(d.t, label) }
func (d drawer) byte(label string) byte   { return rapid.Byte().Draw(d.t, label) }
func (d drawer) address(label string) (a chain.Address) {
	copy(a[:], rapid.SliceOfN(rapid.Byte(), 0, len(a)).Draw(d.t, label))
	return a
}
func (d drawer) hash(label string) (h chain.Hash) {
	copy(h[:], rapid.SliceOfN(rapid.Byte(), 0, len(h)).Draw(d.t, label))
	return h
}

func (d drawer) accountEffect() chain.AccountEffect {
	return chain.AccountEffect{Address: d.address("address"), Create: chain.AccountKind(d.text("kind")),
		Escrow: d.yes("escrow"),
		Empty:  d.yes("empty"), Actor: d.yes("actor"), Nonce: d.number("nonce"), Delta: d.number("delta"),
		Spend: d.hash("spend"), Publish: d.hash("publish")}
}

func (d drawer) tokenEffect() chain.TokenEffect {
	return chain.TokenEffect{ID: d.number("id"), From: d.address("from"), To: d.address("to"),
		Tiers: rapid.Uint64().Draw(d.t, "tiers")}
}

func (d drawer) gameEffect() chain.GameEffect {
	return chain.GameEffect{ID: d.text("id"), Step: chain.GameStep(d.byte("step")), A: d.address("a"), B: d.address("b"),
		Tier: d.number("tier"), Throws: d.number("throws"), Stake: d.number("stake")}
}

func (d drawer) account() chain.Account {
	return chain.Account{Kind: chain.AccountKind(d.text("kind")), Balance: d.number("balance"), Nonce: d.number("nonce"),
		Commitment: d.hash("commitment")}
}

func (d drawer) token() chain.Token {
	return chain.Token{Tier: d.number("tier"), Owner: d.address("owner")}
}

func (d drawer) game() chain.Game {
	return chain.Game{Step: chain.GameStep(d.byte("step")), A: d.address("a"), B: d.address("b"), Tier: d.number("tier"),
		Stake: d.number("stake")}
}

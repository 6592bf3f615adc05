package fair

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"

	"roshambo/game"
)

func TestChainRevealsWhatItCommittedTo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var last Seed
		copy(last[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "last"))
		c := NewChain(last)
		if got := c.Seed(Length); got != last {
			t.Fatalf("seed %d: got %x, want the last seed %x", Length, got, last)
		}
		before := c.Commitment()
		for n := 1; n <= Length; n++ {
			if got := Previous(n, c.Seed(n)); got != before {
				t.Fatalf("seed %d hashes to %x, want the seed before it %x", n, got, before)
			}
			before = c.Seed(n)
		}
	})
}

func TestSeedOutOfRange(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 0, Length + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Seed(%d): got a seed, want a panic", n)
				}
			}()
			NewChain(Seed{}).Seed(n)
		}()
	}
}

// TestKnownValues pins the protocol: if a domain, an index or a length changes, every proof
// issued so far stops verifying. An independent implementation in Python computed the
// values.
func TestKnownValues(t *testing.T) {
	t.Parallel()
	var last Seed
	for i := range last {
		last[i] = byte(i)
	}
	c := NewChain(last)
	commitment, first := c.Commitment(), c.Seed(1)
	for _, tt := range []struct{ name, got, want string }{
		{"commitment", hex.EncodeToString(commitment[:]), knownCommitment},
		{"seed 1", hex.EncodeToString(first[:]), knownSeed1},
		{"move 1", HouseMove(first, 1, HashText(""), HashText("")).String(), knownMoves[0]},
		{"move 1 with a client seed", HouseMove(first, 1, HashText("grüße"), HashText("")).String(), knownMoves[1]},
		{"move 1 with entropy", HouseMove(first, 1, HashText("grüße"), HashText("\x00e")).String(), knownMoves[2]},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

func TestHouseMoveDependsOnEveryInput(t *testing.T) {
	t.Parallel()
	// Over 64 seeds a changed input must change some move.
	ab, c, d := HashText("ab"), HashText("c"), HashText("d")
	base := func(s Seed) game.Move { return HouseMove(s, 3, ab, c) }
	for name, other := range map[string]func(Seed) game.Move{
		"n":           func(s Seed) game.Move { return HouseMove(s, 4, ab, c) },
		"client seed": func(s Seed) game.Move { return HouseMove(s, 3, d, c) },
		"entropy":     func(s Seed) game.Move { return HouseMove(s, 3, ab, d) },
		"order":       func(s Seed) game.Move { return HouseMove(s, 3, c, ab) },
	} {
		var a, b []byte
		for i := range 64 {
			s := Seed{byte(i)}
			a, b = append(a, byte(base(s))), append(b, byte(other(s)))
		}
		if bytes.Equal(a, b) {
			t.Errorf("changing the %s changed no move in 64 seeds", name)
		}
	}
}

// TestHMAC compares with crypto/hmac for every length of message.
func TestHMAC(t *testing.T) {
	t.Parallel()
	key := Seed{0: 0xff, 31: 7}
	for n := range len(moveDomain) + 4 + 2*sha256.Size + 1 {
		message := bytes.Repeat([]byte{byte(n)}, n)
		mac := hmac.New(sha256.New, key[:])
		mac.Write(message)
		if got := hmacOf(key, message); !bytes.Equal(got[:], mac.Sum(nil)) {
			t.Errorf("a message of %d bytes: got %x, want %x", n, got, mac.Sum(nil))
		}
	}
}

func TestDrawMove(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stream []byte
		want   game.Move
		ok     bool
	}{
		{[]byte{0}, game.Rock, true},
		{[]byte{254}, game.Scissors, true},
		{[]byte{255, 4}, game.Paper, true},
		{[]byte{255, 255}, 0, false},
	} {
		if got, ok := drawMove(tt.stream); got != tt.want || ok != tt.ok {
			t.Errorf("drawMove(%v): got %v, %v, want %v, %v", tt.stream, got, ok, tt.want, tt.ok)
		}
	}
}

// TestMovesAreEquallyLikely counts over all byte values: exactly 85 of the 255 accepted
// values map to each move.
func TestMovesAreEquallyLikely(t *testing.T) {
	t.Parallel()
	var count [3]int
	for b := range 255 {
		m, _ := drawMove([]byte{byte(b)})
		count[m]++
	}
	if count != [3]int{85, 85, 85} {
		t.Errorf("got %v, want 85 each", count)
	}
}

func BenchmarkNewChain(b *testing.B) {
	for b.Loop() {
		NewChain(Seed{1})
	}
}

func BenchmarkSeed(b *testing.B) {
	c := NewChain(Seed{1})
	for b.Loop() {
		c.Seed(1)
	}
}

func BenchmarkHouseMove(b *testing.B) {
	for b.Loop() {
		HouseMove(Seed{1}, 1, [32]byte{2}, [32]byte{3})
	}
}

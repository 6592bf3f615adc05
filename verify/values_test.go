package verify_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"testing"

	"roshambo/canon"
	"roshambo/chain"
	"roshambo/chain/games"
	"roshambo/fair"
	"roshambo/game"
	"roshambo/vectors"
	"roshambo/verify"
)

// value is an entry of values.json. Each list uses some of the members.
type value struct {
	N           int     `json:"n"`
	Seed        string  `json:"seed"`
	Previous    string  `json:"previous"`
	Last        string  `json:"last"`
	Commitment  string  `json:"commitment"`
	Seed1       string  `json:"seed_1"`
	Seed2       string  `json:"seed_2"`
	ClientSeed  string  `json:"client_seed"`
	Entropy     string  `json:"entropy"`
	Count       int64   `json:"count"`
	Of          int64   `json:"of"`
	LowPPM      int64   `json:"low_ppm"`
	HighPPM     int64   `json:"high_ppm"`
	Move        *string `json:"move"`
	House       string  `json:"house"`
	Outcome     string  `json:"outcome"`
	Address     string  `json:"address"`
	Payload     string  `json:"payload"`
	DuelID      string  `json:"duel_id"`
	Raw         string  `json:"raw"`
	TxHash      string  `json:"tx"`
	BlockHash   string  `json:"block"`
	Transcript  string  `json:"transcript"`
	Leaf        string  `json:"leaf"`
	Index, Size int64
	Proof       []chainHash `json:"proof"`
	Root        chainHash   `json:"root"`
	Included    bool        `json:"included"`
	Base64      []byte      `json:"base64"`
	Key         string      `json:"key"`
	Public      string      `json:"public"`
	Message     string      `json:"message"`
	Signature   string      `json:"signature"`
	Salt        string      `json:"salt"`
	Valid       bool        `json:"valid"`
}

// chainHash is a hash in hex.
type chainHash struct{ chain.Hash }

func (h *chainHash) UnmarshalText(text []byte) (err error) {
	h.Hash, err = chain.ParseHash(string(text))
	return err
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func seedOf(t *testing.T, s string) fair.Seed {
	t.Helper()
	return fair.Seed(unhex(t, s))
}

func text32(b [32]byte) string { return hex.EncodeToString(b[:]) }

// valueTests report for each list but streams whether the package computes a value of the file. Package
// fair tests streams, which it does not export.
var valueTests = map[string]func(t *testing.T, v value) bool{
	"seeds": func(t *testing.T, v value) bool {
		t.Helper()
		return text32(fair.Previous(v.N, seedOf(t, v.Seed))) == v.Previous
	},
	"chains": func(t *testing.T, v value) bool {
		t.Helper()
		c := fair.NewChain(seedOf(t, v.Last))
		return text32(c.Commitment()) == v.Commitment && text32(c.Seed(1)) == v.Seed1 && text32(c.Seed(2)) == v.Seed2
	},
	"moves": func(t *testing.T, v value) bool {
		t.Helper()
		return fair.HouseMove(seedOf(t, v.Seed), v.N, fair.HashText(v.ClientSeed),
			fair.HashText(v.Entropy)).String() == *v.Move
	},
	"outcomes": func(_ *testing.T, v value) bool {
		move, err := game.ParseMove(*v.Move)
		house, err2 := game.ParseMove(v.House)
		return err == nil && err2 == nil && move.Against(house).String() == v.Outcome
	},
	"addresses": func(t *testing.T, v value) bool {
		t.Helper()
		written := !v.Valid || chain.Address(unhex(t, v.Payload)).String() == v.Address
		return verify.IsAddress(v.Address) == v.Valid && written
	},
	"escrows": func(_ *testing.T, v value) bool { return chain.Escrow(v.DuelID).String() == v.Address },
	"hashes": func(_ *testing.T, v value) bool {
		raw := []byte(v.Raw)
		return chain.HashTx(raw).String() == v.TxHash && chain.HashBlock(raw).String() == v.BlockHash &&
			chain.HashTranscript(raw).String() == v.Transcript
	},
	"trees": func(_ *testing.T, v value) bool {
		var proof []chain.Hash
		for _, h := range v.Proof {
			proof = append(proof, h.Hash)
		}
		return (chain.VerifyInclusion(chain.LeafHash([]byte(v.Leaf)), v.Index, v.Size, proof,
			v.Root.Hash) == nil) == v.Included
	},
	"json": func(_ *testing.T, v value) bool {
		_, err := verify.ReadJSON(v.Base64)
		return (err == nil) == v.Valid
	},
	"canonical": func(_ *testing.T, v value) bool { return (canon.Check(v.Base64) == nil) == v.Valid },
	"keys": func(_ *testing.T, v value) bool {
		_, err := verify.ParseKey(v.Key)
		return (err == nil) == v.Valid
	},
	"signatures": func(t *testing.T, v value) bool {
		t.Helper()
		return ed25519.Verify(unhex(t, v.Public), unhex(t, v.Message), unhex(t, v.Signature)) == v.Valid
	},
	"intervals": func(_ *testing.T, v value) bool {
		low, high := games.Interval(v.Count, v.Of)
		return int64(math.Floor(low*1e6)) == v.LowPPM && int64(math.Ceil(high*1e6)) == v.HighPPM
	},
	"commitments": func(_ *testing.T, v value) bool {
		return text32(sha256.Sum256([]byte(*v.Move+":"+v.Salt))) == v.Commitment
	},
}

func TestValues(t *testing.T) {
	t.Parallel()
	data, err := vectors.Values()
	if err != nil {
		t.Fatal(err)
	}
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(data, &lists); err != nil {
		t.Fatal(err)
	}
	for kind, test := range valueTests {
		var values []value
		if err := json.Unmarshal(lists[kind], &values); err != nil || len(values) == 0 {
			t.Fatalf("%s: %d values, %v", kind, len(values), err)
		}
		for _, v := range values {
			if !test(t, v) {
				t.Errorf("%s: %+v: other result", kind, v)
			}
		}
		delete(lists, kind)
	}
	delete(lists, "format")
	delete(lists, "streams")
	for kind := range lists {
		t.Errorf("no test for the values of %s", kind)
	}
}

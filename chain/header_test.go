package chain

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"roshambo/canon"
)

func TestHeaderRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := Header{
			Height: genCount(t, "height"), MerkleRoot: genHash(t, "root"), Prev: genHash(t, "prev"),
			Time: genCount(t, "time"), TxCount: genCount(t, "transactions"),
		}
		raw := h.Raw()
		if back, err := ParseHeader(raw); err != nil || back != h {
			t.Fatalf("got %+v, %v, want %+v", back, err, h)
		}
		if want, err := jcs.Transform(raw); err != nil || !bytes.Equal(raw, want) {
			t.Fatalf("not canonical: %s", raw)
		}
	})
}

// knownHeader is the raw of a header, written by hand after the protocol.
var knownHeader = `{"height":7,"merkle_root":"` + strings.Repeat("ab", 32) + `","prev":"` + strings.Repeat("cd", 32) +
	`","time":1700000000000,"tx_count":2,"v":1}`

func TestParseHeader(t *testing.T) {
	t.Parallel()
	want := Header{Height: 7, MerkleRoot: Hash(bytes.Repeat([]byte{0xab}, 32)), Prev: Hash(bytes.Repeat([]byte{0xcd}, 32)),
		Time: 1700000000000, TxCount: 2}
	if got, err := ParseHeader([]byte(knownHeader)); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for what, change := range map[string][2]string{
		"a negative height":        {`"height":7`, `"height":-7`},
		"a fraction":               {`"height":7`, `"height":7.0`},
		"a leading zero":           {`"height":7`, `"height":07`},
		"a number beyond 2^53":     {`"tx_count":2`, `"tx_count":9007199254740992`},
		"upper case":               {"abab", "ABAB"},
		"a short hash":             {"cdcd", "cd"},
		"another version":          {`"v":1`, `"v":2`},
		"no version":               {`,"v":1`, ``},
		"white space":              {`,"time"`, `, "time"`},
		"text after the end":       {`}`, `} `},
		"members in another order": {`"tx_count":2,"v":1`, `"v":1,"tx_count":2`},
		"an extra member":          {`"v":1`, `"v":1,"w":1`},
		"a member twice":           {`"v":1`, `"v":1,"v":1`},
		"a string as number":       {`"time":1700000000000`, `"time":"1700000000000"`},
		"null as hash":             {`"` + strings.Repeat("cd", 32) + `"`, `null`},
	} {
		raw := strings.Replace(knownHeader, change[0], change[1], 1)
		if got, err := ParseHeader([]byte(raw)); err == nil || got != (Header{}) {
			t.Errorf("%s: %s: got %+v, %v, want an error", what, raw, got, err)
		}
	}
}

// FuzzParseHeader checks that every accepted text is canonical and the only one of its header.
func FuzzParseHeader(f *testing.F) {
	f.Add([]byte(knownHeader))
	f.Add(Header{}.Raw())
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, err := ParseHeader(raw)
		if err != nil {
			return
		}
		if back := h.Raw(); !bytes.Equal(back, raw) {
			t.Errorf("%s: accepted, but its canonical text is %s", raw, back)
		}
		if err := canon.Check(raw); err != nil {
			t.Errorf("%s: accepted, but is not canonical: %v", raw, err)
		}
	})
}

package contract_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roshambo/contract"
)

// millis is a time with its own JSON.
type millis struct{ time.Time }

func (m millis) MarshalJSON() ([]byte, error) {
	return []byte(m.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// sometimes has MarshalText on its pointer.
type sometimes int

func (s *sometimes) MarshalText() ([]byte, error) { return []byte(strings.Repeat("s", int(*s))), nil }

// scribbled has MarshalJSON on its pointer.
type scribbled struct{ Text string }

func (s *scribbled) MarshalJSON() ([]byte, error) { return []byte(`{"s": "` + s.Text + `"}`), nil }

type base struct {
	ID   int    `json:"id"`
	Kind string `json:"kind,omitempty"`
}

type tree struct {
	Name string  `json:"name"`
	Kids []*tree `json:"kids"`
}

type sample struct {
	base
	*tree   `json:"tree,omitempty"`
	Bool    bool            `json:"bool"`
	Int8    int8            `json:"int8"`
	Uint    uint64          `json:"uint"`
	Float32 float32         `json:"float32"`
	Bytes   []byte          `json:"bytes"`
	Array   [2]string       `json:"array"`
	Map     map[int]string  `json:"map"`
	Zero    time.Time       `json:"zero,omitzero"`
	At      millis          `json:"at"`
	Addr    netip.Addr      `json:"addr"`
	By      map[string]any  `json:"by"`
	S       sometimes       `json:"s"`
	PS      *sometimes      `json:"ps"`
	Raw     json.RawMessage `json:"raw"`
	Hidden  string          `json:"-"`
	Empty   []int           `json:"empty,omitempty"`
	NoTag   any
	private int
}

func TestEncode(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 17, 38, 0, 1e6, time.FixedZone("", 3600))
	three := sometimes(3)
	var nothing *sample
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"null", nil, "null"},
		{"nil pointer", nothing, "null"},
		{"HTML stays", "<a href='&'>", `"<a href='&'>"`},
		{"escapes", "\"\\/\b\f\n\r\t\x00\x1f\x7fé\u2028😀", `"\"\\/\b\f\n\r\t\u0000\u001f` + "\x7fé\u2028😀\""},
		{"no UTF-8", "a\xffb\xc3", "\"a\ufffdb\ufffd\""},
		{"nil slice", []string(nil), "[]"},
		{"nil slices below", map[string][][]int{"a": nil, "b": {nil, {1}}}, `{"a":[],"b":[[],[1]]}`},
		{"nil map", map[string]int(nil), "{}"},
		{"nil bytes", []byte(nil), `""`},
		{"empty struct", struct{}{}, "{}"},
		{"floats", []float64{0, 1, -1.5, 1e20, 1e21, 1e-6, 1e-7, 123456789.125, 5e-324}, "[0,1,-1.5,100000000000000000000,1e+21,0.000001,1e-7,123456789.125,5e-324]"},
		{"integers", []any{int64(math.MinInt64), uint64(math.MaxUint64), uint8(7)}, "[-9223372036854775808,18446744073709551615,7]"},
		{"sorted keys", map[string]int{"b": 1, "a": 2, "é": 3, "B": 4}, `{"B":4,"a":2,"b":1,"é":3}`},
		{"keys that are no texts", map[any]int{netip.MustParseAddr("::1"): 1}, `{"::1":1}`},
		{"recursive", &tree{"a", []*tree{{"b", nil}, nil}}, `{"name":"a","kids":[{"name":"b","kids":[]},null]}`},
		{"raw is made compact", json.RawMessage(" {\n\"a\" : [1, 2]} "), `{"a":[1,2]}`},
		{
			"a bit of everything", &sample{
				base: base{ID: 1}, Bool: true, Int8: -8, Uint: 9, Float32: 0.1, Bytes: []byte("hi"),
				Array: [2]string{"x", ""}, Map: map[int]string{10: "ten", 9: "nine"}, At: millis{at},
				Addr: netip.MustParseAddr("127.0.0.1"), S: 2, PS: &three, private: 1,
			},
			`{"id":1,"bool":true,"int8":-8,"uint":9,"float32":0.1,"bytes":"aGk=","array":["x",""],` +
				`"map":{"10":"ten","9":"nine"},"at":"2026-11-20T16:38:00.001Z","addr":"127.0.0.1","by":{},` +
				`"s":"ss","ps":"sss","raw":null,"NoTag":null}`,
		},
		{"nil pointers to what writes itself", struct {
			A *millis    `json:"a"`
			B *sometimes `json:"b"`
			C *scribbled `json:"c"`
			D any        `json:"d"`
		}{}, `{"a":null,"b":null,"c":null,"d":null}`},
		{"JSON by a method of the pointer", struct {
			A scribbled   `json:"a"`
			B []scribbled `json:"b"`
		}{scribbled{"x"}, []scribbled{{"y"}}}, `{"a":{"s":"x"},"b":[{"s":"y"}]}`},
		{"an embedded type that writes itself is a member", struct {
			millis
			Addr netip.Addr
		}{millis{at}, netip.IPv6Unspecified()}, `"2026-11-20T16:38:00.001Z"`},
		{"by value, methods of the pointer count", struct {
			S sometimes `json:"s"`
		}{1}, `{"s":"s"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := contract.Encode(c.in)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	type twice struct {
		base
		Other int `json:"id"`
	}
	for _, in := range []any{
		func() {}, make(chan int), []any{complex(1, 2)}, math.NaN(), []float64{math.Inf(1)}, twice{},
		json.RawMessage("{"), map[float64]int{1: 1}, struct{ F func() }{}, map[string]any{"a": math.Inf(-1)},
		millis{time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)}.Time,
	} {
		if got, err := contract.Encode(in); err == nil {
			t.Errorf("%T: got %s, want an error", in, got)
		}
	}
}

// TestEncodeAsJSON draws values and compares with encoding/json where the two agree by design.
func TestEncodeAsJSON(t *testing.T) {
	t.Parallel()
	type leaf struct {
		S string            `json:"s"`
		F float64           `json:"f,omitempty"`
		M map[string]string `json:"m"`
	}
	type root struct {
		Leaf  leaf    `json:"leaf"`
		Many  []leaf  `json:"many"`
		Maybe *int64  `json:"maybe"`
		F32   float32 `json:"f32"`
		B     []byte  `json:"b"`
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[^\x{2028}\x{2029}]*`)
		draw := func(label string) leaf {
			return leaf{
				S: text.Draw(t, label),
				F: rapid.Float64().Draw(t, label),
				M: rapid.MapOfN(text, text, 1, 3).Draw(t, label),
			}
		}
		in := root{Leaf: draw("leaf"), Many: []leaf{draw("one"), draw("two")}, F32: rapid.Float32().Draw(t, "f32")}
		in.B = rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "b")
		if rapid.Bool().Draw(t, "some") {
			in.Maybe = rapid.Ptr(rapid.Int64(), false).Draw(t, "maybe")
		}
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(in); err != nil {
			t.Fatal(err)
		}
		got, err := contract.Encode(&in)
		if err != nil || string(got)+"\n" != want.String() {
			t.Fatalf("got %s, %v\nwant %s", got, err, &want)
		}
	})
}

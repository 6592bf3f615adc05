package contract_test

import (
	"context"
	"encoding/binary"
	"net/http"
	"testing"

	"roshambo/contract"
)

type lock struct {
	Code int `json:"code" required:"true"`
}

// cornerIn has the declarations that the other cases do not need.
type cornerIn struct {
	Q    string   `query:"q"`
	Pins []string `query:"pin" maxItems:"2" maxLength:"4" secret:"true"`
	Body struct {
		Text   string     `json:"text"`
		Quote  string     `json:"quote" enum:"it's,say \"hi\",both'\",back\\slash" default:"it's"`
		Wide   *uint64    `json:"wide"`
		Nick   *string    `json:"nick" default:"ada"`
		Safe   *lock      `json:"safe" secret:"true"`
		Codes  *[]int     `json:"codes" secret:"true" min:"0"`
		Closed *closedBox `json:"closed" secret:"true"`
		Exact  *string    `json:"exact" minLength:"2" maxLength:"2"`
	}
}

type closedBox struct {
	_ struct{} `extra:"forbid"`
	A int      `json:"a"`
}

// cornerCases cover rare input: quotes in enums, secret objects, and unusual
// encodings.
var cornerCases = []requestCase{
	{
		"defaults",
		"POST /corner", "",
		`{}`,
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"escapes",
		"POST /corner", "",
		`{"text":"\"\\\/\b\f\n\r\t\u0041\u00e9\u001f"}`,
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"\"\\/\b\f\n\r\tAé\u001f","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"quotes in an enum",
		"POST /corner", "",
		`{"quote":"no"}`,
		422, `{"detail":[{"type":"enum","loc":["body","quote"],"msg":"Input should be \"it's\", 'say \"hi\"', 'both\\'\"' or 'back\\\\slash'","input":"no","ctx":{"expected":"\"it's\", 'say \"hi\"', 'both\\'\"' or 'back\\\\slash'"}}]}`,
	},
	{
		"the largest uint64",
		"POST /corner", "",
		`{"wide":18446744073709551615}`,
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"","quote":"it's","wide":18446744073709551615,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"beyond uint64",
		"POST /corner", "",
		`{"wide":18446744073709551616}`,
		422, `{"detail":[{"type":"int_parsing_size","loc":["body","wide"],"msg":"Unable to parse input string as an integer, exceeded maximum size","input":18446744073709551616}]}`,
	},
	{
		"nullable default",
		"POST /corner", "",
		`{"nick":null}`,
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":null,"safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"missing in a secret object",
		"POST /corner", "",
		`{"safe":{"pin":1234}}`,
		422, `{"detail":[{"type":"missing","loc":["body","safe","code"],"msg":"Field required","input":"[redacted]"}]}`,
	},
	{
		"wrong in a secret object",
		"POST /corner", "",
		`{"safe":{"code":"1234"}}`,
		422, `{"detail":[{"type":"int_type","loc":["body","safe","code"],"msg":"Input should be a valid integer","input":"[redacted]"}]}`,
	},
	{
		"wrong secret object",
		"POST /corner", "",
		`{"safe":1234}`,
		422, `{"detail":[{"type":"model_attributes_type","loc":["body","safe"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"[redacted]"}]}`,
	},
	{
		"items of a secret list",
		"POST /corner", "",
		`{"codes":[1,-2]}`,
		422, `{"detail":[{"type":"greater_than_equal","loc":["body","codes",1],"msg":"Input should be greater than or equal to 0","input":"[redacted]","ctx":{"ge":0}}]}`,
	},
	{
		"surplus in a secret object",
		"POST /corner", "",
		`{"closed":{"b":"1234"}}`,
		422, `{"detail":[{"type":"extra_forbidden","loc":["body","closed","b"],"msg":"Extra inputs are not permitted","input":"[redacted]"}]}`,
	},
	{
		"secret list in a query",
		"POST /corner?pin=1&pin=2&pin=3", "",
		`{}`,
		422, `{"detail":[{"type":"too_long","loc":["query","pin"],"msg":"List should have at most 2 items after validation, not 3","input":"[redacted]","ctx":{"field_type":"List","max_length":2,"actual_length":3}}]}`,
	},
	{
		"secret item in a query",
		"POST /corner?pin=1&pin=12345", "",
		`{}`,
		422, `{"detail":[{"type":"string_too_long","loc":["query","pin",1],"msg":"String should have at most 4 characters","input":"[redacted]","ctx":{"max_length":4}}]}`,
	},
	{
		"no UTF-8, %e2%82",
		"POST /corner?q=%e2%82", "",
		`{}`,
		200, `{"got":{"Q":"�","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, %f0%9f%98",
		"POST /corner?q=%f0%9f%98", "",
		`{}`,
		200, `{"got":{"Q":"�","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, %ed%a0%80",
		"POST /corner?q=%ed%a0%80", "",
		`{}`,
		200, `{"got":{"Q":"���","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, %c0%af",
		"POST /corner?q=%c0%af", "",
		`{}`,
		200, `{"got":{"Q":"��","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, %e2%bf",
		"POST /corner?q=%e2%bfx", "",
		"{}",
		200, `{"got":{"Q":"�x","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no sign, zero",
		"POST /corner", "",
		`{"wide":0}`,
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"","quote":"it's","wide":0,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"the last code point in UTF-32",
		"POST /corner", "",
		wide(binary.BigEndian, 4, "{\"text\":\"\U0010ffff\"}"),
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"` + "\U0010ffff" +
			`","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"four bytes of UTF-32 with the other mark",
		"POST /corner", "",
		wide(binary.BigEndian, 4, "7"),
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":7}]}`,
	},
	{
		"no UTF-8, %f4%90",
		"POST /corner?q=%f4%90", "",
		`{}`,
		200, `{"got":{"Q":"��","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, %e2%82%e2%82%ac",
		"POST /corner?q=%e2%82%e2%82%ac", "",
		`{}`,
		200, `{"got":{"Q":"�€","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, %f0%80%80%80",
		"POST /corner?q=%f0%80%80%80", "",
		`{}`,
		200, `{"got":{"Q":"����","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, %e0%a0",
		"POST /corner?q=%e0%a0", "",
		`{}`,
		200, `{"got":{"Q":"�","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"no UTF-8, a%c3",
		"POST /corner?q=a%c3", "",
		`{}`,
		200, `{"got":{"Q":"a�","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"UTF-16 with the other mark",
		"POST /corner", "",
		"\xfe\xff" + wide(binary.BigEndian, 2, `{"text":"é"}`),
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"é","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"UTF-32 with its mark",
		"POST /corner", "",
		"\xff\xfe\x00\x00" + wide(binary.LittleEndian, 4, `{"text":"é"}`),
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"é","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"UTF-32 with the other mark",
		"POST /corner", "",
		"\x00\x00\xfe\xff" + wide(binary.BigEndian, 4, `{"text":"é"}`),
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"é","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"UTF-32 without its mark",
		"POST /corner", "",
		wide(binary.BigEndian, 4, `{"text":"é"}`),
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"é","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"UTF-16, half a pair at the end",
		"POST /corner", "",
		"\xfe\xff" + wide(binary.BigEndian, 2, `{"text":"`) + "\xd8\x3d\x00\x22\x00}",
		422, `{"detail":[{"type":"string_unicode","loc":["body","text"],"msg":"Input should be a valid string, unable to parse raw data as a unicode string","input":"\ud83d"}]}`,
	},
	{
		"two bytes of UTF-16",
		"POST /corner", "",
		"[\x00",
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"UTF-32 cut off",
		"POST /corner", "",
		"\x00\x00\xfe\xff\x00",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"pair broken by its second half",
		"POST /corner", "",
		`{"text":"\ud83d\u0041"}`,
		422, `{"detail":[{"type":"string_unicode","loc":["body","text"],"msg":"Input should be a valid string, unable to parse raw data as a unicode string","input":"\ud83dA"}]}`,
	},
	{
		"pair cut off",
		"POST /corner", "",
		`{"text":"\ud83d\ude0`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",16],"msg":"JSON decode error","input":{},"ctx":{"error":"Invalid \\uXXXX escape"}}]}`,
	},
	{
		"length of exactly two",
		"POST /corner", "",
		`{"exact":"ab"}`,
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":"ab"}}}`,
	},
	{
		"length of three",
		"POST /corner", "",
		`{"exact":"abc"}`,
		422, `{"detail":[{"type":"string_too_long","loc":["body","exact"],"msg":"String should have at most 2 characters","input":"abc","ctx":{"max_length":2}}]}`,
	},
	{
		"the first and the last pair",
		"POST /corner", "",
		`{"text":"\ud800\udc00\udbff\udfff"}`,
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"` + "\U00010000\U0010ffff" +
			`","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"the first and the last pair in UTF-16",
		"POST /corner", "",
		wide(binary.LittleEndian, 2, "{\"text\":\"\U00010000\U0010ffff\"}"),
		200, `{"got":{"Q":"","Pins":[],"Body":{"text":"` + "\U00010000\U0010ffff" +
			`","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
	{
		"four bytes of UTF-32",
		"POST /corner", "",
		wide(binary.LittleEndian, 4, "7"),
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":7}]}`,
	},
	{
		"four bytes of UTF-16",
		"POST /corner", "",
		wide(binary.BigEndian, 2, "[]"),
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]}]}`,
	},
	{
		"code at the very end",
		"POST /corner", "",
		`"\u0041`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",2],"msg":"JSON decode error","input":{},"ctx":{"error":"Invalid \\uXXXX escape"}}]}`,
	},
	{
		"U+FFFD is a character",
		"POST /corner?q=%ef%bf%bd%df%bf%df", "",
		`{}`,
		200, `{"got":{"Q":"�߿�","Pins":[],"Body":{"text":"","quote":"it's","wide":null,"nick":"ada","safe":null,"codes":null,"closed":null,"exact":null}}}`,
	},
}

func TestCorners(t *testing.T) {
	t.Parallel()
	api := contract.New(contract.Info{}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "corner", Method: http.MethodPost, Path: "/corner"}, handle[cornerIn])
	for _, c := range cornerCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, api)
		})
	}
}

// TestQueryList repeats a query parameter.
func TestQueryList(t *testing.T) {
	t.Parallel()
	api := contract.New(contract.Info{}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "list", Method: http.MethodGet, Path: "/list"}, handle[struct {
		IDs []int `query:"id" required:"true" minItems:"2" maxItems:"3"`
	}])
	for _, c := range []requestCase{
		{"", "GET /list", "", "", 422,
			`{"detail":[{"type":"missing","loc":["query","id"],"msg":"Field required","input":null}]}`},
		{"", "GET /list?id=1", "", "", 422,
			`{"detail":[{"type":"too_short","loc":["query","id"],"msg":"List should have at least 2 items after validation, not 1","input":["1"],"ctx":{"field_type":"List","min_length":2,"actual_length":1}}]}`},
		{"", "GET /list?id=x", "", "", 422,
			`{"detail":[{"type":"int_parsing","loc":["query","id",0],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"}]}`},
		{"", "GET /list?id=1&id=2", "", "", 200, `{"got":{"IDs":[1,2]}}`},
		{"", "GET /list?id=1&id=2&id=3", "", "", 200, `{"got":{"IDs":[1,2,3]}}`},
	} {
		c.run(t, api)
	}
}

// TestDefaultsAreNotShared has a handler that changes its input.
func TestDefaultsAreNotShared(t *testing.T) {
	t.Parallel()
	api := contract.New(contract.Info{}, contract.Options{})
	contract.Add(api, contract.Operation{ID: "corner", Method: http.MethodPost, Path: "/corner"},
		func(_ context.Context, in *cornerIn) (*echo, error) {
			*in.Body.Nick += "!"
			return &echo{in.Body.Nick}, nil
		})
	for range 2 {
		requestCase{"", "POST /corner", "", `{}`, 200, `{"got":"ada!"}`}.run(t, api)
	}
}

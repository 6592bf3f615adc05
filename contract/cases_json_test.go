package contract_test

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// wide encodes a text in UTF-16 or UTF-32, with width 2 or 4 bytes per unit.
func wide(order binary.AppendByteOrder, width int, text string) string {
	var b []byte
	if width == 4 {
		for _, r := range text {
			b = order.AppendUint32(b, uint32(r))
		}
		return string(b)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// jsonCases cover bodies that are not JSON, or barely: positions and messages are the same
// as in Python's json module.
var jsonCases = []requestCase{
	{
		"object left open",
		"POST /items", "",
		"{",
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting property name enclosed in double quotes"}}]}`,
	},
	{
		"key without quotes",
		"POST /items", "",
		"{a:1}",
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting property name enclosed in double quotes"}}]}`,
	},
	{
		"key in single quotes",
		"POST /items", "",
		"{'a':1}",
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting property name enclosed in double quotes"}}]}`,
	},
	{
		"no colon",
		"POST /items", "",
		`{"a"`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",4],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting ':' delimiter"}}]}`,
	},
	{
		"no value",
		"POST /items", "",
		`{"a":`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",5],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"a number without its zero",
		"POST /items", "",
		`{"a":.5}`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",5],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"no end",
		"POST /items", "",
		`{"a":1`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",6],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting ',' delimiter"}}]}`,
	},
	{
		"nothing behind a comma",
		"POST /items", "",
		`{"a":1,`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",7],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting property name enclosed in double quotes"}}]}`,
	},
	{
		"comma before the end",
		"POST /items", "",
		`{"a":1,}`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",7],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting property name enclosed in double quotes"}}]}`,
	},
	{
		"comma before the end of a list",
		"POST /items", "",
		"[1,]",
		422, `{"detail":[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"no comma in a list",
		"POST /items", "",
		"[1 2]",
		422, `{"detail":[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting ',' delimiter"}}]}`,
	},
	{
		"no comma in an object",
		"POST /items", "",
		`{"a":1 "b":2}`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",7],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting ',' delimiter"}}]}`,
	},
	{
		"cut word",
		"POST /items", "",
		"nul",
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"plus",
		"POST /items", "",
		"+1",
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"minus",
		"POST /items", "",
		"-",
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"white space alone",
		"POST /items", "",
		"   ",
		422, `{"detail":[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"text left open",
		"POST /items", "",
		`"abc`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Unterminated string starting at"}}]}`,
	},
	{
		"backslash at the end",
		"POST /items", "",
		`"abc\`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Unterminated string starting at"}}]}`,
	},
	{
		"line break in a text",
		"POST /items", "",
		"\"ab\nc\"",
		422, `{"detail":[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"Invalid control character at"}}]}`,
	},
	{
		"tab in a text",
		"POST /items", "",
		"\"\t\"",
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Invalid control character at"}}]}`,
	},
	{
		"bad escape",
		"POST /items", "",
		`"\x"`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Invalid \\escape"}}]}`,
	},
	{
		"bad code",
		"POST /items", "",
		`"\u12"`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",2],"msg":"JSON decode error","input":{},"ctx":{"error":"Invalid \\uXXXX escape"}}]}`,
	},
	{
		"bad code in the middle",
		"POST /items", "",
		`"ab\u12g4"`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",4],"msg":"JSON decode error","input":{},"ctx":{"error":"Invalid \\uXXXX escape"}}]}`,
	},
	{
		"something behind",
		"POST /items", "",
		"{} x",
		422, `{"detail":[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"Extra data"}}]}`,
	},
	{
		"two values",
		"POST /items", "",
		"1 2",
		422, `{"detail":[{"type":"json_invalid","loc":["body",2],"msg":"JSON decode error","input":{},"ctx":{"error":"Extra data"}}]}`,
	},
	{
		"zero in front",
		"POST /items", "",
		`{"a":01}`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",6],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting ',' delimiter"}}]}`,
	},
	{
		"point without digits",
		"POST /items", "",
		"[1.]",
		422, `{"detail":[{"type":"json_invalid","loc":["body",2],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting ',' delimiter"}}]}`,
	},
	{
		"exponent without digits",
		"POST /items", "",
		"[1e+]",
		422, `{"detail":[{"type":"json_invalid","loc":["body",2],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting ',' delimiter"}}]}`,
	},
	{
		"NaN",
		"POST /items", "",
		"[NaN]",
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"Infinity",
		"POST /items", "",
		`{"a":Infinity}`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",5],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"minus Infinity",
		"POST /items", "",
		"[1, -Infinity]",
		422, `{"detail":[{"type":"json_invalid","loc":["body",4],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"True",
		"POST /items", "",
		"True",
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"comment",
		"POST /items", "",
		"{} // no",
		422, `{"detail":[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"Extra data"}}]}`,
	},
	{
		"positions are code points",
		"POST /items", "",
		`{"é😀":x}`,
		422, `{"detail":[{"type":"json_invalid","loc":["body",6],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"positions begin behind the byte order mark",
		"POST /items", "",
		"\ufeff{\"é\":x}",
		422, `{"detail":[{"type":"json_invalid","loc":["body",5],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"byte order mark alone",
		"POST /items", "",
		"\ufeff",
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"byte order mark accepted",
		"POST /items", "",
		"\ufeff{\"name\":\"a\",\"price\":1}",
		200, `{"got":{"Body":{"name":"a","price":1}}}`,
	},
	{
		"form feed is not white space",
		"POST /items", "",
		"\f{}",
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"no-break space is not white space",
		"POST /items", "",
		"\u00a0{}",
		422, `{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"zero byte",
		"POST /items", "",
		"[1,\x00]",
		422, `{"detail":[{"type":"json_invalid","loc":["body",3],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"UTF-16",
		"POST /items", "",
		"\xff\xfe" + wide(binary.LittleEndian, 2, `{"name":"é😀","price":1}`),
		200, `{"got":{"Body":{"name":"é😀","price":1}}}`,
	},
	{
		"UTF-16 without its mark",
		"POST /items", "",
		wide(binary.BigEndian, 2, `{"name":"é😀","price":1}`),
		200, `{"got":{"Body":{"name":"é😀","price":1}}}`,
	},
	{
		"UTF-32",
		"POST /items", "",
		wide(binary.LittleEndian, 4, `{"name":"é😀","price":1}`),
		200, `{"got":{"Body":{"name":"é😀","price":1}}}`,
	},
	{
		"UTF-16, broken JSON",
		"POST /items", "",
		wide(binary.LittleEndian, 2, `{"é😀":x}`),
		422, `{"detail":[{"type":"json_invalid","loc":["body",6],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"invalid UTF-8",
		"POST /items", "",
		"{\"name\":\"\xff\"}",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"UTF-8 cut off",
		"POST /items", "",
		"{\"name\":\"\xc3",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"UTF-8 too long",
		"POST /items", "",
		"{\"name\":\"\xc0\xaf\"}",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"UTF-16 cut off",
		"POST /items", "",
		"\xff\xfe{\x00}",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"UTF-32 beyond Unicode",
		"POST /items", "",
		"\x00\x00\xfe\xff\x00\x11\x00\x00",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"a broken encoding behind broken JSON",
		"POST /items", "",
		"{x\xff",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"nested as deep as allowed",
		"POST /items", "",
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}]}",
	},
	{
		"objects nested as deep as allowed",
		"POST /items", "",
		strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000) + "x",
		422, `{"detail":[{"type":"json_invalid","loc":["body",6001],"msg":"JSON decode error","input":{},"ctx":{"error":"Extra data"}}]}`,
	},
	{
		"nested too deep",
		"POST /items", "",
		strings.Repeat("[", 1001) + strings.Repeat("]", 1001),
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"nested too deep and broken",
		"POST /items", "",
		strings.Repeat(`{"a":`, 1001),
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"broken before too deep",
		"POST /items", "",
		"[x" + strings.Repeat("[", 2000),
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}}]}`,
	},
	{
		"integer of 4300 digits",
		"POST /items", "",
		`{"name":"a","price":` + strings.Repeat("1", 4300) + "}",
		422, `{"detail":[{"type":"int_parsing_size","loc":["body","price"],"msg":"Unable to parse input string as an integer, exceeded maximum size","input":` +
			strings.Repeat("1", 4300) + "}]}",
	},
	{
		"integer of 4301 digits",
		"POST /items", "",
		`{"name":"a","price":` + strings.Repeat("1", 4301) + "}",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"negative integer of 4301 digits",
		"POST /items", "",
		"[-" + strings.Repeat("1", 4301) + "]",
		400, `{"detail":"There was an error parsing the body"}`,
	},
	{
		"float of 4301 digits",
		"POST /items", "",
		`{"name":"a","price":1.` + strings.Repeat("0", 4301) + "}",
		200, `{"got":{"Body":{"name":"a","price":1}}}`,
	},
	{
		"alone, without the errors of parameters",
		"POST /jobs/123456789/paint", "",
		"{",
		422, `{"detail":[{"type":"json_invalid","loc":["body",1],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting property name enclosed in double quotes"}}]}`,
	},
}

// mediaCases cover Content-Type.
var mediaCases = []requestCase{
	{
		"JSON",
		"POST /items", "Content-Type: application/json",
		"{}",
		422, `{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","price"],"msg":"Field required","input":{}}]}`,
	},
	{
		"JSON with parameters",
		"POST /items", "Content-Type: application/json; charset=utf-8",
		"{}",
		422, `{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","price"],"msg":"Field required","input":{}}]}`,
	},
	{
		"JSON in capitals",
		"POST /items", "Content-Type: Application/JSON",
		"{}",
		422, `{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","price"],"msg":"Field required","input":{}}]}`,
	},
	{
		"a JSON format",
		"POST /items", "Content-Type: application/vnd.api+json",
		"{}",
		422, `{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","price"],"msg":"Field required","input":{}}]}`,
	},
	{
		"a problem",
		"POST /items", "Content-Type: application/problem+json;x=y",
		"{}",
		422, `{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","price"],"msg":"Field required","input":{}}]}`,
	},
	{
		"JSON of another kind",
		"POST /items", "Content-Type: text/json",
		"{}",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{}"}]}`,
	},
	{
		"text",
		"POST /items", "Content-Type: text/plain",
		"{}",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{}"}]}`,
	},
	{
		"almost JSON",
		"POST /items", "Content-Type: application/jsonp",
		"{}",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{}"}]}`,
	},
	{
		"two slashes",
		"POST /items", "Content-Type: application/x/json",
		"{}",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{}"}]}`,
	},
	{
		"no slash",
		"POST /items", "Content-Type: json",
		"{}",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{}"}]}`,
	},
	{
		"nonsense",
		"POST /items", "Content-Type: ;;",
		"{}",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{}"}]}`,
	},
	{
		"form that is not UTF-8",
		"POST /items", "Content-Type: application/x-www-form-urlencoded",
		"name=\xff",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"name=�"}]}`,
	},
	{
		"quotes and line breaks",
		"POST /items", "Content-Type: text/plain",
		"a=\"b\"\r\n",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"a=\"b\"\r\n"}]}`,
	},
	{
		"no bytes, whatever the type",
		"POST /items", "Content-Type: text/plain",
		"",
		422, `{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}`,
	},
	{
		"broken JSON of another type",
		"POST /items", "Content-Type: text/plain",
		"{",
		422, `{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":"{"}]}`,
	},
}

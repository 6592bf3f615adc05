package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

func sha256Hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// sortedBy sorts values by a text member: the order of a Go map is random.
func sortedBy(v list, member string) list {
	slices.SortFunc(v, func(a, b object) int { return cmp.Compare(a[member].(string), b[member].(string)) })
	return v
}

// texts returns valid and invalid texts in base64, because some are not UTF-8.
func texts(good, bad []string) (v list) {
	for _, s := range good {
		v = append(v, object{"base64": base64Of(s), "valid": true})
	}
	for _, s := range bad {
		v = append(v, object{"base64": base64Of(s), "valid": false})
	}
	return v
}

// nested returns depth lists within each other around inner.
func nested(depth int, inner string) string {
	return strings.Repeat("[", depth) + inner + strings.Repeat("]", depth)
}

// alwaysCanonical are canonical JSON.
var alwaysCanonical = []string{
	`null`, `true`, `false`, `0`, `-1`, `9007199254740991`, `-9007199254740991`, `""`, `[]`, `{}`,
	`[1,"a",null,{"a":[],"b":{}}]`,
	`{"":0,"A":1,"a":2,"é":3}`, `"\b\t\n\f\r\"\\\u0000\u001f"`, "\"\u007f\u0080\u2028€😀\"", "\"\U0010ffff\"",
	"\"\ufeff\"", `"/"`,
	"{\"😀\":1,\"\ufb33\":2}", `{"a":1,"aa":2}`, `{"10":1,"9":2}`, `{"__proto__":1,"constructor":2}`,
	nested(32, ""), nested(32, "1"),
	`[{"a":{"b":[{}]}}]`, "\"e\u0301\"", `[[],{}]`,
}

// neverJSON are not the strict JSON of proofs.
var neverJSON = []string{
	``, ` `, `01`, `-0`, `-`, `--1`, `+1`, `.5`, `1.`, `1.0`, `1e3`, `1E3`, `0x1`, `9007199254740992`, `-9007199254740992`,

	strings.Repeat("9", 400),
	`NaN`, `Infinity`, `-Infinity`, `nul`, `nulll`, `truefalse`, `True`, `undefined`, `"`, `"a`,
	`'a'`, `a`,
	`"\x"`, `"\`, `"\u"`, `"\u00"`, `"\u00g0"`, `"\u+123"`, `"\u 123"`, `"\U0041"`, "\"\n\"", "\"\t\"", "\"\x00\"",
	"\"\x1f\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
	"\"\xf4\x90\x80\x80\"", "\xff", `"\ud83d"`, `"\ude00"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`,
	`"\ud83d\ud83d\ude00"`,
	`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `[1]]`, `{`, `}`, `{"a"`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,}`,
	`{,"a":1}`, `{a:1}`,
	`{1:1}`, `{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `{"a":{"b":1,"b":1}}`, `{"":1,"":2}`, `{"a":1 "b":2}`, `{"a" 1}`,
	`1 2`, `[]x`, "\ufeff[]", "[]\ufeff",
	"[\u00a01]", "[\v1]", "[\f1]", "[\u20281]", "// x\n1", "/* x */1", `[1]//`,
	nested(33, "1"), nested(34, ""), strings.Repeat("[", 5_000), strings.Repeat(`{"a":`, 5_000),
	`{"a":1}{`, `"a""b"`, `[1,,2]`, `{"\ud83d":1}`,
}

// looseJSON are strict JSON but not canonical.
var looseJSON = []string{
	` 1`, "1\n", "\t[\r\n]\t", `[1, 2]`, `{"a" :1}`, `{"a": 1}`, `{"b":1,"a":2}`, `"\/"`, `"\u0041"`, `"\u000a"`,
	`"\u001F"`, `"\u00e9"`, `"\u00E9"`,
	`"\ud83d\ude00"`, `"\uD83D\uDE00"`, `"\u007f"`, "{\"\ufb33\":2,\"😀\":1}", `{"9":2,"10":1}`, `{"aa":2,"a":1}`,
	`{"b":{"d":1,"c":1}}`, ` {} `,
}

// jsonValues are texts that are the strict JSON of proofs, or not.
func jsonValues() list { return texts(slices.Concat(alwaysCanonical, looseJSON), neverJSON) }

// canonicalValues are texts that are canonical JSON, or are not.
func canonicalValues() list { return texts(alwaysCanonical, slices.Concat(looseJSON, neverJSON)) }

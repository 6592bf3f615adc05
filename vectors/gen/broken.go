package main

import (
	"fmt"
	"strings"

	"roshambo/chain"
)

// onText tampers with the file of a lost run's proof.
func onText(change func(string) string) *run { return lost(run{text: change}) }

// fileOf is a file with the given text.
func fileOf(s string) *run { return onText(func(string) string { return s }) }

// set sets a member in the proof of a lost run. path is names separated by points.
func set(path string, to any) *run {
	return onProof(func(p object) {
		names := strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			p = p[name].(object)
		}
		p[names[len(names)-1]] = to
	})
}

// unset removes a member from the proof of a lost run.
func unset(path string) *run {
	return onProof(func(p object) {
		names := strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			p = p[name].(object)
		}
		delete(p, names[len(names)-1])
	})
}

// withTranscript changes the transcript raw in the proof of a lost run.
func withTranscript(change func(string) string) *run {
	return onProof(func(p object) {
		p["transcript"] = object{"raw": change(p["transcript"].(object)["raw"].(string))}
	})
}

// brokenRuns fail the format check.
func brokenRuns() []vector {
	list := append(brokenJSON(), brokenShapes()...)
	list = append(list, brokenTranscripts()...)
	for i := range list {
		list[i].fails = "format"
	}
	return list
}

// brokenJSON are files that are not strict JSON.
func brokenJSON() []vector {
	number := func(text string) *run { return onText(sub(`"cleared": 2`, `"cleared": `+text)) }
	return []vector{
		// Texts that are not an object.
		{file: "run/json-empty", about: "nothing at all", make: fileOf("")},
		{file: "run/json-blank", about: "white space", make: fileOf(" \n\t\r\n")},
		{file: "run/json-not", about: "a text that is not JSON", make: fileOf("I won. Trust me.\n")},
		{file: "run/json-null", about: "null", make: fileOf("null")},
		{file: "run/json-number", about: "a number", make: fileOf("1")},
		{file: "run/json-list", about: "a list around the proof",
			make: onText(func(s string) string { return "[" + s + "]" })},
		{file: "run/json-object-empty", about: "an object without members", make: fileOf("{}")},
		{file: "run/json-cut-off", about: "a proof cut off in the middle",
			make: onText(func(s string) string { return s[:len(s)/2] })},
		{file: "run/json-with-more", about: "text after the proof", make: onText(func(s string) string { return s + "{}" })},
		// Encodings of text.
		{file: "run/json-with-byte-order-mark", about: "a byte order mark before the proof",
			make: onText(func(s string) string { return "\ufeff" + s })},
		{file: "run/json-not-utf-8", about: "a byte that is not UTF-8",
			make: onText(sub("honest player", "honest \xff player"))},
		{file: "run/json-surrogate-in-utf-8", about: "half a character, written as UTF-8 may not",
			make: onText(sub("honest player", "honest \xed\xa0\x80 player"))},
		{file: "run/json-half-a-character", about: "an escape for half a character",
			make: onText(sub("honest player", `honest \ud83d player`))},
		{file: "run/json-halves-reversed", about: "two halves in the wrong order",
			make: onText(sub("honest player", `honest \ude00\ud83d player`))},
		{file: "run/json-wrong-escape", about: "an escape that JSON does not know",
			make: onText(sub("honest player", `honest \x41 player`))},
		{file: "run/json-control-character", about: "a line end within a text",
			make: onText(sub("honest player", "honest\nplayer"))},
		// Syntax that JSON does not have.
		{file: "run/json-single-quotes", about: "quotes that JSON does not know",
			make: onText(sub(`"cleared"`, `'cleared'`))},
		{file: "run/json-comma-at-end", about: "a comma after the last member",
			make: onText(func(s string) string { return strings.TrimSuffix(s, "\n}\n") + ",\n}\n" })},
		// Duplicate members.
		{file: "run/json-member-twice", about: "the account twice, first the right one",
			make: onText(sub(`"cleared"`, `"account": "nobody", "cleared"`))},
		{file: "run/json-member-twice-escaped", about: "the account twice, once in escapes",
			make: onText(sub(`"cleared"`, `"\u0061ccount": "`+addressOf("somebody else").String()+`", "cleared"`))},
		{file: "run/json-member-twice-inside", about: "a hash twice, in a transaction",
			make: onText(sub(`"hash"`, `"hash": "", "hash"`))},
		// Nesting.
		{file: "run/json-too-deep", about: "five thousand lists within each other",
			make: onText(sub(`"cleared": 2`, `"cleared": `+nested(5_000, "")))},
		{file: "run/json-33-levels", about: "one level more than there may be",
			make: number(strings.Repeat("[", 32) + "2" + strings.Repeat("]", 32))},
		// Numbers that are not integers below 2^53 in shortest form.
		{file: "run/json-fraction", about: "2.0 for a number", make: number("2.0")},
		{file: "run/json-exponent", about: "2e0 for a number", make: number("2e0")},
		{file: "run/json-minus-zero", about: "-0 for a number", make: number("-0")},
		{file: "run/json-leading-zero", about: "02 for a number", make: number("02")},
		{file: "run/json-huge-number", about: "2^53 for a number", make: number("9007199254740992")},
		{file: "run/json-huger-number", about: "a number of 10,000 digits", make: number(strings.Repeat("2", 10_000))},
		{file: "run/json-not-a-number", about: "NaN for a number", make: number("NaN")},
		{file: "run/json-infinity", about: "1e999 for a number", make: number("1e999")},
	}
}

// brokenShapes are documents without the shape of a proof.
func brokenShapes() []vector {
	list := []vector{
		// Formats.
		{file: "run/format-unknown", about: "a format that is none", make: set("format", "roshambo/run-proof/v2")},
		{file: "run/format-not-text", about: "a number for the format", make: set("format", 1)},
		{file: "run/format-of-a-duel", about: "a run that says it is a duel", make: set("format", "roshambo/duel-proof/v1")},
		// Unknown members.
		{file: "run/member-too-many", about: "a member that does not belong there", make: set("luck", 1)},
		{file: "run/member-too-many-inside", about: "a member too many in a transaction", make: set("start.luck", 1)},
		{file: "run/member-in-place", about: "a member too many, and another missing", make: onProof(func(p object) {
			p["Start"] = p["start"]
			delete(p, "start")
		})},
		// Members of the wrong form.
		{file: "run/run-id-with-escape", about: "a run's id that would play tricks on a terminal",
			make: set("run_id", "\x1b[2J")},
		{file: "run/run-id-long", about: "a run's id of 65 characters", make: set("run_id", strings.Repeat("0", 65))},
		{file: "run/account-with-wrong-checksum", about: "an address with a wrong checksum",
			make: set("account", wrongAddress())},
		{file: "run/account-in-upper-case", about: "an address in upper case",
			make: set("account", strings.ToUpper(addressOf("player").String()))},
		{file: "run/account-of-nobody", about: "the address of 20 zero bytes",
			make: set("account", chain.Address{}.String())},
		{file: "run/status-unknown", about: "a status that is none", make: set("status", "won")},
		{file: "run/cleared-negative", about: "a negative tier", make: set("cleared", -1)},
		{file: "run/cleared-as-text", about: "a tier in quotes", make: set("cleared", "2")},
		{file: "run/cleared-true", about: "true for a number", make: set("cleared", true)},
		// Hashes and inclusion proofs of the wrong form.
		{file: "run/hash-in-upper-case", about: "a hash in upper case",
			make: onAnchor("start", func(tx object) { tx["hash"] = strings.ToUpper(tx["hash"].(string)) })},
		{file: "run/hash-short", about: "a hash of 63 digits",
			make: onAnchor("start", func(tx object) { tx["hash"] = tx["hash"].(string)[1:] })},
		{file: "run/hash-with-line-end", about: "a hash with a line end behind it",
			make: onAnchor("start", func(tx object) { tx["hash"] = tx["hash"].(string) + "\n" })},
		{file: "run/index-negative", about: "a negative place", make: set("start.index", -1)},
		{file: "run/tx-proof-of-numbers", about: "numbers for hashes", make: set("start.tx_proof", []int{1, 2})},
		{file: "run/tx-proof-of-an-object", about: "an object for a list",
			make: set("start.tx_proof", object{"0": strings.Repeat("0", 64)})},
		{file: "run/tx-proof-with-null", about: "null among the hashes", make: set("start.tx_proof", []any{nil})},
	}
	// Every member is required, and null only where the shape allows it.
	for _, name := range []string{"account", "transcript", "commit", "start", "end", "checkpoint", "verifier_key"} {
		word := strings.ReplaceAll(name, "_", "-")
		list = append(list,
			vector{file: "run/without-" + word, about: fmt.Sprintf("the member %s missing", name), make: unset(name)})
	}
	for _, name := range []string{"raw", "hash", "height", "block_proof"} {
		word := strings.ReplaceAll(name, "_", "-")
		list = append(list,
			vector{file: "run/start-without-" + word, about: fmt.Sprintf("the start's member %s missing", name),
				make: unset("start." + name)})
	}
	for _, name := range []string{"start", "transcript", "status", "commit"} {
		list = append(list,
			vector{file: "run/" + name + "-null", about: fmt.Sprintf("null for %s", name), make: set(name, nil)})
	}
	for _, name := range []string{"start", "end", "transcript", "checkpoint"} {
		list = append(list,
			vector{file: "run/" + name + "-a-list", about: fmt.Sprintf("a list for %s", name), make: set(name, []any{})})
	}
	return list
}

// brokenTranscripts are proofs with a malformed transcript raw.
func brokenTranscripts() []vector {
	return []vector{
		// Raws that are not a list of throws.
		{file: "run/transcript-empty", about: "an empty text for a transcript",
			make: withTranscript(func(string) string { return "" })},
		{file: "run/transcript-raw-null", about: "null in the transcript's raw",
			make: withTranscript(func(string) string { return "null" })},
		{file: "run/transcript-an-object", about: "an object for the list of throws",
			make: withTranscript(func(string) string { return "{}" })},
		// Lists that are not canonical, or have other members.
		{file: "run/transcript-with-space", about: "a space in the transcript",
			make: withTranscript(sub(`,"house"`, `, "house"`))},
		{file: "run/transcript-unsorted", about: "members of a throw out of order",
			make: withTranscript(sub(`"n":1,"outcome":"win",`, `"outcome":"win","n":1,`))},
		{file: "run/transcript-without-entropy", about: "a throw without the hash of its entropy",
			make: withTranscript(sub(`"entropy_hash":"`+textHash("").String()+`",`, ``))},
		{file: "run/transcript-with-text", about: "a throw with the text of its entropy",
			make: withTranscript(sub(`"entropy_hash":"`+textHash("").String()+`"`, `"entropy":""`))},
		{file: "run/transcript-with-member-twice", about: "a member twice in a throw",
			make: withTranscript(sub(`"n":1`, `"n":1,"n":1`))},
		{file: "run/transcript-with-more", about: "a member too many in a throw",
			make: withTranscript(sub(`"n":1`, `"n":1,"nn":1`))},
		// Values that a throw cannot have.
		{file: "run/transcript-of-lizards", about: "a move that is none",
			make: withTranscript(sub(`"move":"`, `"move":"lizard`))},
		{file: "run/transcript-of-draws", about: "an outcome that is none",
			make: withTranscript(sub(`"outcome":"tie"`, `"outcome":"draw"`))},
		{file: "run/transcript-short-form", about: "a move's short form",
			make: withTranscript(sub(`"move":"`, `"move":"r","x":"`))},
		{file: "run/transcript-seed-short", about: "a seed of 62 digits",
			make: withTranscript(sub(`"seed":"`, `"seed":"00`))},
		{file: "run/transcript-number-as-text", about: "a number in quotes", make: withTranscript(sub(`"n":1`, `"n":"1"`))},
		{file: "run/transcript-number-huge", about: "2^53 for a throw's number",
			make: withTranscript(sub(`"n":1`, `"n":9007199254740992`))},
		{file: "run/transcript-with-null", about: "null for a throw", make: withTranscript(sub(`[{`, `[null,{`))},
		{file: "run/transcript-half-a-character", about: "half a character in a throw's move",
			make: onText(sub(`\"move\":\"`, `\"move\":\"\\ud83d`))},
	}
}

package main

import (
	"encoding/base64"
	"strings"

	"roshambo/chain"
)

// notChecked are the checks of a run that end in a note when the transactions check fails.
const notChecked = "inclusion checkpoint order commitment client_seed seeds moves outcomes cleared status end"

// onCommit, onStart and onRaw tamper with a transaction of a lost run.
func onCommit(change func(*chain.Tx)) *run {
	return lost(run{tx: map[string]func(*chain.Tx){"commit": change}})
}

func onStart(change func(tx *chain.Tx, data *chain.RunStart)) *run {
	return lost(run{tx: map[string]func(*chain.Tx){"start": func(tx *chain.Tx) { change(tx, tx.Data.(*chain.RunStart)) }}})
}

func onRaw(name, old, with string) *run {
	return lost(run{raw: map[string]func(string) string{name: sub(old, with)}})
}

// onProof changes the proof of a lost run.
func onProof(change func(p object)) *run { return lost(run{proof: change}) }

// onAnchor changes one transaction in the proof of a lost run.
func onAnchor(name string, change func(tx object)) *run {
	return onProof(func(p object) { change(p[name].(object)) })
}

// tamperedChains change the transactions before the run's end, blocks, or inclusion proofs.
func tamperedChains() []vector {
	list := append(tamperedCommits(), tamperedEntries()...)
	list = append(list, brokenRaws()...)
	for _, places := range [][]vector{tamperedProofs(), tamperedHeaders(), tamperedTrees()} {
		for _, v := range places {
			if v.fails == "" {
				v.fails = "inclusion"
			}
			list = append(list, v)
		}
	}
	return append(list, tamperedOrders()...)
}

// tamperedCommits change the owner or the use of the commitment.
func tamperedCommits() []vector {
	second := func(change func(d *chain.RunStart)) *run {
		return lost(run{second: true, tx: map[string]func(*chain.Tx){
			"commit": func(tx *chain.Tx) { change(tx.Data.(*chain.RunStart)) },
		}})
	}
	return []vector{
		// Transactions of another account or run.
		{file: "run/start-of-another-account", about: "a start by somebody else", fails: "commitment",
			make: onStart(func(tx *chain.Tx, _ *chain.RunStart) { tx.Actor = addressOf("somebody else") })},
		{file: "run/start-of-another-run", about: "the start of another run", fails: "commitment",
			make: onStart(func(_ *chain.Tx, d *chain.RunStart) { d.RunID = "0199c0de-0000-7000-8000-000000000002" })},
		{file: "run/commit-of-another-account", about: "a commitment published by somebody else", fails: "commitment",
			make: onCommit(func(tx *chain.Tx) {
				tx.Actor = addressOf("somebody else")
				tx.Transfers[0].To = tx.Actor
			})},
		{file: "run/proof-of-another-account", about: "a proof that names another account than its transactions",
			fails: "commitment",
			make:  onProof(func(p object) { p["account"] = addressOf("somebody else").String() })},
		{file: "run/proof-of-another-run", about: "a proof that names another run than its transactions", fails: "commitment",
			make: onProof(func(p object) { p["run_id"] = "0199c0de-0000-7000-8000-000000000002" })},
		// Commitments that are not published, or more than once.
		{file: "run/commit-publishes-another", about: "another commitment was published than the run uses",
			fails: "commitment",
			make:  onCommit(func(tx *chain.Tx) { tx.Data.(*chain.AccountCreate).Commitment = digest("another commitment") })},
		{file: "run/commitment-used-before", about: "the run before used the same commitment", fails: "commitment",
			make: second(func(d *chain.RunStart) { d.Commitment = d.NextCommitment })},
		{file: "run/commitment-published-again", about: "the start publishes for the next run the commitment that it uses",
			fails: "commitment",
			make:  onStart(func(_ *chain.Tx, d *chain.RunStart) { d.NextCommitment = d.Commitment })},
		{file: "run/commit-starts-the-run", about: "the run that published the commitment has this run's id",
			fails: "commitment",
			make:  second(func(d *chain.RunStart) { d.RunID = "0199c0de-0000-7000-8000-000000000001" })},
		{file: "run/commit-is-start", about: "the start stands in for the commitment too", fails: "order commitment",
			make: onProof(func(p object) { p["commit"] = p["start"] })},
		// Transactions of the wrong kind or nonce.
		{file: "run/commit-opens-late", about: "an account opened by something else than its first transaction",
			fails: "transactions", notes: notChecked, make: onCommit(func(tx *chain.Tx) { tx.Nonce = 1 })},
		{file: "run/commit-of-another-kind", about: "a faucet for a commitment", fails: "transactions", notes: notChecked,
			make: onCommit(func(tx *chain.Tx) { tx.Data = &chain.Faucet{} })},
		{file: "run/start-of-another-kind", about: "an account opened for a start", fails: "transactions", notes: notChecked,
			make: onProof(func(p object) { p["start"] = p["commit"] })},
		{file: "run/end-of-another-kind", about: "a start for an end", fails: "transactions", notes: notChecked,
			make: onProof(func(p object) { p["end"] = p["start"] })},
	}
}

// tamperedEntries change the payment for the run.
func tamperedEntries() []vector {
	coins := func(from, to chain.Address, amount int64) []chain.Transfer {
		return []chain.Transfer{{Amount: amount, From: from, To: to}}
	}
	entry := func(e chain.Entry, transfers func(a chain.Address) []chain.Transfer) *run {
		return onStart(func(tx *chain.Tx, d *chain.RunStart) { d.Entry, tx.Transfers = e, transfers(tx.Actor) })
	}
	other, none := addressOf("somebody else"), chain.Address{}
	list := []vector{
		// Fees.
		{file: "run/fee-not-paid", about: "entry fee, and no coin",
			make: entry("fee", func(chain.Address) []chain.Transfer { return nil })},
		{file: "run/fee-of-nothing", about: "a fee of 0 coins",
			make: entry("fee", func(a chain.Address) []chain.Transfer { return coins(a, none, 0) })},
		{file: "run/fee-paid-by-another", about: "somebody else's coins",
			make: entry("fee", func(chain.Address) []chain.Transfer { return coins(other, none, 50) })},
		{file: "run/fee-kept", about: "a fee that is not destroyed but given to somebody",
			make: entry("fee", func(a chain.Address) []chain.Transfer { return coins(a, other, 50) })},
		// Payments that the entry does not have, and missing ones.
		{file: "run/free-but-paid", about: "a free run that costs coins",
			make: entry("free", func(a chain.Address) []chain.Transfer { return coins(a, none, 50) })},
		{file: "run/daily-but-paid", about: "a daily run that costs coins",
			make: entry("daily", func(a chain.Address) []chain.Transfer { return coins(a, none, 50) })},
		{file: "run/first-tier-for-nothing", about: "a first tier without a token burnt",
			make: onStart(func(_ *chain.Tx, d *chain.RunStart) { d.FirstTier = 5 })},
		{file: "run/burn-without-a-tier", about: "a token burnt for no first tier",
			make: entry("burn",
				func(a chain.Address) []chain.Transfer { return []chain.Transfer{{Token: true, TokenID: 7, From: a}} })},
	}
	for _, burn := range []struct {
		file, about string
		transfers   []chain.Transfer
	}{
		{"burn-of-nothing", "entry burn, and no token", nil},
		{"burn-of-another", "somebody else's token burnt", []chain.Transfer{{Token: true, TokenID: 7, From: other}}},
		{"burn-given-away", "a token given to somebody instead of burnt",
			[]chain.Transfer{{Token: true, TokenID: 7, From: addressOf("player"), To: other}}},
		{"burn-of-coins", "coins in place of a token", coins(addressOf("player"), none, 50)},
		{"burn-of-two", "two tokens burnt", []chain.Transfer{
			{Token: true, TokenID: 7, From: addressOf("player")}, {Token: true, TokenID: 8, From: addressOf("player")},
		}},
		{"burn-with-a-tier", "a token destroyed as if it were created",
			[]chain.Transfer{{Token: true, TokenID: 7, Tier: 3, From: addressOf("player")}}},
	} {
		list = append(list, vector{file: "run/" + burn.file, about: burn.about,
			make: onStart(func(tx *chain.Tx, d *chain.RunStart) {
				d.Entry, d.FirstTier, tx.Transfers = chain.EntryBurn, 3, burn.transfers
			})})
	}
	for i := range list {
		list[i].fails, list[i].notes = "transactions", notChecked
	}
	return list
}

// brokenRaws are transactions whose raws are not canonical or not of their kind, with correct hashes.
func brokenRaws() []vector {
	list := []vector{
		// Texts that are not canonical.
		{file: "run/raw-with-space", about: "a space in a raw", make: onRaw("start", `,"nonce"`, `, "nonce"`)},
		{file: "run/raw-with-end-of-line", about: "a line end after a raw", make: onRaw("start", `"v":1}`, `"v":1}`+"\n")},
		{file: "run/raw-with-member-twice", about: "a member twice in a raw, with two readings",
			make: onRaw("start", `"first_tier":0`, `"first_tier":0,"first_tier":5`)},
		{file: "run/raw-with-unknown-member", about: "a member too many in a raw",
			make: onRaw("start", `"first_tier":0`, `"first_tier":0,"luck":1`)},
		{file: "run/raw-without-member", about: "a raw without first_tier", make: onRaw("start", `"first_tier":0,`, ``)},
		{file: "run/raw-unsorted", about: "members of a raw out of order", make: onRaw("end", `,"v":1}`, `}`)},
		{file: "run/raw-with-escape", about: "an escape in a raw that is not needed",
			make: onRaw("start", `"run_id":"0`, `"run_id":"\u0030`)},
		{file: "run/raw-with-client-seed", about: "the text of the client seed on the chain, not its hash",
			make: onRaw("start", `"client_seed_hash":"`+textHash("honest player").String()+`"`,
				`"client_seed":"honest player"`)},
		// Numbers, addresses and hashes in another form.
		{file: "run/raw-with-fraction", about: "1.0 in a raw", make: onRaw("start", `"first_tier":0`, `"first_tier":0.0`)},
		{file: "run/raw-with-exponent", about: "0e0 in a raw", make: onRaw("start", `"first_tier":0`, `"first_tier":0e0`)},
		{file: "run/raw-with-minus-zero", about: "-0 in a raw", make: onRaw("start", `"first_tier":0`, `"first_tier":-0`)},
		{file: "run/raw-with-negative", about: "a negative nonce", make: onRaw("start", `"nonce":1`, `"nonce":-1`)},
		{file: "run/raw-with-huge-number", about: "2^53 in a raw",
			make: onRaw("start", `"nonce":1`, `"nonce":9007199254740992`)},
		{file: "run/raw-of-version-2", about: "a transaction of a version that is none",
			make: onRaw("start", `"v":1`, `"v":2`)},
		{file: "run/raw-with-true-version", about: "true for the version", make: onRaw("start", `"v":1`, `"v":true`)},
		{file: "run/raw-with-wrong-address", about: "an address with a wrong checksum",
			make: onRaw("start", addressOf("player").String(), wrongAddress())},
		{file: "run/raw-with-upper-case-hash", about: "a commitment in upper case",
			make: lost(run{raw: map[string]func(string) string{
				"start": func(raw string) string {
					at := strings.Index(raw, `"commitment":"`) + len(`"commitment":"`)
					return raw[:at] + strings.ToUpper(raw[at:at+64]) + raw[at+64:]
				}}})},
		// Texts that are not a transaction.
		{file: "run/raw-with-byte-order-mark", about: "a byte order mark before a raw",
			make: onRaw("start", `{"actor"`, "\ufeff"+`{"actor"`)},
		{file: "run/raw-of-a-list", about: "a list for a raw",
			make: lost(run{raw: map[string]func(string) string{"start": func(raw string) string { return "[" + raw + "]" }}})},
		{file: "run/raw-of-nothing", about: "an empty raw",
			make: lost(run{raw: map[string]func(string) string{"start": func(string) string { return "" }}})},
		{file: "run/raw-too-deep", about: "a raw of lists within lists",
			make: lost(
				run{raw: map[string]func(string) string{"start": func(string) string { return strings.Repeat("[", 5_000) }}})},
		{file: "run/raw-with-four-transfers", about: "more transfers than any kind has",
			make: onEnd(func(tx *chain.Tx, _ *chain.RunEnd) {
				one := tx.Transfers[0]
				tx.Transfers = append(tx.Transfers, one, one, one)
			})},
		{file: "run/raw-with-tier-zero", about: "a token created of tier 0",
			make: claimed(run{raw: map[string]func(string) string{"end": sub(`"tier":2`, `"tier":0`)}})},
		{file: "run/raw-with-lost-in-status", about: "an end whose status is none",
			make: onRaw("end", `"status":"lost"`, `"status":"active"`)},
		// Raws and hashes that do not match.
		{file: "run/raw-changed", about: "a raw changed after it was hashed", make: onAnchor("start", func(tx object) {
			tx["raw"] = sub(`"first_tier":0`, `"first_tier":1`)(tx["raw"].(string))
		})},
		{file: "run/hash-changed", about: "another hash than the raw's",
			make: onAnchor("end", func(tx object) { tx["hash"] = strings.Repeat("0", 64) })},
	}
	for i := range list {
		list[i].fails, list[i].notes = "transactions", notChecked
	}
	return list
}

// wrongAddress returns the player's address with one character changed.
func wrongAddress() string {
	a := addressOf("player").String()
	if a[10] == 'q' {
		return a[:10] + "p" + a[11:]
	}
	return a[:10] + "q" + a[11:]
}

// at returns a function that tampers with the header at one height.
func at(height int64, change func(*chain.Header)) func(*chain.Header) {
	return func(h *chain.Header) {
		if h.Height == height {
			change(h)
		}
	}
}

// tamperedProofs change a transaction's position or its inclusion proofs.
func tamperedProofs() []vector {
	zeros := strings.Repeat("0", 64)
	path := func(name, member string, change func([]string) []string) *run {
		return onAnchor(name, func(tx object) { tx[member] = change(tx[member].([]string)) })
	}
	return []vector{
		// Inclusion proofs in the block.
		{file: "run/tx-proof-changed", about: "a wrong hash on the way into the block",
			make: path("start", "tx_proof", func(p []string) []string { return append([]string{zeros}, p[1:]...) })},
		{file: "run/tx-proof-short", about: "a hash missing on the way into the block",
			make: path("start", "tx_proof", func(p []string) []string { return p[:len(p)-1] })},
		{file: "run/tx-proof-long", about: "a hash too many on the way into the block",
			make: path("start", "tx_proof", func(p []string) []string { return append(p, zeros) })},
		{file: "run/tx-proof-empty", about: "no way into the block", make: set("start.tx_proof", []string{})},
		{file: "run/tx-proof-endless", about: "a hundred hashes on the way into the block",
			make: set("start.tx_proof", strings.Fields(strings.Repeat(zeros+" ", 100)))},
		{file: "run/tx-proof-for-one", about: "a way where there is none, in a block of one transaction", make: lost(run{
			place: map[string]int{"end": 5}, proof: func(p object) { p["end"].(object)["tx_proof"] = []string{zeros} }})},
		// Inclusion proofs in the log.
		{file: "run/block-proof-changed", about: "a wrong hash on the way into the log",
			make: path("start", "block_proof", func(p []string) []string { return append([]string{zeros}, p[1:]...) })},
		{file: "run/block-proof-short", about: "a hash missing on the way into the log",
			make: path("end", "block_proof", func(p []string) []string { return p[1:] })},
		{file: "run/block-proof-long", about: "a hash too many on the way into the log",
			make: path("commit", "block_proof", func(p []string) []string { return append(p, zeros) })},
		// Positions.
		{file: "run/index-of-a-neighbour", about: "the place of another transaction of the block",
			make: set("start.index", 1)},
		{file: "run/index-out-of-range", about: "a place behind the last one of the block", make: set("start.index", 6)},
		{file: "run/index-huge", about: "the largest number there may be for a place", make: set("start.index", 1<<53-1)},
		{file: "run/place-without-height", about: "a place in a block, and no height", fails: "inclusion order",
			notes: "checkpoint", unpinned: true, pending: true, make: set("start.height", nil)},
		{file: "run/height-without-index", about: "a height, and no place in the block", make: set("start.index", nil)},
		{file: "run/height-without-header", about: "a height, and no header", make: set("start.header", nil)},
		{file: "run/height-without-tx-proof", about: "a height, and no way into the block", make: set("start.tx_proof", nil)},
		{file: "run/height-without-block-proof", about: "a height, and no way into the log",
			make: set("start.block_proof", nil)},
	}
}

// tamperedHeaders change a block's header or replace it.
func tamperedHeaders() []vector {
	onHeader := func(old, with string) *run {
		return onAnchor("start", func(tx object) { tx["header"] = sub(old, with)(tx["header"].(string)) })
	}
	return []vector{
		// Headers of another height.
		{file: "run/height-of-a-neighbour", about: "another height than the header's", make: set("start.height", 4)},
		{file: "run/height-huge", about: "a height that the log has not reached", make: lost(run{
			header: at(6, func(h *chain.Header) { h.Height = 1<<53 - 1 }),
			proof:  func(p object) { p["end"].(object)["height"] = 1<<53 - 1 },
		})},
		{file: "run/header-of-another-block", about: "the header of another block, its height and all",
			make: onProof(func(p object) {
				start, end := p["start"].(object), p["end"].(object)
				start["header"], start["height"], start["block_proof"] = end["header"], end["height"], end["block_proof"]
			})},
		// Headers that are altered or malformed.
		{file: "run/header-changed", about: "a header changed after it was hashed", make: onHeader(`"time":17`, `"time":16`)},
		{file: "run/header-with-space", about: "a header that is not canonical", make: onHeader(`,"time"`, `, "time"`)},
		{file: "run/header-of-version-2", about: "a header of a version that is none", make: onHeader(`"v":1`, `"v":2`)},
		{file: "run/header-empty", about: "an empty header", make: set("start.header", "")},
		// Headers with false contents, whose hashes are right.
		{file: "run/header-counts-too-few",
			about: "a header with the right root, and fewer transactions than the place needs",
			make:  lost(run{header: at(3, func(h *chain.Header) { h.TxCount = 5 })})},
		{file: "run/header-counts-nothing", about: "a header with the right root, and no transactions",
			make: lost(run{header: at(3, func(h *chain.Header) { h.TxCount = 0 })})},
		{file: "run/header-with-another-root", about: "a block whose root leaves the transaction out",
			make: lost(run{header: at(3, func(h *chain.Header) { h.MerkleRoot = digest("another root") })})},
		{file: "run/time-goes-back", about: "a block that is older than one before it",
			make: lost(run{header: at(6, func(h *chain.Header) { h.Time = firstTime })})},
		{file: "run/block-names-another", about: "two neighbouring blocks, of which the second names another one before it",
			make: lost(run{place: map[string]int{"commit": 3, "start": 4},
				header: at(4, func(h *chain.Header) { h.Prev = digest("another block") })})},
	}
}

// tamperedTrees have a checkpoint whose tree lacks the blocks.
func tamperedTrees() []vector {
	return []vector{
		{file: "run/blocks-without-checkpoint", about: "transactions in blocks, and no checkpoint", notes: "checkpoint",
			make: lost(run{note: noNote})},
		{file: "run/tree-too-small", about: "a checkpoint from before the last block",
			make: lost(run{note: func(h *house) string {
				h.blocks = h.blocks[:6]
				return sign(h.head(), h.name, h.key)
			}})},
		{file: "run/tree-of-nothing", about: "a checkpoint of the empty log", make: lost(run{note: func(h *house) string {
			h.blocks = nil
			return sign(h.head(), h.name, h.key)
		}})},
		{file: "run/tree-of-another-chain", about: "a checkpoint of another tree of the same size",
			make: lost(run{note: func(h *house) string {
				root := digest("another tree")
				return sign(h.name+"\n8\n"+base64.StdEncoding.EncodeToString(root[:])+"\n", h.name, h.key)
			}})},
	}
}

// tamperedOrders change the order of the transactions.
func tamperedOrders() []vector {
	return []vector{
		// Positions in the wrong order.
		{file: "run/commit-after-start", about: "the commitment published in a later block than it is used in",
			fails: "order",
			make:  lost(run{place: map[string]int{"commit": 3, "start": 1}})},
		{file: "run/commit-behind-start", about: "the commitment published behind its use, in one block", fails: "order",
			make: lost(run{place: map[string]int{"commit": 4, "start": 4}, reversed: true})},
		{file: "run/end-before-start", about: "a run that ended before it started", fails: "order",
			make: lost(run{place: map[string]int{"end": 2}})},
		{file: "run/commit-still-waits", about: "a start in a block while the commitment waits for one", fails: "order",
			notes: "inclusion checkpoint", unpinned: true, pending: true,
			make: lost(run{place: map[string]int{"commit": -1}})},
		{file: "run/start-still-waits", about: "an end in a block while the start waits for one", fails: "order",
			notes: "inclusion checkpoint", unpinned: true, pending: true,
			make: lost(run{place: map[string]int{"start": -1}})},
		// Nonces in the wrong order.
		{file: "run/nonce-goes-back", about: "a start with a lower nonce than the commitment's", fails: "order",
			make: lost(run{second: true,
				tx: map[string]func(*chain.Tx){"commit": func(tx *chain.Tx) { tx.Nonce = 2 },
					"start": func(tx *chain.Tx) { tx.Nonce = 1 }}})},
		{file: "run/nonce-twice", about: "an end with the start's nonce", fails: "order",
			make: lost(run{tx: map[string]func(*chain.Tx){"end": func(tx *chain.Tx) { tx.Nonce = 1 }}})},
		{file: "run/nonce-twice-unsealed", about: "an end with the start's nonce, nothing in a block", fails: "order",
			notes: "inclusion checkpoint", unpinned: true, pending: true,
			make: lost(run{place: allPending, note: noNote,
				tx: map[string]func(*chain.Tx){"end": func(tx *chain.Tx) { tx.Nonce = 1 }}})},
	}
}

package replay

import (
	"testing"

	"roshambo/chain"
)

// timedBlock is a block with a time of its own.
type timedBlock struct {
	time int64
	txs  []*chain.Tx
}

// minute is how much earlier than the block before a transaction may be, in milliseconds.
const minute = 60_000

// TestNothingSilent replays chains with correct hashes in which the house backdates, repeats a
// commitment, or closes a season early or out of order.
func TestNothingSilent(t *testing.T) {
	t.Parallel()
	create := func(who chain.Address, commitment chain.Hash, time int64) *chain.Tx {
		return &chain.Tx{Actor: who, Time: time, Data: &chain.AccountCreate{Commitment: commitment, AccountKind: chain.Guest},
			Transfers: []chain.Transfer{coins(none, who, 1000)}}
	}
	start := func(next chain.Hash) *chain.Tx {
		return &chain.Tx{Actor: alice, Nonce: 1, Time: genesisTime, Data: &chain.RunStart{
			Commitment: hashOf(1), Entry: chain.EntryFree, NextCommitment: next, RunID: "r1"}}
	}
	first, second := chain.SeasonEnd(genesisTime, 1), chain.SeasonEnd(genesisTime, 2)
	closing := func(season, time int64) timedBlock {
		return timedBlock{time, []*chain.Tx{{Time: time, Data: &chain.SeasonClose{Season: season, TableHash: hashOf(8)}}}}
	}
	at := func(time int64, txs ...*chain.Tx) timedBlock { return timedBlock{time, txs} }
	// Each lie stands beside the honest chain that is closest to it.
	testSilent(t, map[string]silent{
		"a transaction at the time of its block": {
			[]timedBlock{at(genesisTime+9, create(alice, hashOf(1), genesisTime+9))}, valid,
		},
		"a transaction later than its block": {
			[]timedBlock{at(genesisTime+9, create(alice, hashOf(1), genesisTime+10))},
			problemMatch{1, "transaction", "a time from"},
		},
		"a transaction a minute before the last block": {
			[]timedBlock{at(genesisTime + minute), at(genesisTime+2*minute, create(alice, hashOf(1), genesisTime))}, valid,
		},
		"a transaction that is dated back": {
			[]timedBlock{at(genesisTime + minute + 1), at(genesisTime+2*minute, create(alice, hashOf(1), genesisTime))},
			problemMatch{2, "transaction", "a time from"},
		},
		"a commitment of two accounts": {
			[]timedBlock{at(genesisTime, create(alice, hashOf(1), genesisTime), create(bob, hashOf(1), genesisTime))},
			problemMatch{1, "commitment " + hashOf(1).String(), "published before"},
		},
		"a commitment of another account, later": {
			[]timedBlock{at(genesisTime, create(alice, hashOf(1), genesisTime), create(bob, hashOf(2), genesisTime),
				start(hashOf(2)))},
			problemMatch{1, "commitment " + hashOf(2).String(), "published before"},
		},
		"two seasons":           {[]timedBlock{closing(1, first), closing(2, second)}, valid},
		"two seasons late":      {[]timedBlock{closing(1, second+5), closing(2, second+6)}, valid},
		"a season closed early": {[]timedBlock{closing(1, first-1)}, problemMatch{1, "transaction", "a close from"}},
		"a second season closed early": {[]timedBlock{closing(1, first), closing(2, second-1)},
			problemMatch{2, "transaction", "a close from"}},
		"a season closed twice": {[]timedBlock{closing(1, first), closing(1, first)},
			problemMatch{2, "transaction", "the close of season 2"}},
		"a season left out": {[]timedBlock{closing(2, second)},
			problemMatch{1, "transaction", "the close of season 1"}},
	})
}

// TestRestored replays chains in which void results are restored: once, and before the next season closes.
func TestRestored(t *testing.T) {
	t.Parallel()
	end := chain.SeasonEnd(genesisTime, 1)
	at := func(time int64, data chain.Data) timedBlock {
		return timedBlock{time, []*chain.Tx{{Time: time, Data: data}}}
	}
	played := timedBlock{genesisTime, []*chain.Tx{
		{Actor: alice, Time: genesisTime, Data: &chain.AccountCreate{Commitment: hashOf(1), AccountKind: chain.Guest},
			Transfers: []chain.Transfer{coins(none, alice, 1000)}},
		{Actor: alice, Nonce: 1, Time: genesisTime, Data: &chain.RunStart{
			Commitment: hashOf(1), Entry: chain.EntryFree, NextCommitment: hashOf(2), RunID: "r1"}},
	}}
	void, restored := at(end, &chain.ResultVoid{Game: "run:r1"}), at(end, &chain.ResultRestore{Game: "run:r1"})
	closing := at(end, &chain.SeasonClose{Season: 1, TableHash: hashOf(8)})
	testSilent(t, map[string]silent{
		"restored": {[]timedBlock{played, void, restored, closing}, valid},
		"declared void and restored after a close": {[]timedBlock{played, closing, void, restored}, valid},
		"restored after the next close": {[]timedBlock{played, void, closing, restored},
			problemMatch{4, "transaction", "a restored result before the close of season 1"}},
		"restored twice": {[]timedBlock{played, void, restored, restored},
			problemMatch{4, `game "restore:run:r1"`, "decided before"}},
		"declared void after it was restored": {[]timedBlock{played, void, restored, void},
			problemMatch{4, `game "void:run:r1"`, "decided before"}},
		"restored but not void": {[]timedBlock{played, restored}, problemMatch{2, `game "void:run:r1"`, "no such game"}},
	})
}

// silent is a chain with correct hashes, and its first problem.
type silent struct {
	blocks []timedBlock
	want   problemMatch
}

// valid is the want of a chain without a problem.
var valid = problemMatch{height: -2}

// testSilent replays chains after their genesis.
func testSilent(t *testing.T, cases map[string]silent) {
	t.Helper()
	genesis := timedBlock{genesisTime, []*chain.Tx{
		{Time: genesisTime, Data: &chain.Genesis{Name: "test/1", Rules: testRules()}},
	}}
	for name, tt := range cases {
		for _, opts := range []Options{{}, inMemory(3)} {
			report := run(t, opts, func(r *Replay) { feedTimed(r, append([]timedBlock{genesis}, tt.blocks...)) })
			if tt.want != valid {
				tt.want.check(t, name, report)
			} else if !report.Valid() {
				t.Errorf("%s: got %+v, want a valid chain", name, report.Problems)
			}
		}
	}
}

// feedTimed adds blocks with correct hashes to a replay.
func feedTimed(r *Replay, blocks []timedBlock) {
	var prev chain.Hash
	for height, b := range blocks {
		var raws [][]byte
		for _, tx := range b.txs {
			raws = append(raws, tx.Raw())
		}
		block := forge(int64(height), prev, b.time, raws...)
		prev = block.Hash
		r.Block(block)
	}
}

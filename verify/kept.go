package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
)

// A service keeps cosigned checkpoints of the past: the first one of every hour, and the first that covers an
// announcement of rules or a recovery (docs/protocol.md, section 4, "Kept checkpoints"). To a reader with the
// witnesses' keys each of them bounds time from both sides, and shows since when rules were public.

// hourMS is an hour in milliseconds.
const hourMS = 60 * 60 * 1000

// ChainKept says what the kept checkpoints of a chain show.
type ChainKept struct {
	// Count is the number of kept checkpoints. Without witness keys their cosignatures are not checked.
	Count int64 `json:"count"`
	// Cosigned is the number of those that a quorum of the witnesses has cosigned, 0 without keys.
	Cosigned int64 `json:"cosigned"`
	// Hours is the number of UTC hours with a block, Without the number of the ones in which no cosigned
	// checkpoint ends, both with keys alone. The hour of the last block is not counted as one without.
	Hours   int64 `json:"hours"`
	Without int64 `json:"without"`
	// Ranges are the hours in Without, neighbours as one, the first 20.
	Ranges []HourRange `json:"ranges"`
	// Unseen is the number of beginnings of rules below ChainOptions.WitnessesFrom that no quorum of the
	// witnesses has seen in time, 0 without keys. UnseenIn are the heights of their blocks, the first 20.
	Unseen   int64   `json:"unseen"`
	UnseenIn []int64 `json:"unseen_in"`
}

// newKept returns what a chain without kept checkpoints shows.
func newKept() ChainKept { return ChainKept{Ranges: []HourRange{}, UnseenIn: []int64{}} }

// Text returns the lines about kept checkpoints in the text of a report.
func (k *ChainKept) Text() string {
	var b strings.Builder
	if k.Hours > 0 {
		fmt.Fprintf(&b, "kept          %d checkpoints, %d cosigned by a quorum; %d of %d hours without one\n", k.Count,
			k.Cosigned, k.Without, k.Hours)
	} else {
		fmt.Fprintf(&b, "kept          %d checkpoints, their cosignatures not checked\n", k.Count)
	}
	for _, hours := range k.Ranges {
		fmt.Fprintf(&b, "    none from %s to %s\n", utc(hours.From), utc(hours.To))
	}
	for i, height := range k.UnseenIn {
		if i == 0 {
			fmt.Fprintf(&b, "unseen        %d beginnings of rules, before --witnesses-from\n", k.Unseen)
		}
		fmt.Fprintf(&b, "    in block %d\n", height)
	}
	return b.String()
}

// HourRange are consecutive hours, from the beginning of the first to the end of the last, in Unix milliseconds.
type HourRange struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// A chain without witnesses would have one range for its whole life, one with a flaky witness many.

// maxListed is the most ranges of hours in a report, and the most beginnings of rules.
const maxListed = 20

// keptChecks are the checks of the kept checkpoints of a chain.
type keptChecks struct {
	report    ChainKept
	key       string       // of the log
	witnesses *witnessKeys // nil without well-formed witness keys
	since     int64        // ChainOptions.WitnessesFrom
	size      int64        // of the last kept checkpoint
	time      int64        // of the last block with a header that can be read
	bound     *cosigned    // of the last cosigned checkpoint, for the next block
	trees     []seenTree   // that a quorum has seen, by size
	hour      int64        // of the last block, counted from 1970; -1 before the first
	seen      bool         // the hour has a cosigned checkpoint
	rules     ruleChanges
}

// seenTree is a tree that a quorum has seen by a time, in Unix seconds.
type seenTree struct {
	size int64
	by   uint64
}

// ruleChanges are the beginnings of rules on a chain. The replay writes them.
type ruleChanges struct {
	height    int64 // of the block being applied
	genesis   int64 // its time
	announced int64 // height of the last announcement
	begins    []beginning
}

// beginning is a rules.begin.
type beginning struct {
	hash              chain.Hash
	height, announced int64 // of its block, and of the announcement's block
	time              int64
}

// The height is counted with the blocks that the replay applies, as the transactions do not name theirs: both run
// in its goroutine, and Finish reads them after it has drained.

// visit follows the transactions of a block. A transaction that breaks a rule may leave a wrong state; the chain is
// not valid then anyway.
func (r *ruleChanges) visit(hash chain.Hash, tx *chain.Tx) {
	switch tx.Data.(type) {
	case *chain.Genesis:
		r.genesis = tx.Time
	case *chain.RulesChange:
		r.announced = r.height
	case *chain.RulesBegin:
		r.begins = append(r.begins, beginning{hash, r.height, r.announced, tx.Time})
	}
}

// Kept adds the kept checkpoint of the tree of the blocks so far. Call it behind the last of these blocks.
//
// Without witness keys only the log's signature and the tree are checked. With keys every line by a witness must be
// right, and when a quorum has cosigned, neither the blocks before nor the next one may contradict its times.
func (c *Chain) Kept(checkpoint string) {
	k, size := &c.kept, c.tree.Size()
	k.report.Count++
	reject := func(expected string, err error) {
		c.AddProblem(size-1, "kept checkpoint", expected, err.Error())
	}
	if _, err := c.checkpoint(checkpoint, k.key); err != nil {
		reject(fmt.Sprintf("of a tree of %d blocks, signed by the log", size), err)
		return
	}
	if size <= k.size {
		reject("one for a tree", fmt.Errorf("a second one of %d blocks", size))
	}
	if k.size = size; k.witnesses == nil {
		return
	}
	by, err := k.witnesses.check(&checkpoint, []int64{k.time})
	if _, few := errors.AsType[fewError](err); few {
		return // of other witnesses, such as earlier ones: its hour counts as one without
	}
	if err != nil {
		reject("lines of the witnesses that fit the blocks", err)
		return
	}
	k.report.Cosigned++
	k.see(size, by)
}

// The last checkpoint of a chain is seen like a kept one, so that a short chain needs none.

// see remembers that a quorum has seen the tree of the blocks so far.
func (k *keptChecks) see(size int64, by cosigned) {
	k.bound, k.seen = &by, true
	k.trees = append(k.trees, seenTree{size, by.by})
}

// A header that cannot be read is a problem of the replay, and bounds nothing here: the next one is compared instead.

// header follows the blocks: it checks the next one against the last cosigned checkpoint, and counts the hours.
func (c *Chain) header(raw []byte) {
	h, err := chain.ParseHeader(raw)
	if err != nil {
		return // the replay reports it
	}
	k := &c.kept
	if k.bound != nil && k.bound.early(h.Time) {
		c.AddProblem(c.tree.Size(), "block time", fmt.Sprintf("not more than a minute before the cosignatures of %d blocks, "+
			"at %d", c.tree.Size(), k.bound.from), fmt.Sprint(h.Time))
	}
	k.bound, k.time = nil, h.Time
	if hour := h.Time / hourMS; hour != k.hour {
		k.endHour()
		k.hour, k.seen = hour, false
	}
}

// endHour counts the hour of the last block. An hour without a block is no fault of the witnesses: it is a gap, which
// the report counts already.
func (k *keptChecks) endHour() {
	if k.witnesses == nil || k.hour < 0 {
		return
	}
	r := &k.report
	if r.Hours++; k.seen {
		return
	}
	r.Without++
	from := k.hour * hourMS
	if last := len(r.Ranges) - 1; last >= 0 && r.Ranges[last].To == from {
		r.Ranges[last].To += hourMS
	} else if len(r.Ranges) < maxListed {
		r.Ranges = append(r.Ranges, HourRange{from, from + hourMS})
	}
}

// finishKept checks the notice of rules against the trees that a quorum has seen. The checkpoint of the whole
// chain is one of them: newest are its cosignatures, nil without any.
func (c *Chain) finishKept(newest *cosigned) {
	k := &c.kept
	if k.witnesses == nil {
		return
	}
	if newest != nil {
		k.see(c.tree.Size(), *newest)
	}
	if k.seen {
		k.endHour()
	} else if k.hour >= 0 {
		k.report.Hours++ // its first cosigned checkpoint may still come
	}
	// The earliest time by which a quorum has seen a tree, or a larger one, which covers the same blocks: so a
	// binary search finds the best evidence for each announcement, and the work is linear.
	for i := len(k.trees) - 2; i >= 0; i-- {
		k.trees[i].by = min(k.trees[i].by, k.trees[i+1].by)
	}
	for _, b := range k.rules.begins {
		i, _ := slices.BinarySearchFunc(k.trees, b.announced+1, func(t seenTree, size int64) int {
			return cmp.Compare(t.size, size)
		})
		// A block can be dated back into the first hour of the chain, as into any gap: so rules that began at once
		// were seen in that hour, or as early as others.
		due, found := uint64(max(k.rules.genesis+chain.RulesTrial, b.time-chain.RulesNotice))/1000, "none"
		if i < len(k.trees) {
			by := k.trees[i].by
			if by <= due {
				continue
			}
			found = fmt.Sprintf("one of %d", by)
		}
		// Only the reader can say since when his witnesses were there: a service that keeps no cosigned checkpoint
		// would look like one whose witnesses were added at its end.
		if b.height < k.since {
			if k.report.Unseen++; k.report.Unseen <= maxListed {
				k.report.UnseenIn = append(k.report.UnseenIn, b.height)
			}
			continue
		}
		c.AddProblem(b.height, "rules.begin", fmt.Sprintf("a cosigned checkpoint with block %d, of the announcement, "+
			"of %d or before (--witnesses-from names the height since which the witnesses were there)",
			b.announced, due), found)
	}
}

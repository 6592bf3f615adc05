package publiclog

import (
	"context"
	"fmt"

	"roshambo/chain/export"
	"roshambo/verify"
)

// keptPath is the prefix of the pages of kept checkpoints: each holds those from a number on, as lines of an
// export, in the order of their trees.
const keptPath = "/log/kept/"

// Kept checkpoints have pages of their own, as witnesses cosign after a page of blocks may have ended. So both are
// read side by side: a kept checkpoint is verified where the blocks of its tree end.

// keptReader reads the kept checkpoints of a log in their order, a page at a time.
type keptReader struct {
	log  *Log
	next int64    // number of the first one behind page
	page []string // read and not passed on
	end  bool     // the last page had none
}

// peek returns the next kept checkpoint, "" behind the last one.
func (k *keptReader) peek(ctx context.Context) (string, error) {
	if len(k.page) == 0 && !k.end {
		path := fmt.Sprint(keptPath, k.next)
		text, err := k.log.get(ctx, path)
		if err != nil {
			return "", err
		}
		if k.page, err = keptNotes(text); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		k.next += int64(len(k.page))
		k.end = len(k.page) == 0
	}
	if k.end {
		return "", nil
	}
	return k.page[0], nil
}

// pass passes the one of the tree of size blocks to the verifier, whose chain has that many. A second one is a
// problem, and so is one of a smaller tree or malformed; nothing is read behind it, as a service could go on for ever.
func (k *keptReader) pass(ctx context.Context, size int64, c *verify.Chain) error {
	for range 2 {
		note, err := k.peek(ctx)
		if err != nil || note == "" || statedSize([]byte(note)) > size {
			return err
		}
		c.Kept(note)
		k.page = k.page[1:]
	}
	k.page, k.end = nil, true
	return nil
}

// keptNotes returns the checkpoints in the lines of a page.
func keptNotes(page []byte) (notes []string, err error) {
	lines, err := splitLines(page)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		note, ok := export.ParseKept(line)
		if !ok {
			return nil, fmt.Errorf("%.80q is no kept checkpoint", line)
		}
		notes = append(notes, note)
	}
	return notes, nil
}

package ledger

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/chain"
	q "roshambo/internal/store/query/ledgerq"
)

// logTree rebuilds the log's hashes from the blocks' headers, in the order in which
// they are stored. It keeps the right edge of the tree only.
type logTree struct {
	size int64      // blocks
	last []byte     // header
	edge [64]stored // the newest hash of each level
}

type stored struct {
	index int64
	hash  tlog.Hash
}

// ReadHashes serves the right edge, which is all that adding a leaf and working
// out the root ask for.
func (l *logTree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		level, _ := tlog.SplitStoredHashIndex(x)
		if l.edge[level].index != x {
			return nil, fmt.Errorf("hash %d is not at the edge of the log", x)
		}
		out[i] = l.edge[level].hash
	}
	return out, nil
}

// add adds a block's header, and to r the hashes that the tables must hold of it.
func (l *logTree) add(header []byte, r *rows) {
	hashes, err := tlog.StoredHashes(l.size, header, l)
	if err != nil {
		panic("ledger: the edge of the log is not enough to add to it: " + err.Error())
	}
	index := tlog.StoredHashIndex(0, l.size)
	for level, hash := range hashes {
		at := index + int64(level)
		l.edge[level] = stored{at, hash}
		r.inLog(at, hash[:])
	}
	l.size++
	l.last = header
}

// root returns the root of the log.
func (l *logTree) root() tlog.Hash {
	if l.size == 0 {
		return sha256.Sum256(nil) // RFC 6962 section 2.1
	}
	root, err := tlog.TreeHash(l.size, l)
	if err != nil {
		panic("ledger: the edge of the log is not enough for its root: " + err.Error())
	}
	return root
}

// head compares the head of the chain with its last block, and returns the
// checkpoint.
func (s *scan) head(t tables, key note.Verifier) (checkpoint string, err error) {
	head, err := t.q.GetHead(t.ctx)
	if errors.Is(err, sql.ErrNoRows) {
		s.note(noHeight, "chain_head", "a head", "none")
		return "", nil
	}
	if err != nil {
		return "", err
	}
	last := s.log.size - 1
	signedNote(head.Note, checkpointText(key.Name(), s.log.size, s.log.root(), s.rollbacks), key, func(expected, found string) {
		s.note(last, "chain_head note", expected, found)
	})
	s.same(last, "chain_head height", last, head.Height)
	s.same(last, "chain_head next_pos", s.next, head.NextPos)
	if s.log.size == 0 {
		return head.Note, nil
	}
	s.sameHash(last, "chain_head hash", chain.HashBlock(s.log.last), head.Hash)
	if header, err := chain.ParseHeader(s.log.last); err == nil {
		s.same(last, "chain_head time", header.Time, head.Time)
	}
	return head.Note, nil
}

// checkpointText is what a checkpoint says: c2sp.org/tlog-checkpoint, with a line for each
// declared rollback.
func checkpointText(origin string, size int64, root tlog.Hash, rollbacks []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d\n%s\n", origin, size, root)
	for _, line := range rollbacks {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// meta checks what the service knows of its chain.
func (s *scan) meta(t tables, key string) error {
	rules := s.said.rules
	if s.also.rules != (chain.Hash{}) {
		rules = s.also.rules
	}
	for _, want := range []q.PutMetaParams{{Name: metaChain, Value: key}, {Name: metaRules, Value: rules.String()}} {
		said, err := t.q.GetMeta(t.ctx, want.Name)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if said != want.Value {
			s.note(noHeight, "meta "+want.Name, want.Value, said)
		}
	}
	return nil
}

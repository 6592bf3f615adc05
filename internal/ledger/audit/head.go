package audit

import (
	"database/sql"
	"errors"

	"golang.org/x/mod/sumdb/note"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	q "roshambo/internal/store/query/ledgerq"
)

// head compares chain_head with the last block and the rebuilt log, and returns the
// checkpoint; "" when there is no head.
func (s *scan) head(t tables, key note.Verifier) (checkpoint string, err error) {
	head, err := t.q.GetHead(t.ctx)
	if errors.Is(err, sql.ErrNoRows) {
		s.note(noHeight, "chain_head", "a head", "none")
		return "", nil
	}
	if err != nil {
		return "", err
	}
	last := s.log.Size() - 1
	expected := layout.CheckpointText(key.Name(), s.log.Size(), s.log.Root(), s.rollbacks)
	checkNote(head.Note, expected, key, func(expected, actual string) {
		s.note(last, "chain_head note", expected, actual)
	})
	s.same(last, "chain_head height", last, head.Height)
	s.same(last, "chain_head next_pos", s.next, head.NextPos)
	if s.log.Size() == 0 {
		return head.Note, nil
	}
	s.sameHash(last, "chain_head hash", chain.HashBlock(s.lastHeader), head.Hash)
	if header, err := chain.ParseHeader(s.lastHeader); err == nil {
		s.same(last, "chain_head time", header.Time, head.Time)
	}
	return head.Note, nil
}

// meta compares the rows of meta that follow from the chain: its key and its rules in force.
func (s *scan) meta(t tables, key string) error {
	rules := &s.fromPending.rules // which begin as fromBlocks.rules
	if !s.sealedDone {
		rules = &s.fromBlocks.rules
	}
	expected := []q.PutMetaParams{
		{Name: layout.MetaChain, Value: key},
		{Name: layout.MetaRules, Value: rules.String()},
	}
	for _, row := range expected {
		actual, err := t.q.GetMeta(t.ctx, row.Name)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if actual != row.Value {
			s.note(noHeight, "meta "+row.Name, row.Value, actual)
		}
	}
	return nil
}

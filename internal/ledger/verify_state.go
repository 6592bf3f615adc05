package ledger

import (
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	q "roshambo/internal/query/ledgerq"
)

// The state: balances, nonces, commitments, owners, games. A row is first held
// against the form that Post gives it, so that nothing in it is overlooked by whoever
// reads it with more tolerance; then the replay is told what it says.

// accountKinds are the kinds of account in the tables; an escrow has none.
var accountKinds = []chain.AccountKind{"", chain.Guest, chain.Full, chain.Bot}

func (s *scan) account(row *q.LedgerAccount) {
	s.held.account(row)
	name := "account " + addressName(row.Address)
	if len(row.Address) != len(chain.Address{}) {
		s.note(noHeight, name+" address", "20 bytes", fmt.Sprintf("%d bytes", len(row.Address)))
		return
	}
	if !slices.Contains(accountKinds, chain.AccountKind(row.Kind)) {
		s.note(noHeight, name+" kind", "a known one", fmt.Sprintf("%q", row.Kind))
	}
	s.length(name+" commitment", row.Commitment, len(chain.Hash{}))
	s.length(name+" commitment_tx", row.CommitmentTx, len(chain.Hash{}))
	address := chain.Address(row.Address)
	var published chain.Hash
	copy(published[:], row.CommitmentTx)
	s.replay.ExpectPublished(address, published)
	s.replay.ExpectAccount(address, accountState(row.Kind, row.Balance, row.Nonce, row.Commitment))
}

// length notes a blob that is neither NULL nor of its length, or is all zeros, which
// is written as NULL.
func (s *scan) length(what string, b []byte, n int) {
	if b == nil {
		return
	}
	if len(b) != n {
		s.note(noHeight, what, fmt.Sprintf("%d bytes", n), fmt.Sprintf("%d bytes", len(b)))
	} else if strings.Trim(string(b), "\x00") == "" {
		s.note(noHeight, what, "NULL for none", "zeros")
	}
}

func (s *scan) token(row *q.LedgerToken) {
	s.held.token(row)
	name := fmt.Sprint("token ", row.TokenID)
	if row.Tier == 0 {
		s.note(noHeight, name+" tier", "a tier", "0: it was never created")
	}
	s.length(name+" owner", row.Owner, len(chain.Address{}))
	s.replay.ExpectToken(row.TokenID, tokenState(row.Tier, row.Owner))
}

func (s *scan) game(row *q.LedgerGame) {
	s.held.game(row)
	name := fmt.Sprintf("game %q", row.ID)
	s.length(name+" a", row.A, len(chain.Address{}))
	s.length(name+" b", row.B, len(chain.Address{}))
	var begins string
	var none bool // of what games of this kind have not
	switch step := chain.GameStep(row.Step); {
	case row.Step < 1 || row.Step > int64(chain.StepClose):
		s.note(noHeight, name+" step", "1 to 5", fmt.Sprint(row.Step))
		return
	case step == chain.StepStart || step == chain.StepEnd:
		begins, none = runPrefix, row.B == nil && row.Stake == 0
	case step == chain.StepStake || step == chain.StepSettle:
		begins, none = duelPrefix, row.Tier == 0
	default:
		begins, none = seasonPrefix, row.A == nil && row.B == nil && row.Tier == 0 && row.Stake == 0
	}
	if !strings.HasPrefix(row.ID, begins) || !none {
		s.note(noHeight, name, "a game that begins with "+begins+" and has nothing of another kind",
			fmt.Sprintf("step %d, a %x, b %x, tier %d, stake %d", row.Step, row.A, row.B, row.Tier, row.Stake))
	}
	s.replay.ExpectGame(row.ID, gameState(row.Step, row.A, row.B, row.Tier, row.Stake))
}

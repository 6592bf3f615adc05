package ledger

import (
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	q "roshambo/internal/store/query/ledgerq"
)

// The state: balances, nonces, commitments, owners, games. A row is first held
// against the form that Post gives it, so that nothing in it is overlooked by whoever
// reads it with more tolerance; then the replay is told what it says.

// misfit is a value that has not the form that Post gives it.
type misfit struct{ column, expected, found string }

// misfits notes them. The name of the row is only worked out where there are any.
func (s *scan) misfits(list []misfit, name func() string) {
	for _, m := range list {
		s.note(noHeight, name()+" "+m.column, m.expected, m.found)
	}
}

// blobForm is for a blob that is NULL for none, and otherwise of its length and not
// all zeros.
func blobForm(list []misfit, column string, b []byte, length int) []misfit {
	switch {
	case b == nil:
		return list
	case len(b) != length:
		return append(list, misfit{column, fmt.Sprintf("%d bytes", length), fmt.Sprintf("%d bytes", len(b))})
	case slices.IndexFunc(b, func(c byte) bool { return c != 0 }) < 0:
		return append(list, misfit{column, "NULL for none", "zeros"})
	}
	return list
}

func (s *scan) account(row *q.LedgerAccount) {
	s.held.account(row)
	s.misfits(accountForm(row), func() string { return "account " + addressName(row.Address) })
	if len(row.Address) != len(chain.Address{}) {
		return
	}
	var published chain.Hash
	copy(published[:], row.CommitmentTx)
	address := chain.Address(row.Address)
	s.replay.ExpectPublished(address, published)
	s.replay.ExpectAccount(address, accountState(row.Kind, row.Balance, row.Nonce, row.Commitment))
}

// accountKinds are the kinds of account in the tables; an escrow has none.
var accountKinds = []chain.AccountKind{"", chain.Guest, chain.Full, chain.Bot}

func accountForm(row *q.LedgerAccount) (list []misfit) {
	if len(row.Address) != len(chain.Address{}) {
		list = append(list, misfit{"address", "20 bytes", fmt.Sprintf("%d bytes", len(row.Address))})
	}
	if !slices.Contains(accountKinds, chain.AccountKind(row.Kind)) {
		list = append(list, misfit{"kind", "a known one", fmt.Sprintf("%q", row.Kind)})
	}
	list = blobForm(list, "commitment", row.Commitment, len(chain.Hash{}))
	return blobForm(list, "commitment_tx", row.CommitmentTx, len(chain.Hash{}))
}

func (s *scan) token(row *tokenRow) {
	s.held.token(row)
	s.misfits(tokenForm(row), func() string { return fmt.Sprint("token ", row.tokenID) })
	s.replay.ExpectToken(row.tokenID, tokenState(row.tier, row.owner))
}

func tokenForm(row *tokenRow) (list []misfit) {
	if row.tier == 0 {
		list = append(list, misfit{"tier", "a tier", "0: it was never created"})
	}
	return blobForm(list, "owner", row.owner, len(chain.Address{}))
}

func (s *scan) game(row *q.LedgerGame) {
	s.held.game(row)
	s.misfits(gameForm(row), func() string { return fmt.Sprintf("game %q", row.ID) })
	s.replay.ExpectGame(row.ID, gameState(row.Step, row.A, row.B, row.Tier, row.Stake))
}

func gameForm(row *q.LedgerGame) (list []misfit) {
	list = blobForm(list, "a", row.A, len(chain.Address{}))
	list = blobForm(list, "b", row.B, len(chain.Address{}))
	var begins string
	var none bool // of what games of this kind have not
	switch step := chain.GameStep(row.Step); {
	case row.Step < 1 || row.Step > int64(chain.StepClose):
		return append(list, misfit{"step", "1 to 5", fmt.Sprint(row.Step)})
	case step == chain.StepStart || step == chain.StepEnd:
		begins, none = runPrefix, row.B == nil && row.Stake == 0
	case step == chain.StepStake || step == chain.StepSettle:
		begins, none = duelPrefix, row.Tier == 0
	default:
		begins, none = seasonPrefix, row.A == nil && row.B == nil && row.Tier == 0 && row.Stake == 0
	}
	if !strings.HasPrefix(row.ID, begins) || !none {
		list = append(list, misfit{"kind", "begins with " + begins + " and has nothing of another kind",
			fmt.Sprintf("step %d, a %x, b %x, tier %d, stake %d", row.Step, row.A, row.B, row.Tier, row.Stake)})
	}
	return list
}

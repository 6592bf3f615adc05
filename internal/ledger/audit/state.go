package audit

import (
	"fmt"
	"slices"
	"strings"

	"roshambo/chain"
	"roshambo/internal/ledger/layout"
	q "roshambo/internal/store/query/ledgerq"
)

// The state: balances, nonces, commitments, owners, games. Each row is first compared with the
// form in which the ledger writes it, because a more tolerant reader could take another form
// for the same value. Then the replay compares its content.

// formError is a column whose value the ledger never writes in this form.
type formError struct{ column, expected, actual string }

// noteForm notes errors of form. name returns the name of the row, and is called only if there
// are any.
func (s *scan) noteForm(list []formError, name func() string) {
	for _, m := range list {
		s.note(noHeight, name()+" "+m.column, m.expected, m.actual)
	}
}

// checkBlob appends an error unless a blob is NULL or has the length and is not all zeros.
func checkBlob(list []formError, column string, b []byte, length int) []formError {
	switch {
	case b == nil:
		return list
	case len(b) != length:
		return append(list, formError{
			column: column, expected: fmt.Sprintf("%d bytes", length), actual: fmt.Sprintf("%d bytes", len(b)),
		})
	case slices.IndexFunc(b, func(c byte) bool { return c != 0 }) < 0:
		return append(list, formError{column: column, expected: "NULL for none", actual: "zeros"})
	}
	return list
}

// checkMark appends an error unless a mark is 0 or 1.
func checkMark(list []formError, column string, v int64) []formError {
	if v != 0 && v != 1 {
		list = append(list, formError{column: column, expected: "0 or 1", actual: fmt.Sprint(v)})
	}
	return list
}

func (s *scan) account(row *q.LedgerAccount) {
	s.inState.account(row)
	s.noteForm(accountForm(row), func() string { return "account " + addressName(row.Address) })
	if len(row.Address) != len(chain.Address{}) {
		return
	}
	var published chain.Hash
	copy(published[:], row.CommitmentTx)
	address := chain.Address(row.Address)
	s.replay.ExpectPublished(address, published)
	columns := layout.Account{
		Kind: row.Kind, Balance: row.Balance, Bound: row.Bound, Nonce: row.Nonce, Commitment: row.Commitment,
		BoundStart: row.BoundStart, SecuredAt: row.SecuredAt, FaucetAt: row.FaucetAt, Playing: row.Playing,
		Paid: row.Paid, PaidBound: row.PaidBound, Recovery: row.Recovery,
		FreeDay: row.FreeDay, FreeEntries: row.FreeEntries, DailyDay: row.DailyDay, DailyEntries: row.DailyEntries,
	}
	s.replay.ExpectAccount(address, columns.State())
}

// accountKinds are the kinds of account in the tables; an escrow has none.
var accountKinds = []chain.AccountKind{"", chain.Guest, chain.Full, chain.Bot}

// openEntries are the entries of a run that is not over; "" stands for no such run.
var openEntries = []chain.Entry{"", chain.EntryFee, chain.EntryFree, chain.EntryBurn, chain.EntryDaily}

// accountForm returns the errors of form of a row of ledger_account.
func accountForm(row *q.LedgerAccount) (list []formError) {
	if len(row.Address) != len(chain.Address{}) {
		list = append(list, formError{
			column: "address", expected: "20 bytes", actual: fmt.Sprintf("%d bytes", len(row.Address)),
		})
	}
	if !slices.Contains(accountKinds, chain.AccountKind(row.Kind)) {
		list = append(list, formError{column: "kind", expected: "a known one", actual: fmt.Sprintf("%q", row.Kind)})
	}
	list = checkMark(list, "bound_start", row.BoundStart)
	if !slices.Contains(openEntries, chain.Entry(row.Playing)) {
		list = append(list, formError{
			column: "playing", expected: "a known entry", actual: fmt.Sprintf("%q", row.Playing),
		})
	}
	list = checkBlob(list, "commitment", row.Commitment, len(chain.Hash{}))
	return checkBlob(list, "commitment_tx", row.CommitmentTx, len(chain.Hash{}))
}

func (s *scan) token(row *tokenRow) {
	s.inState.token(row)
	s.noteForm(tokenForm(row), func() string { return fmt.Sprint("token ", row.tokenID) })
	s.replay.ExpectToken(row.tokenID, layout.Token(row.tier, row.owner, row.bound))
}

// tokenForm returns the errors of form of a row of ledger_token.
func tokenForm(row *tokenRow) (list []formError) {
	if row.tier == 0 {
		list = append(list, formError{column: "tier", expected: "a tier", actual: "0: it was never created"})
	}
	list = checkMark(list, "bound", row.bound)
	return checkBlob(list, "owner", row.owner, len(chain.Address{}))
}

func (s *scan) game(row *q.LedgerGame) {
	s.inState.game(row)
	s.noteForm(gameForm(row), func() string { return fmt.Sprintf("game %q", row.ID) })
	columns := layout.Game{Step: row.Step, A: row.A, B: row.B, Tier: row.Tier, Stake: row.Stake, Bound: row.Bound}
	s.replay.ExpectGame(row.ID, columns.State())
}

// gameForm returns the errors of form of a row of ledger_game. The prefix of its id and the columns
// in use must fit the kind of game that its step belongs to.
func gameForm(row *q.LedgerGame) (list []formError) {
	list = checkMark(list, "bound", row.Bound)
	list = checkBlob(list, "a", row.A, len(chain.Address{}))
	list = checkBlob(list, "b", row.B, len(chain.Address{}))
	var prefix string
	var unused bool // the columns that this kind of game does not use are empty
	switch step := chain.GameStep(row.Step); {
	case row.Step < 1 || row.Step > int64(chain.StepClose):
		return append(list, formError{column: "step", expected: "1 to 6", actual: fmt.Sprint(row.Step)})
	case step == chain.StepStart || step == chain.StepEnd:
		prefix, unused = layout.RunPrefix, row.B == nil && row.Stake == 0
	case step == chain.StepStake || step == chain.StepSettle || step == chain.StepRated:
		prefix, unused = layout.DuelPrefix, row.Tier == 0 && row.Bound == 0
	default:
		// Decided at once, without columns of their own: a season, a cup, the sale of a listing, the acceptance
		// of an offer, that a result is void, or that it is restored. The rest is in the transaction.
		prefix = layout.SeasonPrefix
		for _, other := range []string{
			layout.CupPrefix, layout.ListingPrefix, layout.OfferPrefix, layout.VoidPrefix, layout.RestorePrefix,
		} {
			if strings.HasPrefix(row.ID, other) {
				prefix = other
			}
		}
		unused = row.A == nil && row.B == nil && row.Tier == 0 && row.Stake == 0 && row.Bound == 0
	}
	if !strings.HasPrefix(row.ID, prefix) || !unused {
		list = append(list, formError{
			column: "kind", expected: "begins with " + prefix + " and has nothing of another kind",
			actual: fmt.Sprintf("step %d, a %x, b %x, tier %d, stake %d", row.Step, row.A, row.B, row.Tier, row.Stake),
		})
	}
	return list
}

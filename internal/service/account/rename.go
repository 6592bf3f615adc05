package account

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// MaxRenames is how often an account may change its name within NameHeld.
const MaxRenames = 3

// RenameLimitError reports that an account has used its renames; the next one is allowed at
// Next.
type RenameLimitError struct{ Next time.Time }

func (e *RenameLimitError) Error() string {
	return "account: the next rename is allowed at " + e.Next.String()
}

// Rename changes the username of an account, at most MaxRenames times within NameHeld. The
// former name is held for the account for that time. Errors: ErrUsername, ErrUsernameTaken,
// ErrNotFound, *RenameLimitError.
func (s *Service) Rename(ctx context.Context, tx *store.Tx, address chain.Address, username string) (Account, error) {
	if err := checkUsername(username); err != nil {
		return Account{}, err
	}
	if err := s.lock(ctx, tx, address); err != nil { // a deleted account keeps its generated name
		return Account{}, err
	}
	before, err := s.Get(ctx, tx, address)
	if err != nil {
		return Account{}, err
	}
	if nameKey(before.Username) == nameKey(username) { // another spelling of the same name
		return s.setName(ctx, tx, before, username)
	}
	if err := s.countRename(ctx, tx, address); err != nil {
		return Account{}, err
	}
	a, err := s.setName(ctx, tx, before, username)
	if err != nil {
		return a, err
	}
	return a, s.holdName(ctx, tx, before.Username, address)
}

// countRename counts a rename of an account. Of concurrent renames, the update of the
// account's row lets one go first. Errors: *RenameLimitError.
func (s *Service) countRename(ctx context.Context, tx *store.Tx, address chain.Address) error {
	queries, now := q.New(tx), tx.Now()
	recent, err := queries.RenamesSince(ctx, q.RenamesSinceParams{
		Address: address[:], Since: now.Add(-NameHeld).UnixMilli(), Count: MaxRenames})
	if err != nil {
		return fmt.Errorf("account: renames of %v: %w", address, err)
	}
	if len(recent) >= MaxRenames {
		return &RenameLimitError{Next: column.Time(recent[0]).Add(NameHeld)}
	}
	err = queries.InsertRename(ctx, q.InsertRenameParams{Address: address[:], RenamedAt: now.UnixMilli()})
	if err != nil {
		return fmt.Errorf("account: rename %v: %w", address, err)
	}
	return nil
}

// setName gives a a new name. Errors: ErrUsernameTaken.
func (s *Service) setName(ctx context.Context, tx *store.Tx, a Account, username string) (Account, error) {
	if err := s.checkFree(ctx, tx, username, a.Address); err != nil {
		return Account{}, err
	}
	n, err := q.New(tx).SetUsername(ctx, q.SetUsernameParams{
		Username: username, UsernameKey: nameKey(username), UsernameFold: names.Fold(username), Address: a.Address[:]})
	if store.IsUnique(err) { // a concurrent transaction took the name
		return Account{}, ErrUsernameTaken
	}
	if err != nil {
		return Account{}, fmt.Errorf("account: rename %v: %w", a.Address, err)
	}
	if n == 0 {
		return Account{}, ErrUsernameTaken
	}
	a.Username = username
	return a, s.notifyRenamed(ctx, tx, a)
}

// newcomer stands for an account without an address. It owns no name.
var newcomer = chain.Address{0: 0xff, 19: 0xff}

// checkFree checks that no account other than the one at address has a name or holds it; the
// address of a new account is not known yet. Errors: ErrUsernameTaken.
func (s *Service) checkFree(ctx context.Context, tx *store.Tx, username string, address chain.Address) error {
	if address == (chain.Address{}) {
		address = newcomer // not the owner of the withdrawn names
	}
	n, err := q.New(tx).CountOwnersOfName(ctx, q.CountOwnersOfNameParams{
		UsernameFold: names.Fold(username), Address: address[:], Now: tx.Now().UnixMilli()})
	if err != nil {
		return fmt.Errorf("account: owners of a name: %w", err)
	}
	if n > 0 {
		return ErrUsernameTaken
	}
	return nil
}

// holdName reserves a former name for its owner.
func (s *Service) holdName(ctx context.Context, tx *store.Tx, username string, owner chain.Address) error {
	err := q.New(tx).HoldName(ctx, q.HoldNameParams{
		UsernameFold: names.Fold(username), Address: owner[:], HeldUntil: tx.Now().Add(NameHeld).UnixMilli()})
	if err != nil {
		return fmt.Errorf("account: hold a name of %v: %w", owner, err)
	}
	return nil
}

// DropFormerNames deletes the names that are no longer held, and the renames that no longer
// count. It returns the number of rows.
func (s *Service) DropFormerNames(ctx context.Context, tx *store.Tx) (int64, error) {
	now := tx.Now()
	names, err := q.New(tx).DropHeldNames(ctx, now.UnixMilli())
	if err != nil {
		return 0, fmt.Errorf("account: drop held names: %w", err)
	}
	renames, err := q.New(tx).DropRenames(ctx, now.Add(-NameHeld).UnixMilli())
	return names + renames, err
}

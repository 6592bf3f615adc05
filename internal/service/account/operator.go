package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// ErrFrozen reports that an operator has frozen the account, ErrOwnerFrozen that the owner of a bot is frozen.
var (
	ErrFrozen      = errors.New("account: frozen")
	ErrOwnerFrozen = errors.New("account: the owner of the bot is frozen: unfreeze the owner")
)

// Standing is what an operator sees of an account beside its public data. It holds no mail
// address and no secret.
type Standing struct {
	FrozenAt, DeletedAt       *time.Time
	Sessions, Keys, Mailboxes int64
	HasPassword               bool
	Owner                     *chain.Address // of a bot
	Bots                      []chain.Address
}

// Standing returns the standing of an account. Errors: ErrNotFound.
func (s *Service) Standing(ctx context.Context, tx *store.Tx, a Account) (st Standing, err error) {
	queries := q.New(tx)
	row, err := queries.GetStanding(ctx, a.Address[:])
	if err != nil {
		return st, fmt.Errorf("account: standing of %v: %w", a.Address, err)
	}
	access, err := queries.CountAccess(ctx, a.Address[:])
	if err != nil {
		return st, fmt.Errorf("account: standing of %v: %w", a.Address, err)
	}
	bots, err := queries.BotAddresses(ctx, a.Address[:])
	if err != nil {
		return st, fmt.Errorf("account: bots of %v: %w", a.Address, err)
	}
	st = Standing{FrozenAt: column.OptionalTime(row.FrozenAt), DeletedAt: column.OptionalTime(row.DeletedAt),
		Sessions: access.Sessions, Keys: access.Keys, Mailboxes: access.Mailboxes, HasPassword: access.Passwords > 0}
	for _, b := range bots {
		st.Bots = append(st.Bots, chain.Address(b))
	}
	party, err := s.Party(ctx, tx, a.Address)
	if party != a.Address {
		st.Owner = &party
	}
	return st, err
}

// Freeze suspends the sessions of an account and refuses its keys and sign-ins, and its bots'
// keys, until Unfreeze. It returns the addresses that it froze, none if all were frozen. What
// the account owns stays where it is.
func (s *Service) Freeze(ctx context.Context, tx *store.Tx, address chain.Address) ([]chain.Address, error) {
	// Use cases lock accounts before sessions and keys, too: in another order both would wait for each other.
	_, err := s.withBots(ctx, tx, address, func(queries *q.Queries, a chain.Address) (int64, error) {
		return queries.LockAccount(ctx, a[:])
	})
	if err != nil {
		return nil, err
	}
	if err := s.lockSessionsOf(ctx, tx, address); err != nil {
		return nil, err
	}
	if err := s.lockKeysOf(ctx, tx, address); err != nil {
		return nil, err
	}
	now := tx.Now().UnixMilli()
	return s.withBots(ctx, tx, address, func(queries *q.Queries, a chain.Address) (int64, error) {
		freeze := queries.FreezeAccount
		if a == address {
			freeze = func(ctx context.Context, p q.FreezeAccountParams) (int64, error) {
				return queries.FreezeItself(ctx, q.FreezeItselfParams(p))
			}
		}
		n, err := freeze(ctx, q.FreezeAccountParams{Now: &now, Address: a[:]})
		if err != nil {
			return 0, err
		}
		if err := queries.RenewSessionsOf(ctx, a[:]); err != nil {
			return 0, err
		}
		if err := queries.RenewKeysOf(ctx, a[:]); err != nil {
			return 0, err
		}
		return n, nil
	})
}

// Unfreeze ends the freezing of an account and of the bots that were frozen with it: a bot that was frozen by itself
// stays so. Keys and sessions work again, sessions as if no time had passed. It returns the addresses that were frozen.
// Errors: ErrOwnerFrozen.
func (s *Service) Unfreeze(ctx context.Context, tx *store.Tx, address chain.Address) ([]chain.Address, error) {
	owner, err := s.Party(ctx, tx, address)
	if err != nil {
		return nil, err
	}
	itself, err := q.New(tx).GetStanding(ctx, address[:])
	if err != nil {
		return nil, fmt.Errorf("account: standing of %v: %w", address, err)
	}
	if owner != address {
		of, err := q.New(tx).GetStanding(ctx, owner[:])
		if err != nil {
			return nil, fmt.Errorf("account: standing of %v: %w", owner, err)
		}
		if of.FrozenAt != nil && itself.FrozenAt != nil {
			return nil, ErrOwnerFrozen
		}
	}
	return s.withBots(ctx, tx, address, func(queries *q.Queries, a chain.Address) (int64, error) {
		standing, err := queries.GetStanding(ctx, a[:])
		if err != nil || standing.FrozenAt == nil || itself.FrozenAt == nil || *standing.FrozenAt != *itself.FrozenAt {
			return 0, err
		}
		n, err := queries.UnfreezeAccount(ctx, a[:])
		if err != nil {
			return 0, err
		}
		err = queries.ResumeSessions(ctx, q.ResumeSessionsParams{
			FrozenFor: tx.Now().UnixMilli() - *standing.FrozenAt, Address: a[:]})
		if err != nil {
			return 0, err
		}
		return n, nil
	})
}

// withBots calls change for an account and its bots, at most MaxBots, and returns those whose
// row it has changed.
func (s *Service) withBots(
	ctx context.Context, tx *store.Tx, address chain.Address, change func(*q.Queries, chain.Address) (int64, error),
) (changed []chain.Address, err error) {
	queries := q.New(tx)
	bots, err := queries.BotAddresses(ctx, address[:])
	if err != nil {
		return nil, fmt.Errorf("account: bots of %v: %w", address, err)
	}
	for _, b := range append([][]byte{address[:]}, bots...) {
		n, err := change(queries, chain.Address(b))
		if err != nil {
			return nil, fmt.Errorf("account: standing of %v: %w", chain.Address(b), err)
		}
		if n == 1 {
			changed = append(changed, chain.Address(b))
		}
	}
	return changed, nil
}

// notFrozen checks that an account may be signed in to. Errors: ErrFrozen.
func (s *Service) notFrozen(ctx context.Context, tx *store.Tx, a chain.Address) error {
	row, err := q.New(tx).GetStanding(ctx, a[:])
	if err != nil {
		return fmt.Errorf("account: standing of %v: %w", a, err)
	}
	if row.FrozenAt != nil {
		return ErrFrozen
	}
	return nil
}

// withdrawn is the time until which a withdrawn name is held: for good.
var withdrawn = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// WithdrawName gives an account a generated name in place of an abusive one, which no account
// can take again until RestoreName gives it back. It does not count as a rename of the owner. It
// returns the renamed account. Errors: ErrNotFound.
func (s *Service) WithdrawName(ctx context.Context, tx *store.Tx, address chain.Address) (Account, error) {
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Account{}, err
	}
	name, err := s.generateName()
	if err != nil {
		return Account{}, err
	}
	renamed, err := s.setName(ctx, tx, a, name)
	if err != nil {
		return Account{}, err
	}
	unowned := chain.Address{} // the address of no account
	err = q.New(tx).WithdrawName(ctx, q.WithdrawNameParams{UsernameFold: names.Fold(a.Username), Address: unowned[:],
		HeldUntil: withdrawn.UnixMilli(), Username: a.Username, TakenFrom: address[:]})
	if err != nil {
		return Account{}, fmt.Errorf("account: withdraw a name of %v: %w", address, err)
	}
	return renamed, nil
}

// ErrNotWithdrawn reports a name that no operator has withdrawn from the account.
var ErrNotWithdrawn = errors.New("account: the name was not withdrawn from this account")

// RestoreName gives an account a name back that WithdrawName took. It returns the renamed account.
// Errors: ErrNotFound, ErrNotWithdrawn.
func (s *Service) RestoreName(ctx context.Context, tx *store.Tx, address chain.Address, name string) (Account, error) {
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return Account{}, err
	}
	spelled, err := q.New(tx).ReleaseName(ctx, q.ReleaseNameParams{UsernameFold: names.Fold(name), TakenFrom: address[:]})
	if err != nil {
		return Account{}, store.Absent(err, ErrNotWithdrawn, "account: restore a name of %v", address)
	}
	return s.setName(ctx, tx, a, spelled)
}

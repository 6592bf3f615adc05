package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// ErrCredentials says that a username or its password is wrong, not which.
var ErrCredentials = errors.New("account: username or password is wrong")

// ThrottledError says that too many logins failed; the next one is possible in Wait.
type ThrottledError struct{ Wait time.Duration }

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("account: logins are possible in %v", e.Wait)
}

// Failures are the throttles of failed logins. Each is a bound on guessing, and none may
// become a way to keep an owner out: the strict one counts a name and a network address
// together, so that a stranger's failures are the stranger's; the one for a name, from
// wherever they come, is loose enough that filling it takes many addresses, and a link
// by mail goes around it.
type Failures struct {
	ByNameAndClient, ByName, ByClient Throttle
}

// Throttle counts failures by key. Take uses one up, and returns how long to wait when
// there is none left; Refund gives one back.
type Throttle interface {
	Take(ctx context.Context, key string) (wait time.Duration, err error)
	Refund(ctx context.Context, key string) error
}

// LoginOptions are what somebody signs in with.
type LoginOptions struct {
	Username, Password string
	Client             string // the client's network address, for the throttle
}

// CheckLogin returns the account of a username and password. It hashes, so it runs
// outside of any transaction. Which half was wrong is not told, also not by the time
// it takes: with a name that nobody has, as much is hashed. Errors: ErrCredentials,
// *ThrottledError, ErrBusy.
func (s *Service) CheckLogin(ctx context.Context, o LoginOptions) (chain.Address, error) {
	name := strings.ToLower(o.Username)
	// An attempt is counted before it is tried, so that many at once cannot slip by.
	refund, err := s.Failures.take(ctx, name, o.Client)
	if err != nil {
		return chain.Address{}, err
	}
	address, password, err := s.credential(ctx, name)
	if err != nil {
		return chain.Address{}, errors.Join(err, refund())
	}
	ok, err := s.Hasher.Verify(ctx, o.Password, password)
	if err != nil { // the password was not tried
		return chain.Address{}, errors.Join(fmt.Errorf("account: login: %w", err), refund())
	}
	if !ok {
		return chain.Address{}, ErrCredentials
	}
	return address, refund()
}

// take counts a failure that has yet to happen, and returns what takes it back. Who is
// refused by one throttle is not counted by the others. Errors: *ThrottledError.
func (f *Failures) take(ctx context.Context, name, client string) (refund func() error, err error) {
	// Not the caller's context: who goes away keeps no failure that there was not.
	ctx = context.WithoutCancel(ctx)
	var taken []func() error
	refund = func() (err error) {
		for _, back := range taken {
			err = errors.Join(err, back())
		}
		return err
	}
	for _, c := range []struct {
		throttle Throttle
		key      string
	}{{f.ByNameAndClient, name + " " + client}, {f.ByClient, client}, {f.ByName, name}} {
		wait, err := c.throttle.Take(ctx, c.key)
		if err == nil && wait > 0 {
			err = &ThrottledError{wait}
		}
		if err != nil {
			return nil, errors.Join(err, refund())
		}
		taken = append(taken, func() error { return c.throttle.Refund(ctx, c.key) })
	}
	return refund, nil
}

// credential returns the stored password of a name, "" when nobody has the name.
func (s *Service) credential(ctx context.Context, name string) (address chain.Address, password string, err error) {
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		row, err := q.New(tx).GetCredential(ctx, name)
		if errors.Is(err, sql.ErrNoRows) || errors.Is(err, store.ErrNUL) { // which is in nobody's name
			return nil
		}
		copy(address[:], row.Address)
		password = row.Password
		return err
	})
	if err != nil {
		return address, "", fmt.Errorf("account: login: %w", err)
	}
	return address, password, nil
}

package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// ErrCredentials reports a wrong username or password, without saying which of the two.
var ErrCredentials = errors.New("account: username or password is wrong")

// ThrottledError reports too many failed logins; the next attempt is allowed after Wait.
type ThrottledError struct{ Wait time.Duration }

func (e *ThrottledError) Error() string {
	return fmt.Sprintf("account: too many failed logins, retry in %v", e.Wait)
}

// Failures holds the throttles of failed logins. Each bounds password guessing, and none
// lets an attacker lock the owner out: the strict throttle counts a name together with a
// network address, so an attacker's failures count only at the attacker's address. The
// throttle of a name over all addresses is loose, so exhausting it takes many addresses,
// and a magic link bypasses it.
type Failures struct {
	ByNameAndClient, ByName, ByClient Throttle
}

// FailureKey names a budget of failures: a username in lower case, "" for all, and a network
// address, zero for all.
type FailureKey struct {
	Name   string
	Client netip.Addr
}

// Throttle is a budget of failures per key. Take consumes one unit, or returns a positive
// wait if the budget is exhausted; Refund returns one unit. A throttle with addresses also
// counts the networks of an IPv6 address.
type Throttle interface {
	Take(ctx context.Context, key FailureKey) (wait time.Duration, err error)
	Refund(ctx context.Context, key FailureKey) error
}

// LoginOptions are the arguments of CheckLogin.
type LoginOptions struct {
	Username, Password string
	Client             netip.Addr  // for the throttles; zero when unknown
	Device             DeviceToken // of the browser; zero for none
}

// Login is a username and password that CheckLogin has verified.
type Login struct {
	Address  chain.Address
	verified string // the stored hash of the password
}

// CheckLogin verifies the username and password of an account. It hashes
// the password, so it must run outside of transactions. Neither the error nor the response
// time reveals whether the name exists: an unknown name costs the same hash. Errors:
// ErrCredentials, *ThrottledError, ErrBusy.
func (s *Service) CheckLogin(ctx context.Context, o LoginOptions) (Login, error) {
	name := nameKey(o.Username)
	address, password, err := s.credential(ctx, name)
	if err != nil {
		return Login{}, err
	}
	// Also of an unknown name: a known one costs no further look-up.
	device, err := s.knownDevice(ctx, address, o.Device)
	if err != nil {
		return Login{}, err
	}
	// The attempt counts before the password is verified, so that concurrent attempts
	// cannot exceed the budget.
	refund, err := s.Failures.take(ctx, s.charges(name, o, device))
	if err != nil {
		return Login{}, err
	}
	known := device || s.clients.has(name, o.Client, s.now())
	ok, err := s.Hasher.Verify(ctx, o.Client, known, o.Password, password)
	if err != nil { // the password was not verified
		return Login{}, errors.Join(fmt.Errorf("account: login: %w", err), refund())
	}
	if !ok {
		return Login{}, ErrCredentials
	}
	if o.Client.IsValid() {
		s.clients.add(name, o.Client, s.now())
	}
	return Login{address, password}, refund()
}

// LogIn is SignIn with a verified password. The hash took its time: a password that the owner has
// changed meanwhile, which has ended all sessions, opens no session, nor does the password of an
// account that was deleted. Errors: ErrCredentials, ErrFrozen.
func (s *Service) LogIn(ctx context.Context, tx *store.Tx, l Login, before SessionToken, agent string) (Opened, error) {
	credential, err := s.credentialOf(ctx, tx, l.Address)
	if err != nil {
		return Opened{}, err
	}
	if l.verified == "" || credential.Password != l.verified {
		return Opened{}, ErrCredentials
	}
	return s.SignIn(ctx, tx, l.Address, before, agent)
}

// now returns the time; the zero time for a service without a clock.
func (s *Service) now() (t time.Time) {
	if s.Now != nil {
		t = s.Now()
	}
	return t
}

// failureCharge is one failure of a key, to be counted by a throttle.
type failureCharge struct {
	throttle Throttle
	key      FailureKey
}

// charges returns what a failed login counts as. A known device has a throttle of its own in
// place of the one of the name and the address; neither a known device nor a known address
// is held to the throttle of the name, which strangers can use up.
func (s *Service) charges(name string, o LoginOptions, device bool) []failureCharge {
	f := &s.Failures
	byClient := failureCharge{f.ByClient, FailureKey{Client: o.Client}}
	if device {
		return []failureCharge{{f.ByNameAndClient, FailureKey{Name: deviceName(name, o.Device)}}, byClient}
	}
	list := []failureCharge{{f.ByNameAndClient, FailureKey{name, o.Client}}, byClient}
	if !s.clients.has(name, o.Client, s.now()) {
		list = append(list, failureCharge{f.ByName, FailureKey{Name: name}})
	}
	return list
}

// take counts failures in advance and returns a function that refunds them. An attempt that
// one throttle refuses is counted by none. Errors: *ThrottledError.
func (f *Failures) take(ctx context.Context, charges []failureCharge) (refund func() error, err error) {
	// A caller that disconnects must not prevent the refund.
	ctx = context.WithoutCancel(ctx)
	var refunds []func() error
	refund = func() (err error) {
		for _, r := range refunds {
			err = errors.Join(err, r())
		}
		return err
	}
	for _, c := range charges {
		wait, err := c.throttle.Take(ctx, c.key)
		if err != nil {
			return nil, errors.Join(err, refund())
		}
		if wait > 0 {
			return nil, errors.Join(&ThrottledError{Wait: wait}, refund())
		}
		refunds = append(refunds, func() error { return c.throttle.Refund(ctx, c.key) })
	}
	return refund, nil
}

// credential returns the address and the stored password hash of a name; the hash is ""
// if no account has the name and a password.
func (s *Service) credential(ctx context.Context, name string) (address chain.Address, password string, err error) {
	err = s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		row, err := q.New(tx).GetCredential(ctx, name)
		if errors.Is(err, sql.ErrNoRows) || errors.Is(err, store.ErrNUL) { // no name contains U+0000
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

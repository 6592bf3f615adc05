package account_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/testseed"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
	"roshambo/internal/store/storetest"
)

// fixture is an account service on its own ledger.
type fixture struct {
	*ledgertest.Ledger
	*account.Service
}

// commitments implements account.Commitments with random hashes, as these tests play no run.
type commitments struct{ io.Reader }

func (m commitments) FirstCommitment(context.Context, *store.Tx, chain.Address) (c chain.Hash, err error) {
	_, err = io.ReadFull(m.Reader, c[:])
	return c, err
}

func newFixture(t testing.TB, o ledgertest.Options) *fixture {
	t.Helper()
	l, chance := ledgertest.Open(t, o), testseed.Reader(t)
	return &fixture{l, &account.Service{
		DB: l.DB, Ledger: l.Ledger, Commitments: commitments{chance}, Now: l.Clock.Now, Rand: chance,
		Faucet: account.Faucet{Below: 500, Every: faucetEvery},
	}}
}

// do runs fn in a database transaction and returns its error.
func (d *fixture) do(t testing.TB, fn func(ctx context.Context, tx *store.Tx) error) error {
	t.Helper()
	return d.Ledger.DB.Update(t.Context(), fn)
}

func (d *fixture) openGuest(t testing.TB) (opened account.Opened, err error) {
	t.Helper()
	err = d.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		opened, err = d.OpenGuest(ctx, tx, "a browser", account.FreeStart)
		return err
	})
	return opened, err
}

// guest opens a guest account and fails the test on an error.
func (d *fixture) guest(t testing.TB) account.Opened {
	t.Helper()
	opened, err := d.openGuest(t)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// guestName matches generated names.
var guestName = regexp.MustCompile(`^[a-z]+-[a-z]+-[0-9]{1,6}$`)

func TestGuest(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	a := opened.Account
	if a.Kind != chain.Guest || !guestName.MatchString(a.Username) || !a.CreatedAt.Equal(d.Clock.Now()) ||
		opened.Balance != 1000 {
		t.Errorf("opened %+v", opened)
	}
	d.View(t, func(ctx context.Context, tx *store.Tx) error {
		got, err := d.Service.Get(ctx, tx, a.Address)
		if diff := cmp.Diff(a, got); err != nil || diff != "" {
			t.Errorf("read again: %v\n%s", err, diff)
		}
		session, err := d.Authorise(ctx, tx, account.Credential{Session: opened.Token})
		if diff := cmp.Diff(a, session.Account); err != nil || diff != "" {
			t.Errorf("its session: %v\n%s", err, diff)
		}
		state, published, err := d.Ledger.Account(ctx, tx, a.Address)
		if err != nil || state.Kind != chain.Guest || state.Balance != 1000 || state.Nonce != 1 ||
			state.Commitment == (chain.Hash{}) || published == (chain.Hash{}) {
			t.Errorf("on the ledger: %+v by %v, error %v", state, published, err)
		}
		if _, err := d.Service.Get(ctx, tx, chain.Address{1}); !errors.Is(err, account.ErrNotFound) {
			t.Errorf("missing account: error %v", err)
		}
		return nil
	})
	d.SealAll(t)
	d.WantValid(t)
}

// TestConcurrentGuests checks that accounts that are opened concurrently have different
// addresses, names and sessions.
func TestConcurrentGuests(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	var mu sync.Mutex // guards the rest
	addresses, names, tokens := map[chain.Address]bool{}, map[string]bool{}, map[account.SessionToken]bool{}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 8 {
				opened := d.guest(t)
				mu.Lock()
				addresses[opened.Account.Address], names[opened.Account.Username], tokens[opened.Token] = true, true, true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(addresses) != 128 || len(names) != 128 || len(tokens) != 128 {
		t.Errorf("%d addresses, %d names, %d sessions, want 128 of each", len(addresses), len(names), len(tokens))
	}
	d.SealAll(t)
	d.WantValid(t)
}

// unlucky is a source of randomness that yields the same generated name for the first few
// times. It recognises names by their 6 bytes.
type unlucky struct {
	io.Reader // serves all other reads
	times     int
}

func (u *unlucky) Read(b []byte) (int, error) {
	if len(b) == 6 && u.times > 0 {
		u.times--
		clear(b)
		return len(b), nil
	}
	return u.Reader.Read(b)
}

// TestTakenNames checks that a guest never gets a name that another account has, in any
// case.
func TestTakenNames(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	chance := d.Rand
	d.Rand = &unlucky{chance, 1}
	first := d.guest(t).Account
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE account SET username = upper(username)")
		return err
	})
	d.Rand = &unlucky{chance, 19}
	if second := d.guest(t).Account; strings.EqualFold(second.Username, first.Username) {
		t.Errorf("two accounts have the name %s", second.Username)
	}
	d.Rand = &unlucky{chance, 20 + 1} // one more, as a batch that assumed the first name is retried
	before := d.Dump(t)
	if opened, err := d.openGuest(t); err == nil || !strings.Contains(err.Error(), "no free name") {
		t.Errorf("opened %+v, error %v", opened, err)
	}
	if diff := cmp.Diff(before, d.Dump(t)); diff != "" {
		t.Errorf("the refused call changed the database:\n%s", diff)
	}
}

// TestNoRandomness checks that no account is opened if randomness runs out, at any point.
func TestNoRandomness(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	before, chance := d.Dump(t), d.Rand
	for _, bytesLeft := range []int64{0, 19, 20, 25, 26, 57} { // an address, a name, a session
		d.Rand = io.LimitReader(chance, bytesLeft)
		if opened, err := d.openGuest(t); err == nil {
			t.Errorf("%d bytes of randomness: opened %+v", bytesLeft, opened)
		}
	}
	if diff := cmp.Diff(before, d.Dump(t)); diff != "" {
		t.Errorf("a failed call changed the database:\n%s", diff)
	}
	d.Rand = io.LimitReader(chance, 58)
	d.guest(t)
	before = d.Dump(t)
	for n := 0; ; n++ { // each read fails once
		source := &interrupted{chance, n}
		d.Rand = source
		opened, err := d.openGuest(t)
		if source.left >= 0 { // fewer reads than n
			if err != nil || n < 3 {
				t.Errorf("%d reads of randomness, error %v; want an address, a name and a session", n, err)
			}
			break
		}
		if err == nil {
			t.Errorf("read %d of randomness fails: opened %+v", n+1, opened)
		}
		if diff := cmp.Diff(before, d.Dump(t)); diff != "" {
			t.Errorf("read %d: the failed call changed the database:\n%s", n+1, diff)
		}
	}
}

// interrupted is a source of randomness of which one read fails.
type interrupted struct {
	io.Reader
	left int // reads before the failing one
}

// Read reads from the underlying source, or fails.
func (r *interrupted) Read(b []byte) (int, error) {
	if r.left--; r.left == -1 {
		return 0, io.ErrUnexpectedEOF
	}
	return r.Reader.Read(b)
}

// TestGuestUnderFaults checks that an account is opened completely or not at all.
func TestGuestUnderFaults(t *testing.T) {
	t.Parallel()
	for _, m := range ledgertest.Mishaps {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			faults := new(ledgertest.Faults)
			d := newFixture(t, ledgertest.Options{DB: store.Config{Faults: faults.Config()}})
			before := len(d.Dump(t))
			faults.Play(m)
			opened, err := d.openGuest(t)
			if errors.Is(err, store.ErrUnavailable) != m.Unavailable || err != nil && !m.Unavailable {
				t.Errorf("error %v, want unavailable: %v", err, m.Unavailable)
			}
			// One row each: account, session, ledger_account, chain_pending.
			if n := len(d.Dump(t)) - before; (n == 4) != m.Stored || n != 0 && n != 4 {
				t.Errorf("%d new rows, want stored: %v", n, m.Stored)
			}
			if err == nil {
				d.View(t, func(ctx context.Context, tx *store.Tx) error {
					_, err := d.Authorise(ctx, tx, account.Credential{Session: opened.Token})
					return err
				})
			}
			d.SealAll(t)
			d.WantValid(t)
		})
	}
}

// TestSecretsAtRest checks that no secret of a session is in the database's files.
func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	files := storetest.Content(t, d.Location)
	for name, secret := range map[string]string{
		"the token": opened.Token.Text(), "the CSRF token": account.CSRFToken(opened.Token).Text(),
		"the secret": decode(t, opened.Token.Text()[len("rss_"):]),
	} {
		if bytes.Contains(files, []byte(secret)) {
			t.Errorf("%s is stored", name)
		}
	}
	if !bytes.Contains(files, []byte(opened.Account.Username)) {
		t.Error("the files do not even contain the name: the search is broken")
	}
}

// TestRememberedAddress checks that a new guest's address is remembered with its commit, for a minute, and
// that it admits no one.
func TestRememberedAddress(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	failed := errors.New("rolled back")
	open := func(end error) (c account.Credential, a chain.Address) {
		err := d.do(t, func(ctx context.Context, tx *store.Tx) error {
			opened, err := d.OpenGuest(ctx, tx, "", account.FreeStart)
			c, a = account.Credential{Session: opened.Token}, opened.Account.Address
			return errors.Join(err, end)
		})
		if !errors.Is(err, end) {
			t.Fatal(err)
		}
		return c, a
	}
	rolledBack, _ := open(failed)
	committed, address := open(nil)
	if got, ok := d.Remembered(committed); !ok || got != address {
		t.Errorf("remembered %v, %t, want %v", got, ok, address)
	}
	if _, ok := d.Remembered(rolledBack); ok {
		t.Error("remembered though it was rolled back")
	}
	d.Update(t, func(ctx context.Context, tx *store.Tx) error { return d.EndSession(ctx, tx, committed.Session) })
	if _, ok := d.Remembered(committed); !ok {
		t.Error("forgotten by the end of the session: there is no invalidation")
	}
	if _, err := d.LookUp(t.Context(), committed, account.Use{}); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("ended: error %v, want ErrNoSession", err)
	}
	d.Clock.Add(time.Minute)
	if _, ok := d.Remembered(committed); ok {
		t.Error("remembered for more than a minute")
	}
	d.Clock.Add(-time.Hour)
	if _, ok := d.Remembered(committed); ok {
		t.Error("remembered longer by a clock that was set back")
	}
}

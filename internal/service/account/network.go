package account

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/fairshare"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// What an account does is charged to every network that it has used within 24 hours: points and rated pairs count by
// networks, and an account that moves about would otherwise begin anew at each. The database holds a keyed hash of
// the network and the UTC day, one row for each day on which a use counts.

// Network is a network that an account uses, and the multiple of an address's limits that it has.
type Network struct {
	Prefix netip.Prefix
	Times  int64
}

// Use is the origin of a call.
type Use struct {
	Shown    string    // the shortened network, which the owner of a key sees
	Networks []Network // that the account is charged to, the narrowest first; none for an exempt address
}

const (
	// networkFresh is how often the use of a network is recorded anew.
	networkFresh = 10 * time.Minute
	// networkLife is how long a recorded use counts. An idle run is claimed 24 hours after its player's last
	// call, and up to a minute later.
	networkLife = 24*time.Hour + 2*networkFresh
	// NetworkKnown is how long after a call LastNetwork returns the network of that call or of a later one: the use may
	// have been recorded networkFresh before the call.
	NetworkKnown = networkLife - networkFresh
)

// maxNetworks is how many networks of an account are recorded on a day; a /64 is up to three. Beyond it the /64 of a
// use is left out: a /48 has 65,536 of them, and all would be read with each of the account's points, but 256 of /56.
const maxNetworks = 96

// wideTimes is the multiple of a /48 of IPv6, the second level of a fairshare.Tag.
const wideTimes = 16

const dayMS = 24 * 60 * 60 * 1000

// dayOf returns the number of a time's UTC day.
func dayOf(t time.Time) int64 { return t.UnixMilli() / dayMS }

// networkUse is an account at the narrowest of its networks.
type networkUse struct {
	account chain.Address
	network netip.Prefix
}

// isNoted reports whether this node has recorded a use a short while ago.
func (s *Service) isNoted(account chain.Address, networks []Network) bool {
	if len(networks) == 0 {
		return true
	}
	at, ok := s.networks.Get(networkUse{account, networks[0].Prefix})
	ago := s.Now().Sub(at)
	return ok && ago >= 0 && ago < networkFresh
}

// NoteUse records that an account uses networks, in the transaction of what it does there. A crash before the commit
// leaves neither.
func (s *Service) NoteUse(ctx context.Context, tx *store.Tx, account chain.Address, networks []Network) error {
	if s.isNoted(account, networks) {
		return nil
	}
	now := tx.Now()
	until := now.Add(networkLife)
	n, err := q.New(tx).CountNetworks(ctx, q.CountNetworksParams{Account: account[:], Day: dayOf(now)})
	if err != nil {
		return fmt.Errorf("account: networks of %v: %w", account, err)
	}
	narrowest := networks[0].Prefix
	if n >= maxNetworks && len(networks) > 1 {
		networks = networks[1:]
	}
	var rows [][]any
	for day := dayOf(now); day <= dayOf(until); day++ {
		for _, n := range networks {
			rows = append(rows, []any{account[:], day, s.tag(day, n.Prefix), n.Times, until.UnixMilli()})
		}
	}
	target := store.UpsertTarget{Table: "account_network", Key: []string{"account", "day", "tag"},
		Others: []string{"times", "until"}}
	if err := store.BulkUpsert(ctx, tx, target, rows); err != nil {
		return fmt.Errorf("account: networks of %v: %w", account, err)
	}
	noted := s.Now()
	tx.AfterCommit(func() { s.networks.Put(networkUse{account, narrowest}, noted) })
	return nil
}

// tag returns the stored form of a network on a day.
func (s *Service) tag(day int64, network netip.Prefix) []byte {
	return fairshare.Hash(s.NetworkKey, fairshare.Day(time.UnixMilli(day*dayMS)), network)[:16]
}

// LastNetwork returns what the effects of an account are charged to when no call causes them, as the claim of a run
// that its player has left: the network that it used last; nil for none within networkLife, and for a shared one.
func (s *Service) LastNetwork(ctx context.Context, tx *store.Tx, account chain.Address) (fairshare.Tag, error) {
	rows, err := q.New(tx).LastNetworks(ctx, q.LastNetworksParams{Account: account[:], Day: dayOf(tx.Now())})
	if err != nil {
		return nil, fmt.Errorf("account: last network of %v: %w", account, err)
	}
	var hashes [][]byte
	for _, r := range rows {
		switch {
		case len(hashes) == 0 && r.Times < wideTimes, len(hashes) == 2 && r.Times == wideTimes:
			hashes = append(hashes, r.Tag, r.Tag) // the hash of the next day is known only where that use counts then
		}
	}
	return fairshare.Join(hashes...), nil
}

// ShareNetwork reports whether two accounts have used one network within 24 hours.
func (s *Service) ShareNetwork(ctx context.Context, tx *store.Tx, a, b chain.Address) (bool, error) {
	now := tx.Now()
	n, err := q.New(tx).CountSharedNetworks(ctx, q.CountSharedNetworksParams{
		A: a[:], B: b[:], Day: dayOf(now), Now: now.UnixMilli()})
	if err != nil {
		return false, fmt.Errorf("account: networks of %v and %v: %w", a, b, err)
	}
	return n > 0, nil
}

// ForgetNetworks deletes the networks of a deleted account that a look-up noted while the account was being deleted,
// unseen by the deletion's own transaction.
func (s *Service) ForgetNetworks(ctx context.Context, tx *store.Tx, address chain.Address) error {
	if err := q.New(tx).DeleteNetworksOf(ctx, address[:]); err != nil {
		return fmt.Errorf("account: forget the networks of %v: %w", address, err)
	}
	return nil
}

// DropNetworks deletes the uses that count no more, an hour after their day: reports of its last moment are still to
// be counted. It also deletes the uses that are left of deleted accounts.
func (s *Service) DropNetworks(ctx context.Context, tx *store.Tx) (int64, error) {
	n, err := q.New(tx).DropNetworks(ctx, dayOf(tx.Now().Add(-time.Hour)))
	if err != nil {
		return 0, fmt.Errorf("account: drop networks: %w", err)
	}
	return n, nil
}

package account

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// NameHeld is how long a former name stays reserved for its owner, and how long the name of
// a deleted account stays unused.
const NameHeld = 30 * 24 * time.Hour

// deletedPrefix begins the names of deleted accounts. No caller may choose such a name.
const deletedPrefix = "deleted-"

// Deleted is an account that Delete has erased, a player or a bot.
type Deleted struct {
	Address chain.Address
	Before  string // the username before the deletion
	Name    string // the generated name that the account has from now on
}

// Delete erases an account and its bots: names, password, mailboxes, sessions, keys with
// their labels, and requested links. The rows of the accounts stay under generated names,
// because the chain and the games of others refer to their addresses. The caller erases or
// ends what other services keep, for each returned account in the same transaction: a crash
// leaves all of it or nothing.
//
// A full account needs p, as every change that a thief of a session must not make. The
// mailboxes receive a notice. Errors: as authorize, ErrNotFound.
func (s *Service) Delete(ctx context.Context, tx *store.Tx, address chain.Address, p Proof) ([]Deleted, error) {
	a, err := s.Get(ctx, tx, address)
	if err != nil {
		return nil, err
	}
	if a.Kind == chain.Full {
		if err := s.authorize(ctx, tx, address, p); err != nil {
			return nil, err
		}
	}
	if err := s.lock(ctx, tx, address); err != nil { // against a bot or a mailbox that is added now
		return nil, err
	}
	if err := s.notify(ctx, tx, a, noticeDeleted, ""); err != nil {
		return nil, err
	}
	bots, err := q.New(tx).BotAddresses(ctx, address[:])
	if err != nil {
		return nil, fmt.Errorf("account: bots of %v: %w", address, err)
	}
	all := []Account{a}
	for _, b := range bots { // at most MaxBots
		bot, err := s.Get(ctx, tx, chain.Address(b))
		if err != nil {
			return nil, err
		}
		all = append(all, bot)
	}
	deleted := make([]Deleted, len(all))
	for i, one := range all {
		if deleted[i], err = s.erase(ctx, tx, one); err != nil {
			return nil, fmt.Errorf("account: delete %v: %w", one.Address, err)
		}
	}
	return deleted, nil
}

// erase deletes what only a's owner needs, and gives a a generated name.
func (s *Service) erase(ctx context.Context, tx *store.Tx, a Account) (Deleted, error) {
	var random [8]byte
	if err := s.random(random[:]); err != nil {
		return Deleted{}, err
	}
	d := Deleted{Address: a.Address, Before: a.Username, Name: deletedPrefix + hex.EncodeToString(random[:])}
	queries, now, address := q.New(tx), tx.Now().UnixMilli(), a.Address[:]
	n, err := queries.MarkDeleted(ctx, q.MarkDeletedParams{
		Username: d.Name, UsernameKey: nameKey(d.Name), UsernameFold: names.Fold(d.Name), Now: &now, Address: address})
	if err != nil {
		return Deleted{}, err
	}
	if n == 0 { // deleted by a concurrent call
		return Deleted{}, ErrNotFound
	}
	if err := s.holdName(ctx, tx, a.Username, a.Address); err != nil {
		return Deleted{}, err
	}
	for _, erase := range []func(context.Context, []byte) error{
		queries.DeleteKeysOf, queries.DeleteSessionsOf, queries.DeleteCredential, queries.DeleteLinksOf,
		queries.DeleteEmailsOf, queries.DeleteDevicesOf, queries.DeleteNetworksOf, queries.ForgetWithdrawn,
		queries.ForgetBotWords,
	} {
		if err := erase(ctx, address); err != nil {
			return Deleted{}, err
		}
	}
	a.Username = d.Name
	return d, s.notifyRenamed(ctx, tx, a)
}

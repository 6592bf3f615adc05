package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// A key outlives the session that makes it, so a thief must not make one: the session of a secured account
// needs a recent sign-in for it. A guest has nothing to sign in with, and is free. A key of all scopes may
// make keys and bots as well; what it made ends with it, so that its owner has to find one key only.

// Maker is a caller that may make keys.
type Maker struct{ key int64 } // 0 for a session

// MayMakeKeys checks that the caller, whom the transaction has authorised, may make or rotate keys.
// Errors: ErrNoSession, ErrSignInRequired.
func (s *Service) MayMakeKeys(
	ctx context.Context, tx *store.Tx, address chain.Address, by Credential,
) (Maker, error) {
	if !by.Key.None() {
		caller, err := s.Authorise(ctx, tx, by)
		return Maker{caller.key}, err
	}
	hash := by.Session.hash()
	row, err := q.New(tx).GetSignIn(ctx, q.GetSignInParams{TokenHash: hash[:], Address: address[:]})
	if err != nil {
		return Maker{}, store.Absent(err, ErrNoSession, "account: sign-in of %v", address)
	}
	if chain.AccountKind(row.Kind) == chain.Full && !s.recent(row.SignedInAt) {
		return Maker{}, ErrSignInRequired
	}
	return Maker{}, nil
}

// recent reports whether a session signed in, at a time in Unix milliseconds or never (0), less than
// RecentSignIn ago.
func (s *Service) recent(signedIn int64) bool {
	return signedIn != 0 && s.Now().Sub(time.UnixMilli(signedIn)) < RecentSignIn
}

// SignedInUntil returns until when a session may do without the password what only the owner may; nil if its browser
// signed in RecentSignIn ago or earlier, or never. Errors: ErrNoSession.
func (s *Service) SignedInUntil(
	ctx context.Context, tx *store.Tx, address chain.Address, token SessionToken,
) (*time.Time, error) {
	hash := token.hash()
	row, err := q.New(tx).GetSignIn(ctx, q.GetSignInParams{TokenHash: hash[:], Address: address[:]})
	if err != nil {
		return nil, store.Absent(err, ErrNoSession, "account: sign-in of %v", address)
	}
	if !s.recent(row.SignedInAt) {
		return nil, nil
	}
	until := time.UnixMilli(row.SignedInAt).Add(RecentSignIn)
	return &until, nil
}

// Made records the maker of a key, in the transaction that has stored it, and when the key expires; nil
// for never. It returns the time at which the key expires: not after its maker.
func (s *Service) Made(
	ctx context.Context, tx *store.Tx, id int64, by Maker, expires *time.Time,
) (*time.Time, error) {
	queries := q.New(tx)
	if expires != nil {
		if err := queries.SetExpiry(ctx, q.SetExpiryParams{ExpiresAt: column.Millis(expires), KeyID: id}); err != nil {
			return nil, fmt.Errorf("account: expiry of key %d: %w", id, err)
		}
	}
	if by.key == 0 {
		return expires, nil
	}
	at, err := queries.SetMaker(ctx, q.SetMakerParams{Maker: &by.key, KeyID: id})
	if err != nil {
		return nil, fmt.Errorf("account: maker of key %d: %w", id, err)
	}
	return column.OptionalTime(at), nil
}

// revokeMade ends the keys whose makers have ended, and the keys that those have made.
func (s *Service) revokeMade(ctx context.Context, tx *store.Tx, address chain.Address, now int64) error {
	for { // each round ends a key, of which an account has few
		n, err := q.New(tx).RevokeMade(ctx, q.RevokeMadeParams{Now: &now, Address: address[:]})
		if err != nil {
			return fmt.Errorf("account: end the keys that a key of %v made: %w", address, err)
		}
		if n == 0 {
			return nil
		}
	}
}

// endKeys ends all keys of an account and of its bots but those with the ids in keep, and returns the ended
// ones, the newest first. A kept key no longer ends with the one that made it. Errors: ErrNotFound if keep
// has an id that is none of them.
func (s *Service) endKeys(
	ctx context.Context, tx *store.Tx, address chain.Address, keep []int64,
) (ended []Key, err error) {
	if err := s.lockKeysOf(ctx, tx, address); err != nil {
		return nil, err
	}
	queries := q.New(tx)
	rows, err := queries.ActiveKeysOfOwner(ctx, address[:])
	if err != nil {
		return nil, fmt.Errorf("account: keys of %v: %w", address, err)
	}
	for _, id := range keep {
		if !slices.ContainsFunc(rows, func(r q.ActiveKeysOfOwnerRow) bool { return r.KeyID == id }) {
			return nil, ErrNotFound
		}
	}
	now := tx.Now().UnixMilli()
	for _, r := range rows { // at most MaxKeys, and one for each of MaxBots
		if slices.Contains(keep, r.KeyID) {
			if err := queries.Independent(ctx, r.KeyID); err != nil {
				return nil, fmt.Errorf("account: keep key %d: %w", r.KeyID, err)
			}
			continue
		}
		if _, err := queries.RevokeKey(ctx, q.RevokeKeyParams{Now: &now, KeyID: r.KeyID, Address: r.Address}); err != nil {
			return nil, fmt.Errorf("account: end key %d: %w", r.KeyID, err)
		}
		ended = append(ended, Key{ID: r.KeyID, Address: chain.Address(r.Address), Label: r.Label, Prefix: r.Prefix,
			Scopes: Scopes(r.Scopes), CreatedAt: column.Time(r.CreatedAt), UsedAt: column.OptionalTime(r.UsedAt),
			UsedFrom: r.UsedFrom, ExpiresAt: column.OptionalTime(r.ExpiresAt), RevokedAt: column.OptionalTime(&now)})
	}
	return ended, nil
}

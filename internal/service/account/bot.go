package account

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	"roshambo/internal/store/column"
	q "roshambo/internal/store/query/accountq"
)

// BotInfo is a bot as its owner sees it: a separate account with one key.
type BotInfo struct {
	Account    Account
	KeyID      int64
	KeyPrefix  string
	KeyMadeAt  time.Time
	KeyEndedAt *time.Time // nil while the key is valid
	LastSeenAt *time.Time // last use of the key; nil for none
	SeenFrom   string     // network of that use, shortened; "" for unknown
	Words      Words
}

// CreateBot opens an account for a bot, with its own key. Only this call returns the
// key's secret. Errors: ErrLimit, ErrUsername, ErrUsernameTaken.
func (s *Service) CreateBot(
	ctx context.Context, tx *store.Tx, owner chain.Address, name string, start Start,
) (BotInfo, KeySecret, error) {
	if err := checkUsername(name); err != nil {
		return BotInfo{}, KeySecret{}, err
	}
	if err := s.lock(ctx, tx, owner); err != nil {
		return BotInfo{}, KeySecret{}, err
	}
	queries := q.New(tx)
	n, err := queries.CountBots(ctx, owner[:])
	if err != nil {
		return BotInfo{}, KeySecret{}, fmt.Errorf("account: bots of %v: %w", owner, err)
	}
	if n >= MaxBots {
		return BotInfo{}, KeySecret{}, ErrLimit
	}
	opened, err := s.open(ctx, tx, chain.Bot, name, start)
	if err != nil {
		return BotInfo{}, KeySecret{}, err
	}
	a := opened.Account
	err = queries.InsertBot(ctx, q.InsertBotParams{
		Address: a.Address[:], Owner: owner[:], CreatedAt: a.CreatedAt.UnixMilli()})
	if err != nil {
		return BotInfo{}, KeySecret{}, fmt.Errorf("account: new bot: %w", err)
	}
	k, secret, err := s.insertKey(ctx, tx, a.Address, newKey{botKeyPrefix, name, AllScopes})
	return BotInfo{Account: a, KeyID: k.ID, KeyPrefix: k.Prefix, KeyMadeAt: k.CreatedAt}, secret, err
}

// LastSeen returns the last use of any of an account's keys, nil if none was used.
func (s *Service) LastSeen(ctx context.Context, tx *store.Tx, address chain.Address) (*time.Time, error) {
	used, err := q.New(tx).LastUse(ctx, address[:])
	if err != nil {
		return nil, fmt.Errorf("account: last use of a key of %v: %w", address, err)
	}
	if used == 0 {
		return nil, nil
	}
	return column.OptionalTime(&used), nil
}

// Bots returns the bots of an owner, the oldest first.
func (s *Service) Bots(ctx context.Context, tx *store.Tx, owner chain.Address) ([]BotInfo, error) {
	rows, err := q.New(tx).ListBots(ctx, owner[:])
	if err != nil {
		return nil, fmt.Errorf("account: bots of %v: %w", owner, err)
	}
	list := make([]BotInfo, len(rows))
	for i, r := range rows {
		list[i] = BotInfo{
			Account: fromRow(r.Address, string(chain.Bot), r.Username, r.CreatedAt, r.FaucetAt),
			KeyID:   r.KeyID, KeyPrefix: r.Prefix, KeyMadeAt: column.Time(r.KeyCreatedAt),
			LastSeenAt: column.OptionalTime(r.UsedAt), SeenFrom: r.UsedFrom,
			KeyEndedAt: column.OptionalTime(r.RevokedAt),
			Words:      Words{Version: r.Version, Description: r.Description, Hidden: r.HiddenReason},
		}
		if r.RevokedAt == nil && r.ExpiresAt != nil && *r.ExpiresAt <= tx.Now().UnixMilli() { // with the key that made it
			list[i].KeyEndedAt = column.OptionalTime(r.ExpiresAt)
		}
	}
	return list, nil
}

// RotateBotKey replaces the key of a bot and returns the new secret; the old key ends at
// once. Errors: ErrNotFound if the bot does not exist or has another owner.
func (s *Service) RotateBotKey(
	ctx context.Context, tx *store.Tx, owner, bot chain.Address,
) (BotInfo, KeySecret, error) {
	queries := q.New(tx)
	actual, err := queries.GetBotOwner(ctx, bot[:])
	if err != nil {
		return BotInfo{}, KeySecret{}, store.Absent(err, ErrNotFound, "account: bot %v", bot)
	}
	if !bytes.Equal(actual, owner[:]) {
		return BotInfo{}, KeySecret{}, ErrNotFound
	}
	a, err := s.Get(ctx, tx, bot)
	if err != nil {
		return BotInfo{}, KeySecret{}, err
	}
	k, secret, err := s.renewKey(ctx, tx, a)
	if err != nil {
		return BotInfo{}, KeySecret{}, err
	}
	words, err := s.BotWords(ctx, tx, bot)
	return BotInfo{Account: a, KeyID: k.ID, KeyPrefix: k.Prefix, KeyMadeAt: k.CreatedAt, Words: words}, secret, err
}

// EndBotKey ends the key of a bot without a successor, on behalf of another account than its owner, which the caller
// has found entitled to it. The owner alone gets a fresh key, by RotateBotKey, and receives a notice at its mailboxes.
// If the bot's key has ended before, nothing happens, and ended is false. Errors: ErrNotFound if the account is no bot
// with an owner.
func (s *Service) EndBotKey(ctx context.Context, tx *store.Tx, bot chain.Address) (ended bool, err error) {
	party, err := s.Party(ctx, tx, bot)
	if err != nil {
		return false, err
	}
	if party == bot {
		return false, ErrNotFound
	}
	owner, err := s.Get(ctx, tx, party)
	if err != nil {
		return false, err
	}
	a, err := s.Get(ctx, tx, bot)
	if err != nil {
		return false, err
	}
	n, err := s.revokeKeysOf(ctx, tx, a)
	if err != nil || n == 0 {
		return false, err
	}
	return true, s.notify(ctx, tx, owner, noticeBotKey, a.Username)
}

// Party returns the beneficial owner of an address: the owner of a bot, and the address
// itself for every other account.
func (s *Service) Party(ctx context.Context, tx *store.Tx, a chain.Address) (chain.Address, error) {
	owner, err := q.New(tx).GetBotOwner(ctx, a[:])
	if err != nil {
		return a, store.Absent(err, nil, "account: owner of %v", a)
	}
	copy(a[:], owner)
	return a, nil
}

// PrefetchParty prefetches the row that Party reads.
func (s *Service) PrefetchParty(tx *store.Tx, a chain.Address) { tx.Prefetch(q.GetBotOwner, a[:]) }

// renewKey revokes the keys of a bot and creates a new one. It returns the new key and
// its secret.
func (s *Service) renewKey(ctx context.Context, tx *store.Tx, bot Account) (Key, KeySecret, error) {
	if _, err := s.revokeKeysOf(ctx, tx, bot); err != nil {
		return Key{}, KeySecret{}, err
	}
	return s.insertKey(ctx, tx, bot.Address, newKey{botKeyPrefix, bot.Username, AllScopes})
}

// revokeKeysOf revokes all keys of a bot and returns their number.
func (s *Service) revokeKeysOf(ctx context.Context, tx *store.Tx, bot Account) (int64, error) {
	if err := s.lockKeysOf(ctx, tx, bot.Address); err != nil {
		return 0, err
	}
	now := tx.Now().UnixMilli()
	n, err := q.New(tx).RevokeKeysOf(ctx, q.RevokeKeysOfParams{Now: &now, Address: bot.Address[:]})
	if err != nil {
		return 0, fmt.Errorf("account: revoke the keys of %v: %w", bot.Address, err)
	}
	return n, nil
}

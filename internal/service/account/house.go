package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// HousePrefix begins the names of the house's bots. No other account may use it, so the
// prefix identifies a house bot.
const HousePrefix = "house-"

// checkUsername checks that a caller may choose a name. Errors: ErrUsername for a
// malformed name, ErrUsernameTaken for one that passes for the service, its staff or a deleted account.
func checkUsername(name string) error {
	if !usernamePattern.MatchString(name) {
		return ErrUsername
	}
	if names.Reserved(name) || names.Fold(name) == "" || strings.HasPrefix(names.Fold(name), names.Fold(deletedPrefix)) {
		return ErrUsernameTaken
	}
	return nil
}

// BotKey returns the key of a bot with 32 secret bytes.
func BotKey(secret [32]byte) KeySecret { return formatSecret[keyKind](botKeyPrefix, secret) }

// EnsureHouseBot creates the house bot of that name unless it exists, makes key its only
// key, and returns its account. A house bot has no owner. Errors: ErrUsername for a name
// without HousePrefix, ErrUsernameTaken.
func (s *Service) EnsureHouseBot(ctx context.Context, tx *store.Tx, name string, key KeySecret) (Account, error) {
	if !strings.HasPrefix(name, HousePrefix) || !usernamePattern.MatchString(name) {
		return Account{}, ErrUsername
	}
	if c, err := s.Authorise(ctx, tx, Credential{Key: key}); !errors.Is(err, ErrNoSession) {
		return c.Account, err
	}
	opened, err := s.open(ctx, tx, chain.Bot, name, FreeStart)
	bot := opened.Account
	if errors.Is(err, ErrUsernameTaken) {
		// The bot exists with another key, or another node has just created it.
		if c, err := s.Authorise(ctx, tx, Credential{Key: key}); !errors.Is(err, ErrNoSession) {
			return c.Account, err
		}
		bot, err = s.resetHouseBot(ctx, tx, name)
	}
	if err != nil {
		return Account{}, err
	}
	_, err = s.storeKey(ctx, tx, bot.Address, key, newKey{botKeyPrefix, name, AllScopes})
	return bot, err
}

// resetHouseBot returns an existing house bot after revoking its keys. Errors:
// ErrUsernameTaken if the account of that name is no house bot.
func (s *Service) resetHouseBot(ctx context.Context, tx *store.Tx, name string) (Account, error) {
	bot, err := s.ByName(ctx, tx, name)
	if err != nil {
		return Account{}, err
	}
	if bot.Kind != chain.Bot {
		return Account{}, ErrUsernameTaken // by an account that is older than the reservation of the prefix
	}
	_, err = q.New(tx).GetBotOwner(ctx, bot.Address[:])
	if err == nil {
		return Account{}, ErrUsernameTaken // likewise, by a bot with an owner
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return Account{}, fmt.Errorf("account: owner of %v: %w", bot.Address, err)
	}
	_, err = s.revokeKeysOf(ctx, tx, bot)
	return bot, err
}

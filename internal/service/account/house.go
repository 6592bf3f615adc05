package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// HousePrefix begins the names of the service's own bots, and no other name: who is
// called so is what it seems.
const HousePrefix = "house-"

// checkUsername refuses what is no username, or one that only the service can have.
// Errors: ErrUsername, ErrUsernameTaken.
func (s *Service) checkUsername(name string) error {
	if !usernamePattern.MatchString(name) {
		return ErrUsername
	}
	if name = strings.ToLower(name); s.Reserved[name] || strings.HasPrefix(name, HousePrefix) {
		return ErrUsernameTaken
	}
	return nil
}

// BotKey returns the key of a bot as it is written, made of 32 secret bytes.
func BotKey(secret [32]byte) string { return writeKey(botKeyPrefix, secret) }

// HouseBot sees to it that there is a bot of the house with that name, and that this key
// is its only one. It belongs to nobody, which is what makes it the house's. Errors:
// ErrUsername for a name that is not the house's, ErrUsernameTaken.
func (s *Service) HouseBot(ctx context.Context, tx *store.Tx, name, key string) (Account, error) {
	if !strings.HasPrefix(name, HousePrefix) || !usernamePattern.MatchString(name) {
		return Account{}, ErrUsername
	}
	if use, err := s.Key(ctx, tx, key); !errors.Is(err, ErrNoSession) {
		return use.Account, err
	}
	opened, err := s.open(ctx, tx, chain.Bot, name)
	bot := opened.Account
	if errors.Is(err, ErrUsernameTaken) {
		// It was there before, with another key, or another node has just been faster.
		if use, err := s.Key(ctx, tx, key); !errors.Is(err, ErrNoSession) {
			return use.Account, err
		}
		bot, err = s.takeHouseBot(ctx, tx, name)
	}
	if err != nil {
		return Account{}, err
	}
	_, err = s.storeKey(ctx, tx, bot.Address, key, name)
	return bot, err
}

// takeHouseBot returns a bot of the house, and ends the keys that it had.
func (s *Service) takeHouseBot(ctx context.Context, tx *store.Tx, name string) (Account, error) {
	bot, err := s.ByName(ctx, tx, name)
	if err != nil {
		return Account{}, err
	}
	_, err = q.New(tx).GetBotOwner(ctx, bot.Address[:])
	if bot.Kind != chain.Bot || err == nil {
		return Account{}, ErrUsernameTaken // by somebody, before such names were kept for the house
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return Account{}, fmt.Errorf("account: owner of %v: %w", bot.Address, err)
	}
	return bot, s.endKeys(ctx, tx, bot)
}

package account_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// endKey ends the key of a bot on behalf of another account.
func (d *fixture) endKey(t *testing.T, bot chain.Address) (ended bool, err error) {
	t.Helper()
	err = d.do(t, func(ctx context.Context, tx *store.Tx) (err error) {
		ended, err = d.EndBotKey(ctx, tx, bot)
		return err
	})
	return ended, err
}

// TestEndBotKey: a key that another account ends stays ended, its owner alone gets a fresh one, and hears of it once.
func TestEndBotKey(t *testing.T) {
	t.Parallel()
	o := newOwnerFixture(t)
	ann := o.attach(t, o.registered(t, "ann"), "ann@example.org")
	address := ann.Account.Address
	var bot account.BotInfo
	var key account.KeySecret
	o.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		bot, key, err = o.CreateBot(ctx, tx, address, "ann-bot", account.FreeStart)
		return err
	})
	if _, err := o.byKey(t, key); err != nil {
		t.Fatal(err)
	}
	if ended, err := o.endKey(t, bot.Account.Address); !ended || err != nil {
		t.Fatalf("ended %t, error %v", ended, err)
	}
	if _, err := o.byKey(t, key); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("with the ended key: error %v", err)
	}
	mails := o.sent(t)
	if len(mails) != 1 || !strings.HasPrefix(mails[0], "ann@example.org\n") || !strings.Contains(mails[0], "ann-bot") ||
		!strings.HasSuffix(mails[0], "https://play.example.org/developers\n") || strings.Contains(mails[0], "password") {
		t.Errorf("mailed %q, want a notice about the bot", mails)
	}
	if ended, err := o.endKey(t, bot.Account.Address); ended || err != nil || len(o.sent(t)) != 0 {
		t.Errorf("again: ended %t, error %v, want neither an end nor a notice", ended, err)
	}
	var list []account.BotInfo
	var fresh account.KeySecret
	o.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		if list, err = o.Bots(ctx, tx, address); err != nil {
			return err
		}
		_, fresh, err = o.RotateBotKey(ctx, tx, address, bot.Account.Address)
		return err
	})
	if len(list) != 1 || list[0].KeyEndedAt == nil {
		t.Errorf("its owner sees %+v, want an ended key", list)
	}
	if got, err := o.byKey(t, fresh); err != nil || got.Address != bot.Account.Address {
		t.Errorf("with the fresh key: %v, error %v", got, err)
	}
	if _, err := o.byKey(t, key); !errors.Is(err, account.ErrNoSession) {
		t.Errorf("with the ended key after a fresh one: error %v", err)
	}
	if err := o.houseBot(t, "house-1", account.BotKey([32]byte{1})); err != nil {
		t.Fatal(err)
	}
	house, err := o.byKey(t, account.BotKey([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []chain.Address{address, house.Address, {9}} {
		if ended, err := o.endKey(t, other); ended || !errors.Is(err, account.ErrNotFound) {
			t.Errorf("of %v: ended %t, error %v, want no such bot", other, ended, err)
		}
	}
}

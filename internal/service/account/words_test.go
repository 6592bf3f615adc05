package account_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"roshambo/chain"
	"roshambo/internal/ledger/ledgertest"
	"roshambo/internal/platform/names"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// aBot returns a new bot of an owner.
func (d *fixture) aBot(t *testing.T, owner chain.Address, name string) chain.Address {
	t.Helper()
	var bot account.BotInfo
	d.Update(t, func(ctx context.Context, tx *store.Tx) (err error) {
		bot, _, err = d.CreateBot(ctx, tx, owner, name, account.FreeStart)
		return err
	})
	return bot.Account.Address
}

// describe changes the words of a bot.
func (d *fixture) describe(t *testing.T, by, bot chain.Address, change account.WordsChange) error {
	t.Helper()
	return d.do(t, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.Describe(ctx, tx, by, bot, change)
		return err
	})
}

// words returns the stored words of a bot.
func (d *fixture) words(t *testing.T, bot chain.Address) (w account.Words) {
	t.Helper()
	d.View(t, func(ctx context.Context, tx *store.Tx) (err error) {
		w, err = d.BotWords(ctx, tx, bot)
		return err
	})
	return w
}

// said returns a change of both words.
func said(version, description string) account.WordsChange {
	return account.WordsChange{Version: &version, Description: &description}
}

// TestWords: the owner and the bot itself change the bot's words, each of the two alone or both, and no other account
// does.
func TestWords(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann, eve := d.guest(t).Account.Address, d.guest(t).Account.Address
	bot, other := d.aBot(t, ann, "a-bot"), d.aBot(t, ann, "another")
	for by, version := range map[chain.Address]string{ann: "1.0", bot: "2.0_rc-1+x"} {
		if err := d.describe(t, by, bot, said(version, "  counts\n rounds ")); err != nil {
			t.Fatal(err)
		}
		if got := d.words(t, bot); got != (account.Words{Version: version, Description: "counts rounds"}) {
			t.Errorf("after %s: %+v", version, got)
		}
	}
	for name, by := range map[string]chain.Address{"a stranger": eve, "another bot of the owner": other} {
		if err := d.describe(t, by, bot, said("3.0", "")); !errors.Is(err, account.ErrNotFound) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := d.describe(t, ann, ann, said("3.0", "")); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("a person: error %v", err)
	}
	version, none := "4", ""
	if err := d.describe(t, ann, bot, account.WordsChange{Version: &version}); err != nil {
		t.Fatal(err)
	}
	if err := d.describe(t, ann, bot, account.WordsChange{Description: &none}); err != nil {
		t.Fatal(err)
	}
	if got := d.words(t, bot); got != (account.Words{Version: "4"}) {
		t.Errorf("one at a time: %+v", got)
	}
}

// TestWordsBounds: versions are short and of visible ASCII characters, descriptions one line that a reader sees.
func TestWordsBounds(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann := d.guest(t).Account.Address
	bot := d.aBot(t, ann, "a-bot")
	for _, c := range []struct {
		version, description string
		want                 error
	}{
		{strings.Repeat("1", account.MaxVersion), strings.Repeat("界", account.MaxDescription), nil},
		{"", "", nil},
		{strings.Repeat("1", account.MaxVersion+1), "", account.ErrWords},
		{"1 0", "", account.ErrWords}, {"<b>", "", account.ErrWords}, {"v\u0661", "", account.ErrWords},
		{"", strings.Repeat("界", account.MaxDescription+1), account.ErrWords},
		{"", strings.Repeat("\ufdfa", account.MaxDescription), account.ErrWords}, // 18 characters each, normalized
		{"", "a\u202eb", names.ErrText}, {"", "a\u200bb", names.ErrText},
	} {
		if err := d.describe(t, ann, bot, said(c.version, c.description)); !errors.Is(err, c.want) {
			t.Errorf("%q, %q: error %v, want %v", c.version, c.description, err, c.want)
		}
	}
}

// TestHiddenWords: what an operator has hidden is shown to no one, and stays as it was until it is shown again.
func TestHiddenWords(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	ann := d.guest(t).Account.Address
	bot := d.aBot(t, ann, "a-bot")
	hide := func() error {
		return d.do(t, func(ctx context.Context, tx *store.Tx) error { return d.HideWords(ctx, tx, bot, "an insult") })
	}
	show := func() error {
		return d.do(t, func(ctx context.Context, tx *store.Tx) error { return d.ShowWords(ctx, tx, bot) })
	}
	if err := hide(); !errors.Is(err, account.ErrWordsHidden) {
		t.Errorf("nothing to hide: error %v", err)
	}
	if err := d.describe(t, ann, bot, said("1.0", "Bad words")); err != nil {
		t.Fatal(err)
	}
	if err := show(); !errors.Is(err, account.ErrWordsHidden) {
		t.Errorf("nothing is hidden: error %v", err)
	}
	if err := hide(); err != nil {
		t.Fatal(err)
	}
	if got := d.words(t, bot); got.Hidden != "an insult" || got.Description != "Bad words" ||
		got.Shown() != (account.Words{Hidden: "an insult"}) {
		t.Errorf("hidden: %+v, shown %+v", got, got.Shown())
	}
	for name, err := range map[string]error{"again": hide(), "its owner": d.describe(t, ann, bot, said("2.0", "")),
		"the bot": d.describe(t, bot, bot, said("", "Worse words"))} {
		if !errors.Is(err, account.ErrWordsHidden) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := show(); err != nil {
		t.Fatal(err)
	}
	if got := d.words(t, bot); got != (account.Words{Version: "1.0", Description: "Bad words"}) || got.Shown() != got {
		t.Errorf("shown again: %+v", got)
	}
}

// TestForgottenWords: the deletion of an account erases the words of its bots, hidden ones too.
func TestForgottenWords(t *testing.T) {
	t.Parallel()
	d := newFixture(t, ledgertest.Options{})
	opened := d.guest(t)
	ann := opened.Account.Address
	bots := []chain.Address{d.aBot(t, ann, "a-bot"), d.aBot(t, ann, "another")}
	for _, bot := range bots {
		if err := d.describe(t, ann, bot, said("1.0", "Words")); err != nil {
			t.Fatal(err)
		}
	}
	d.Update(t, func(ctx context.Context, tx *store.Tx) error {
		if err := d.HideWords(ctx, tx, bots[0], "an insult"); err != nil {
			return err
		}
		_, err := d.Delete(ctx, tx, ann, account.Proof{Token: opened.Token})
		return err
	})
	for _, bot := range bots {
		if got := d.words(t, bot); got != (account.Words{}) {
			t.Errorf("after the deletion: %+v", got)
		}
	}
}

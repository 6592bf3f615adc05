package account

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"roshambo/chain"
	"roshambo/internal/platform/names"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/accountq"
)

// Words are what the owner says about a bot: other people's words, which every place shows as text.
type Words struct {
	Version     string // of its program; "" for none
	Description string // one line; "" for none
	Hidden      string // the public reason for which an operator hides both; "" while they show
}

// MaxVersion and MaxDescription are the lengths of a version and of a description, in characters.
const (
	MaxVersion     = 32
	MaxDescription = 200
)

// Errors of words.
var (
	ErrWords       = errors.New("account: the version or description of a bot is malformed or too long")
	ErrWordsHidden = errors.New("account: the bot has no version and no description, or they are hidden, or show")
)

// versionPattern admits what versions of programs are made of, and nothing that a reader cannot see.
var versionPattern = regexp.MustCompile(`^[A-Za-z0-9._+-]*$`)

// Shown returns the words that everyone may read: while they are hidden, the reason alone.
func (w Words) Shown() Words {
	if w.Hidden != "" {
		return Words{Hidden: w.Hidden}
	}
	return w
}

// WordsChange is a change of words: nil leaves what there is, and a pointer to "" removes it.
type WordsChange struct{ Version, Description *string }

// apply returns the words after a change. Errors: ErrWords, ErrWordsHidden, names.ErrText.
func (w Words) apply(change WordsChange) (Words, error) {
	if w.Hidden != "" { // or its owner would undo the act
		return w, ErrWordsHidden
	}
	if v := change.Version; v != nil {
		if len(*v) > MaxVersion || !versionPattern.MatchString(*v) {
			return w, ErrWords
		}
		w.Version = *v
	}
	if d := change.Description; d != nil {
		line, err := names.Text(*d)
		if err != nil {
			return w, err
		}
		if utf8.RuneCountInString(line) > MaxDescription { // it may be longer once it is normalized
			return w, ErrWords
		}
		w.Description = line
	}
	return w, nil
}

// BotWords returns the words of a bot; the zero Words for a bot of the house and for other accounts.
func (s *Service) BotWords(ctx context.Context, tx *store.Tx, bot chain.Address) (Words, error) {
	row, err := q.New(tx).GetBotWords(ctx, bot[:])
	if err != nil {
		return Words{}, store.Absent(err, nil, "account: words of %v", bot)
	}
	return Words{Version: row.Version, Description: row.Description, Hidden: row.HiddenReason}, nil
}

// Describe changes the words of a bot for its owner or for the bot itself, and returns them. Errors: ErrNotFound if
// the bot does not exist or the caller is neither, ErrWords, ErrWordsHidden, names.ErrText.
func (s *Service) Describe(
	ctx context.Context, tx *store.Tx, caller, bot chain.Address, change WordsChange,
) (Words, error) {
	row, err := q.New(tx).GetBotWords(ctx, bot[:])
	if err != nil {
		return Words{}, store.Absent(err, ErrNotFound, "account: bot %v", bot)
	}
	if caller != bot && caller != chain.Address(row.Owner) {
		return Words{}, ErrNotFound
	}
	words := Words{Version: row.Version, Description: row.Description, Hidden: row.HiddenReason}
	if words, err = words.apply(change); err != nil {
		return Words{}, err
	}
	return words, s.setWords(ctx, tx, bot, words)
}

// HideWords hides the words of a bot for a public reason: its owner sees them still, and cannot change them. Every
// place that shows them reads the bot's row, so they are in none of them after the commit. Errors: ErrNotFound,
// ErrWordsHidden.
func (s *Service) HideWords(ctx context.Context, tx *store.Tx, bot chain.Address, reason string) error {
	return s.setHidden(ctx, tx, bot, reason, func(w Words) bool {
		return w.Hidden == "" && (w.Version != "" || w.Description != "")
	})
}

// ShowWords shows the words of a bot again that HideWords has hidden. Errors: ErrNotFound, ErrWordsHidden.
func (s *Service) ShowWords(ctx context.Context, tx *store.Tx, bot chain.Address) error {
	return s.setHidden(ctx, tx, bot, "", func(w Words) bool { return w.Hidden != "" })
}

// setHidden stores why the words of a bot are hidden, if may permits it.
func (s *Service) setHidden(
	ctx context.Context, tx *store.Tx, bot chain.Address, reason string, may func(Words) bool,
) error {
	row, err := q.New(tx).GetBotWords(ctx, bot[:])
	if err != nil {
		return store.Absent(err, ErrNotFound, "account: bot %v", bot)
	}
	words := Words{Version: row.Version, Description: row.Description, Hidden: row.HiddenReason}
	if !may(words) {
		return ErrWordsHidden
	}
	words.Hidden = reason
	return s.setWords(ctx, tx, bot, words)
}

// setWords stores the words of a bot.
func (s *Service) setWords(ctx context.Context, tx *store.Tx, bot chain.Address, w Words) error {
	err := q.New(tx).SetBotWords(ctx, q.SetBotWordsParams{
		Version: w.Version, Description: w.Description, HiddenReason: w.Hidden, Address: bot[:]})
	if err != nil {
		return fmt.Errorf("account: words of %v: %w", bot, err)
	}
	return nil
}

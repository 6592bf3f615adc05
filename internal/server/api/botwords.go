package api

import (
	"context"

	"roshambo/chain"
	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// BotWords are what the owner says about a bot.
type BotWords struct {
	Version      *string `json:"version" doc:"Of its program, as its owner says; null for none."`
	Description  *string `json:"description" doc:"One line of its owner's words, as text; null for none."`
	HiddenReason *string `json:"hidden_reason" doc:"Why an operator has hidden version and description; null while they show."`
}

// wireWords returns the wire form of a bot's words.
func wireWords(w account.Words) BotWords {
	return BotWords{Version: given(w.Version), Description: given(w.Description), HiddenReason: given(w.Hidden)}
}

// DescribeIn is the body of POST /api/bots/{address}.
type DescribeIn struct {
	Version     *string `json:"version" maxLength:"32" pattern:"^[A-Za-z0-9._+-]*$" doc:"Of its program: letters, digits and . _ + -. Duels that end from now on count for it. Empty for none; absent, it stays."`
	Description *string `json:"description" maxLength:"200" pattern:"^[^\\x00]*$" doc:"One line of text. Empty for none; absent, it stays."`
}

// describeIn is the input of describeBot.
type describeIn struct {
	Address string `path:"address"`
	Body    DescribeIn
}

// DescribeOut is the answer to POST /api/bots/{address}.
type DescribeOut struct {
	Bot BotWords `json:"bot"`
}

// describeBot changes the words of one of the caller's bots, or of the calling bot.
func (a *call) describeBot(ctx context.Context, in *describeIn) (*DescribeOut, error) {
	me := a.caller.address
	bot, err := chain.ParseAddress(in.Address)
	if err != nil {
		return nil, account.ErrNotFound
	}
	change := account.WordsChange{Version: in.Body.Version, Description: in.Body.Description}
	return write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DescribeOut, error) {
		words, err := a.Accounts.Describe(ctx, tx, me, bot, change)
		if err != nil {
			return nil, err
		}
		return &DescribeOut{wireWords(words)}, a.Arena.SetVersion(ctx, tx, bot, words.Version)
	})
}

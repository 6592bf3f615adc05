package api

import (
	"context"
	"fmt"
	"time"

	"roshambo/chain"
	"roshambo/contract"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/store"
)

// developerOperations registers the operations on API keys and bots.
func (a *API) developerOperations() {
	op := func(id, method, path, summary string, errors ...string) contract.Operation {
		o := contract.Operation{ID: id, Method: method, Path: path, Tag: "Developers", Summary: summary,
			Security: session, Errors: append(may(errors...), may("unauthenticated", "forbidden")...)}
		if method == "POST" {
			o.Errors = append(o.Errors, may("csrf_failed")...)
			o.OptionalBody = true
		}
		return o
	}
	add(a, op("listKeys", "GET", "/api/keys", "The caller's API keys, without their secrets",
		"bad_request"), (*call).listKeys)
	makes := func(o contract.Operation) contract.Operation { // a key
		o.Security = []string{sessionScheme, keyScheme}
		o.Description = fmt.Sprintf("%s. The session of a secured account needs a sign-in less than %d minutes ago; an "+
			"API key needs all scopes, and what it makes ends with it.", o.Summary, account.RecentSignIn/time.Minute)
		o.Errors = append(o.Errors, may("sign_in_required")...)
		return o
	}
	add(a, makes(op("createKey", "POST", "/api/keys", "Create an API key; its secret is shown once",
		"limit_reached")), (*call).createKey)
	add(a, op("revokeKey", "POST", "/api/keys/{key_id}/revoke", "Revoke an API key", "not_found"),
		(*call).revokeKey)
	list := op("listBots", "GET", "/api/bots", "The caller's bots")
	list.Security = []string{sessionScheme, keyScheme}
	add(a, list, (*call).listBots)
	create := op("createBot", "POST", "/api/bots", "Create a bot with its own account and key; the secret is shown once",
		"limit_reached", "username_taken")
	create.OptionalBody = false
	create.Errors = append(create.Errors, accountLimited())
	add(a, makes(create), (*call).createBot)
	describe := op("describeBot", "POST", "/api/bots/{address}",
		"Name the version of a bot's program, and describe the bot", "not_found", "words_hidden")
	describe.Description = "For its owner, and for the bot itself. Everyone reads them on its profile, and each " +
		"change of its rating names the version."
	describe.Security = anyScheme
	add(a, describe, (*call).describeBot)
	add(a, makes(op("rotateBotKey", "POST", "/api/bots/{address}/rotate",
		"Replace a bot's key; the old key ends at once", "not_found")), (*call).rotateBotKey)
}

// APIKey is an API key, without its secret.
type APIKey struct { //nolint:revive // the name of the schema in the API document
	ID        int64  `json:"id"`
	Label     string `json:"label"`
	Prefix    string `json:"prefix" doc:"The first characters of the key."`
	CreatedAt Time   `json:"created_at"`
	UsedAt    *Time  `json:"used_at" doc:"To the minute; null when never used."`
	UsedFrom  string `json:"used_from" doc:"The network of that use: the first 24 bits of an IPv4 address, 48 of IPv6; empty when unknown."`
	RevokedAt *Time  `json:"revoked_at"`
	ExpiresAt *Time  `json:"expires_at" doc:"From then on the key is refused; null for never."`

	Scopes []string `json:"scopes" doc:"What the key permits: read, play, trade."`
}

// wireKey returns the wire form of a key, which has no secret.
func wireKey(k account.Key) APIKey {
	return APIKey{ID: k.ID, Label: k.Label, Prefix: k.Prefix, CreatedAt: Time{k.CreatedAt}, UsedFrom: k.UsedFrom,
		UsedAt: optionalTime(k.UsedAt), RevokedAt: optionalTime(k.RevokedAt), ExpiresAt: optionalTime(k.ExpiresAt),
		Scopes: k.Scopes.Names()}
}

// KeysOut is a page of keys.
type KeysOut struct {
	Keys []APIKey `json:"keys" doc:"The newest first, revoked ones too."`
	Next *string  `json:"next" doc:"Pass it as cursor; null on the last page."`
}

// listKeys reads a page of the caller's keys, revoked ones included.
func (a *call) listKeys(ctx context.Context, in *pageIn) (*KeysOut, error) {
	address := a.caller.address
	name := listOf(cursorKeys, address)
	before, err := parseCursor(in.Cursor, name)
	if err != nil {
		return nil, err
	}
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*KeysOut, error) {
		list, err := a.Accounts.Keys(ctx, tx, address, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		out := &KeysOut{}
		out.Keys, out.Next = paged(list, in.Limit, wireKey, func(k account.Key) *string { return cursor(name, k.ID) })
		return out, nil
	})
}

// KeyIn labels a new key and limits it.
type KeyIn struct {
	Label  string    `json:"label" maxLength:"40" pattern:"^[^\\x00]*$" default:"default"`
	Scopes *[]string `json:"scopes" enum:"read,play,trade" minItems:"1" maxItems:"3" doc:"read: reading the account; play: runs, duels without a stake, teams, the faucet; trade: listing, buying, selling to the house, stakes, resigning a staked duel, burning a token, abandoning a run that has reached a tier or burned a token. Without a list all three."`
	Days   *int64    `json:"expires_in_days" min:"1" max:"3650" doc:"After how many days the key ends; without it never."`
}

// NewKeyOut is a new key with its secret.
type NewKeyOut struct {
	Key    APIKey `json:"key"`
	Secret string `json:"secret" doc:"For the header Authorization: Bearer …; returned only once."`
}

// createKey creates an API key. Its secret is only in this answer; the database has its hash.
func (a *call) createKey(ctx context.Context, in *body[KeyIn]) (*NewKeyOut, error) {
	c, scopes := a.caller, account.AllScopes
	if list := in.Body.Scopes; list != nil {
		scopes = account.ParseScopes(*list)
	}
	return writeKey(ctx, a, func(ctx context.Context, tx *store.Tx, by account.Maker) (*NewKeyOut, error) {
		k, secret, err := a.Accounts.CreateKey(ctx, tx, c.address, in.Body.Label, scopes)
		if err != nil {
			return nil, err
		}
		if days := in.Body.Days; days != nil {
			k.ExpiresAt = new(k.CreatedAt.AddDate(0, 0, int(*days)))
		}
		k.ExpiresAt, err = a.Accounts.Made(ctx, tx, k.ID, by, k.ExpiresAt)
		return &NewKeyOut{Key: wireKey(k), Secret: secret.Text()}, err
	})
}

// revokeKeyIn names one of the caller's keys.
type revokeKeyIn struct {
	KeyID int64 `path:"key_id" min:"0" max:"2147483647"`
}

// revokeKey revokes one of the caller's keys, and what it made, and ends its streams. Errors: account.ErrNotFound.
func (a *call) revokeKey(ctx context.Context, in *revokeKeyIn) (*DoneOut, error) {
	address := a.caller.address
	out, err := write(ctx, a, func(ctx context.Context, tx *store.Tx) (*DoneOut, error) {
		return &DoneOut{true}, a.Accounts.RevokeKey(ctx, tx, address, in.KeyID)
	})
	a.sessionsMayHaveEnded(err, address)
	return out, err
}

// OwnBot is a bot as its owner sees it.
type OwnBot struct {
	Username     string `json:"username"`
	Address      string `json:"address"`
	ShortAddress string `json:"short_address"`
	KeyID        int64  `json:"key_id" doc:"Names its key where keys are kept."`
	KeyPrefix    string `json:"key_prefix" doc:"The first characters of its key."`
	KeyMadeAt    Time   `json:"key_made_at"`
	KeyEndedAt   *Time  `json:"key_ended_at" doc:"When its key ended without a successor: rotate it. Null for a valid key."`
	CreatedAt    Time   `json:"created_at"`
	LastSeenAt   *Time  `json:"last_seen_at" doc:"When its key was last used, to the minute."`
	LastSeenFrom string `json:"last_seen_from" doc:"The network of that use, as in used_from of a key."`
	BotWords
	RatingRecord
}

// wireBot returns the wire form of a bot with its record in the arena; nil is the record of a new bot.
func wireBot(b account.BotInfo, record *arena.Record) OwnBot {
	return OwnBot{
		Username: b.Account.Username, Address: b.Account.Address.String(), ShortAddress: b.Account.Address.Short(),
		KeyID: b.KeyID, KeyPrefix: b.KeyPrefix, KeyMadeAt: Time{b.KeyMadeAt}, CreatedAt: Time{b.Account.CreatedAt},
		KeyEndedAt: optionalTime(b.KeyEndedAt), LastSeenAt: optionalTime(b.LastSeenAt), LastSeenFrom: b.SeenFrom,
		BotWords: wireWords(b.Words), RatingRecord: wireRecord(record),
	}
}

// BotsOut is the answer to GET /api/bots.
type BotsOut struct {
	Bots []OwnBot `json:"bots"`
	Next *string  `json:"next"`
}

// listBots reads the caller's bots with their records.
func (a *call) listBots(ctx context.Context, _ *none) (*BotsOut, error) {
	address := a.caller.address
	return read(ctx, a, func(ctx context.Context, tx *store.Tx) (*BotsOut, error) {
		list, err := a.Accounts.Bots(ctx, tx, address)
		if err != nil {
			return nil, err
		}
		records, err := a.Arena.OwnerRecords(ctx, tx, address)
		return &BotsOut{Bots: mapped(list, func(b account.BotInfo) OwnBot {
			return wireBot(b, records[b.Account.Address])
		})}, err
	})
}

// BotIn names a new bot.
type BotIn struct {
	Name string `json:"name" required:"true" minLength:"3" maxLength:"32" pattern:"^[A-Za-z0-9_-]*$" doc:"Its username: letters, digits, _ and -."`
}

// NewBotOut is a bot with the secret of its key.
type NewBotOut struct {
	Bot    OwnBot `json:"bot"`
	Secret string `json:"secret" doc:"For the header Authorization: Bearer …; returned only once."`
}

// createBot creates a bot with an account and a key of its own. Errors: account.ErrLimit.
func (a *call) createBot(ctx context.Context, in *body[BotIn]) (*NewBotOut, error) {
	start, end, err := a.countAccount(ctx)
	if err != nil {
		return nil, err
	}
	c := a.caller
	out, err := writeKey(ctx, a, func(ctx context.Context, tx *store.Tx, by account.Maker) (*NewBotOut, error) {
		b, secret, err := a.Accounts.CreateBot(ctx, tx, c.address, in.Body.Name, start)
		if err != nil {
			return nil, err
		}
		_, err = a.Accounts.Made(ctx, tx, b.KeyID, by, nil)
		return &NewBotOut{Bot: wireBot(b, nil), Secret: secret.Text()}, err
	})
	end(err) // a repeated call returns the stored answer as an error, and opens no account
	return out, err
}

// rotateBotKeyIn names one of the caller's bots.
type rotateBotKeyIn struct {
	Address string `path:"address"`
}

// rotateBotKey replaces the key of one of the caller's bots; the old key ends at once.
func (a *call) rotateBotKey(ctx context.Context, in *rotateBotKeyIn) (*NewBotOut, error) {
	bot, err := chain.ParseAddress(in.Address)
	if err != nil {
		return nil, account.ErrNotFound
	}
	c := a.caller
	out, err := writeKey(ctx, a, func(ctx context.Context, tx *store.Tx, by account.Maker) (*NewBotOut, error) {
		b, secret, err := a.Accounts.RotateBotKey(ctx, tx, c.address, bot)
		if err != nil {
			return nil, err
		}
		if _, err := a.Accounts.Made(ctx, tx, b.KeyID, by, nil); err != nil {
			return nil, err
		}
		row, err := a.Arena.Standing(ctx, tx, arena.Bots, bot)
		return &NewBotOut{Bot: wireBot(b, row.Player.Record), Secret: secret.Text()}, err
	})
	a.sessionsMayHaveEnded(err, bot)
	return out, err
}

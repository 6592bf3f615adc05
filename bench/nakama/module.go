//go:build ignore

// This module makes Nakama (version 3.40) a service with the same game: it is compiled within
// Nakama's source tree by tools/bench, which names this file to the compiler, and is part of no
// build of this repository.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/heroiclabs/nakama-common/runtime"
)

// board is the leaderboard: points of all games of a player.
const board = "rps"

// Storage: the state of the player's next or current game, and the games that have ended.
const (
	current, state = "run", "current"
	ended          = "game"
)

// InitModule registers the calls and creates the leaderboard.
func InitModule(
	ctx context.Context, _ runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, init runtime.Initializer,
) error {
	if err := nk.LeaderboardCreate(ctx, board, true, "desc", "incr", "", nil, true); err != nil {
		return err
	}
	for name, call := range map[string]func(
		context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, string,
	) (string, error){"wallet": wallet, "throw": throw, "crowd": crowd} {
		if err := init.RegisterRpc(name, call); err != nil {
			return err
		}
	}
	return nil
}

// wallet adds a coin, with an entry in the wallet's ledger.
func wallet(
	ctx context.Context, _ runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, _ string,
) (string, error) {
	user, _ := ctx.Value(runtime.RUNTIME_CTX_USER_ID).(string)
	after, _, err := nk.WalletUpdate(ctx, user, map[string]int64{"coins": 1}, map[string]any{"kind": "gift"}, true)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`{"balance":%d}`, after["coins"]), nil
}

// run is a game: a seed, of which the player holds the hash since the game before.
type run struct {
	Seed       string   `json:"seed"`
	Throws     []string `json:"throws"`
	Commitment string   `json:"commitment"`
	Status     string   `json:"status"`
}

// newRun draws a seed.
func newRun() run {
	seed := make([]byte, 32)
	_, _ = rand.Read(seed) // never fails
	hash := sha256.Sum256(seed)
	return run{Seed: hex.EncodeToString(seed), Commitment: hex.EncodeToString(hash[:])}
}

// throw plays rock against the move that follows from the seed and the number of the throw. It
// starts a game unless the last throw was a tie. A game that ends is stored with its seed, the
// commitment of the next one replaces it, the wallet changes, and a win scores.
func throw(
	ctx context.Context, _ runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, _ string,
) (string, error) {
	user, _ := ctx.Value(runtime.RUNTIME_CTX_USER_ID).(string)
	name, _ := ctx.Value(runtime.RUNTIME_CTX_USERNAME).(string)
	objects, err := nk.StorageRead(ctx, []*runtime.StorageRead{{Collection: current, Key: state, UserID: user}})
	if err != nil {
		return "", err
	}
	game, version := newRun(), "*" // * stores it only if there is none
	if len(objects) == 1 {
		version = objects[0].Version
		if err := json.Unmarshal([]byte(objects[0].Value), &game); err != nil {
			return "", err
		}
	}
	code := hmac.New(sha256.New, []byte(game.Seed))
	fmt.Fprintf(code, "%s:%d", user, len(game.Throws))
	house := int(code.Sum(nil)[0]) % 3 // 0 ties with rock, 1 beats it, 2 loses to it
	game.Throws = append(game.Throws, fmt.Sprint(house))
	game.Status = []string{"active", "lost", "claimed"}[house]
	text, err := json.Marshal(game)
	if err != nil {
		return "", err
	}
	if house == 0 {
		_, err = nk.StorageWrite(ctx, []*runtime.StorageWrite{
			{Collection: current, Key: state, UserID: user, Value: string(text), Version: version},
		})
		return string(text), err
	}
	next, err := json.Marshal(newRun())
	if err != nil {
		return "", err
	}
	prize := int64(house - 1)
	_, _, err = nk.MultiUpdate(ctx, nil, []*runtime.StorageWrite{
		{Collection: current, Key: state, UserID: user, Value: string(next), Version: version},
		{Collection: ended, Key: game.Commitment, UserID: user, Value: string(text), PermissionRead: 2},
	}, nil, []*runtime.WalletUpdate{
		{UserID: user, Changeset: map[string]int64{"tokens": prize}, Metadata: map[string]any{"game": game.Commitment}},
	}, true)
	if err != nil {
		return "", err
	}
	if prize == 0 {
		return string(text), nil
	}
	_, err = nk.LeaderboardRecordWrite(ctx, board, user, name, 2, 0, nil, nil)
	return string(text), err
}

// crowd puts 10,000 more players onto the leaderboard, numbered from the payload on. The server must
// be restarted to count them.
func crowd(
	ctx context.Context, _ runtime.Logger, db *sql.DB, _ runtime.NakamaModule, payload string,
) (string, error) {
	for _, statement := range []string{
		`INSERT INTO users (id, username)
SELECT md5('crowd' || n)::uuid, 'crowd-' || n FROM generate_series($1::int, $1::int + 9999) n`,
		`INSERT INTO leaderboard_record (leaderboard_id, owner_id, username, score)
SELECT 'rps', md5('crowd' || n)::uuid, 'crowd-' || n, 2 + (n * 7919::bigint) % 100003
FROM generate_series($1::int, $1::int + 9999) n`,
	} {
		if _, err := db.ExecContext(ctx, statement, payload); err != nil {
			return "", err
		}
	}
	return "{}", nil
}

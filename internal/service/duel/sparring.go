package duel

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"roshambo/chain"
	"roshambo/game"
)

// dealer returns the sparring bot's hand in a round of a duel.
type dealer func(code string, round int) (game.Move, string)

// SparringName is the sparring bot's username, which nobody else may have.
const SparringName = "sparring-bot"

// sparringBot is who plays sparring duels. It has no account: it never stakes anything.
var sparringBot = func() Player {
	sum := sha256.Sum256([]byte("roshambo/sparring-bot/v1"))
	return Player{Address: chain.Address(sum[:20]), Username: SparringName, Kind: chain.Bot}
}()

// SparringBot says whether p is the sparring bot.
func (p Player) SparringBot() bool { return p.Address == sparringBot.Address }

// newDealer returns the dealer that draws from a secret. A hand follows from the secret,
// the duel's code and the round, so it is fixed before the round begins, and nothing has
// to be kept of it. Each draw is one HMAC-SHA-256: its first byte below 255 gives the
// move, modulo 3, as a house move comes about; its hash in turn gives the salt.
func newDealer(secret []byte) (dealer, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "roshambo sparring bot", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("duel: sparring bot: %w", err)
	}
	return func(code string, round int) (game.Move, string) {
		draw := func(message []byte) []byte {
			mac := hmac.New(sha256.New, key)
			mac.Write(message)
			return mac.Sum(nil)
		}
		stream := draw(binary.BigEndian.AppendUint32([]byte("hand:"+code+":"), uint32(round))) //nolint:gosec // at most 60
		salt := hex.EncodeToString(draw(append([]byte("salt:"), stream...))[:16])
		for {
			for _, b := range stream {
				if b < 255 {
					return game.Move(b % 3), salt
				}
			}
			stream = draw(stream)
		}
	}, nil
}

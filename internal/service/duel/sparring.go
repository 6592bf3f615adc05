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

// handSource returns the sparring bot's move and salt in a round of the duel with a code.
type handSource func(code string, round int) (game.Move, string)

// SparringName is the sparring bot's username. No account may take it.
const SparringName = "sparring-bot"

// sparringBot is side B of every sparring duel. It has no account, as it never stakes coins.
var sparringBot = Player{Address: chain.SparringBot(), Username: SparringName, Kind: chain.Bot}

// SparringBot reports whether p is the sparring bot.
func (p Player) SparringBot() bool { return p.Address == sparringBot.Address }

// newHandSource returns the hand source of a secret. A hand depends only on the secret, the number of
// the last recovery, the duel's code and the round, so it is fixed before the round begins and need not
// be stored. A recovery deals the hands anew that are not bound (Service.Recover): players may have seen
// the hands of the older state. Each draw is one HMAC-SHA-256: its first byte below 255, modulo 3, is
// the move, as for a house move in package fair; the HMAC of the draw gives the salt.
func newHandSource(secret []byte, recovery func() int64) (handSource, error) {
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
		message := fmt.Appendf(nil, "hand:%d:%s:", recovery(), code)
		stream := draw(binary.BigEndian.AppendUint32(message, uint32(round))) // at most 60
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

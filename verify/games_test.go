package verify_test

import (
	"regexp"
	"sync"

	"roshambo/chain"
	"roshambo/chain/games"
	"roshambo/chain/games/gamestest"
	"roshambo/fair"
)

// player plays the games of a chain that a test writes, so that each has a transcript. It holds the
// starts of the runs in play by id.
type player map[string]begun

type begun struct {
	seeds *fair.Chain
	start chain.RunStart
}

// transcripts are the transcripts of all played games by hash.
var transcripts sync.Map

// play replaces the commitments of a script, which are any hashes, by those of seed chains, and pins
// the transcript of a game that ends.
func (p player) play(data chain.Data, transfers []chain.Transfer) {
	pin := func(raw []byte) chain.Hash {
		hash := chain.HashTranscript(raw)
		transcripts.Store(hash.String(), raw)
		return hash
	}
	switch d := data.(type) {
	case *chain.AccountCreate:
		d.Commitment = commitmentOf(d.Commitment)
	case *chain.RunStart:
		seeds := fair.NewChain(fair.Seed(d.Commitment))
		d.Commitment, d.NextCommitment = commitmentOf(d.Commitment), commitmentOf(d.NextCommitment)
		p[d.RunID] = begun{seeds, *d}
	case *chain.RunEnd:
		if b, ok := p[d.RunID]; ok {
			d.TranscriptHash = pin(gamestest.Run(b.seeds, b.start.ClientSeedHash, b.start.FirstTier, d))
		}
	case *chain.DuelSettle:
		stake := int64(0)
		if len(transfers) > 0 {
			stake = transfers[0].Amount
			if d.Winner != "" {
				stake /= 2
			}
		}
		d.TranscriptHash = pin(gamestest.Duel(d, stake))
	}
}

// commitmentOf returns the commitment of the seed chain that ends in h; the zero hash stays.
func commitmentOf(h chain.Hash) chain.Hash {
	if h == (chain.Hash{}) {
		return h
	}
	return chain.Hash(fair.NewChain(fair.Seed(h)).Commitment())
}

var pinnedHash = regexp.MustCompile(`"transcript_hash":"([0-9a-f]{64})"`)

// transcriptsOf returns the transcript that a raw transaction pins, none if it pins no known one.
func transcriptsOf(raw string) [][]byte {
	match := pinnedHash.FindStringSubmatch(raw)
	if match == nil || !games.Ends([]byte(raw)) {
		return nil
	}
	if transcript, ok := transcripts.Load(match[1]); ok {
		return [][]byte{transcript.([]byte)}
	}
	return nil
}

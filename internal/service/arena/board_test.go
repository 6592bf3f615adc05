package arena

import (
	"testing"

	"roshambo/chain"
)

// TestHousePlayer checks that only bots without an owner are house bots.
func TestHousePlayer(t *testing.T) {
	t.Parallel()
	for want, players := range map[bool][]Player{
		true:  {{Kind: chain.Bot}},
		false: {{Kind: chain.Bot, Owner: "ann"}, {Kind: chain.Full}, {Kind: chain.Guest}, {}},
	} {
		for _, p := range players {
			if p.House() != want {
				t.Errorf("%+v is a house bot: %v, want %v", p, p.House(), want)
			}
		}
	}
}

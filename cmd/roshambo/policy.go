package main

import (
	"errors"
	"fmt"

	"roshambo/verify"
)

// witnessPolicy are the options of the commands that believe a checkpoint: which witnesses must have
// cosigned it, and how many of them.
type witnessPolicy struct {
	Witness []string `help:"The verifier key of a witness that must have cosigned the checkpoint; repeat for each." placeholder:"KEY" sep:"none"`
	Quorum  int      `help:"How many of the witnesses must have cosigned, instead of all of them." placeholder:"N"`
}

// check returns an error for a malformed key, and for a quorum that no checkpoint can meet.
func (p *witnessPolicy) check() error {
	for _, key := range p.Witness {
		if _, err := verify.ParseWitnessKey(key); err != nil {
			return fmt.Errorf("--witness: %w", err)
		}
	}
	if p.Quorum < 0 || p.Quorum > len(p.Witness) {
		return errors.New("--quorum: 1 to the number of witnesses")
	}
	return nil
}

// chainPolicy is the witnessPolicy of the commands that verify a whole chain.
type chainPolicy struct {
	witnessPolicy
	WitnessesFrom int64 `help:"The height from which on these witnesses must have seen rules a day before they began; name the one at which they were added." placeholder:"HEIGHT"`
}

// check returns an error for wrong usage.
func (p *chainPolicy) check() error {
	if p.WitnessesFrom < 0 || p.WitnessesFrom > 0 && len(p.Witness) == 0 {
		return errors.New("--witnesses-from: a height, with --witness")
	}
	return p.witnessPolicy.check()
}

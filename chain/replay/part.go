package replay

import (
	"crypto/sha256"
	"fmt"

	"roshambo/chain"
)

// part is one part of the state. Part 0 is open from the start; the others
// write down what they are told and do it when their turn comes.
type part struct {
	*applier
	spill    *spill // nil once the part is open
	accounts map[chain.Address]chain.Account
	tokens   map[int64]chain.Token
	games    map[key]chain.Game
	// ended holds the games that are over: most of all there are, and nothing
	// of them matters but that they must not come back.
	ended map[key]chain.GameStep
}

// key stands for a game's id: 16 bytes of its hash.
type key [16]byte

func gameKey(id string) key {
	sum := sha256.Sum256([]byte(id))
	return key(sum[:16])
}

func (k key) part(parts int) int { return (int(k[0])<<8 | int(k[1])) % parts }

func (p *part) open() {
	p.accounts = make(map[chain.Address]chain.Account)
	p.tokens = make(map[int64]chain.Token)
	p.games = make(map[key]chain.Game)
	p.ended = make(map[key]chain.GameStep)
}

func (p *part) wrong(at position, what string, err error) {
	p.problem(Problem{Height: at.height, What: what, Expected: "a transaction within the rules",
		Found: fmt.Sprintf("transaction %d of the block: %v", at.index, err)})
}

func (p *part) account(e *chain.AccountEffect, at position) {
	if p.accounts == nil {
		p.spill.account(e, at)
		return
	}
	account := p.accounts[e.Address]
	if err := account.Apply(e); err != nil {
		p.wrong(at, "account "+e.Address.String(), err)
	}
	p.accounts[e.Address] = account
}

func (p *part) token(e *chain.TokenEffect, at position) {
	if p.accounts == nil {
		p.spill.token(e, at)
		return
	}
	token := p.tokens[e.ID]
	if err := token.Apply(e); err != nil {
		p.wrong(at, fmt.Sprint("token ", e.ID), err)
	}
	p.tokens[e.ID] = token
}

func (p *part) game(k key, e *chain.GameEffect, at position) {
	if p.accounts == nil {
		p.spill.game(k, e, at)
		return
	}
	game, open := p.games[k]
	if !open {
		game.Step = p.ended[k]
	}
	if err := game.Apply(e); err != nil {
		p.wrong(at, "game "+e.ID, err)
	}
	if over(game.Step) {
		delete(p.games, k)
		p.ended[k] = game.Step
		return
	}
	p.games[k] = game
}

// over says whether nothing may come after the step.
func over(s chain.GameStep) bool {
	return s == chain.StepEnd || s == chain.StepSettle || s == chain.StepClose
}

// The Expect methods strike off what they compare, so that in the end what is
// left was never named.

func (p *part) expectAccount(address chain.Address, said *chain.Account) {
	if p.accounts == nil {
		p.spill.expectAccount(address, said)
		return
	}
	found, ok := p.accounts[address]
	delete(p.accounts, address)
	name := "account " + address.String()
	switch {
	case !ok:
		p.differs(name, "not to be there", fmt.Sprintf("balance %d", said.Balance))
		return
	case found.Kind != "":
		p.report.Addresses++
	}
	if found.Balance != said.Balance {
		p.differs(name+" balance", fmt.Sprint(found.Balance), fmt.Sprint(said.Balance))
	}
	if found.Nonce != said.Nonce {
		p.differs(name+" nonce", fmt.Sprint(found.Nonce), fmt.Sprint(said.Nonce))
	}
	if found.Commitment != said.Commitment {
		p.differs(name+" commitment", found.Commitment.String(), said.Commitment.String())
	}
	if found.Kind != said.Kind {
		p.differs(name+" kind", string(found.Kind), string(said.Kind))
	}
}

func (p *part) expectToken(id int64, said *chain.Token) {
	if p.accounts == nil {
		p.spill.expectToken(id, said)
		return
	}
	found, ok := p.tokens[id]
	delete(p.tokens, id)
	name := fmt.Sprint("token ", id)
	switch {
	case !ok:
		p.differs(name, "not to be there", said.Owner.String())
		return
	case found.Owner != chain.Address{}:
		p.report.Tokens++
	}
	if found.Owner != said.Owner {
		p.differs(name+" owner", ownerText(found.Owner), ownerText(said.Owner))
	}
	if found.Tier != said.Tier {
		p.differs(name+" tier", fmt.Sprint(found.Tier), fmt.Sprint(said.Tier))
	}
}

func ownerText(a chain.Address) string {
	if a == (chain.Address{}) {
		return "none"
	}
	return a.String()
}

func (p *part) expectGame(k key, said *chain.Game) {
	if p.accounts == nil {
		p.spill.expectGame(k, said)
		return
	}
	found, open := p.games[k]
	if !open {
		found.Step = p.ended[k]
	}
	delete(p.games, k)
	delete(p.ended, k)
	switch {
	case found.Step != said.Step:
		p.differs(fmt.Sprintf("game %x step", k), fmt.Sprint(found.Step), fmt.Sprint(said.Step))
	case open && found != *said:
		p.differs(fmt.Sprintf("game %x", k), fmt.Sprintf("%+v", found), fmt.Sprintf("%+v", *said))
	}
}

func (p *part) differs(what, expected, found string) {
	p.problem(Problem{Height: -1, What: what, Expected: expected, Found: found})
}

// finish names what nobody expected, counts where nothing was to be compared,
// and lets the state go.
func (p *part) finish() {
	if !p.opts.Compare {
		p.count()
	} else {
		for address, account := range p.accounts {
			p.differs("account "+address.String(), fmt.Sprintf("balance %d, nonce %d", account.Balance, account.Nonce), "missing")
		}
		for id, token := range p.tokens {
			p.differs(fmt.Sprint("token ", id), ownerText(token.Owner), "missing")
		}
		for k := range p.games {
			p.differs(fmt.Sprintf("game %x", k), "begun", "missing")
		}
		for k := range p.ended {
			p.differs(fmt.Sprintf("game %x", k), "over", "missing")
		}
	}
	p.accounts, p.tokens, p.games, p.ended = nil, nil, nil, nil
}

func (p *part) count() {
	for _, account := range p.accounts {
		if account.Kind != "" {
			p.report.Addresses++
		}
	}
	for _, token := range p.tokens {
		if token.Owner != (chain.Address{}) {
			p.report.Tokens++
		}
	}
}

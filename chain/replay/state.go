package replay

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"roshambo/chain"
)

// part is one part of what a chain leads to: some of the addresses, tokens and
// games. It is told what happens to them, in chain order, and then what they are
// said to be. A *state does at once what it is told; a *spill writes it down until
// there is room for the state.
type part interface {
	account(e *chain.AccountEffect, at *position)
	token(e *chain.TokenEffect, at *position)
	game(k key, e *chain.GameEffect, at *position)
	expectPublished(address chain.Address, said chain.Hash)
	expectAccount(address chain.Address, said *chain.Account)
	expectToken(id int64, said *chain.Token)
	expectGame(k key, id string, said *chain.Game)
}

// state holds what the transactions so far lead to. What has come back to its
// zero value, as an escrow does, is the same as what never was, and is not kept.
type state struct {
	problems  problems
	addresses int64 // with an account, so far
	wallets   int64 // tokens in them
	accounts  map[chain.Address]holder
	tokens    map[int64]chain.Token
	games     map[key]openGame
	// over holds the games that are: most of all there are, and nothing of them
	// matters but that they must not come back.
	over map[key]lastStep
}

// holder is an account, and the transaction that published its commitment.
type holder struct {
	chain.Account
	published chain.Hash
}

// key stands for a game's id: 16 bytes of its hash.
type key [16]byte

func gameKey(id string) key {
	var buffer [128]byte // ids are short
	sum := sha256.Sum256(append(buffer[:0], id...))
	return key(sum[:16])
}

// openGame is a game that is not over, and where its last step was.
type openGame struct {
	chain.Game
	last lastStep
}

// lastStep is the last step of a game and the transaction that took it.
type lastStep struct {
	step          chain.GameStep
	height, index int64
}

func newState(maxProblems int) *state {
	return &state{
		problems: problems{most: maxProblems},
		accounts: make(map[chain.Address]holder), tokens: make(map[int64]chain.Token),
		games: make(map[key]openGame), over: make(map[key]lastStep),
	}
}

// wrong adds that a transaction does what the state does not allow.
func (s *state) reject(at *position, what string, err error) {
	s.problems.add(Problem{Height: at.height, Hash: at.hash.String(), What: what,
		Expected: "a transaction within the rules", Found: err.Error()}, at.index)
}

func (s *state) account(e *chain.AccountEffect, at *position) {
	account := s.accounts[e.Address]
	if err := account.Apply(e); err != nil {
		s.reject(at, accountName(e.Address), err)
		return
	}
	if e.Create != "" {
		s.addresses++
	}
	if account.Account == (chain.Account{}) {
		delete(s.accounts, e.Address)
		return
	}
	if e.Publish != (chain.Hash{}) {
		account.published = at.hash
	}
	s.accounts[e.Address] = account
}

func (s *state) token(e *chain.TokenEffect, at *position) {
	token := s.tokens[e.ID]
	if err := token.Apply(e); err != nil {
		s.reject(at, tokenName(e.ID), err)
		return
	}
	if e.From == (chain.Address{}) {
		s.wallets++
	}
	if e.To == (chain.Address{}) {
		s.wallets--
	}
	s.tokens[e.ID] = token
}

func (s *state) game(k key, e *chain.GameEffect, at *position) {
	open := s.games[k]
	if last, over := s.over[k]; over {
		open.Step = last.step
	}
	if err := open.Apply(e); err != nil {
		s.reject(at, gameName(e.ID), err)
		return
	}
	open.last = lastStep{open.Step, at.height, at.index}
	switch open.Step {
	case chain.StepEnd, chain.StepSettle, chain.StepClose:
		delete(s.games, k)
		s.over[k] = open.last
	default:
		s.games[k] = open
	}
}

// The expect methods strike off what they compare, so that in the end what is left
// was never named, and what is named twice is not there any more.

func (s *state) expectPublished(address chain.Address, said chain.Hash) {
	if found := s.accounts[address].published; found != said {
		s.problems.addFinal(accountName(address)+" publisher of the commitment", found.String(), said.String())
	}
}

func (s *state) expectAccount(address chain.Address, said *chain.Account) {
	found := s.accounts[address].Account
	delete(s.accounts, address)
	if found == *said {
		return
	}
	name := accountName(address)
	if found == (chain.Account{}) {
		s.problems.addFinal(name, "not to be there", fmt.Sprintf("%+v", *said))
		return
	}
	if found.Balance != said.Balance {
		s.problems.addFinal(name+" balance", decimal(found.Balance), decimal(said.Balance))
	}
	if found.Nonce != said.Nonce {
		s.problems.addFinal(name+" nonce", decimal(found.Nonce), decimal(said.Nonce))
	}
	if found.Commitment != said.Commitment {
		s.problems.addFinal(name+" commitment", found.Commitment.String(), said.Commitment.String())
	}
	if found.Kind != said.Kind {
		s.problems.addFinal(name+" kind", strconv.Quote(string(found.Kind)), strconv.Quote(string(said.Kind)))
	}
}

func (s *state) expectToken(id int64, said *chain.Token) {
	found := s.tokens[id]
	delete(s.tokens, id)
	if found == *said {
		return
	}
	name := tokenName(id)
	if found == (chain.Token{}) {
		s.problems.addFinal(name, "not to be there", fmt.Sprintf("%+v", *said))
		return
	}
	if found.Owner != said.Owner {
		s.problems.addFinal(name+" owner", ownerName(found.Owner), ownerName(said.Owner))
	}
	if found.Tier != said.Tier {
		s.problems.addFinal(name+" tier", decimal(found.Tier), decimal(said.Tier))
	}
}

func (s *state) expectGame(k key, id string, said *chain.Game) {
	found, open := s.games[k]
	if last, over := s.over[k]; over {
		found.Step = last.step
	}
	delete(s.games, k)
	delete(s.over, k)
	switch {
	case found.Step != said.Step:
		s.problems.addFinal(gameName(id)+" step", stepName(found.Step), stepName(said.Step))
	case open && found.Game != *said:
		s.problems.addFinal(gameName(id), fmt.Sprintf("%+v", found.Game), fmt.Sprintf("%+v", *said))
	}
}

// reportMissing names everything that was not expected. Nothing is left of a game's
// id, so it is named by the transaction that was its last.
func (s *state) reportMissing() {
	for address, account := range s.accounts {
		s.problems.addFinal(accountName(address), fmt.Sprintf("%+v", account.Account), "missing")
	}
	for id, token := range s.tokens {
		s.problems.addFinal(tokenName(id), fmt.Sprintf("%+v", token), "missing")
	}
	for _, open := range s.games {
		s.missing(open.last)
	}
	for _, last := range s.over {
		s.missing(last)
	}
}

func (s *state) missing(last lastStep) {
	s.problems.add(Problem{Height: last.height, What: "game", Found: "missing",
		Expected: fmt.Sprintf("%s by transaction %d", stepName(last.step), last.index)}, afterAll)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func accountName(a chain.Address) string { return "account " + a.String() }
func tokenName(id int64) string          { return "token " + decimal(id) }

// gameName quotes the id: it may hold any text.
func gameName(id string) string { return "game " + strconv.Quote(id) }

func ownerName(a chain.Address) string {
	if a == (chain.Address{}) {
		return "none"
	}
	return a.String()
}

func stepName(s chain.GameStep) string {
	names := [...]string{"none", "run started", "run ended", "duel staked", "duel settled", "season closed"}
	if int(s) >= len(names) {
		return fmt.Sprintf("step %d", s)
	}
	return names[s]
}

package replay

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"

	"roshambo/chain"
	"roshambo/chain/tables"
)

// part is one part of the derived state: a subset of the addresses, tokens and games. It receives
// the effects on them in chain order, then the states that the caller claims for them. A *state
// applies each call right away; a *spill records it for later.
type part interface {
	// account, token and game apply an effect of the transaction at the given position.
	account(e *chain.AccountEffect, at *position)
	token(e *chain.TokenEffect, at *position)
	game(k key, e *chain.GameEffect, at *position)
	// earn takes note of what a game gives an account, stated of what the table of a season states for it.
	earn(address chain.Address, e earned, at *position)
	stated(address chain.Address, season, points int64, at *position)
	// commitment takes note of a commitment that the transaction publishes.
	commitment(c chain.Hash, at *position)
	// The expect methods compare the derived state with the claimed one. They are called after
	// all effects, at most once per key.
	expectPublished(address chain.Address, claimed chain.Hash)
	expectAccount(address chain.Address, claimed *chain.Account)
	expectToken(id int64, claimed *chain.Token)
	expectGame(k key, id string, claimed *chain.Game)
}

// state is the derived state of one part. Accounts that return to the zero value, as escrows do,
// are removed: the zero value and absence are equivalent.
type state struct {
	problems  problems
	addresses int64 // with an account, so far
	wallets   int64 // tokens with an owner
	accounts  map[chain.Address]holder
	tokens    map[int64]chain.Token
	games     map[key]openGame
	// ended holds the final step of the games that are over. They are the majority, and only
	// the fact that they must not start again matters, so their other fields are dropped.
	ended map[key]lastStep
	// published holds the commitments: each is published once by one account, so it is used once.
	published map[chain.Hash]struct{}
	// earned holds what games give people, until the table of the season states it. An account beyond its rows stays:
	// an entry takes about as much as its game in ended.
	earned map[accountSeason][]earned
	// voids holds the games whose result is void, and the last season that was closed before. All parts share it: the
	// applier writes it, and applies the other parts after its last transaction.
	voids map[key]int64
}

// holder is an account with the transaction that published its outstanding commitment.
type holder struct {
	chain.Account
	published chain.Hash
	rotated   int64 // block of the last commitment.rotate, counted from firstBlock; 0 for none
}

// firstBlock is block 0 in holder.rotated, one above the block of pending transactions.
const firstBlock = 1 - noHeight

// key identifies a game by the first 16 bytes of its id's SHA-256, which saves the memory of
// long ids.
type key [16]byte

// gameKey returns the key of a game's id.
func gameKey(id string) key {
	var buffer [128]byte // avoids an allocation for the usual length
	sum := sha256.Sum256(append(buffer[:0], id...))
	return key(sum[:16])
}

// openGame is a game that is not over, with the position of its last step.
type openGame struct {
	chain.Game
	last lastStep
}

// lastStep is the last step of a game and the position of its transaction.
type lastStep struct {
	step          chain.GameStep
	height, index int64
}

// earned is what a game gives an account towards the table of a season.
type earned struct {
	game key
	tables.Earning
}

// accountSeason is an account in a season.
type accountSeason struct {
	account chain.Address
	season  int64
}

// newState returns an empty state that keeps up to maxProblems problems.
func newState(maxProblems int) *state {
	return &state{
		problems: problems{most: maxProblems},
		accounts: make(map[chain.Address]holder), tokens: make(map[int64]chain.Token),
		games: make(map[key]openGame), ended: make(map[key]lastStep),
		published: make(map[chain.Hash]struct{}), earned: make(map[accountSeason][]earned),
	}
}

// reject adds the problem of a transaction whose effect the state does not allow.
func (s *state) reject(at *position, what string, err error) {
	s.problems.add(Problem{Height: at.height, Hash: at.hash.String(), What: what,
		Expected: "a transaction within the rules", Found: err.Error()}, at.index)
}

// account applies e. A forbidden effect is a problem and leaves the account unchanged.
func (s *state) account(e *chain.AccountEffect, at *position) {
	account := s.accounts[e.Address]
	if err := account.Apply(e); err != nil {
		s.reject(at, accountName(e.Address), err)
		return
	}
	switch e.Act {
	case chain.ActRotate:
		account.rotated = at.height + firstBlock
	case chain.ActStart:
		// The client seed comes with the start: the house must not choose the commitment knowing it.
		if account.rotated == at.height+firstBlock {
			s.reject(at, accountName(e.Address), errRotated)
			return
		}
	}
	if e.Create != "" {
		s.addresses++
	}
	// Only an escrow returns to the zero value: its stakes are paid out.
	if account.Account == (chain.Account{}) {
		delete(s.accounts, e.Address)
		return
	}
	if e.Publish != (chain.Hash{}) {
		account.published = at.hash
	}
	s.accounts[e.Address] = account
}

// token applies e, like account. Destroyed tokens stay: their ids are used up.
func (s *state) token(e *chain.TokenEffect, at *position) {
	token := s.tokens[e.ID]
	if err := token.Apply(e); err != nil {
		s.reject(at, tokenName(e.ID), err)
		return
	}
	// Apply accepted the effect, so a null From created the token and a null To destroys it.
	if e.From == (chain.Address{}) {
		s.wallets++
	}
	if e.To == (chain.Address{}) {
		s.wallets--
	}
	s.tokens[e.ID] = token
}

// game applies e, like account, and moves the game to ended after its final step.
func (s *state) game(k key, e *chain.GameEffect, at *position) {
	open := s.games[k]
	if last, ended := s.ended[k]; ended {
		open.Step = last.step // Apply refuses every step after a final one
	}
	if err := open.Apply(e); err != nil {
		s.reject(at, gameName(e.ID), err)
		return
	}
	if e.Step == chain.StepKnown {
		return
	}
	// The position identifies the game in reportMissing, which has no id.
	open.last = lastStep{open.Step, at.height, at.index}
	switch open.Step {
	case chain.StepEnd, chain.StepSettle, chain.StepRated, chain.StepClose:
		delete(s.games, k)
		s.ended[k] = open.last
	default:
		s.games[k] = open
	}
}

// earn takes note of what a game gives an account. The table of a season has no bot, however much one plays.
func (s *state) earn(address chain.Address, e earned, _ *position) {
	if s.accounts[address].Kind == chain.Bot {
		return
	}
	k := accountSeason{address, e.Season}
	s.earned[k] = append(s.earned[k], e)
}

// stated reports more points than the games of the season give the account. The games of a bot give none.
func (s *state) stated(address chain.Address, season, points int64, at *position) {
	k := accountSeason{address, season}
	var list []tables.Earning
	for _, e := range s.earned[k] {
		// The table of a season that has closed before the result became void keeps its points. A result is restored
		// before the next season closes, so the answer is the same after the last transaction as at this one.
		if closed, void := s.voids[e.game]; !void || closed >= season {
			list = append(list, e.Earning)
		}
	}
	delete(s.earned, k)
	most := tables.MostPoints(list)
	if points > most {
		s.problems.add(Problem{Height: at.height, Hash: at.hash.String(), What: "points of " + accountName(address),
			Expected: "at most " + decimal(most), Found: decimal(points)}, at.index)
	}
}

// commitment reports a commitment that was published before, by any account. If two accounts had the
// same one, the first run of the one would reveal the seeds of the other's. That each commitment is
// used once follows: a run uses the one that its own account has published last.
func (s *state) commitment(c chain.Hash, at *position) {
	if _, known := s.published[c]; known {
		s.reject(at, "commitment "+c.String(), errPublished)
		return
	}
	s.published[c] = struct{}{}
}

var errRotated = errors.New("the commitment was rotated in the same block")

var errPublished = errors.New("the commitment was published before")

// The expect methods remove the derived state that they compare. So the entries that remain at
// the end were never named, and a second call for one key finds nothing. In their problems
// Expected is the derived value and Found the claimed one.

// expectPublished compares the publisher of an outstanding commitment. It does not remove the
// account: expectAccount follows.
func (s *state) expectPublished(address chain.Address, claimed chain.Hash) {
	if derived := s.accounts[address].published; derived != claimed {
		s.problems.addFinal(accountName(address)+" publisher of the commitment", derived.String(), claimed.String())
	}
}

// expectAccount reports the fields that differ, or the whole account when none is derived.
func (s *state) expectAccount(address chain.Address, claimed *chain.Account) {
	derived := s.accounts[address].Account
	delete(s.accounts, address)
	if derived == *claimed {
		return
	}
	// One problem per field, so that a report shows the exact difference.
	name := accountName(address)
	if derived == (chain.Account{}) {
		s.problems.addFinal(name, "no such entry", fmt.Sprintf("%+v", *claimed))
		return
	}
	if derived.Balance != claimed.Balance {
		s.problems.addFinal(name+" balance", decimal(derived.Balance), decimal(claimed.Balance))
	}
	// The marks and limits, in the order of the fields.
	for _, part := range []struct {
		name             string
		derived, claimed any
	}{
		{"bound coins", derived.Bound, claimed.Bound}, {"bound start", derived.BoundStart, claimed.BoundStart},
		{"time of securing", derived.SecuredAt, claimed.SecuredAt},
		{"time of the faucet", derived.FaucetAt, claimed.FaucetAt}, {"open run", derived.Playing, claimed.Playing},
		{"coins of the open run", derived.Paid, claimed.Paid}, {"bound coins of the open run", derived.PaidBound,
			claimed.PaidBound},
		{"recovery of the commitment", derived.Recovery, claimed.Recovery},
		{"day of free entries", derived.FreeDay, claimed.FreeDay}, {"free entries", derived.Free, claimed.Free},
		{"day of daily entries", derived.DailyDay, claimed.DailyDay}, {"daily entries", derived.Daily, claimed.Daily},
	} {
		if part.derived != part.claimed {
			s.problems.addFinal(name+" "+part.name, fmt.Sprint(part.derived), fmt.Sprint(part.claimed))
		}
	}
	if derived.Nonce != claimed.Nonce {
		s.problems.addFinal(name+" nonce", decimal(derived.Nonce), decimal(claimed.Nonce))
	}
	if derived.Commitment != claimed.Commitment {
		s.problems.addFinal(name+" commitment", derived.Commitment.String(), claimed.Commitment.String())
	}
	if derived.Kind != claimed.Kind {
		s.problems.addFinal(name+" kind", strconv.Quote(string(derived.Kind)), strconv.Quote(string(claimed.Kind)))
	}
}

// expectToken is expectAccount for a token.
func (s *state) expectToken(id int64, claimed *chain.Token) {
	derived := s.tokens[id]
	delete(s.tokens, id)
	if derived == *claimed {
		return
	}
	name := tokenName(id)
	if derived == (chain.Token{}) {
		s.problems.addFinal(name, "no such entry", fmt.Sprintf("%+v", *claimed))
		return
	}
	if derived.Owner != claimed.Owner {
		s.problems.addFinal(name+" owner", ownerName(derived.Owner), ownerName(claimed.Owner))
	}
	if derived.Bound != claimed.Bound {
		s.problems.addFinal(name+" bound", strconv.FormatBool(derived.Bound), strconv.FormatBool(claimed.Bound))
	}
	if derived.Tier != claimed.Tier {
		s.problems.addFinal(name+" tier", decimal(derived.Tier), decimal(claimed.Tier))
	}
}

// expectGame compares the step, and all fields of a game that is not over.
func (s *state) expectGame(k key, id string, claimed *chain.Game) {
	derived, open := s.games[k]
	if last, ended := s.ended[k]; ended {
		derived.Step = last.step
	}
	delete(s.games, k)
	delete(s.ended, k)
	switch {
	case derived.Step != claimed.Step:
		s.problems.addFinal(gameName(id)+" step", stepName(derived.Step), stepName(claimed.Step))
	case open && derived.Game != *claimed:
		s.problems.addFinal(gameName(id), fmt.Sprintf("%+v", derived.Game), fmt.Sprintf("%+v", *claimed))
	}
}

// reportMissing reports every derived entry that no expect call named. A key does not give a
// game's id back, so the position of its last transaction identifies a game.
func (s *state) reportMissing() {
	// The order of the maps is random; problems are sorted when they are added.
	for address, account := range s.accounts {
		s.problems.addFinal(accountName(address), fmt.Sprintf("%+v", account.Account), "missing")
	}
	for id, token := range s.tokens {
		s.problems.addFinal(tokenName(id), fmt.Sprintf("%+v", token), "missing")
	}
	for _, open := range s.games {
		s.missing(open.last)
	}
	for _, last := range s.ended {
		s.missing(last)
	}
}

// missing adds the problem of a game that no expect call named.
func (s *state) missing(last lastStep) {
	s.problems.add(Problem{Height: last.height, What: "game", Found: "missing",
		Expected: fmt.Sprintf("%s by transaction %d", stepName(last.step), last.index)}, afterAll)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// The subjects of problems, in the words of Problem.What.

func accountName(a chain.Address) string { return "account " + a.String() }
func tokenName(id int64) string          { return "token " + decimal(id) }

// gameName quotes the id, because it may hold any text.
func gameName(id string) string { return "game " + strconv.Quote(id) }

// ownerName returns the address, "none" for a destroyed token.
func ownerName(a chain.Address) string {
	if a == (chain.Address{}) {
		return "none"
	}
	return a.String()
}

// stepName returns the words for a step in problems.
func stepName(s chain.GameStep) string {
	names := [...]string{"none", "run started", "run ended", "duel staked", "duel settled", "rated duel settled", "closed"}
	if int(s) >= len(names) {
		return fmt.Sprintf("step %d", s)
	}
	return names[s]
}

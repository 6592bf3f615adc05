package chain

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roshambo/canon"
)

// applied is a case of applying an effect to a state: the expected state, or the expected
// error.
type applied[State, Effect any] struct {
	what   string
	before State
	effect Effect
	after  State
	want   string // part of the error, "" for success
}

// checkApplied runs the cases. After an error the state must be unchanged.
func checkApplied[State, Effect any](t *testing.T, apply func(*State, *Effect) error, cases []applied[State, Effect]) {
	t.Helper()
	for _, tt := range cases {
		state, effect := tt.before, tt.effect
		err := apply(&state, &effect)
		if tt.want != "" {
			tt.after = tt.before
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.what, err, tt.want)
		}
		if diff := cmp.Diff(tt.after, state); diff != "" {
			t.Errorf("%s: state afterwards (-want +got):\n%s", tt.what, diff)
		}
	}
}

func TestAccountApply(t *testing.T) {
	t.Parallel()
	open := Account{Kind: Guest, Balance: 100, Nonce: 3, Commitment: hashOf(1)}
	staked := Account{Balance: 30}
	checkApplied(t, (*Account).Apply, []applied[Account, AccountEffect]{
		{what: "open", effect: AccountEffect{Create: Bot, Actor: true, Delta: 1000, Publish: hashOf(1)},
			after: Account{Kind: Bot, Balance: 1000, Nonce: 1, Commitment: hashOf(1)}},
		{what: "open twice", before: open, effect: AccountEffect{Create: Full, Actor: true, Nonce: 3},
			want: "exists already"},
		{what: "open an account on an escrow", before: staked, effect: AccountEffect{Create: Full, Actor: true},
			want: "exists already"},
		{what: "act without an account", effect: AccountEffect{Actor: true, Delta: 200}, want: "no such account"},
		{what: "credit a missing account", effect: AccountEffect{Delta: 5}, want: "no such account"},
		{what: "act", before: open, effect: AccountEffect{Actor: true, Nonce: 3, Delta: -100},
			after: Account{Kind: Guest, Nonce: 4, Commitment: hashOf(1)}},
		{what: "receive", before: open, effect: AccountEffect{Delta: 5},
			after: Account{Kind: Guest, Balance: 105, Nonce: 3, Commitment: hashOf(1)}},
		{what: "repeat a nonce", before: open, effect: AccountEffect{Actor: true, Nonce: 2},
			want: "the nonce is 2, and must be 3"},
		{what: "skip a nonce", before: open, effect: AccountEffect{Actor: true, Nonce: 4},
			want: "the nonce is 4, and must be 3"},
		{what: "overspend", before: open, effect: AccountEffect{Actor: true, Nonce: 3, Delta: -101},
			want: "101 coins are needed, the balance is 100"},
		{what: "credit above the limit", before: Account{Kind: Guest, Balance: canon.MaxInt},
			effect: AccountEffect{Delta: 1}, want: "would pass 2^53"},
		{what: "credit up to the limit", before: Account{Kind: Guest, Balance: canon.MaxInt - 1},
			effect: AccountEffect{Delta: 1},
			after:  Account{Kind: Guest, Balance: canon.MaxInt}},
		{what: "use the commitment", before: open,
			effect: AccountEffect{Actor: true, Nonce: 3, Spend: hashOf(1), Publish: hashOf(2)},
			after:  Account{Kind: Guest, Balance: 100, Nonce: 4, Commitment: hashOf(2)}},
		{what: "use another commitment", before: open,
			effect: AccountEffect{Actor: true, Nonce: 3, Spend: hashOf(2), Publish: hashOf(3)},
			want:   "outstanding is 0101"},
		{what: "stake first", effect: AccountEffect{Escrow: true, Delta: 30}, after: staked},
		{what: "stake second", before: staked, effect: AccountEffect{Escrow: true, Delta: 30}, after: Account{Balance: 60}},
		{what: "pay out", before: Account{Balance: 60}, effect: AccountEffect{Escrow: true, Empty: true, Delta: -60}},
		{what: "pay out less", before: Account{Balance: 60}, effect: AccountEffect{Escrow: true, Empty: true, Delta: -30},
			want: "30 coins are left"},
		{what: "pay out more", before: staked, effect: AccountEffect{Escrow: true, Empty: true, Delta: -60},
			want: "60 coins are needed"},
		{what: "stake into an account", before: open, effect: AccountEffect{Escrow: true, Delta: 30},
			want: "an account cannot be an escrow"},
	})
	var poor *InsufficientFundsError
	err := open.Apply(&AccountEffect{Delta: -150})
	if !errors.As(err, &poor) || *poor != (InsufficientFundsError{Balance: 100, Needed: 150}) {
		t.Errorf("got %#v, want balance and need", err)
	}
}

func TestTokenApply(t *testing.T) {
	t.Parallel()
	none := Address{}
	owned, burnt := Token{Tier: 2, Owner: alice}, Token{Tier: 2}
	bound := Token{Tier: 2, Owner: alice, Bound: true}
	checkApplied(t, (*Token).Apply, []applied[Token, TokenEffect]{
		{what: "create", effect: TokenEffect{To: alice, Tiers: 1 << 2, Mark: MarkFree}, after: owned},
		{what: "create twice", before: owned, effect: TokenEffect{To: bob, Tiers: 1 << 2}, want: "created once"},
		{what: "create a burnt token", before: burnt, effect: TokenEffect{To: alice, Tiers: 1 << 2, Mark: MarkFree},
			want: "created once"},
		{what: "create bound", effect: TokenEffect{To: alice, Tiers: 1 << 2, Mark: MarkBound},
			after: Token{Tier: 2, Owner: alice, Bound: true}},
		{what: "create neither bound nor free", effect: TokenEffect{To: alice, Tiers: 1 << 2}, want: "bound or free"},
		{what: "sell a bound token", before: bound, effect: TokenEffect{From: alice, To: bob, Mark: MarkFree},
			want: "the token is bound"},
		{what: "burn a bound token as a free one", before: bound, effect: TokenEffect{From: alice, Mark: MarkFree},
			want: "the token is bound"},
		{what: "burn a free token as a bound one", before: owned, effect: TokenEffect{From: alice, Mark: MarkBound},
			want: "is not bound"},
		{what: "burn a bound token", before: bound, effect: TokenEffect{From: alice, Mark: MarkBound},
			after: Token{Tier: 2, Bound: true}},
		{what: "create without a tier", effect: TokenEffect{To: alice}, want: "with one tier"},
		{what: "create with two tiers", effect: TokenEffect{To: alice, Tiers: 6}, want: "with one tier"},
		{what: "move", before: owned, effect: TokenEffect{From: alice, To: bob}, after: Token{Tier: 2, Owner: bob}},
		{what: "move another account's token", before: owned, effect: TokenEffect{From: bob, To: alice},
			want: "does not belong"},
		{what: "move a missing token", effect: TokenEffect{From: bob, To: alice}, want: "does not belong"},
		{what: "move a burnt token", before: burnt, effect: TokenEffect{From: alice, To: bob}, want: "does not belong"},
		{what: "burn", before: owned, effect: TokenEffect{From: alice, To: none, Tiers: 1<<2 | 1<<3}, after: burnt},
		{what: "burn as another tier", before: owned, effect: TokenEffect{From: alice, To: none, Tiers: 1 << 3},
			want: "is of tier 2"},
		{what: "burn another account's token", before: owned, effect: TokenEffect{From: bob, To: none, Tiers: 1 << 2},
			want: "does not belong"},
		{what: "burn twice", before: burnt, effect: TokenEffect{From: alice, To: none, Tiers: 1 << 2},
			want: "does not belong"},
	})
	if err := owned.Apply(&TokenEffect{From: bob}); !errors.Is(err, ErrNotOwner) {
		t.Errorf("got %v, want ErrNotOwner", err)
	}
}

func TestGameApplyToRuns(t *testing.T) {
	t.Parallel()
	begun := Game{Step: StepStart, A: alice, Tier: 2}
	over := Game{Step: StepEnd, A: alice, Tier: 2}
	checkApplied(t, (*Game).Apply, []applied[Game, GameEffect]{
		{what: "start", effect: GameEffect{Step: StepStart, A: alice, Tier: 2}, after: begun},
		{what: "start twice", before: begun, effect: GameEffect{Step: StepStart, A: alice},
			want: "started or decided before"},
		{what: "start a run that is over", before: over, effect: GameEffect{Step: StepStart, A: alice},
			want: "started or decided before"},
		{what: "end", before: begun, effect: GameEffect{Step: StepEnd, A: alice, Tier: 4, Throws: 2}, after: over},
		{what: "end without a win", before: begun, effect: GameEffect{Step: StepEnd, A: alice, Tier: 2}, after: over},
		{what: "end a free run bound", before: begun, effect: GameEffect{Step: StepEnd, A: alice, Tier: 2, Bound: true},
			want: "ends bound exactly"},
		{what: "end a bound run free", before: Game{Step: StepStart, A: alice, Tier: 2, Bound: true},
			effect: GameEffect{Step: StepEnd, A: alice, Tier: 2}, want: "ends bound exactly"},
		{what: "end another account's run", before: begun, effect: GameEffect{Step: StepEnd, A: bob, Tier: 2},
			want: "no such open run"},
		{what: "end a run that never started", effect: GameEffect{Step: StepEnd, A: alice}, want: "no such open run"},
		{what: "end twice", before: over, effect: GameEffect{Step: StepEnd, A: alice, Tier: 2}, want: "no such open run"},
		{what: "end below the first tier", before: begun, effect: GameEffect{Step: StepEnd, A: alice, Tier: 1, Throws: 9},
			want: "does not follow"},
		{what: "end with more wins than throws", before: begun,
			effect: GameEffect{Step: StepEnd, A: alice, Tier: 5, Throws: 2}, want: "does not follow"},
		{what: "close a season", effect: GameEffect{Step: StepClose}, after: Game{Step: StepClose}},
		{what: "close a season twice", before: Game{Step: StepClose}, effect: GameEffect{Step: StepClose},
			want: "started or decided before"},
		{what: "void a run's result", before: over, effect: GameEffect{Step: StepKnown}, after: over},
		{what: "void the result of a run in play", before: begun, effect: GameEffect{Step: StepKnown}, after: begun},
		{what: "void the result of no run", effect: GameEffect{Step: StepKnown}, want: "no such game"},
		{what: "no step", effect: GameEffect{}, want: "unknown step"},
	})
}

func TestGameApplyToDuels(t *testing.T) {
	t.Parallel()
	third := Address{3}
	one := Game{Step: StepStake, A: alice, Stake: 30}
	both := Game{Step: StepStake, A: alice, B: bob, Stake: 30}
	settled := Game{Step: StepSettle, A: alice, B: bob, Stake: 30}
	settle := GameEffect{Step: StepSettle, A: alice, B: bob, Stake: 30}
	unstaked := GameEffect{Step: StepSettle, A: alice, B: bob}
	rated := GameEffect{Step: StepRated, A: alice, B: bob}
	checkApplied(t, (*Game).Apply, []applied[Game, GameEffect]{
		{what: "stake first", effect: GameEffect{Step: StepStake, A: alice, Stake: 30}, after: one},
		{what: "stake second", before: one, effect: GameEffect{Step: StepStake, A: bob, Stake: 30}, after: both},
		{what: "stake twice", before: one, effect: GameEffect{Step: StepStake, A: alice, Stake: 30},
			want: "accepts no stake"},
		{what: "stake third", before: both, effect: GameEffect{Step: StepStake, A: third, Stake: 30},
			want: "accepts no stake"},
		{what: "stake less", before: one, effect: GameEffect{Step: StepStake, A: bob, Stake: 29},
			want: "stake of the duel is 30"},
		{what: "stake late", before: settled, effect: GameEffect{Step: StepStake, A: third, Stake: 30},
			want: "accepts no stake"},
		{what: "settle", before: both, effect: settle, after: settled},
		{what: "settle twice", before: settled, effect: settle, want: "settled before"},
		{what: "settle twice, the second time without a stake", before: settled, effect: unstaked, want: "settled before"},
		{what: "settle after b staked first", before: both,
			effect: GameEffect{Step: StepSettle, A: bob, B: alice, Stake: 30},
			after:  Game{Step: StepSettle, A: bob, B: alice, Stake: 30}},
		{what: "settle with another side", before: both, effect: GameEffect{Step: StepSettle, A: alice, B: third, Stake: 30},
			want: "other sides"},
		{what: "settle without the opponent", before: both, effect: GameEffect{Step: StepSettle, A: alice, Stake: 30},
			want: "other sides"},
		{what: "settle with an opponent who did not join", before: one, effect: settle, want: "other sides"},
		{what: "settle another stake", before: both, effect: GameEffect{Step: StepSettle, A: alice, B: bob, Stake: 29},
			want: "other sides or stakes"},
		{what: "settle as if nothing was staked", before: both, effect: unstaked, want: "other sides or stakes"},
		{what: "settle a stake that was not paid", effect: settle, want: "nothing was staked"},
		{what: "settle without a stake", effect: unstaked, after: Game{Step: StepSettle, A: alice, B: bob}},
		{what: "settle a rated duel", effect: rated, after: Game{Step: StepRated, A: alice, B: bob}},
		{what: "settle a rated duel twice", before: Game{Step: StepRated, A: alice, B: bob}, effect: rated,
			want: "settled before"},
		{what: "void the result of a rated duel", before: Game{Step: StepRated}, effect: GameEffect{Step: StepKnown},
			after: Game{Step: StepRated}},
		{what: "void the result of an unrated duel", before: settled, effect: GameEffect{Step: StepKnown},
			want: "not a settled one that is rated"},
		{what: "void the result of a duel in play", before: both, effect: GameEffect{Step: StepKnown},
			want: "not a settled one that is rated"},
		{what: "give the stake back", before: one, effect: GameEffect{Step: StepSettle, A: alice, Stake: 30},
			after: Game{Step: StepSettle, A: alice, Stake: 30}},
	})
}

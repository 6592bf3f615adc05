package api

import (
	"fmt"
	"strings"

	"roshambo/chain"
	"roshambo/internal/ledger"
)

// Transactions are shown with their hashed text, with their transfers as the chain's rules define
// them, and with a sentence for people. The sentence is derived from the text and proves nothing.

// Transaction is a transaction with its position on the chain.
type Transaction struct {
	Hash      string     `json:"hash"`
	Raw       string     `json:"raw" doc:"The text that is hashed."`
	Kind      string     `json:"kind" known:"genesis,rules,rules.begin,account.create,account.secure,faucet,recovery,commitment.rotate,run.start,run.end,duel.stake,duel.settle,market.sale,buyback,season.close,cup.close,result.void,result.restore"`
	Status    string     `json:"status" enum:"pending,sealed"`
	Height    *int64     `json:"height" doc:"Of its block; null while pending."`
	Index     *int64     `json:"index" doc:"In its block; null while pending."`
	Actor     *string    `json:"actor" doc:"The acting address; null for the chain itself."`
	Nonce     int64      `json:"nonce"`
	Time      Time       `json:"time"`
	Summary   string     `json:"summary" doc:"A sentence that describes it."`
	Transfers []Transfer `json:"transfers"`
}

// Transfer is a movement of coins or of a token.
type Transfer struct {
	Asset   string  `json:"asset" enum:"coin,token"`
	From    *string `json:"from" doc:"Null: created."`
	To      *string `json:"to" doc:"Null: destroyed."`
	Amount  *int64  `json:"amount" doc:"Of coins."`
	TokenID *int64  `json:"token_id"`
	Tier    *int64  `json:"tier" doc:"Of a token that is created."`
}

// wireTx returns the wire form of a transaction. A pending one has no height and index.
func (a *API) wireTx(r ledger.Record) Transaction {
	tx := &r.Parsed
	out := Transaction{
		Hash: r.Hash.String(), Raw: string(r.Raw), Kind: string(tx.Kind()), Status: "pending",
		Actor: optionalAddress(tx.Actor),
		Nonce: tx.Nonce, Time: Time{timeOf(tx.Time)}, Summary: summarize(a.Ledger.Rules(), tx),
		Transfers: make([]Transfer, len(tx.Transfers)),
	}
	if r.Sealed {
		out.Status, out.Height, out.Index = "sealed", &r.Height, &r.Index
	}
	for i, t := range tx.Transfers {
		w := Transfer{Asset: "coin", From: optionalAddress(t.From), To: optionalAddress(t.To)}
		if t.Token {
			w.Asset, w.TokenID = "token", &t.TokenID
			if t.Tier != 0 {
				w.Tier = &t.Tier
			}
		} else {
			w.Amount = &t.Amount
		}
		out.Transfers[i] = w
	}
	return out
}

// summarize returns a sentence that describes a transaction.
func summarize(rules *chain.Rules, tx *chain.Tx) string {
	actor := tx.Actor.Short()
	switch d := tx.Data.(type) {
	case *chain.Genesis:
		return fmt.Sprintf("The chain %s began, with %d tiers.", d.Name, d.Rules.Top())
	case *chain.RulesChange:
		return fmt.Sprintf("Rules number %d were announced.", d.Number)
	case *chain.RulesBegin:
		return fmt.Sprintf("Rules number %d began.", d.Number)
	case *chain.AccountCreate:
		return fmt.Sprintf("%s joined as %s with %s.", actor, d.AccountKind, coins(tx))
	case *chain.AccountSecure:
		return actor + " secured the account."
	case *chain.Faucet:
		return fmt.Sprintf("%s got %s from the faucet.", actor, coins(tx))
	case *chain.Recovery:
		return fmt.Sprintf("Recovery %d: the house continues from an older state of its database. The reason is at "+
			"/log/recoveries/%d.", d.Number, d.Number)
	case *chain.Rotate:
		return actor + " got the commitment of another seed chain."
	case *chain.RunStart:
		return summarizeStart(rules, tx, d)
	case *chain.RunEnd:
		return summarizeEnd(rules, tx, d)
	case *chain.DuelStake:
		return fmt.Sprintf("%s staked %s on duel %s.", actor, coins(tx), d.DuelID)
	case *chain.DuelSettle:
		return summarizeDuel(d)
	case *chain.MarketSale:
		last := tx.Transfers[len(tx.Transfers)-1]
		return fmt.Sprintf("%s bought token %d from %s for %s.", actor, last.TokenID, last.From.Short(), coins(tx))
	case *chain.Buyback:
		return fmt.Sprintf("%s sold token %d to the house for %s.", actor, tx.Transfers[0].TokenID, coins(tx))
	case *chain.SeasonClose:
		return fmt.Sprintf("Season %d closed.", d.Season)
	case *chain.CupClose:
		return fmt.Sprintf("Cup %d closed.", d.Cup)
	case *chain.ResultVoid:
		return fmt.Sprintf("The result of %s was declared void.", strings.Replace(d.Game, ":", " ", 1))
	case *chain.ResultRestore:
		return fmt.Sprintf("The result of %s counts again.", strings.Replace(d.Game, ":", " ", 1))
	}
	return "A transaction of kind " + string(tx.Kind()) + "."
}

// coins returns the sum of coins that a transaction moves, as text.
func coins(tx *chain.Tx) string {
	var sum int64
	for _, t := range tx.Transfers {
		sum += t.Amount
	}
	if sum == 1 {
		return "1 coin"
	}
	return fmt.Sprintf("%d coins", sum)
}

// summarizeStart describes the start of a run by its entry.
func summarizeStart(rules *chain.Rules, tx *chain.Tx, d *chain.RunStart) string {
	actor := tx.Actor.Short()
	switch d.Entry {
	case chain.EntryFee:
		return fmt.Sprintf("%s began a run for %s.", actor, coins(tx))
	case chain.EntryBurn:
		return fmt.Sprintf("%s burnt token %d (%s) and began a run from there.", actor, tx.Transfers[0].TokenID,
			material(rules, d.FirstTier))
	case chain.EntryDaily:
		return actor + " began the daily run."
	default:
		return actor + " began a free run."
	}
}

// summarizeEnd describes the end of a run by its outcome.
func summarizeEnd(rules *chain.Rules, tx *chain.Tx, d *chain.RunEnd) string {
	actor := tx.Actor.Short()
	throws := fmt.Sprintf("%d throws", d.Throws)
	if d.Throws == 1 {
		throws = "1 throw"
	}
	switch d.Status {
	case chain.RunClaimed:
		return fmt.Sprintf("%s claimed %s after %s: token %d.", actor, material(rules, d.Cleared), throws,
			tx.Transfers[0].TokenID)
	case chain.RunVoid:
		return fmt.Sprintf("A run of %s was void after %s; the entry went back.", actor, throws)
	case chain.RunLost:
		return fmt.Sprintf("%s lost a run after %s.", actor, throws)
	default:
		return fmt.Sprintf("%s gave a run up after %s.", actor, throws)
	}
}

// summarizeDuel describes the settlement of a duel.
func summarizeDuel(d *chain.DuelSettle) string {
	if d.B == (chain.Address{}) {
		return fmt.Sprintf("Duel %s of %s found no opponent; the stake went back.", d.DuelID, d.A.Short())
	}
	sides := d.A.Short() + " and " + d.B.Short()
	switch d.Winner {
	case "a":
		return fmt.Sprintf("%s won duel %s against %s.", d.A.Short(), d.DuelID, d.B.Short())
	case "b":
		return fmt.Sprintf("%s won duel %s against %s.", d.B.Short(), d.DuelID, d.A.Short())
	default:
		return fmt.Sprintf("Duel %s between %s ended in a draw.", d.DuelID, sides)
	}
}

// material returns the name of a tier, or its number when the rules in force lack it.
func material(rules *chain.Rules, k int64) string {
	if k < 1 || k > rules.Top() {
		return fmt.Sprint("tier ", k)
	}
	return strings.ToLower(rules.Tier(k).Material)
}

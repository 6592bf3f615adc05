package operator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"roshambo/chain"
	"roshambo/internal/store"
	q "roshambo/internal/store/query/operatorq"
)

// Party is an account in a flow.
type Party struct {
	Address  chain.Address
	Username string
	Kind     chain.AccountKind
	Owner    *chain.Address // of a bot
}

// Flow is the value that one account has given to another: prices of bought tokens and lost
// stakes.
type Flow struct {
	From, To chain.Address
	Times    int64 // sales and duels
	Coins    int64
}

// Cluster is a set of accounts that value connects.
type Cluster struct {
	Accounts []chain.Address // in the order of addresses
	Flows    int64           // pairs
	Coins    int64           // of all flows within
	// Sink is the account that gains the most from the others, and Gain by how much.
	Sink chain.Address
	Gain int64
}

// maxFlows bounds the pairs of each kind that Flows reads.
const maxFlows = 10_000

// Flows returns the flows since a time, the largest first, and the accounts in them. It scans
// the sales and duels of the period.
func Flows(ctx context.Context, tx *store.Tx, since time.Time) ([]Flow, map[chain.Address]Party, error) {
	queries, from := q.New(tx), since.UnixMilli()
	sales, err := queries.SaleFlows(ctx, q.SaleFlowsParams{Since: &from, Count: maxFlows})
	if err != nil {
		return nil, nil, fmt.Errorf("operator: sales: %w", err)
	}
	stakes, err := queries.StakeFlows(ctx, q.StakeFlowsParams{Since: &from, Count: maxFlows})
	if err != nil {
		return nil, nil, fmt.Errorf("operator: stakes: %w", err)
	}
	// Sales and stakes of one pair and direction are one flow.
	sums := map[[2]chain.Address]Flow{}
	add := func(from, to []byte, times, coins int64) {
		k := [2]chain.Address{chain.Address(from), chain.Address(to)}
		f := sums[k]
		sums[k] = Flow{From: k[0], To: k[1], Times: f.Times + times, Coins: f.Coins + coins}
	}
	for _, r := range sales {
		add(r.Buyer, r.Seller, r.Times, r.Coins)
	}
	for _, r := range stakes {
		if r.Winner == "a" {
			r.A, r.B = r.B, r.A
		}
		add(r.A, r.B, r.Times, r.Coins)
	}
	list := make([]Flow, 0, len(sums))
	for _, f := range sums {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(b.Coins, a.Coins), slices.Compare(a.From[:], b.From[:]), slices.Compare(a.To[:], b.To[:]))
	})
	parties, err := namesOf(ctx, queries, from)
	return list, parties, err
}

// namesOf returns the accounts in the flows since a time.
func namesOf(ctx context.Context, queries *q.Queries, from int64) (map[chain.Address]Party, error) {
	rows, err := queries.Names(ctx, &from)
	if err != nil {
		return nil, fmt.Errorf("operator: names: %w", err)
	}
	parties := make(map[chain.Address]Party, len(rows))
	for _, r := range rows {
		p := Party{Address: chain.Address(r.Address), Username: r.Username, Kind: chain.AccountKind(r.Kind)}
		if r.Owner != nil {
			owner := chain.Address(r.Owner)
			p.Owner = &owner
		}
		parties[p.Address] = p
	}
	return parties, nil
}

// Clusters returns the sets of accounts that flows of at least so many coins connect, or that
// have one owner, the sets with the most coins first. owners maps bots to their owners.
func Clusters(flows []Flow, owners map[chain.Address]chain.Address, atLeast int64) []Cluster {
	// A disjoint-set forest with path compression: each account points towards the root of its
	// set, and a root points to itself.
	parent := map[chain.Address]chain.Address{}
	var root func(a chain.Address) chain.Address
	root = func(a chain.Address) chain.Address {
		p, ok := parent[a]
		if !ok {
			parent[a] = a
			return a
		}
		if p != a {
			p = root(p)
			parent[a] = p
		}
		return p
	}
	join := func(a, b chain.Address) { parent[root(a)] = root(b) }
	for _, f := range flows {
		if f.Coins >= atLeast {
			join(f.From, f.To)
		}
	}
	// A bot whose flows are all below the limit connects nothing.
	for bot, owner := range owners {
		if _, ok := parent[bot]; ok {
			join(bot, owner)
		}
	}
	sets := map[chain.Address]*Cluster{}
	for a := range parent {
		r := root(a)
		if sets[r] == nil {
			sets[r] = &Cluster{}
		}
		sets[r].Accounts = append(sets[r].Accounts, a)
	}
	// What each account has gained within its set.
	gains := map[chain.Address]int64{}
	for _, f := range flows {
		if _, ok := parent[f.From]; !ok || f.Coins < atLeast {
			continue
		}
		c := sets[root(f.From)]
		c.Flows, c.Coins = c.Flows+1, c.Coins+f.Coins
		gains[f.To] += f.Coins
		gains[f.From] -= f.Coins
	}
	list := make([]Cluster, 0, len(sets))
	for _, c := range sets {
		slices.SortFunc(c.Accounts, func(a, b chain.Address) int { return slices.Compare(a[:], b[:]) })
		for _, a := range c.Accounts {
			if gains[a] > c.Gain {
				c.Sink, c.Gain = a, gains[a]
			}
		}
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(b.Coins, a.Coins), slices.Compare(a.Accounts[0][:], b.Accounts[0][:]))
	})
	return list
}

package api

import "roshambo/chain/games"

// HouseRecord is the record of the house: totals over the verified games of the chain, as every verifier
// derives them from the public log.
type HouseRecord struct {
	Runs       int64   `json:"runs" doc:"Runs that ended."`
	Claimed    int64   `json:"claimed"`
	Lost       int64   `json:"lost"`
	Abandoned  int64   `json:"abandoned"`
	Voided     int64   `json:"voided" doc:"Runs that a recovery has made void; they count nowhere else."`
	Recoveries int64   `json:"recoveries" doc:"How often the house continued from an older state of its database."`
	VoidTiers  []int64 `json:"void_tiers" doc:"Void runs by the tier that they had reached, from tier 0 on."`
	Throws     int64   `json:"throws" doc:"In these runs."`
	House      []int64 `json:"house" doc:"Hands that the house showed: rock, paper, scissors."`
	Players    []int64 `json:"players" doc:"Hands that players showed: rock, paper, scissors."`
	Wins       int64   `json:"wins" doc:"Of players."`
	Ties       int64   `json:"ties"`
	Losses     int64   `json:"losses"`
	Staked     int64   `json:"staked" doc:"In coins: entry fees, and the base values of burnt tokens."`
	Won        int64   `json:"won" doc:"Base value of the tokens that the same runs won. The house pays less for them: buyback_bps of GET /api/tiers."`
	Given      int64   `json:"given" doc:"Base value of the tokens won in runs that cost nothing."`
	Duels      int64   `json:"duels" doc:"Duels that were settled."`
}

// wireHouseRecord returns the wire form of a record.
func wireHouseRecord(r *games.Record) HouseRecord {
	return HouseRecord{
		Runs: r.Runs, Claimed: r.Claimed, Lost: r.Lost, Abandoned: r.Abandoned, Voided: r.Voided,
		Recoveries: r.Recoveries, VoidTiers: r.VoidTiers, Throws: r.Throws, House: r.House[:],
		Players: r.Players[:], Wins: r.Wins, Ties: r.Ties, Losses: r.Losses, Staked: r.Staked, Won: r.Won, Given: r.Given,
		Duels: r.Duels,
	}
}

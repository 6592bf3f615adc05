package app

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // lists the tables

	"roshambo/internal/ledger/audit"
	"roshambo/internal/store"
	"roshambo/internal/store/sqlite"
)

// examined are the tables that Doctor recomputes beside the ones that Verify does.
var examined = []string{
	"operator_void",                                                               // void results, from the chain
	"arena_block", "arena_board", "arena_change", "arena_pending", "arena_rating", // ratings, from the chain
	"cup", "cup_game", "cup_player", // pairings and tables, from players, results and seed
	"chain_recovery",                              // the reasons, whose hashes are on the chain
	"log_kept",                                    // the log's signatures and trees
	"market_day", "market_tier", "market_listing", // counts, from listings and sales; locks
	"portfolio_coin", "portfolio_tier", // holdings, from the ledger
	// from the facts, and the chain
	"score_block", "score_board", "score_change", "score_entry", "score_first", "score_network", "score_player",
	"score_season",
}

// original are the tables that are not derived from other data in the database, with their content:
// there is nothing to compare them with.
var original = map[string]string{
	"account": "players", "api_key": "API keys", "bot": "bots and their owners", "credential": "passwords",
	"email": "mail addresses", "magic_link": "links", "mail_notice": "notices to mail", "session": "sessions",
	"held_name": "former names", "account_rename": "renames",
	"account_network": "networks that accounts use", "known_device": "browsers of owners",
	"cup_removed":  "players whom hosts have removed",
	"operator_log": "acts of operators, with hashes of their own",
	"idempotency":  "stored answers",
	"arena_bot":    "the queue", "arena_quick": "the queue of people", "arena_house": "house bots",
	"arena_opponent": "last opponents",
	"buyback_offer":  "offers of the house", "market_sale": "sales",
	"arena_version": "versions of bots",
	"duel":          "duels", "duel_pair": "pairs of opponents", "duel_opponent": "past opponents",
	"duel_challenger": "last challenges", "duel_setting": "whose challenges accounts take",
	"run": "runs", "run_commitment": "unrevealed seeds",
	"run_key": "the fingerprint of the key of seeds",
	"event":   "events", "event_head": "the newest numbered event", "event_inbox": "events without a number",
	"lease": "leases", "portfolio_lot": "costs of tokens", "score_fact": "facts",
	"score_inbox": "reports to reduce", "score_refused": "reports that failed", "score_step": "the number of reductions",
	"score_feed": "the feed", "team": "teams", "team_member": "members of teams",
}

// TestEveryTableIsCovered: every table is verified, examined, or listed as original.
func TestEveryTableIsCovered(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), databaseFile)
	d, err := sqlite.Open(t.Context(), store.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, table := range tablesIn(t, path) {
		in := 0
		for _, yes := range []bool{slices.Contains(audit.Tables(), table), slices.Contains(examined, table),
			original[table] != ""} {
			if yes {
				in++
			}
		}
		if in != 1 {
			t.Errorf("table %s is in %d of the lists of verified, examined and original tables, want one: "+
				"Verify or Doctor recomputes derived tables", table, in)
		}
	}
}

func tablesIn(t *testing.T, path string) (list []string) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	}()
	rows, err := raw.QueryContext(t.Context(),
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		list = append(list, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(list) < 40 {
		t.Errorf("only %d tables", len(list))
	}
	return list
}

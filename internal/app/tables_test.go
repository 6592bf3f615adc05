package app

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // to ask which tables there are

	"roshambo/internal/ledger"
	"roshambo/internal/store"
)

// examined are the tables that Doctor works out again beside those that Verify looks at.
var examined = []string{
	"arena_block", "arena_board", "arena_change", "arena_pending", "arena_rating", // ratings, from the chain
	"market_day", "market_tier", "market_listing", // counts, from listings and sales; locks
	"portfolio_coin", "portfolio_tier", // what everybody has, from the ledger
	"score_block", "score_board", "score_change", "score_entry", "score_player", "score_season", // from the facts, and the chain
}

// original are the tables that follow from nothing else in the database, each with what it
// is: what is in them is what was said or done, and there is nothing to hold it against.
var original = map[string]string{
	"account": "who has joined", "api_key": "keys of bots", "bot": "bots and their owners", "credential": "passwords", "email": "addresses",
	"magic_link": "links that were sent", "session": "who is signed in", "idempotency": "answers to be given again",
	"arena_bot": "who waits in the queue", "arena_house": "bots of the house", "arena_opponent": "whom a bot has met last",
	"buyback_offer": "offers that were made", "market_sale": "what was sold, for how much",
	"duel": "what was played", "duel_pair": "who has played whom", "run": "what was played", "run_commitment": "seeds that nobody has seen",
	"event": "what was told", "event_head": "how far it was told", "event_inbox": "what is to be told",
	"lease": "which node does what", "portfolio_lot": "what was paid for tokens", "score_fact": "what was done",
	"score_inbox": "what is to be reacted to", "score_refused": "what could not be", "score_turn": "how often it was", "score_story": "what was told in the feed",
	"team": "teams", "team_member": "who is in them",
}

// TestEveryTableIsLookedAt: a new table is verified, examined, or says here what it is.
func TestEveryTableIsLookedAt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), databaseFile)
	d, err := store.Open(t.Context(), store.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for _, table := range tablesIn(t, path) {
		in := 0
		for _, yes := range []bool{slices.Contains(ledger.Verified(), table), slices.Contains(examined, table), original[table] != ""} {
			if yes {
				in++
			}
		}
		if in != 1 {
			t.Errorf("table %s is in %d of the lists of verified, examined and original tables, want one: "+
				"what follows from something else is worked out again by Verify or Doctor", table, in)
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

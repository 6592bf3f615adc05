package app

import (
	"bytes"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roshambo/chain"
)

// leftRows has a row of each kind that can be left of the account at x'…dd', which was deleted at time 2: what
// doctor calls it, the table, and the columns whose values matter. All other ones get a value of their type.
var leftRows = []struct{ what, table, columns string }{
	{"session", "session", "address=gone"}, {"password", "credential", "address=gone"},
	{"mailbox", "email", "address=gone"},
	{"link reset", "magic_link", "address=gone kind='reset'"}, {"known browser", "known_device", "address=gone"},
	{"used network 4", "account_network", "account=gone day=4"},
	{"key rsk_ab", "api_key", "key_id=1 hash=x'01' address=gone prefix='rsk_ab' revoked_at=NULL"},
	{"key of a revoked key rsk_cd", "api_key", "key_id=3 hash=x'03' address=other prefix='rsk_cd' revoked_at=NULL made_by=2"},
	{"bot left-bot", "bot", "address=other owner=gone"}, {"stored answer k", "idempotency", "account=gone name='k'"},
	{"listing 7", "market_listing", "listing_id=7 seller=gone status='active'"},
	{"offer 8", "buyback_offer", "offer_id=8 seller=gone status='open' offered_at=70000"},
	{"run r1", "run", "id='r1' account=gone started_at=70000 ended_at=NULL"},
	{"duel d1", "duel", "seq=1 code='d1' a=gone a_name='deleted-1' b=NULL status='open'"},
	{"duel d2", "duel", "seq=2 code='d2' a=gone a_name='former' b=NULL status='finished'"},
	{"duel as the opponent d3", "duel", "seq=3 code='d3' a=other b=gone b_name='former' status='active'"},
	{"challenge d5", "duel", "seq=5 code='d5' a=other a_name='left-bot' b=NULL invited=gone status='open'"},
	{"past opponents", "duel_opponent", "account=gone opponent=other"},
	{"sent challenge", "duel_challenger", "account=gone opponent=other"},
	{"received challenge", "duel_challenger", "account=other opponent=gone"},
	{"setting of challenges", "duel_setting", "account=gone"},
	{"words of a bot 1.0", "bot", "address=gone owner=other version='1.0'"},
	{"version of a bot 1.0", "arena_version", "address=gone version='1.0'"},
	{"place in the bots' queue", "arena_bot", "address=gone since=1 duel=NULL"},
	{"quick match", "arena_quick", "address=gone since=1 duel=NULL"},
	{"seat in cup 5", "cup_player", "cup=5 address=gone active=1"},
	{"open cup 6", "cup", "id=6 kind='people' status='open' creator=gone fold=NULL ended_at=NULL"},
	{"team crew", "team", "team_id=6 slug='crew' founder=gone members=1"},
	{"membership in a team", "team_member", "account=gone team_id=6"},
}

// keptRows are rows of the same account that are as they should be.
var keptRows = []struct{ table, columns string }{
	{"api_key", "key_id=2 hash=x'02' address=other revoked_at=1 made_by=NULL"},
	{"market_listing", "listing_id=17 seller=gone status='cancelled'"},
	{"buyback_offer", "offer_id=18 token_id=2 seller=gone status='open' offered_at=1"},
	{"run", "id='r2' account=other started_at=70000 ended_at=NULL"},
	{"duel", "seq=4 code='d4' a=gone a_name='deleted-1' b=other b_name='left-bot' status='active'"},
	{"duel_opponent", "account=other opponent=gone"},
	{"cup_player", "cup=4 address=gone active=0"},
	{"cup", "id=7 kind='people' status='running' creator=gone fold=NULL ended_at=NULL"},
	{"team", "team_id=9 slug='closed' fold='closed' code='closed' founder=gone members=0"},
}

// TestLeftovers plants a row of each kind that can be left of a deleted account: doctor names it, and no row that
// may stay.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	plant := planter(t, filepath.Join(c.Data, databaseFile))
	plant("account", "address=gone username='deleted-1' username_key='deleted1' username_fold='deleted1' deleted_at=2")
	plant("account", "address=other username='left-bot' username_key='leftbot' username_fold='leftbot' deleted_at=NULL")
	for _, row := range keptRows {
		plant(row.table, row.columns)
	}
	left := func() string {
		var out bytes.Buffer
		d, err := c.store().read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		doc := &doctor{db: d, out: &out, now: time.Now}
		if err := doc.leftovers(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := left(); got != "" {
		t.Fatalf("rows that may stay are named:\n%s", got)
	}
	for _, row := range leftRows {
		plant(row.table, row.columns)
		if got := left(); !strings.Contains(got, "  "+row.what+": expected") {
			t.Errorf("%s is not named:\n%s", row.what, got)
		}
	}
	if len(leftRows) <= len(leftoverKinds) {
		t.Errorf("%d rows for %d kinds", len(leftRows), len(leftoverKinds))
	}
	if n, err := Doctor(t.Context(), c.store(), time.Now, new(bytes.Buffer)); n < len(leftRows) || err != nil {
		t.Errorf("doctor counts %d differences, error %v", n, err)
	}
}

// planter returns a function that inserts a row with some columns.
func planter(t *testing.T, path string) func(table, columns string) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	})
	gone, other := chain.Address{19: 0xdd}, chain.Address{19: 0xee}
	values := strings.NewReplacer("=gone", fmt.Sprintf("=x'%x'", gone[:]), "=other", fmt.Sprintf("=x'%x'", other[:]))
	return func(table, columns string) {
		t.Helper()
		set := map[string]string{}
		for column := range strings.FieldsSeq(values.Replace(columns)) {
			name, value, _ := strings.Cut(column, "=")
			set[name] = value
		}
		fill(t, raw, table, set)
		var names, texts []string
		for name, value := range set {
			names, texts = append(names, name), append(texts, value)
		}
		insert := "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(texts, ", ") + ")"
		if _, err := raw.ExecContext(t.Context(), insert); err != nil {
			t.Fatalf("%s: %v", insert, err)
		}
	}
}

// fill adds a value for each column of a table that needs one.
func fill(t *testing.T, raw *sql.DB, table string, set map[string]string) {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), `SELECT name, CASE type WHEN 'INTEGER' THEN '1' WHEN 'BLOB' THEN 'x''01'''
		ELSE '''t''' END FROM pragma_table_info($1) WHERE "notnull" = 1 OR pk = 1`, table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			t.Fatal(err)
		}
		if _, ok := set[name]; !ok {
			set[name] = value
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

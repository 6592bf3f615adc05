package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// tableRow is one line of the table of tables.
type tableRow struct {
	table  string
	owner  string   // the only package that writes it
	reads  []string // further packages that read it
	reason string   // why they do not ask the owner
}

// The packages that own tables. A package that wants to change a row of another calls its owner,
// within the same transaction: the owner's rules then hold for every writer, and its tables can
// change without a search through the repository.
const (
	accounts    = "internal/service/account"
	arena       = "internal/service/arena"
	cups        = "internal/service/cup"
	duels       = "internal/service/duel"
	events      = "internal/platform/event"
	idempotency = "internal/platform/idempotency"
	leases      = "internal/platform/lease"
	ledgers     = "internal/ledger"
	market      = "internal/service/market"
	operators   = "internal/service/operator"
	portfolio   = "internal/service/portfolio"
	runs        = "internal/service/run"
	score       = "internal/service/score"
	teams       = "internal/service/team"
)

// tables says which package owns which table of the database, and which others may read it: all
// through joins that answer one page with one query, where a call for each row would cost a round
// trip each. A table that is not here fails the test: give it a row, and think about which one. A
// reader that a call could replace should go.
var tables = []tableRow{
	{"meta", ledgers, nil, ""},
	{"account", accounts, []string{arena, cups, duels, market, runs, score, teams}, "pages show the names of accounts"},
	{"session", accounts, nil, ""},
	{"credential", accounts, nil, ""},
	{"email", accounts, nil, ""},
	{"magic_link", accounts, nil, ""},
	{"mail_notice", accounts, nil, ""},
	{"api_key", accounts, nil, ""},
	{"held_name", accounts, nil, ""},
	{"account_rename", accounts, nil, ""},
	{"known_device", accounts, nil, ""},
	{"account_network", accounts, []string{score}, "points are charged to the networks of all accounts of a step"},
	{"operator_log", operators, nil, ""},
	{"operator_void", operators, nil, ""},
	{"bot", accounts, []string{arena, score},
		"bots of one owner are not paired, and their boards name the owner and the version, unless it is hidden"},

	{"ledger_account", ledgers, []string{accounts, portfolio, score},
		"idle guests are those without a transaction, doctor compares the books with the balances, and boards leave out " +
			"accounts with a bound start that have not been secured"},
	{"ledger_token", ledgers, []string{market, portfolio},
		"a listing copies the tier of its token as it locks it, and doctor compares locks and books with the tokens"},
	{"ledger_game", ledgers, nil, ""},
	{"chain_pending", ledgers, nil, ""},
	{"chain_pending_address", ledgers, nil, ""},
	{"chain_head", ledgers, nil, ""},
	{"chain_block", ledgers, nil, ""},
	{"chain_chunk", ledgers, nil, ""},
	{"chain_index", ledgers, nil, ""},
	{"chain_address", ledgers, nil, ""},
	{"chain_token", ledgers, nil, ""},
	{"chain_period", ledgers, nil, ""},
	{"log_hash", ledgers, nil, ""},
	{"chain_recovery", ledgers, nil, ""},
	{"log_cosignature", ledgers, nil, ""},
	// Published for ever: verifiers and mirrors read it below /log/kept/.
	{"log_kept", ledgers, nil, ""},

	{"run", runs, nil, ""},
	{"run_key", runs, nil, ""},
	{"run_commitment", runs, nil, ""},

	{"duel", duels, []string{accounts}, "idle guests are those without a duel"},
	{"duel_pair", duels, nil, ""},
	{"duel_opponent", duels, nil, ""},
	// What a challenge is decided by; the event of one has the name duel_challenge.
	{"duel_challenger", duels, nil, ""},
	{"duel_setting", duels, nil, ""},

	{"arena_rating", arena, nil, ""},
	{"arena_board", arena, nil, ""},
	{"arena_block", arena, nil, ""},
	{"arena_pending", arena, nil, ""},
	{"arena_change", arena, nil, ""},
	{"arena_version", arena, nil, ""},
	{"arena_opponent", arena, nil, ""},
	{"arena_bot", arena, nil, ""},
	{"arena_quick", arena, nil, ""},
	{"arena_house", arena, nil, ""},

	{"cup", cups, nil, ""},
	{"cup_player", cups, []string{accounts}, "idle guests are those in no cup"},
	{"cup_game", cups, []string{duels}, "a file of a cup has its duels, some at a time"},
	{"cup_removed", cups, nil, ""},

	{"market_listing", market, nil, ""},
	{"market_sale", market, nil, ""},
	{"market_tier", market, nil, ""},
	{"market_day", market, nil, ""},
	{"buyback_offer", market, nil, ""},

	{"score_fact", score, nil, ""},
	{"score_network", score, nil, ""},
	{"score_player", score, nil, ""},
	{"score_entry", score, nil, ""},
	{"score_board", score, nil, ""},
	{"score_block", score, nil, ""},
	{"score_change", score, nil, ""},
	{"score_season", score, nil, ""},
	{"score_feed", score, nil, ""},
	{"score_first", score, nil, ""},
	{"score_inbox", score, nil, ""},
	{"score_refused", score, nil, ""},
	{"score_step", score, nil, ""},

	{"team", teams, []string{score}, "the board of teams shows their names"},
	{"team_member", teams, []string{accounts, score},
		"idle guests are those without a team, and a report copies the team of its account in the statement that stores it"},

	{"portfolio_coin", portfolio, nil, ""},
	{"portfolio_tier", portfolio, nil, ""},
	{"portfolio_lot", portfolio, nil, ""},

	{"event", events, nil, ""},
	{"event_inbox", events, nil, ""},
	{"event_head", events, nil, ""},
	{"idempotency", idempotency, nil, ""},
	{"lease", leases, nil, ""},
}

// tableFreely are the files that may use any table, with the reason.
var tableFreely = map[string]string{
	"internal/service/operator/queries.sql": "operators look at accounts, flows and clusters across all services",
	"internal/service/personal/sections.go": "an export holds what every service keeps about an account; it only reads",
	"internal/app/leftovers.go":             "doctor looks for rows of ended accounts in every service; it only reads",
	"internal/app/move/move.go":             "a move copies all tables as they are, and knows which a new database fills",
	"internal/service/market/fill.go":       "fills an empty database for measurements, with tokens that are not on the chain",
}

// tableFile is where problems with the rows themselves are.
const tableFile = "internal/archtest/tables.go"

var (
	// tableMade and tableGone match the statements of migrations.
	tableMade = regexp.MustCompile(`(?mi)^CREATE TABLE (\w+)`)
	tableGone = regexp.MustCompile(`(?mi)^DROP TABLE (\w+)`)
	// tableUsed matches a table in a statement; group 1 is present when the statement changes it.
	tableUsed = regexp.MustCompile(`(?i)\b(?:(DELETE\s+FROM|INSERT\s+INTO|UPDATE)|FROM|JOIN)\s+([a-z_]+)\b`)
)

// tableUse is a place in a package's code that reads or changes a table.
type tableUse struct {
	Problem

	table   string
	changes bool
}

// Tables checks that each table of the migrations has an owner, and that no other package's
// queries.sql and SQL texts in Go change it, or read it without a reason.
func Tables(t *Tree) []Problem { return checkTables(t, tables) }

// checkTables is Tables with another table of tables. A package below the owner's folder is a part
// of the owner.
func checkTables(t *Tree, owners []tableRow) []Problem {
	made := tablesMade(t)
	known := map[string]*tableRow{}
	for i := range owners {
		known[owners[i].table] = &owners[i]
	}
	// In the order of names and then of files, so that problems come in the same order in every run.
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if known[name] == nil {
			p := made[name]
			p.What = "table " + name + " has no owner in " + tableFile
			problems = append(problems, p)
		}
	}
	read := map[[2]string]bool{}
	for f := range accessFiles(t) {
		for _, use := range f.tableUses(known) {
			row, pkg := known[use.table], f.Package()
			for pkg != row.owner && strings.HasPrefix(pkg, row.owner+"/") { // its parts
				pkg = path.Dir(pkg)
			}
			read[[2]string{use.table, pkg}] = true
			if pkg == row.owner || !use.changes && slices.Contains(row.reads, pkg) {
				continue
			}
			use.What = pkg + " reads table " + use.table + " of " + row.owner
			if use.changes {
				use.What = pkg + " changes table " + use.table + " of " + row.owner
			}
			problems = append(problems, use.Problem)
		}
	}
	return append(problems, staleRows(owners, made, read)...)
}

// staleRows finds rows and readers that the code no longer has, and readers without a reason: the
// list of readers may only shrink by itself. A tree without migrations, as in samples, has no stale
// rows.
func staleRows(owners []tableRow, made map[string]Problem, read map[[2]string]bool) []Problem {
	var problems []Problem
	for _, row := range owners {
		if _, ok := made[row.table]; !ok && len(made) > 0 {
			problems = append(problems, Problem{Path: tableFile, What: "there is no table " + row.table})
		}
		if (len(row.reads) > 0) != (row.reason != "") {
			problems = append(problems, Problem{Path: tableFile, What: "table " + row.table + ": readers need a reason"})
		}
		for _, pkg := range row.reads {
			if !read[[2]string{row.table, pkg}] && len(made) > 0 {
				problems = append(problems, Problem{Path: tableFile, What: pkg + " no longer reads table " + row.table})
			}
		}
	}
	return problems
}

// tablesMade returns the tables of the migrations, with the place of each. Those for PostgreSQL
// suffice: another rule compares the engines.
func tablesMade(t *Tree) map[string]Problem {
	made := map[string]Problem{}
	for _, f := range t.Files {
		if !strings.HasPrefix(f.Path, "internal/store/migrations/postgres/") {
			continue
		}
		for _, m := range tableMade.FindAllStringSubmatchIndex(f.Text, -1) {
			made[f.Text[m[2]:m[3]]] = Problem{Path: f.Path, Line: f.lineOf(m[0])}
		}
		for _, m := range tableGone.FindAllStringSubmatch(f.Text, -1) {
			delete(made, m[1])
		}
	}
	return made
}

// accessFiles iterates over the files with statements on the service's tables. The store knows no
// table. Tests, and packages that serve tests alone, look at all of them. What the generator made of
// a queries.sql would only repeat its problems.
func accessFiles(t *Tree) func(yield func(*File) bool) {
	return func(yield func(*File) bool) {
		for _, f := range t.Files {
			inside := strings.HasPrefix(f.Path, "internal/") && !strings.HasPrefix(f.Path, "internal/store/") &&
				!strings.HasPrefix(f.Path, "internal/archtest/") && !strings.HasSuffix(f.Package(), "test")
			code := f.Syntax != nil && !f.Test() && !f.Generated() || path.Base(f.Path) == "queries.sql"
			if inside && code && tableFreely[f.Path] == "" && !yield(f) {
				return
			}
		}
	}
}

// tableUses returns the uses of known tables in a file: in its statements, and in Go as a text that
// is the name of a table. Such a text is for a bulk statement or for package rank, which change the
// table. A name without an underscore could be any word, so it counts in statements alone.
func (f *File) tableUses(known map[string]*tableRow) (uses []tableUse) {
	if f.Syntax == nil {
		text := sqlComment.ReplaceAllStringFunc(f.Text, func(c string) string { return strings.Repeat(" ", len(c)) })
		return usesIn(text, known, func(offset int) Problem { return Problem{Path: f.Path, Line: f.lineOf(offset)} })
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		value, ok := text(lit)
		at := Problem{Path: f.Path, Line: f.Line(lit.Pos())}
		switch {
		case !ok:
		case known[value] != nil && strings.Contains(value, "_"):
			uses = append(uses, tableUse{at, value, true})
		default:
			uses = append(uses, usesIn(value, known, func(int) Problem { return at })...)
		}
		return true
	})
	return uses
}

// usesIn returns the uses of known tables in SQL text. Words behind FROM, JOIN and the like that are
// no table, such as a subselect's alias, are skipped.
func usesIn(text string, known map[string]*tableRow, at func(offset int) Problem) (uses []tableUse) {
	for _, m := range tableUsed.FindAllStringSubmatchIndex(text, -1) {
		if name := text[m[4]:m[5]]; known[name] != nil {
			uses = append(uses, tableUse{at(m[4]), name, m[2] >= 0})
		}
	}
	return uses
}

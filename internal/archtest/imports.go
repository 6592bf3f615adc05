package archtest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// row is one line of the import table.
type row struct {
	pkg   string   // folder of the package; * stands for one element
	may   []string // the module's packages that its code may import
	tests []string // and those that its tests may import besides
}

// ring lists the pure packages with which an auditor checks the service alone. Every package may
// import them; they import nothing else of this module.
var ring = []string{
	"canon", "game", "fair", "chain", "chain/export", "chain/replay", "chain/tables", "chain/games", "verify", "vectors",
}

// table lists which packages each package may import. Arrows point from the command inward to the
// rules: cmd → app → server (edge → api → stream) → services → ledger and platform → store → ring.
//
// No service imports another: where one must call another, it declares a small interface and app
// supplies the implementation. Package contract knows nothing of games, and only api uses it.
//
// A package without a row fails the test. A new row says where the package belongs: an import that
// points outward, or from one service to another, is a design question and not a missing entry.
// One row for each package, from the rules outward.
var table = []row{
	// An auditor checks these alone. Proofs need games, chain and both formats; no package needs verify.
	{pkg: "canon"},
	{pkg: "game"},
	{pkg: "fair", may: []string{"game"}, tests: []string{"vectors"}},
	{pkg: "chain", may: []string{"canon", "game", "fair"}, tests: []string{"vectors"}},
	{pkg: "chain/export", may: []string{"canon", "chain"}},
	{pkg: "chain/replay", may: []string{"canon", "game", "fair", "chain", "chain/tables"}, tests: []string{"vectors"}},
	// The tables of cups and seasons, which the services write and verifiers compute again.
	{pkg: "chain/tables", may: []string{"canon", "chain"}, tests: []string{"chain/games/gamestest"}},
	{
		pkg:   "chain/games",
		may:   []string{"canon", "game", "fair", "chain", "chain/replay", "chain/tables"},
		tests: []string{"chain/games/gamestest"},
	},
	// Plays games for tests and benchmarks.
	{pkg: "chain/games/gamestest", may: []string{"game", "fair", "chain", "chain/tables"}},
	{
		pkg:   "verify",
		may:   []string{"canon", "game", "fair", "chain", "chain/export", "chain/replay", "chain/games"},
		tests: []string{"vectors", "chain/games/gamestest", "chain/tables"},
	},
	{pkg: "vectors"},
	{pkg: "vectors/gen", may: []string{"canon", "game", "fair", "chain", "chain/games", "chain/games/gamestest",
		"chain/tables", "verify"}}, // makes them
	// Files that the binary embeds, and the commands that make them.
	{pkg: "api"},
	// The documents, for the service, which serves them, and for agents, which read them.
	{pkg: "docs"},
	{pkg: "docs/gen"}, // makes the tables of errors
	{pkg: "web", may: []string{"docs", "verify"}}, // which hold what it serves beside the page
	{pkg: "web/pack"}, // the command that packs the built page

	{pkg: "internal/platform/fairshare"},
	{pkg: "internal/platform/testseed"}, // every test may import it
	// Knows neither games nor the store, so that another service can use it.
	{pkg: "contract"},
	// The store knows no table: columns, queries and rows belong to the packages that own them.
	{pkg: "internal/store/column", may: []string{"chain"}},
	// A bounded map of remembered rows, which need not be read again.
	{pkg: "internal/store/recent"},
	{pkg: "internal/store/query/*"},
	// The contract imports no engine: the composition and the tests name the one that they open.
	{pkg: "internal/store", tests: []string{"internal/store/storetest"}},
	{pkg: "internal/store/engine", may: []string{"internal/store"}},
	{pkg: "internal/store/migrations", may: []string{"internal/store"}},
	{pkg: "internal/store/filelock"},
	{
		pkg:   "internal/store/sqlite",
		may:   []string{"internal/store", "internal/store/engine", "internal/store/filelock", "internal/store/migrations"},
		tests: []string{"internal/store/storetest"},
	},
	{
		pkg:   "internal/store/postgres",
		may:   []string{"internal/store", "internal/store/engine", "internal/store/migrations"},
		tests: []string{"internal/store/storetest", "internal/store/pgtest"},
	},
	// For tests: storetest opens a database in moments, pgtest runs whole clusters, which a test may kill.
	{
		pkg: "internal/store/storetest",
		may: []string{
			"internal/store", "internal/store/migrations", "internal/store/postgres", "internal/store/sqlite",
		},
	},
	{pkg: "internal/store/pgtest"},
	// Audit reads the tables by layout and without the ledger, so that it does not repeat a fault of it.
	{pkg: "internal/ledger/tile"},
	{pkg: "internal/ledger/layout", may: with(ring, "internal/store", "internal/store/query/ledgerq")},
	{
		pkg: "internal/ledger",
		may: with(ring,
			"internal/ledger/layout", "internal/ledger/tile", "internal/store", "internal/store/recent",
			"internal/store/query/ledgerq", "internal/platform/durable",
		),
		tests: []string{"internal/store/storetest", "internal/ledger/audit", "internal/ledger/ledgertest"},
	},
	{
		pkg:   "internal/ledger/audit",
		may:   with(ring, "internal/ledger/layout", "internal/store", "internal/store/query/ledgerq"),
		tests: []string{"internal/ledger", "internal/store/storetest", "internal/ledger/ledgertest"},
	},
	// A real ledger for the tests of the services, with games that its players play.
	{
		pkg: "internal/ledger/ledgertest",
		may: with(ring,
			"chain/games/gamestest", "internal/store", "internal/store/storetest", "internal/ledger",
			"internal/ledger/audit",
		),
	},
	// Services. Each has its queries, and the ledger if it moves coins or tokens.
	{
		pkg: "internal/service/account",
		may: with(ring,
			"internal/store/column", "internal/store/recent", "internal/store", "internal/platform/names",
			"internal/platform/fairshare", "internal/platform/vault",
			"internal/ledger", "internal/store/query/accountq",
		),
		tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"},
	},
	{
		pkg: "internal/service/run",
		may: with(ring,
			"internal/store/column", "internal/store/recent", "internal/store", "internal/ledger",
			"internal/store/query/runq",
		),
		tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"},
	},
	{
		pkg: "internal/service/duel",
		may: with(ring,
			"internal/store/column", "internal/store", "internal/ledger", "internal/platform/event",
			"internal/platform/fairshare", "internal/store/query/duelq",
		),
		tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"},
	},
	// What waits: it knows topics and duels, and no caller.
	{pkg: "internal/server/stream", may: with(ring, "contract", "internal/store", "internal/platform/event",
		"internal/service/duel")},
	// From the listener to the operation.
	{pkg: "internal/server/edge", may: with(ring, "contract", "internal/store", "internal/ledger",
		"internal/platform/limit", "internal/server/api", "internal/server/embed", "internal/server/preview")},
	// An operation may need any service; no service knows that it is called over HTTP.
	{
		pkg: "internal/server/api",
		may: with(ring,
			"contract", "internal/store", "internal/ledger", "internal/ledger/audit", "internal/service/account",
			"internal/service/run", "internal/service/duel", "internal/service/arena", "internal/service/arena/glicko",
			"internal/service/cup", "internal/service/market", "internal/service/operator", "internal/service/personal",
			"internal/service/portfolio", "internal/server/embed", "internal/server/preview", "internal/server/stream",
			"internal/server/tokenart",
			"internal/service/score", "internal/service/team", "internal/platform/limit",
			"internal/platform/idempotency", "internal/platform/event", "internal/platform/names", "internal/platform/presence",
			"internal/platform/fairshare",
		),
		tests: []string{
			"api", "internal/store/storetest", "internal/ledger/ledgertest", "internal/platform/mail", "internal/app",
			"internal/server/edge",
		},
	},
	// The composition imports what it connects.
	{
		pkg: "internal/app",
		may: with(ring,
			"web", "internal/store", "internal/store/filelock", "internal/store/postgres", "internal/store/sqlite",
			"internal/ledger", "internal/ledger/audit", "internal/service/account",
			"internal/service/run", "internal/service/duel", "internal/service/arena", "internal/service/cup",
			"internal/service/market", "internal/service/operator", "internal/service/portfolio",
			"internal/service/score", "internal/service/team", "internal/platform/limit",
			"internal/platform/idempotency", "internal/platform/event", "internal/platform/presence",
			"internal/platform/fairshare",
			"internal/platform/lease", "internal/platform/mail", "internal/platform/vault", "internal/ledger/witness",
			"internal/platform/archive", "internal/platform/durable",
			"internal/platform/metrics", "internal/platform/names", "internal/platform/trace", "internal/server/adminpage",
			"internal/server/api", "internal/server/docpage", "internal/server/edge",
			"internal/server/stream", "internal/app/housebot", "internal/app/move", "client/agent",
		),
		tests: []string{"client", "client/api", "internal/store/pgtest"},
	},
	// Boards and ratings hand it the names of their tables.
	{pkg: "internal/service/rank", may: []string{"internal/store"}, tests: []string{"internal/store/storetest"}},
	{pkg: "internal/service/arena/glicko"},
	{
		pkg: "internal/service/arena",
		may: with(ring,
			"internal/store/column", "internal/store", "internal/platform/event", "internal/platform/fairshare",
			"internal/service/arena/glicko", "internal/service/rank", "internal/store/query/arenaq",
		),
		tests: []string{"internal/store/storetest", "chain/games/gamestest"},
	},
	{
		pkg: "internal/service/cup",
		may: with(ring,
			"internal/store/column", "internal/store", "internal/ledger", "internal/platform/event",
			"internal/platform/fairshare", "internal/platform/names", "internal/store/query/cupq",
		),
		tests: []string{"internal/store/storetest", "internal/ledger/ledgertest", "chain/games/gamestest"},
	},
	{pkg: "internal/server/tokenart"},
	// The operators' page knows calls by what app connects.
	{pkg: "internal/server/adminpage", may: []string{"chain", "internal/platform/names", "web"}},
	// It knows polygons and texts, and nothing of where they come from.
	{pkg: "internal/server/preview", may: []string{"internal/server/tokenart"}},
	// Shows the documents as HTML.
	{pkg: "internal/server/docpage", may: []string{"docs", "web"}},
	// It knows names and results, and nothing of where they come from.
	{pkg: "internal/server/embed"},
	// Compares a served page with a build.
	{pkg: "internal/server/pagecheck", may: []string{"web"}, tests: []string{"docs", "verify"}},
	{
		pkg:   "internal/service/portfolio",
		may:   with(ring, "internal/store", "internal/ledger", "internal/store/query/portfolioq"),
		tests: []string{"internal/store/storetest", "internal/service/market", "internal/ledger/ledgertest"},
	},
	{
		pkg:   "internal/service/market",
		may:   with(ring, "internal/store/column", "internal/store", "internal/ledger", "internal/store/query/marketq"),
		tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"},
	},
	{
		pkg:   "internal/platform/event",
		may:   with(ring, "internal/store", "internal/store/query/eventq"),
		tests: []string{"internal/store/storetest", "internal/store/pgtest"},
	},
	{
		pkg: "internal/service/score",
		may: with(ring,
			"internal/store/column", "internal/store", "internal/ledger", "internal/service/rank",
			"internal/platform/fairshare", "internal/store/query/scoreq",
		),
		tests: []string{"internal/store/storetest", "internal/ledger/ledgertest", "internal/service/team"},
	},
	{
		pkg:   "internal/service/team",
		may:   with(ring, "internal/store/column", "internal/store", "internal/platform/names", "internal/store/query/teamq"),
		tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"},
	},
	{
		pkg:   "internal/service/operator",
		may:   with(ring, "internal/store", "internal/store/query/operatorq"),
		tests: []string{"internal/store/storetest"},
	},
	{pkg: "internal/service/personal", may: with(ring, "internal/store"), tests: []string{"internal/store/storetest"}},
	// Depends on an interface alone, so that it works with any log.
	{
		pkg:   "internal/ledger/witness",
		may:   []string{"internal/platform/durable"},
		tests: []string{"verify"},
	},
	{
		pkg:   "internal/platform/lease",
		may:   []string{"internal/store", "internal/store/query/leaseq"},
		tests: []string{"internal/store/storetest", "internal/store/pgtest"},
	},
	// Services of any kind need these; those with a table use the store, the others nothing.
	{pkg: "internal/platform/limit"},
	{pkg: "internal/platform/vault"},
	{pkg: "internal/platform/names"},
	{pkg: "internal/platform/release"},
	{pkg: "internal/platform/archive", may: []string{"internal/platform/durable"}},
	{pkg: "internal/platform/durable"},
	{pkg: "internal/platform/mail"},
	{pkg: "internal/platform/presence"},
	{pkg: "internal/platform/trace"},
	// Independent of what it counts.
	{pkg: "internal/platform/metrics"},
	{
		pkg:   "internal/platform/idempotency",
		may:   with(ring, "internal/store", "internal/platform/vault", "internal/store/query/idempotencyq"),
		tests: []string{"internal/store/storetest"},
	},
	// Callers of the service, as any other program is one: without a package below internal.
	{
		pkg:   "client",
		may:   []string{"chain", "client/api", "client/program", "client/strategy", "game", "verify"},
		tests: []string{"internal/app", "internal/platform/limit"},
	},
	{pkg: "client/api"},
	{pkg: "client/examples", may: []string{"client", "client/api", "verify"}}, // programs of one file each
	{pkg: "client/strategy", may: []string{"game"}},
	{pkg: "client/program", may: []string{"game", "client/strategy"}},
	{pkg: "client/lab", may: []string{"game", "client/program", "client/strategy"}},
	// A server on the machine of an AI agent, and in part within the service: of this it knows the API alone, as every
	// client does.
	{
		pkg:   "client/agent",
		may:   []string{"client", "client/api", "client/lab", "client/strategy", "docs", "game", "verify"},
		tests: []string{"internal/app"},
	},
	// The clients in other languages: the generator of their operations, and one table for all clients.
	{pkg: "sdk/gen"},
	{
		pkg:   "sdk/conformance",
		tests: []string{"chain", "client", "client/api", "client/strategy", "game", "vectors", "verify"},
	},
	// Made-up history, by the use cases.
	{
		pkg: "internal/app/demo",
		may: []string{
			"chain", "chain/tables", "client/strategy", "game", "internal/app", "internal/store", "internal/service/account",
			"internal/service/cup", "internal/service/duel", "internal/service/market", "internal/service/run",
		},
	},
	// Knows tables by the schema alone, but for the row with its progress.
	{
		pkg: "internal/app/move",
		may: []string{"internal/store", "internal/store/query/ledgerq", "internal/ledger/layout"},
		tests: []string{
			"internal/store/storetest", "internal/store/pgtest", "internal/store/postgres", "internal/store/sqlite",
		},
	},
	// A caller like any other, although it runs within the service.
	{pkg: "internal/app/housebot", may: []string{"client", "client/strategy"}},
	{pkg: "starter/go"},      // a module of its own, to be copied
	{pkg: "starter/program"}, // one file, to be copied
	{pkg: "starter/sdk", may: []string{"client", "client/api", "client/strategy", "game"}},
	// From outside: it knows the service by its API alone, but for what it puts into a
	// database before a server runs on it.
	// A module of its own.
	{
		pkg: "bench",
		may: []string{
			"bench/attack", "bench/longchain", "bench/probe", "chain", "internal/store", "internal/store/postgres",
			"internal/store/sqlite", "internal/ledger",
			"internal/service/market", "internal/service/score",
		},
	},
	{
		pkg: "bench/attack",
		may: []string{"bench/probe", "internal/app", "internal/platform/limit", "internal/server/edge",
			"internal/service/account"},
	},
	{pkg: "bench/probe"},
	{pkg: "bench/nakama"}, // compiled within Nakama's source tree
	{
		pkg:   "bench/longchain",
		may:   []string{"chain", "chain/games/gamestest", "fair", "internal/ledger"},
		tests: []string{"internal/store", "internal/ledger/ledgertest"},
	},
	// From outside, like the bench.
	{
		pkg:   "internal/ledger/publiclog",
		may:   with(ring, "internal/ledger/tile", "internal/platform/durable"),
		tests: []string{"internal/store", "internal/ledger/ledgertest"},
	},
	// From outside, by HTTP, with a model of its own.
	{
		pkg:   "internal/sim",
		tests: []string{"fair", "internal/app", "internal/store", "internal/store/storetest", "internal/store/pgtest"},
	},
	// Commands start the service (app) or call one (client); the log of any service is verified by publiclog.
	{
		pkg: "cmd/roshambo",
		may: with(ring,
			"internal/ledger/publiclog", "client", "client/agent", "client/api", "client/lab", "client/program",
			"client/strategy",
			"internal/app", "internal/app/demo", "internal/platform/release", "internal/platform/durable",
			"internal/server/pagecheck", "packaging",
		),
		tests: []string{"internal/store/pgtest", "internal/platform/limit", "internal/service/cup", "packaging/buildtest"},
	},
	{pkg: "internal/archtest"},
	{pkg: "packaging"},
	// Builds programs for the tests of upgrades.
	{pkg: "packaging/buildtest"},
	// The command that builds and signs.
	{
		pkg:   "packaging/release",
		may:   []string{"internal/platform/release", "internal/server/api", "internal/server/pagecheck", "packaging"},
		tests: []string{"packaging/buildtest"},
	},
	{pkg: "tools/acme", tests: []string{"internal/app"}},               // a module of its own
	{pkg: "tools/alerts"},                                              // likewise
	{pkg: "tools/apidiff"},                                             // likewise
	{pkg: "tools/mutate"},                                              // likewise
	{pkg: "tools/witness", tests: []string{"internal/ledger/witness"}}, // likewise
}

// homes says which packages' code may import which module of others, so that
// each stays replaceable and the ring stays the standard library alone. Tests
// are free.
var homes = map[string][]string{
	"github.com/BurntSushi/toml":          {"cmd/roshambo"},
	"github.com/alecthomas/kong":          {"bench", "cmd/roshambo"},
	"github.com/andybalholm/brotli":       {"internal/server/pagecheck", "web/pack"},
	"github.com/google/go-cmp":            {"internal/store/storetest"},
	"github.com/google/jsonschema-go":     {"client/agent"},
	"github.com/google/uuid":              {"internal/service/run"},
	"github.com/heroiclabs/nakama-common": {"bench/nakama"},
	"github.com/jackc/pgx/v5": {"internal/store/postgres", "internal/store/storetest",
		"internal/store/pgtest"},
	"github.com/modelcontextprotocol/go-sdk": {"client/agent"},
	"github.com/oapi-codegen/runtime":        {"client/api"},
	"github.com/pressly/goose/v3":            {"internal/store/migrations"},
	"filippo.io/age":                         {"internal/platform/archive"},
	"github.com/minio/minio-go/v7":           {"internal/platform/archive"},
	"github.com/prometheus/client_golang":    {"internal/platform/metrics"},
	"github.com/redis/go-redis/v9":           {"internal/platform/limit"},
	"github.com/throttled/throttled/v2":      {"internal/platform/limit"},
	"github.com/wneessen/go-mail":            {"internal/platform/mail"},
	"go.opentelemetry.io/otel":               {"internal/platform/trace"},
	"go.yaml.in/yaml/v3":                     {"docs/gen", "sdk/gen"},
	"golang.org/x/crypto":                    {"internal/app", "internal/service/account"},
	"github.com/transparency-dev/formats":    {"internal/app", "internal/ledger/audit", "internal/ledger/ledgertest"},
	"golang.org/x/image":                     {"internal/server/preview"},
	"github.com/yuin/goldmark":               {"internal/server/docpage"},
	"golang.org/x/text":                      {"internal/platform/names", "internal/service/team"},
	"golang.org/x/mod": {
		"internal/ledger", "internal/ledger/publiclog", "internal/ledger/layout", "internal/ledger/audit",
		"internal/ledger/tile", "internal/ledger/ledgertest", "internal/app", "internal/ledger/witness",
		"internal/platform/release",
		"bench", "cmd/roshambo", "packaging/release",
	},
	"golang.org/x/sys":   {"internal/app", "internal/store", "internal/store/filelock", "internal/store/postgres"},
	"gonum.org/v1/gonum": {"internal/service/portfolio"},
	"modernc.org/libc":   {"internal/store/sqlite"},
	"modernc.org/sqlite": {"internal/store/sqlite", "internal/store/storetest"},
	"pgregory.net/rapid": {"internal/store/storetest", "internal/platform/testseed"},
}

// with returns a new list with the packages of both, so that rows can share a list.
func with(packages []string, more ...string) []string {
	return append(slices.Clone(packages), more...)
}

// Imports checks every import against the table and the homes, and that each entry is used: a
// permission that no import needs any more would let the import come back without a thought.
func Imports(t *Tree) []Problem {
	var problems []Problem
	missing, used := map[string]bool{}, map[permit]bool{}
	for f := range t.goFiles {
		row, ok := findRow(f.Package())
		if !ok {
			if !missing[f.Package()] {
				what := "package " + f.Package() + " has no row in the import table"
				problems = append(problems, Problem{Path: f.Path, What: what})
			}
			missing[f.Package()] = true
			continue
		}
		problems = append(problems, imports(f, row, used)...)
	}
	if t.file("go.mod") == nil {
		return problems // a sample, which has few of the packages
	}
	return append(problems, stalePermits(table, homes, used)...)
}

// permit is a permission of the import table: pkg's code, or its tests, may import what.
type permit struct {
	pkg, what string
	test      bool
}

// stalePermits finds the entries of the table and of the homes that no import uses. All packages may
// import the ring, whether they do or not.
func stalePermits(table []row, homes map[string][]string, used map[permit]bool) []Problem {
	var problems []Problem
	check := func(p permit, kind string) {
		if !used[p] && !slices.Contains(ring, p.what) {
			problems = append(problems, Problem{Path: "internal/archtest/imports.go", What: p.pkg + kind + p.what})
		}
	}
	for _, r := range table {
		for _, what := range r.may {
			check(permit{r.pkg, what, false}, " no longer imports ")
		}
		for _, what := range r.tests {
			check(permit{r.pkg, what, true}, ": its tests no longer import ")
		}
	}
	for _, module := range slices.Sorted(maps.Keys(homes)) {
		for _, pkg := range homes[module] {
			check(permit{pkg, module, false}, " no longer imports ")
		}
	}
	return problems
}

// findRow returns the first row whose pattern matches a package. More specific rows therefore
// stand before those with an asterisk.
func findRow(pkg string) (row, bool) {
	for _, r := range table {
		if ok, err := path.Match(r.pkg, pkg); ok && err == nil {
			return r, true
		}
	}
	return row{}, false
}

// imports checks the imports of one file against the row of its package, and notes those in used.
func imports(f *File, r row, used map[permit]bool) []Problem {
	var problems []Problem
	for _, spec := range f.Syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has refused it
		}
		used[permit{r.pkg, strings.TrimPrefix(name, Module+"/"), f.Test()}] = true
		for module := range homes {
			if within(name, module) {
				used[permit{f.Package(), module, f.Test()}] = true
			}
		}
		if what := refused(f, r, name); what != "" {
			problems = append(problems, Problem{f.Path, f.Line(spec.Pos()), what})
		}
	}
	return problems
}

// refused says why a file may not import a package; empty when it may.
func refused(f *File, r row, name string) string {
	if inner, ours := strings.CutPrefix(name, Module+"/"); ours {
		may := r.may
		if f.Test() {
			may = with(may, append(r.tests, f.Package(), "internal/platform/testseed")...)
		}
		if !slices.Contains(may, inner) {
			return fmt.Sprintf("%s may not import %s", f.Package(), name)
		}
		return ""
	}
	if standard(name) || f.Test() {
		return ""
	}
	for module, at := range homes {
		if within(name, module) {
			if !slices.Contains(at, f.Package()) {
				return fmt.Sprintf("%s may not import %s: its home is %s", f.Package(), name, strings.Join(at, ", "))
			}
			return ""
		}
	}
	return "no package is named as the home of " + name
}

// standard says whether an import path is the standard library's: the first
// element of every other has a dot.
func standard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}

// within says whether a package belongs to a module.
func within(pkg, module string) bool {
	return pkg == module || strings.HasPrefix(pkg, module+"/")
}

package archtest

import (
	"fmt"
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
var ring = []string{"canon", "game", "fair", "chain", "chain/export", "chain/replay", "chain/games", "verify", "vectors"}

// table lists which packages each package may import. Arrows point from the command inward to the
// rules: cmd → app → httpapi → services → ledger and platform → store → ring.
//
// No service imports another: where one must call another, it declares a small interface and app
// supplies the implementation. Package contract knows nothing of games, and only httpapi uses it.
//
// A package without a row fails the test. A new row says where the package belongs: an import that
// points outward, or from one service to another, is a design question and not a missing entry.
// One row for each package, in the order of the folders.
var table = []row{
	{pkg: "canon"},
	{pkg: "game"},
	{pkg: "fair", may: []string{"game"}, tests: []string{"vectors"}},
	{pkg: "chain", may: []string{"canon", "game", "fair"}, tests: []string{"vectors"}},
	{pkg: "chain/export", may: []string{"canon", "chain"}},
	{pkg: "chain/replay", may: []string{"canon", "game", "fair", "chain"}, tests: []string{"vectors"}},
	{pkg: "chain/games", may: []string{"canon", "game", "fair", "chain", "chain/replay"}, tests: []string{"chain/games/gamestest"}},
	{pkg: "chain/games/gamestest", may: []string{"game", "fair", "chain"}}, // plays games for tests and benchmarks
	{pkg: "verify", may: []string{"canon", "game", "fair", "chain", "chain/export", "chain/replay", "chain/games"}, tests: []string{"vectors", "chain/games/gamestest"}},
	{pkg: "vectors"},
	{pkg: "vectors/gen", may: []string{"canon", "game", "fair", "chain", "chain/games", "verify"}}, // the command that makes them
	{pkg: "api"},
	{pkg: "web"},
	{pkg: "web/pack"}, // the command that packs the built page

	{pkg: "internal/platform/testseed"}, // every test may import it
	{pkg: "contract"},
	{pkg: "internal/store/column", may: []string{"chain"}},
	{pkg: "internal/store/query/*"},
	{pkg: "internal/store", tests: []string{"internal/store/storetest", "internal/store/pgtest"}},
	{pkg: "internal/store/storetest", may: []string{"internal/store", "internal/platform/testseed"}},
	{pkg: "internal/store/pgtest"},
	{pkg: "internal/ledger/layout", may: with(ring, "internal/store", "internal/store/query/ledgerq")},
	{pkg: "internal/ledger", may: with(ring, "internal/ledger/layout", "internal/store", "internal/store/query/ledgerq"), tests: []string{"internal/store/storetest", "internal/ledger/audit", "internal/ledger/ledgertest"}},
	{pkg: "internal/ledger/audit", may: with(ring, "internal/ledger/layout", "internal/store", "internal/store/query/ledgerq"), tests: []string{"internal/ledger", "internal/store/storetest", "internal/ledger/ledgertest"}},
	{pkg: "internal/ledger/ledgertest", may: with(ring, "chain/games/gamestest", "internal/store", "internal/store/storetest", "internal/ledger", "internal/ledger/audit")},
	{pkg: "internal/service/account", may: with(ring, "internal/store/column", "internal/store", "internal/platform/vault", "internal/ledger", "internal/store/query/accountq"), tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"}},
	{pkg: "internal/service/run", may: with(ring, "internal/store/column", "internal/store", "internal/ledger", "internal/store/query/runq"), tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"}},
	{pkg: "internal/service/duel", may: with(ring, "internal/store/column", "internal/store", "internal/ledger", "internal/platform/event", "internal/store/query/duelq"), tests: []string{"internal/service/account", "internal/store/storetest", "internal/ledger/ledgertest"}},
	{pkg: "internal/server/httpapi", may: with(ring, "api", "contract", "internal/store", "internal/ledger", "internal/ledger/audit", "internal/service/account", "internal/service/run", "internal/service/duel", "internal/service/arena", "internal/service/arena/glicko", "internal/service/cup", "internal/service/market", "internal/service/operator", "internal/service/personal", "internal/service/portfolio", "internal/server/preview", "internal/server/tokenart", "internal/service/score", "internal/service/team", "internal/platform/limit", "internal/platform/idempotency", "internal/platform/event", "internal/platform/presence"), tests: []string{"internal/store/storetest", "internal/ledger/ledgertest", "internal/platform/mail", "internal/platform/vault", "internal/app"}},
	{pkg: "internal/app", may: with(ring, "api", "web", "internal/store", "internal/ledger", "internal/ledger/audit", "internal/service/account", "internal/service/run", "internal/service/duel", "internal/service/arena", "internal/service/arena/glicko", "internal/service/cup", "internal/service/market", "internal/service/operator", "internal/service/portfolio", "internal/service/score", "internal/service/team", "internal/platform/limit", "internal/platform/idempotency", "internal/platform/event", "internal/platform/presence", "internal/platform/lease", "internal/platform/mail", "internal/platform/vault", "internal/ledger/witness", "internal/platform/metrics", "internal/platform/trace", "internal/server/httpapi", "internal/app/housebot"), tests: []string{"client", "client/api", "internal/store/pgtest"}},
	{pkg: "internal/service/rank", may: []string{"internal/store"}, tests: []string{"internal/store/storetest"}},
	{pkg: "internal/service/arena/glicko"},
	{pkg: "internal/service/arena", may: with(ring, "internal/store/column", "internal/store", "internal/platform/event", "internal/service/arena/glicko", "internal/service/rank", "internal/store/query/arenaq"), tests: []string{"internal/store/storetest"}},
	{pkg: "internal/service/cup", may: with(ring, "internal/store/column", "internal/store", "internal/ledger", "internal/platform/event", "internal/store/query/cupq"), tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"}},
	{pkg: "internal/server/tokenart"},
	// It knows polygons and texts, and nothing of where they come from.
	{pkg: "internal/server/preview", may: []string{"internal/server/tokenart"}},
	{pkg: "internal/service/portfolio", may: with(ring, "internal/store", "internal/ledger", "internal/store/query/portfolioq"), tests: []string{"internal/store/storetest", "internal/service/market", "internal/ledger/ledgertest"}},
	{pkg: "internal/service/market", may: with(ring, "internal/store/column", "internal/store", "internal/ledger", "internal/store/query/marketq"), tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"}},
	{pkg: "internal/platform/event", may: with(ring, "internal/store", "internal/store/query/eventq"), tests: []string{"internal/store/storetest", "internal/store/pgtest"}},
	{pkg: "internal/service/score", may: with(ring, "internal/store/column", "internal/store", "internal/ledger", "internal/service/rank", "internal/store/query/scoreq"), tests: []string{"internal/service/account", "internal/store/storetest", "internal/ledger/ledgertest", "internal/service/run", "internal/service/team"}},
	{pkg: "internal/service/team", may: with(ring, "internal/store/column", "internal/store", "internal/store/query/teamq"), tests: []string{"internal/store/storetest", "internal/ledger/ledgertest"}},
	{pkg: "internal/service/operator", may: with(ring, "internal/store", "internal/store/query/operatorq"), tests: []string{"internal/store/storetest"}},
	{pkg: "internal/service/personal", may: with(ring, "internal/store"), tests: []string{"internal/store/storetest"}},
	{pkg: "internal/ledger/witness", tests: []string{"internal/store", "internal/ledger", "internal/ledger/ledgertest", "verify"}}, // depends on an interface alone, so that it works with any log
	{pkg: "internal/platform/lease", may: []string{"internal/store", "internal/store/query/leaseq"}, tests: []string{"internal/store/storetest", "internal/store/pgtest"}},
	{pkg: "internal/platform/limit"},
	{pkg: "internal/platform/vault"},
	{pkg: "internal/platform/release"},
	{pkg: "internal/platform/mail"},
	{pkg: "internal/platform/presence"},
	{pkg: "internal/platform/trace"},
	{pkg: "internal/platform/metrics"}, // independent of what it counts
	{pkg: "internal/platform/idempotency", may: with(ring, "internal/store", "internal/platform/vault", "internal/store/query/idempotencyq"), tests: []string{"internal/store/storetest"}},
	{pkg: "client", may: []string{"chain", "client/api", "client/strategy", "game", "verify"}, tests: []string{"internal/app", "internal/platform/limit"}},
	{pkg: "client/api"},
	{pkg: "client/strategy", may: []string{"game"}},
	{pkg: "client/lab", may: []string{"game", "client/strategy"}},
	{pkg: "internal/app/demo", may: []string{"chain", "client/strategy", "game", "internal/app", "internal/store", "internal/service/account", "internal/service/cup", "internal/service/duel", "internal/service/market", "internal/service/run"}}, // made-up history, by the use cases
	{pkg: "internal/app/housebot", may: []string{"client", "client/strategy"}}, // a caller like any others
	{pkg: "starter/go"}, // a module of its own, to be copied
	// From outside: it knows the service by its API alone, but for what it puts into a
	// database before a server runs on it.
	{pkg: "bench", may: []string{"bench/longchain", "chain", "internal/store", "internal/ledger", "internal/service/market", "internal/service/score",
		"internal/app", "internal/platform/limit", "internal/server/httpapi", "internal/service/account"}}, // a module of its own
	{pkg: "bench/nakama"}, // compiled within Nakama's source tree
	{pkg: "bench/longchain", may: []string{"chain", "chain/games/gamestest", "fair", "internal/ledger"}, tests: []string{"internal/store", "internal/ledger/ledgertest"}},
	{pkg: "internal/ledger/publiclog", may: ring, tests: []string{"internal/store", "internal/ledger/ledgertest"}},                        // from outside, like the bench
	{pkg: "internal/sim", tests: []string{"fair", "internal/app", "internal/store", "internal/store/storetest", "internal/store/pgtest"}}, // from outside, by HTTP, with a model of its own
	{pkg: "cmd/roshambo", may: with(ring, "internal/ledger/publiclog", "api", "client", "client/api", "client/lab", "client/strategy", "internal/app", "internal/app/demo", "internal/platform/release"), tests: []string{"internal/store/pgtest", "internal/platform/limit"}},
	{pkg: "internal/archtest"},
	{pkg: "packaging/release", may: []string{"internal/platform/release", "internal/server/httpapi"}}, // the command that builds and signs
	{pkg: "tools/alerts"}, // a module of its own
	{pkg: "tools/mutate"}, // likewise
	{pkg: "tools/witness", tests: []string{"internal/ledger/witness"}}, // a module of its own
}

// homes says which packages' code may import which module of others, so that
// each stays replaceable and the ring stays the standard library alone. Tests
// are free.
var homes = map[string][]string{
	"github.com/BurntSushi/toml":              {"cmd/roshambo"},
	"github.com/alecthomas/kong":              {"bench", "cmd/roshambo"},
	"github.com/andybalholm/brotli":           {"web/pack"},
	"github.com/google/go-cmp":                {"internal/store/storetest"},
	"github.com/google/uuid":                  {"internal/service/run"},
	"github.com/heroiclabs/nakama-common":     {"bench/nakama"},
	"github.com/jackc/pgx/v5":                 {"internal/store", "internal/store/storetest", "internal/store/pgtest"},
	"github.com/oapi-codegen/runtime":         {"client/api"},
	"github.com/pressly/goose/v3":             {"internal/store"},
	"github.com/realclientip/realclientip-go": {"internal/server/httpapi"},
	"github.com/prometheus/client_golang":     {"internal/platform/metrics"},
	"github.com/redis/go-redis/v9":            {"internal/platform/limit"},
	"github.com/throttled/throttled/v2":       {"internal/platform/limit"},
	"github.com/wneessen/go-mail":             {"internal/platform/mail"},
	"go.opentelemetry.io/otel":                {"internal/platform/trace"},
	"golang.org/x/crypto":                     {"internal/service/account"},
	"github.com/transparency-dev/formats":     {"internal/app", "internal/ledger/audit", "internal/ledger/ledgertest"},
	"golang.org/x/image":                      {"internal/server/preview"},
	"golang.org/x/mod":                        {"internal/ledger", "internal/ledger/publiclog", "internal/ledger/layout", "internal/ledger/audit", "internal/ledger/ledgertest", "internal/app", "internal/ledger/witness", "internal/platform/release", "bench", "cmd/roshambo", "packaging/release"},
	"golang.org/x/sync":                       {"internal/app", "internal/app/housebot"},
	"golang.org/x/sys":                        {"internal/store"},
	"gonum.org/v1/gonum":                      {"internal/service/portfolio"},
	"modernc.org/libc":                        {"internal/store"},
	"modernc.org/sqlite":                      {"internal/store", "internal/store/storetest"},
	"pgregory.net/rapid":                      {"internal/store/storetest", "internal/platform/testseed"},
}

// with returns a new list with the packages of both, so that rows can share a list.
func with(packages []string, more ...string) []string {
	return append(slices.Clone(packages), more...)
}

// Imports checks every import against the table and the homes.
func Imports(t *Tree) []Problem {
	var problems []Problem
	missing := map[string]bool{}
	for f := range t.goFiles {
		row, ok := findRow(f.Package())
		if !ok {
			if !missing[f.Package()] {
				problems = append(problems, Problem{Path: f.Path, What: "package " + f.Package() + " has no row in the import table"})
			}
			missing[f.Package()] = true
			continue
		}
		problems = append(problems, imports(f, row)...)
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

// imports checks the imports of one file against the row of its package.
func imports(f *File, r row) []Problem {
	var problems []Problem
	for _, spec := range f.Syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has refused it
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

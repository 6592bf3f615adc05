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

// ring is what a sceptic must be able to check alone. Everything further in
// may use it; it uses nothing of what is further in.
var ring = []string{"canon", "game", "fair", "chain", "chain/export", "chain/replay", "verify", "vectors"}

// table says who may import whom. Arrows point from the command inward to the
// rules: cmd → app → httpapi → nouns → ledger, account, event, db → ring.
// Nouns do not import one another; contract knows nothing of games, and only
// httpapi knows contract. A package that is not here fails the test: give it a
// row, and think about which one.
var table = []row{
	{pkg: "canon"},
	{pkg: "game"},
	{pkg: "fair", may: []string{"game"}, tests: []string{"vectors"}},
	{pkg: "chain", may: []string{"canon", "game", "fair"}, tests: []string{"vectors"}},
	{pkg: "chain/export", may: []string{"canon", "chain"}},
	{pkg: "chain/replay", may: []string{"canon", "game", "fair", "chain"}, tests: []string{"vectors"}},
	{pkg: "verify", may: []string{"canon", "game", "fair", "chain", "chain/export", "chain/replay"}, tests: []string{"vectors"}},
	{pkg: "vectors"},
	{pkg: "vectors/gen", may: []string{"canon", "game", "fair", "chain", "verify"}}, // the command that makes them
	{pkg: "api"},
	{pkg: "web"},

	{pkg: "internal/testseed"}, // every test may import it
	{pkg: "internal/contract"},
	{pkg: "internal/column", may: []string{"chain"}},
	{pkg: "internal/query/*"},
	{pkg: "internal/db", tests: []string{"internal/db/dbtest", "internal/db/pgtest"}},
	{pkg: "internal/db/dbtest", may: []string{"internal/db", "internal/testseed"}},
	{pkg: "internal/db/pgtest"},
	{pkg: "internal/ledger", may: with(ring, "internal/db", "internal/query/ledgerq"), tests: []string{"internal/db/dbtest", "internal/ledger/ledgertest"}},
	{pkg: "internal/ledger/ledgertest", may: with(ring, "internal/db", "internal/db/dbtest", "internal/ledger")},
	{pkg: "internal/account", may: with(ring, "internal/column", "internal/db", "internal/vault", "internal/ledger", "internal/query/accountq"), tests: []string{"internal/db/dbtest", "internal/ledger/ledgertest"}},
	{pkg: "internal/run", may: with(ring, "internal/db", "internal/ledger", "internal/account", "internal/query/runq"), tests: []string{"internal/db/dbtest", "internal/ledger/ledgertest"}},
	{pkg: "internal/duel", may: with(ring, "internal/column", "internal/db", "internal/ledger", "internal/event", "internal/query/duelq"), tests: []string{"internal/account", "internal/db/dbtest", "internal/ledger/ledgertest"}},
	{pkg: "internal/httpapi", may: with(ring, "api", "internal/contract", "internal/db", "internal/ledger", "internal/account", "internal/run", "internal/duel", "internal/arena", "internal/arena/glicko", "internal/market", "internal/portfolio", "internal/gem", "internal/score", "internal/team", "internal/limit", "internal/idempotency", "internal/event"), tests: []string{"internal/db/dbtest", "internal/ledger/ledgertest", "internal/mail", "internal/vault"}},
	{pkg: "internal/app", may: with(ring, "api", "web", "internal/db", "internal/ledger", "internal/account", "internal/run", "internal/duel", "internal/arena", "internal/arena/glicko", "internal/market", "internal/portfolio", "internal/score", "internal/team", "internal/limit", "internal/idempotency", "internal/event", "internal/lease", "internal/mail", "internal/vault", "internal/witness", "internal/metrics", "internal/trace", "internal/httpapi", "internal/house"), tests: []string{"client", "client/api", "internal/db/pgtest"}},
	{pkg: "internal/arena/glicko"},
	{pkg: "internal/arena", may: with(ring, "internal/column", "internal/db", "internal/event", "internal/arena/glicko", "internal/query/arenaq"), tests: []string{"internal/db/dbtest"}},
	{pkg: "internal/gem"},
	{pkg: "internal/portfolio", may: with(ring, "internal/db", "internal/ledger", "internal/query/portfolioq"), tests: []string{"internal/db/dbtest", "internal/market", "internal/ledger/ledgertest"}},
	{pkg: "internal/market", may: with(ring, "internal/column", "internal/db", "internal/ledger", "internal/query/marketq"), tests: []string{"internal/db/dbtest", "internal/ledger/ledgertest"}},
	{pkg: "internal/event", may: with(ring, "internal/db", "internal/query/eventq"), tests: []string{"internal/db/dbtest"}},
	{pkg: "internal/score", may: with(ring, "internal/column", "internal/db", "internal/ledger", "internal/query/scoreq"), tests: []string{"internal/account", "internal/db/dbtest", "internal/ledger/ledgertest", "internal/run", "internal/team"}},
	{pkg: "internal/team", may: with(ring, "internal/column", "internal/db", "internal/query/teamq"), tests: []string{"internal/db/dbtest", "internal/ledger/ledgertest"}},
	{pkg: "internal/witness", tests: []string{"internal/db", "internal/ledger", "internal/ledger/ledgertest", "verify"}}, // a log is what it is asked of, so that others can run one
	{pkg: "internal/lease", may: []string{"internal/db", "internal/query/leaseq"}, tests: []string{"internal/db/dbtest", "internal/db/pgtest"}},
	{pkg: "internal/limit"},
	{pkg: "internal/vault"},
	{pkg: "internal/mail"},
	{pkg: "internal/trace"},
	{pkg: "internal/metrics"}, // knows nothing of what it counts
	{pkg: "internal/idempotency", may: with(ring, "internal/db", "internal/vault", "internal/query/idempotencyq"), tests: []string{"internal/db/dbtest"}},
	{pkg: "client", may: []string{"client/api", "client/strategy", "game"}, tests: []string{"internal/app", "internal/limit"}},
	{pkg: "client/api"},
	{pkg: "client/strategy", may: []string{"game"}},
	{pkg: "client/lab", may: []string{"game", "client/strategy"}},
	{pkg: "internal/house", may: []string{"client", "client/strategy"}}, // a caller like any others
	{pkg: "starter/go"},                                                 // a module of its own, to be copied
	// From outside: it knows the service by its API alone, but for what it puts into a
	// database before a server runs on it.
	{pkg: "bench", may: []string{"bench/longchain", "chain", "internal/db", "internal/ledger", "internal/market", "internal/score"}}, // a module of its own
	{pkg: "bench/longchain", may: []string{"chain", "internal/ledger"}, tests: []string{"internal/db", "internal/ledger/ledgertest"}},
	{pkg: "internal/publiclog", may: ring, tests: []string{"internal/db", "internal/ledger/ledgertest"}},                      // from outside, like the bench
	{pkg: "internal/sim", tests: []string{"fair", "internal/app", "internal/db", "internal/db/dbtest", "internal/db/pgtest"}}, // from outside, by HTTP, with a model of its own
	{pkg: "cmd/roshambo", may: with(ring, "internal/publiclog", "api", "client", "client/api", "client/lab", "client/strategy", "internal/app"), tests: []string{"internal/db/pgtest", "internal/limit"}},
	{pkg: "internal/archtest"},
	{pkg: "tools/alerts"}, // a module of its own
	{pkg: "tools/mutate"}, // likewise
	{pkg: "tools/witness", tests: []string{"internal/witness"}}, // a module of its own
}

// homes says which packages' code may import which module of others, so that
// each stays replaceable and the ring stays the standard library alone. Tests
// are free.
var homes = map[string][]string{
	"github.com/BurntSushi/toml":              {"cmd/roshambo"},
	"github.com/alecthomas/kong":              {"bench", "cmd/roshambo"},
	"github.com/google/go-cmp":                {"internal/db/dbtest"},
	"github.com/google/uuid":                  {"internal/run"},
	"github.com/jackc/pgx/v5":                 {"internal/db", "internal/db/dbtest", "internal/db/pgtest"},
	"github.com/oapi-codegen/runtime":         {"client/api"},
	"github.com/pressly/goose/v3":             {"internal/db"},
	"github.com/swaggest/swgui":               {"internal/httpapi"},
	"github.com/realclientip/realclientip-go": {"internal/httpapi"},
	"github.com/prometheus/client_golang":     {"internal/metrics"},
	"github.com/redis/go-redis/v9":            {"internal/limit"},
	"github.com/throttled/throttled/v2":       {"internal/limit"},
	"github.com/wneessen/go-mail":             {"internal/mail"},
	"go.opentelemetry.io/otel":                {"internal/trace"},
	"golang.org/x/crypto":                     {"internal/account"},
	"github.com/transparency-dev/formats":     {"internal/app", "internal/ledger"},
	"golang.org/x/mod":                        {"internal/ledger", "internal/ledger/ledgertest", "internal/app", "internal/witness", "bench", "cmd/roshambo"},
	"golang.org/x/sync":                       {"internal/app", "internal/house"},
	"golang.org/x/sys":                        {"internal/db"},
	"gonum.org/v1/gonum":                      {"internal/portfolio"},
	"modernc.org/libc":                        {"internal/db"},
	"modernc.org/sqlite":                      {"internal/db", "internal/db/dbtest"},
	"pgregory.net/rapid":                      {"internal/db/dbtest", "internal/testseed"},
}

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

func findRow(pkg string) (row, bool) {
	for _, r := range table {
		if ok, err := path.Match(r.pkg, pkg); ok && err == nil {
			return r, true
		}
	}
	return row{}, false
}

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
			may = with(may, append(r.tests, f.Package(), "internal/testseed")...)
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

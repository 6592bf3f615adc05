package archtest

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// asSystem lists the functions above the ledger that change something without authorising a caller
// (docs/adr/0028-authority-at-the-commit.md), each with the reason why none is needed. They begin an update
// of their own, or react inside an update of another package.
var asSystem = map[string]string{
	"internal/server/api.writeIf":        "authorises the caller of each operation before anything else",
	"internal/server/api.call.current":   "applies deadlines that have passed, before any reader sees the duel",
	"internal/server/api.API.forgetLate": "erases what is left of accounts whose deletion is stored",

	// Loops.
	"internal/app.Service.dropStale":                "deletes what has expired by its time",
	"internal/app.Service.dropIdleGuests":           "deletes guests that never did anything",
	"internal/service/account.Links.send":           "sends mails that were queued by their callers",
	"internal/service/account.Links.sendNotice":     "sends notices that were queued with their cause",
	"internal/service/arena.Service.expireWaiting":  "ends the waiting of bots that poll no more",
	"internal/service/arena.Service.matchAll":       "pairs bots whose callers asked to wait",
	"internal/service/cup.Service.Advance":          "moves cups on by their times",
	"internal/service/cup.Service.openDaily":        "opens the cup of the day, which no account owns",
	"internal/service/duel.Service.ApplyDue":        "applies deadlines that have passed",
	"internal/service/duel.Service.dropPairs":       "deletes counts of past days",
	"internal/service/rank.Compact":                 "folds changes of a board into its blocks",
	"internal/service/run.Service.Sweep":            "ends runs that were left",
	"internal/service/cup.Service.dropNetworks":     "deletes tags of past days",
	"internal/service/score.Service.DropOldBoards":  "deletes boards of past periods",
	"internal/service/score.Service.ReportRanked":   "reports accounts that come onto the boards by time",
	"internal/service/score.Service.reduceNext":     "counts reports that were stored with their cause",
	"internal/service/score.Service.refuse":         "puts a report aside that cannot be counted",
	"internal/service/score.Service.requeueRefused": "counts reports again that were put aside",
	"internal/service/score.Service.closeNext":      "closes a season by its time",
	"internal/app.cosignedLog.StoreCosignature":     "stores what a witness has signed",
	"internal/app.Service.EnsureHouse":              "opens the accounts of the house's bots at the start",
	"internal/service/run.Service.CheckKey":         "compares the folder's key at the start",
	"internal/service/run.Service.Recover":          "replaces the secrets of a restored database at the start",
	"internal/service/account.Service.LookUp":       "records the use of a caller that it has just read",
	"internal/service/run.runCache.put":             "updates memory, no table",

	// Operators, whose authority is the data folder or the token of the admin address.
	"internal/app.operatorCall.do":            "runs an operator's act and logs it",
	"internal/app.operatorCall.recordRefusal": "logs an operator's act that was refused",

	// Reactions to the step of another package, in the update that authorised its caller or runs as the
	// system, and adapters by which such a step calls another package.
	"internal/app.rankedDuels.StartRanked":      "begins the duel of bots that wait",
	"internal/app.rankedDuels.UnfinishedRanked": "reads duels of bots that wait",
	"internal/app.quickDuels.MayPair":           "reads what players that wait have in common",
	"internal/app.quickDuels.StartQuick":        "begins the duel of players that wait",
	"internal/app.cupDuels.StartCup":            "begins the duel of a pairing",
	"internal/app.cupSeats.CupDuel":             "reads the next game of a bot that wants to wait",
	"internal/app.ratingUpdater.DuelFinished":   "rates a duel that has ended",
	"internal/app.cupRecorder.DuelFinished":     "records the result of a cup's game",
	"internal/app.scoreReporter.RunEnded":       "reports a run that has ended",
	"internal/app.scoreReporter.DuelFinished":   "reports a duel that has ended",
	"internal/app.scoreReporter.CupFinished":    "reports a cup that has ended",
	"internal/app.scoreReporter.Sold":           "reports a sale",
	"internal/app.scoreReporter.BoughtBack":     "reports a buyback",
	"internal/app.scoreReporter.Renamed":        "reports a new name",
	"internal/app.scoreReporter.TeamJoined":     "reports a new member",
	"internal/app.scoreReporter.TeamRenamed":    "reports a team's new name",
	"internal/app.scoreReporter.TeamClosed":     "reports a team without members",
	"internal/app.eventPoster.Sealed":           "announces a block",
	"internal/app.eventPoster.ListingChanged":   "announces a listing",
	"internal/app.eventPoster.OfferChanged":     "announces an offer",
	"internal/app.feedPoster.Publish":           "announces feed items",
	"internal/service/market.Service.Posted":    "voids offers for burned tokens",
	"internal/service/portfolio.Service.Posted": "writes a transaction into the book",
}

// System requires that each function that changes something without a caller is in a closed list: an
// operation's handler that began an update of its own would store the effects of callers that have ended.
func System(t *Tree) (problems []Problem) {
	found, packages := map[string]bool{}, map[string]bool{}
	for f := range t.goFiles {
		if f.Test() || f.Generated() || !hasUseCases(f.Package()) {
			continue
		}
		packages[f.Package()] = true
		for _, decl := range f.Syntax.Decls {
			name, line := f.Package(), f.Line(decl.Pos())
			fn, isFunction := decl.(*ast.FuncDecl)
			if isFunction {
				name += "." + qualified(fn)
			}
			changes := beginsUpdate(decl) || isFunction && reacts(f.Package(), fn)
			found[name] = found[name] || changes
			if _, known := asSystem[name]; changes && !known {
				problems = append(problems, Problem{f.Path, line,
					name + " changes something without a caller: authorise one, or add it to asSystem with a reason"})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(asSystem)) {
		of, _, _ := strings.Cut(name, ".") // no folder has a dot
		if packages[of] && !found[name] {
			problems = append(problems, Problem{of, 0, name + " is in asSystem, and changes nothing"})
		}
	}
	return problems
}

// hasUseCases reports whether a package is above the ledger, where callers are known. The demo generates
// data for a folder of its own.
func hasUseCases(name string) bool {
	return name == "internal/app" || strings.HasPrefix(name, "internal/server/") ||
		strings.HasPrefix(name, "internal/service/")
}

// beginsUpdate reports whether a declaration names a method that begins an update, called or not.
func beginsUpdate(decl ast.Decl) (found bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		found = found || ok && (s.Sel.Name == "Update" || s.Sel.Name == "UpdateAt")
		return !found
	})
	return found
}

// reacts reports whether a function is called inside the update of another package: the adapters of package
// app, and listeners of the ledger.
func reacts(folder string, fn *ast.FuncDecl) bool {
	return fn.Recv != nil && fn.Name.IsExported() && takesTransaction(fn) &&
		(folder == "internal/app" || fn.Name.Name == "Posted")
}

// Package storetest is the conformance suite of the engines of internal/store, and opens
// databases for the tests of other packages.
//
// The engines' own test is
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
//
//	func TestEngine(t *testing.T) {
//		storetest.Run(t, storetest.Open)
//		storetest.Crash(t)
//	}
//
// All functions use SQLite, or PostgreSQL where the environment variable URLVariable is set.
package storetest

import "testing"

// Run runs the suite on databases that open returns. Each test has its own database.
func Run(t *testing.T, open Opener) {
	for name, test := range map[string]func(*testing.T, Opener){
		"values":                 testValues,
		"update":                 testUpdate,
		"panic":                  testPanic,
		"ended goroutine":        testGoexit,
		"isolated effects":       testIsolatedEffects,
		"no lost updates":        testNoLostUpdates,
		"serial":                 testSerial,
		"caller cancels":         testCallerCancels,
		"nested":                 testNested,
		"after commit":           testAfterCommit,
		"close":                  testClose,
		"view":                   testView,
		"snapshot":               testSnapshot,
		"views":                  testViews,
		"scan":                   testScan,
		"views share slots":      testViewsShareSlots,
		"view cancelled":         testViewCancelled,
		"rows left open":         testRowsLeftOpen,
		"statements":             testStatements,
		"constraints":            testConstraints,
		"bulk insert":            testBulkInsert,
		"bulk load":              testBulkLoad,
		"tables":                 testTables,
		"bulk upsert and select": testBulkUpsert,
		"failed, not stored":     testNotStored,
		"failed, stored":         testStored,
		"closures run twice":     testTwice,
		"views run twice":        testViewTwice,
		"faults under load":      testFaultsUnderLoad,
		"statements fail":        testStatementsFail,
		"each statement":         testEachStatement,
		"cases":                  testCases,
		"random against a model": testModel,
	} {
		// Subtests are independent and run in parallel, in the random order of the map.
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// Package conformance holds one table of scenarios that the clients of all languages play, so that they feel and
// behave the same: a stub in Go plays the service, with odd answers, and a small driver of each language does what the
// scenario asks for. The tests compare what the stub receives and what the driver reports.
//
// # Drivers
//
// A driver (sdk/python/driver.py, sdk/typescript/driver.mjs, driver_test.go for package client) reads a task a line
// from its standard input until the end, and does all of them at once:
//
//	{"id":1,"url":"http://127.0.0.1:4711","key":"rsb_…","folder":"/…","budget":60,"command":"play","arguments":["1"]}
//
// url is the base of the service, key the caller's key ("" for none), folder an empty or earlier used one for files
// of the task, budget the retry budget in seconds (-1 for no end). It prints a line for each task, in any order:
//
//	{"id":1,"result":…}
//	{"id":1,"error":{"type":"service","status":409,"code":"run_active","request_id":"5f…","retry_after":null}}
//
// The types of errors are service (with the members above; retry_after in seconds), connection (no complete answer),
// receipt, texts and answer (each with its type alone). A driver that meets another error prints it to its standard
// error and ends with a status other than 0, which fails the test.
//
// The commands, with their arguments (all are texts) and results:
//
//	me                  getMe: the account's username
//	bot NAME            createBot: the secret
//	guest               createGuest: the account's username
//	head HEIGHT         getHead with that height, held for 20 seconds: the height of the head
//	meta HEIGHT         the same call: the facts about its answer, request_id, rate_limit (null, or left, limit, reset
//	                    and window, both in seconds), held and replayed
//	runs                the ids of listRuns, over all pages, with limit=2
//	data                the cursors of dataDuels, to the end
//	events N            the first N events of followEvents with topics=feed: a list of [name, id]
//	play N              a bot plays N ranked duels, always rock; its state is in folder/bot.json, its receipts in
//	                    folder/receipts.jsonl: a list of won, lost or drawn, by the calls of ended
//	play N VERSION      the same, with that version of its program
//	duel CODE           the same bot plays the duel that getDuel returns: the same list
//	run                 a house run: a start with the throw rock, and then=claim; while the run is active, another
//	                    throw of the same kind; its texts are in folder/runs.json, its receipts in
//	                    folder/receipts.jsonl: the run's status
//	verify CODE         the report of the verification of a duel's proof: valid, verdict, format, pending, checks
//	verify CODE KEY     the same, with a pinned verifier key
package conformance

package archtest

// answers is a tree that uses a code in each of the three ways.
func answers(doc string) map[string]string {
	return map[string]string{
		"docs/errors.md": doc,
		"internal/server/api/errors.go": `package api

var known = []row{{err, 404, "not_found", "Nothing here."}}

func f() {
	a := answer{Code: "run_state"}
	a.status, a.Code = 500, "internal"
}
`,
		"internal/server/api/errors_test.go": "package api\n\nvar a = answer{Code: \"made_up\"}\n",
	}
}

const allCodes = "| status | code | when |\n|---|---|---|\n| 404 | `not_found` | w |\n| 409 | `run_state` | w |\n"

var codeSamples = []sample{
	{
		"codes", "no document",
		map[string]string{"internal/server/api/errors.go": "package api\n\nvar a = answer{Code: \"internal\"}\n"},
		"docs/errors.md: is missing",
	},
	{
		"codes", "one is not told of", answers(allCodes),
		"internal/server/api/errors.go:7: code internal has no row in docs/errors.md",
	},
	{
		"codes", "one is gone", answers(allCodes + "| 500 | `internal` | w |\n| 418 | `teapot` | w |\n"),
		"docs/errors.md:6: no answer has the code teapot",
	},
	{
		"codes", "all told", answers(allCodes + "| 500 | `internal` | w |\n"), "",
	},
}

package archtest

const (
	useCase = `// Package tiny is a service.
package tiny

func (s *Service) Pay(ctx context.Context, tx *store.Tx) error { return nil }
`
	statementsTest = `package tiny

var each storetest.Statements

func test() {}
`
)

var statementSamples = []sample{
	{"statements", "run", map[string]string{
		"internal/service/tiny/tiny.go": useCase, "internal/service/tiny/statements_test.go": statementsTest + "// s.Pay(",
	}, ""},
	{"statements", "never run", map[string]string{
		"internal/service/tiny/tiny.go": useCase, "internal/service/tiny/statements_test.go": statementsTest +
			"// s.PayBack(",
	}, "internal/service/tiny/tiny.go:4: Pay has no line in TestEachStatement: no test fails its statements"},
	{"statements", "without such tests", map[string]string{"internal/service/tiny/tiny.go": useCase}, ""},
}

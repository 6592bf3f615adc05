package contract_test

import (
	"testing"

	"roshambo/contract"
)

// TestRequests sends every case to the API and compares complete responses.
func TestRequests(t *testing.T) {
	t.Parallel()
	api := service(contract.Options{})
	for _, group := range []struct {
		name  string
		cases []requestCase
	}{
		{"golden", goldenCases},
		{"path", pathCases},
		{"query", queryCases},
		{"body", bodyCases},
		{"type", typeCases},
		{"nested", nestedCases},
		{"secret", secretCases},
		{"json", jsonCases},
		{"media", mediaCases},
	} {
		for _, c := range group.cases {
			t.Run(group.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, api)
			})
		}
	}
}

package archtest

var clockSamples = []sample{
	{"clocks", "of the transaction", map[string]string{"internal/service/tiny/tiny.go": `// Package tiny is a service.
package tiny

func (s *Service) Pay(ctx context.Context, tx *store.Tx) time.Time { return tx.Now() }
`}, ""},
	{"clocks", "of the node", map[string]string{"internal/service/tiny/tiny.go": `// Package tiny is a service.
package tiny

func (s *Service) Pay() time.Time { return s.now() }
`}, "internal/service/tiny/tiny.go:4: a node's clock: a use case takes the time of its transaction, tx.Now()"},
	{"clocks", "of the node in a closure", map[string]string{"internal/server/api/tiny.go": `package api

func (a *API) pay() {
	a.update(func(ctx context.Context, tx *store.Tx) { a.pay(a.Now()) })
}
`}, "internal/server/api/tiny.go:4: a node's clock: a use case takes the time of its transaction, tx.Now()"},
	{"clocks", "without a transaction", map[string]string{"internal/server/api/tiny.go": `package api

func (a *API) today() time.Time { return a.Now() }
`}, ""},
}

package archtest

var systemSamples = []sample{
	{"system", "a loop that is not in the list", map[string]string{"internal/service/tiny/sweep.go": `package tiny

func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.UpdateAt(ctx, store.Snapshot, func(context.Context, *store.Tx) error { return nil })
}
`}, "internal/service/tiny/sweep.go:3: internal/service/tiny.Service.Sweep changes something without a caller: " +
		"authorise one, or add it to asSystem with a reason"},
	{"system", "the method as a value", map[string]string{"internal/server/tiny/tiny.go": `package tiny

var run = db.Update
`}, "internal/server/tiny/tiny.go:3: internal/server/tiny changes something without a caller: " +
		"authorise one, or add it to asSystem with a reason"},
	{"system", "a reaction that is not in the list", map[string]string{"internal/service/tiny/posted.go": `package tiny

func (s *Service) Posted(ctx context.Context, tx *store.Tx, t *chain.Tx) error { return nil }
`}, "internal/service/tiny/posted.go:3: internal/service/tiny.Service.Posted changes something without a caller: " +
		"authorise one, or add it to asSystem with a reason"},
	{"system", "an entry without its function", map[string]string{"internal/service/portfolio/book.go": `package portfolio

func (s *Service) posted(ctx context.Context, tx *store.Tx) error { return nil }
`}, "internal/service/portfolio: internal/service/portfolio.Service.Posted is in asSystem, and changes nothing"},
	{"system", "in the list", map[string]string{"internal/service/portfolio/book.go": `package portfolio

func (s *Service) Posted(ctx context.Context, tx *store.Tx, t *chain.Tx) error { return nil }
`}, ""},
	{"system", "a use case of a caller", map[string]string{"internal/service/tiny/tiny.go": useCase}, ""},
}

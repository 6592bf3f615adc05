package app

import (
	"time"

	"roshambo/internal/platform/limit"
	"roshambo/internal/server/api"
	"roshambo/internal/service/account"
)

// Limits on failed logins within failureWindow: of a name from one network address, of a
// network address, which many may share, and of a name from all addresses (account.Failures
// says why they differ).
const (
	failuresByNameAndClient = 10
	failuresByClient        = 100
	failuresByName          = 60
	failureWindow           = 15 * time.Minute
)

// Limits on the new accounts of a network address: guests, registrations without a guest, bots, and
// links that open an account.
const (
	accountsPerHour = 10
	accountsPerDay  = 30
)

// Limits on mails with links within mailWindow. A mailbox must get at least 4 an hour: a link
// works for 15 minutes, so one that works still arrives when another caller uses the limit up.
const (
	mailsPerMailbox = 5
	mailsPerClient  = 20
	mailWindow      = time.Hour
)

// Limits on the pictures of link previews that are drawn for a network address; those in memory are
// free.
const (
	picturesPerClient = 120
	pictureWindow     = time.Hour
)

// limit returns a limiter of n per window. Nodes share it when Redis is configured.
func (s *Service) limit(name string, n int, window time.Duration) (*limit.Limiter, error) {
	if s.redis == nil {
		return limit.New(n, window)
	}
	return s.redis.New(name, n, window)
}

// budget returns a budget by network address. Nodes share it when Redis is configured.
func (s *Service) budget(name string, rates ...limit.Rate) (b *limit.Budget, err error) {
	if s.redis == nil {
		b, err = limit.NewBudget(rates...)
	} else {
		b, err = s.redis.NewBudget(name, rates...)
	}
	if err != nil {
		return nil, err
	}
	s.addressLimits = append(s.addressLimits, b)
	return b, nil
}

// wireLimits sets the limits of the interface.
func (s *Service) wireLimits(c *api.Limits) (err error) {
	if c.MailLimit, err = s.limit("mails to a mailbox", mailsPerMailbox, mailWindow); err != nil {
		return err
	}
	c.ClientMailLimit, err = s.budget("mails by client", limit.Rate{Max: mailsPerClient, Window: mailWindow})
	if err != nil {
		return err
	}
	c.ClientMailLimit.Share(s.config.shared())
	if c.PictureLimit, err = s.budget("pictures", limit.Rate{Max: picturesPerClient, Window: pictureWindow}); err != nil {
		return err
	}
	if c.AccountLimit, err = s.accountLimit(); err != nil {
		return err
	}
	if err := s.dailyBudgets(c); err != nil {
		return err
	}
	if err := s.costLimits(c); err != nil {
		return err
	}
	if s.config.RateLimit == 0 {
		return nil
	}
	return s.requestLimits(c, s.config.RateLimit)
}

// Limits on costly actions of a network address within an hour.
const (
	listingsPerHour      = 120
	duelsPerHour         = 240
	cupsPerHour          = 12
	verificationsPerHour = 12
)

// costLimits sets the budgets of costly actions.
func (s *Service) costLimits(c *api.Limits) (err error) {
	for _, b := range []struct {
		to   **limit.Budget
		name string
		max  int
	}{
		{&c.ListingLimit, "new listings", listingsPerHour}, {&c.DuelLimit, "new duels", duelsPerHour},
		{&c.CupLimit, "new cups", cupsPerHour}, {&c.VerifyLimit, "chain verifications", verificationsPerHour},
	} {
		if *b.to, err = s.budget(b.name, limit.Rate{Max: b.max, Window: time.Hour}); err != nil {
			return err
		}
		if (*b.to).Share(s.config.shared()); !s.config.LimitPrivate {
			(*b.to).ExemptPrivate()
		}
	}
	return nil
}

// accountLimit returns the budget of new accounts.
func (s *Service) accountLimit() (*limit.Budget, error) {
	b, err := s.budget("new accounts", limit.Rate{Max: accountsPerHour, Window: time.Hour},
		limit.Rate{Max: accountsPerDay, Window: 24 * time.Hour})
	if err != nil {
		return nil, err
	}
	if b.Share(s.config.shared()); !s.config.LimitPrivate {
		b.ExemptPrivate()
	}
	return b, nil
}

// freeWinsPerDay is how many free and daily runs of a network address win free tokens in a UTC day.
const freeWinsPerDay = 30

// rankedDailiesPerDay is how many daily runs of a network address are on a day's board: as many as a
// household has accounts with a free start on its first day.
const rankedDailiesPerDay = DefaultFreeStarts

// dailyBudgets sets what a network address may have in each UTC day.
func (s *Service) dailyBudgets(c *api.Limits) (err error) {
	if c.FreeStarts, err = s.dailyBudget("free starts", s.config.FreeStarts); err != nil {
		return err
	}
	if c.FreeWins, err = s.dailyBudget("free wins", freeWinsPerDay); err != nil {
		return err
	}
	c.RankedDailies, err = s.dailyBudget("ranked dailies", rankedDailiesPerDay)
	return err
}

// dailyBudget returns a budget of n actions of a network address in each UTC day, which the name of
// an action states; nil for 0.
func (s *Service) dailyBudget(name string, n int) (*limit.Budget, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := s.budget(name, limit.Rate{Max: n, Window: 24 * time.Hour})
	if err == nil && !s.config.LimitPrivate {
		b.ExemptPrivate()
	}
	return b, err
}

// filesTimes is how many files an address may request for each call of the API, and logKiBPerMinute how
// many KiB of the public log: over 50 of its largest pages.
const (
	filesTimes      = 10
	logKiBPerMinute = 256 << 10
)

// requestLimits sets the limits on all requests, with n calls a minute.
func (s *Service) requestLimits(c *api.Limits, n int) (err error) {
	if c.RateLimit, err = s.perMinute("requests", n); err != nil {
		return err
	}
	if c.FileLimit, err = s.perMinute("files", filesTimes*n); err != nil {
		return err
	}
	c.LogLimit, err = s.limit("KiB of the log", logKiBPerMinute, time.Minute)
	return err
}

// perMinute returns an exact limit of n requests a minute by network address.
func (s *Service) perMinute(name string, n int) (l *limit.Log, err error) {
	if s.redis == nil {
		l, err = limit.NewLog(n, time.Minute)
	} else {
		l, err = s.redis.NewLog(name, n, time.Minute)
	}
	if err == nil {
		s.addressLimits = append(s.addressLimits, l)
	}
	return l, err
}

// failures returns the limits on failed logins. It keeps those by address for GET /api/limits.
func (s *Service) failures() (f account.Failures, err error) {
	byName, err := s.limit("failures by name", failuresByName, failureWindow)
	if err != nil {
		return f, err
	}
	l := &s.failureLimits
	l.ByNameAndClient, err = s.budget("failures by name and client",
		limit.Rate{Max: failuresByNameAndClient, Window: failureWindow})
	if err != nil {
		return f, err
	}
	l.ByClient, err = s.budget("failures by client", limit.Rate{Max: failuresByClient, Window: failureWindow})
	if err != nil {
		return f, err
	}
	return account.Failures{ByName: throttle{byName}, ByNameAndClient: addressThrottle{l.ByNameAndClient},
		ByClient: addressThrottle{l.ByClient}}, nil
}

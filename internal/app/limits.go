package app

import (
	"errors"
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

// Limits on costly actions of a network address within an hour.
const (
	listingsPerHour      = 120
	duelsPerHour         = 240
	cupsPerHour          = 12
	verificationsPerHour = 12
)

// emotesPerMinute is how many emotes an account sends in a minute.
const emotesPerMinute = 6

// freeWinsPerDay is how many free and daily runs of a network address win free tokens in a UTC day.
const freeWinsPerDay = 30

// rankedDailiesPerDay is how many daily runs of a network address are on a day's board: as many as a
// household has accounts with a free start on its first day.
const rankedDailiesPerDay = DefaultFreeStarts

// filesTimes is how many files an address may request for each call of the API, and logKiBPerMinute how
// many KiB of the public log: over 50 of its largest pages.
const (
	filesTimes      = 10
	logKiBPerMinute = 256 << 10
)

// wireLimits sets the limits of the interface.
func (s *Service) wireLimits(c *api.Limits) error {
	m, shared := limits{Service: s}, s.config.shared()
	c.MailLimit = m.limit("mails to a mailbox", mailsPerMailbox, mailWindow)
	c.ClientMailLimit = m.budget("mails by client", limit.Rate{Max: mailsPerClient, Window: mailWindow}).Share(shared)
	c.PictureLimit = m.budget("pictures", limit.Rate{Max: picturesPerClient, Window: pictureWindow})
	c.AccountLimit = m.costly("new accounts", limit.Rate{Max: accountsPerHour, Window: time.Hour},
		limit.Rate{Max: accountsPerDay, Window: 24 * time.Hour})
	c.ListingLimit = m.costly("new listings", limit.Rate{Max: listingsPerHour, Window: time.Hour})
	c.DuelLimit = m.costly("new duels", limit.Rate{Max: duelsPerHour, Window: time.Hour})
	c.CupLimit = m.costly("new cups", limit.Rate{Max: cupsPerHour, Window: time.Hour})
	c.EmoteLimit = m.budget("emotes", limit.Rate{Max: emotesPerMinute, Window: time.Minute})
	c.VerifyLimit = m.costly("chain verifications", limit.Rate{Max: verificationsPerHour, Window: time.Hour})
	if !s.config.Class { // whose members share one address
		c.FreeStarts = m.daily("free starts", s.config.FreeStarts)
	}
	c.FreeWins = m.daily("free wins", freeWinsPerDay)
	c.RankedDailies = m.daily("ranked dailies", rankedDailiesPerDay)
	if n := s.config.RateLimit; n != 0 {
		c.RateLimit = m.perMinute("requests", n)
		c.FileLimit = m.perMinute("files", filesTimes*n)
		c.LogLimit = m.limit("KiB of the log", logKiBPerMinute, time.Minute)
	}
	return m.err
}

// networkKey returns the key of the hashes by which networks are compared and charged; nil for a class, whose members
// share one.
func (s *Service) networkKey() []byte {
	if s.config.Class {
		return nil
	}
	return s.Accounts.NetworkKey
}

// failures returns the limits on failed logins. It keeps those by address for GET /api/limits.
func (s *Service) failures() (account.Failures, error) {
	m, l := limits{Service: s}, &s.failureLimits
	byName := m.limit("failures by name", failuresByName, failureWindow)
	l.ByNameAndClient = m.budget("failures by name and client",
		limit.Rate{Max: failuresByNameAndClient, Window: failureWindow})
	l.ByClient = m.budget("failures by client", limit.Rate{Max: failuresByClient, Window: failureWindow})
	return account.Failures{ByName: throttle{byName}, ByNameAndClient: addressThrottle{l.ByNameAndClient},
		ByClient: addressThrottle{l.ByClient}}, m.err
}

// limits makes limits, which the nodes share when Redis is configured. After an error none of them is used.
type limits struct {
	*Service
	err error
}

// limit returns a limiter of n per window.
func (m *limits) limit(name string, n int, window time.Duration) (l *limit.Limiter) {
	var err error
	if m.redis == nil {
		l, err = limit.New(n, window)
	} else {
		l, err = m.redis.New(name, n, window)
	}
	m.err = errors.Join(m.err, err)
	return l
}

// perMinute returns an exact limit of n requests a minute by network address.
func (m *limits) perMinute(name string, n int) (l *limit.Log) {
	var err error
	if m.redis == nil {
		l, err = limit.NewLog(n, time.Minute)
	} else {
		l, err = m.redis.NewLog(name, n, time.Minute)
	}
	m.err, m.addressLimits = errors.Join(m.err, err), append(m.addressLimits, l)
	return l
}

// budget returns a budget by network address.
func (m *limits) budget(name string, rates ...limit.Rate) (b *limit.Budget) {
	var err error
	if m.redis == nil {
		b, err = limit.NewBudget(rates...)
	} else {
		b, err = m.redis.NewBudget(name, rates...)
	}
	if err != nil {
		m.err = errors.Join(m.err, err)
		return &limit.Budget{}
	}
	m.addressLimits = append(m.addressLimits, b)
	return b
}

// costly returns a budget of a costly action, of which addresses that many people share have more.
func (m *limits) costly(name string, rates ...limit.Rate) *limit.Budget {
	return m.exempt(m.budget(name, rates...).Share(m.config.shared()))
}

// daily returns a budget of n actions of a network address in each UTC day, which the name of an action
// states; nil for 0.
func (m *limits) daily(name string, n int) *limit.Budget {
	if n == 0 {
		return nil
	}
	return m.exempt(m.budget(name, limit.Rate{Max: n, Window: 24 * time.Hour}))
}

// exempt exempts private addresses from a budget unless they are limited, too.
func (m *limits) exempt(b *limit.Budget) *limit.Budget {
	if m.config.LimitPrivate {
		return b
	}
	return b.ExemptPrivate()
}

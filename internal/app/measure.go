package app

import (
	"cmp"
	"context"
	"sync"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/metrics"
	"roshambo/internal/server/edge"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// counted is an Observer that counts requests in the metrics.
type counted struct{ *metrics.Requests }

// Begin implements edge.Observer.
func (c counted) Begin(ctx context.Context, _ *edge.Arrival) context.Context {
	c.Requests.Begin()
	return ctx
}

// End implements edge.Observer.
func (c counted) End(_ context.Context, o edge.Outcome) {
	e := metrics.Request{Operation: o.Operation, Status: o.Status, Code: o.Code, Took: o.Took, Waited: o.Waited,
		Reruns: o.Reruns}
	if o.Status == edge.StatusGone {
		e.Status = 0
	}
	c.Requests.End(e)
}

// measure registers the readers of gauges and counters.
func (s *Service) measure() {
	s.metrics.Read(s.readNode)
	s.metrics.Read(s.readDatabase)
	s.metrics.Read(s.readService)
}

// readNode reads the state of this node from memory.
func (s *Service) readNode(_ context.Context, m *metrics.Sample) {
	waiting := s.API.Streams.Waiting()
	m.Gauge("event_streams_open", "Streams of events that are open on this node.", float64(waiting.Streams))
	m.Gauge("holds_open", "Long polls that wait on this node.", float64(waiting.LongPolls))
	m.Gauge("password_queue", "Passwords in the hashing queue, those in progress included.",
		float64(s.Accounts.Hasher.Waiting()))
	m.Gauge("clock_offset_seconds", "How far this node's clock is ahead of the database's, by which everything is dated.",
		s.DB.ClockOffset().Seconds())
	var backupMade, backupEvery float64
	if b := s.backups; b != nil {
		backupEvery = b.every.Seconds()
		if last, _ := b.newest(); !last.IsZero() {
			backupMade = float64(last.Unix())
		}
	}
	m.Gauge("backup_timestamp_seconds", "When the newest scheduled backup that counts was made, or the schedule began "+
		"while there is none; 0 while this node does not know, since it has not listed the place.", backupMade)
	m.Gauge("backup_period_seconds", "Time between two scheduled backups; 0 without a schedule.", backupEvery)
	m.Gauge("draining", "1 once the node has received a signal to stop.", flag(s.draining.Load()))
	m.Gauge("redis_down", "1 while Redis does not answer, so that this node counts its limits by itself; 0 without one.",
		flag(s.redis != nil && s.redis.Away()))
}

// flag returns 1 for true.
func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// readDatabase reads the statistics of this node's database connection.
func (s *Service) readDatabase(_ context.Context, m *metrics.Sample) {
	st := s.DB.Stats()
	m.Counter("db_views_total", "Read transactions that have ended.", float64(st.Views))
	m.Counter("db_updates_total", "Write transactions that have ended.", float64(st.Updates))
	m.Counter("db_unavailable_total", "Write transactions whose outcome is unknown or that could not begin: "+
		"answered 503.", float64(st.Unavailable))
	m.Counter("db_retries_total", "Retries of write transactions after a conflict or a commit that was not stored.",
		float64(st.Reruns))
	m.Histogram("db_commit_seconds", "Duration of commits.", store.CommitBounds[:], st.CommitTimes[:],
		st.CommitTime.Seconds())
	m.Histogram("db_commit_updates", "Write transactions in one commit.", store.BatchBounds[:], st.BatchSizes[:],
		float64(st.Batched))
	m.Gauge("db_commit_longest_seconds", "The longest commit since the start.", st.LongestCommit.Seconds())
	m.Counter("db_round_trips_total", "Round trips to PostgreSQL.", float64(st.RoundTrips))
	m.Counter("db_checkpoints_total", "Complete checkpoints of SQLite's write-ahead log.", float64(st.Checkpoints))
	m.Gauge("db_queue", "Write transactions in the queue.", float64(st.Queue))
	m.Gauge("db_size_bytes", "Size of the database on disk, including its write-ahead log.", float64(st.Bytes))
}

// reading is one snapshot of the service's backlogs, as the database holds them.
type reading struct {
	at        time.Time
	backlog   ledger.Backlog
	accounts  account.Stats
	queue     arena.Stats
	duels     duel.Stats
	runs      int64
	uncounted int64
	reports   score.Backlog
	events    time.Time
}

// readings caches the last reading, so that several scrapers cost the database no more than one.
type readings struct {
	mu   sync.Mutex // guards last; held during a read
	last reading
}

const (
	// readingMaxAge is how long a reading is reused.
	readingMaxAge = 5 * time.Second
	// readingTimeout bounds one read.
	readingTimeout = 5 * time.Second
)

// read returns the cached reading, or a new one from the database when the cached one is older than
// readingMaxAge.
func (s *Service) read(ctx context.Context) (reading, error) {
	s.readings.mu.Lock()
	defer s.readings.mu.Unlock()
	now := s.config.Now()
	if now.Sub(s.readings.last.at) < readingMaxAge {
		return s.readings.last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readingTimeout)
	defer cancel()
	r := reading{at: now}
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) error {
		return cmp.Or(load(ctx, tx, &r.backlog, s.Ledger.Backlog), load(ctx, tx, &r.accounts, s.Accounts.Stats),
			load(ctx, tx, &r.queue, s.Arena.Stats), load(ctx, tx, &r.duels, s.Duels.Stats),
			load(ctx, tx, &r.runs, s.Runs.CountInPlay), load(ctx, tx, &r.uncounted, s.Score.PendingChanges),
			load(ctx, tx, &r.reports, s.Score.Backlog), load(ctx, tx, &r.events, s.Events.WaitingSince))
	})
	if err != nil {
		return reading{}, err
	}
	s.readings.last = r
	return r, nil
}

// load stores what get returns in a value.
func load[T any](
	ctx context.Context, tx *store.Tx, value *T, get func(context.Context, *store.Tx) (T, error),
) (err error) {
	*value, err = get(ctx, tx)
	return err
}

// age returns the seconds from since to the reading; 0 when since is zero.
func (r *reading) age(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(0, r.at.Sub(since).Seconds())
}

// readService reads the figures that are the same for all nodes of the service.
func (s *Service) readService(ctx context.Context, m *metrics.Sample) {
	r, err := s.read(ctx)
	m.Gauge("ready", "1 while /readyz is 200.", flag(len(s.reasons(r.backlog, err)) == 0))
	if err != nil {
		s.log.Warn("reading for metrics", "error", err)
		m.Gauge("db_up", "1 while the database answers.", 0)
		return
	}
	m.Gauge("db_up", "1 while the database answers.", 1)
	m.Gauge("chain_height", "The height of the newest block.", float64(r.backlog.Height))
	m.Gauge("chain_pending_transactions", "Transactions that are not in a block yet.", float64(r.backlog.Pending))
	m.Gauge("chain_block_age_seconds", "Age of the newest block.", r.age(r.backlog.SealedAt))
	m.Gauge("chain_sealing_lag_seconds", "Age of the oldest pending transaction; 0 when none is pending.",
		r.age(r.backlog.Oldest))
	m.Gauge("sessions", "Stored sessions.", float64(r.accounts.Sessions))
	m.Gauge("runs_in_play", "House runs in progress.", float64(r.runs))
	m.Gauge("duels_under_way", "Unfinished duels, including those without an opponent.", float64(r.duels.UnderWay))
	m.Gauge("duel_deadline_lag_seconds", "Age of the oldest passed deadline that is not applied yet.",
		r.age(r.duels.Deadline))
	m.Gauge("arena_waiting", "Bots in the arena's queue.", float64(r.queue.Waiting))
	m.Gauge("arena_longest_wait_seconds", "Longest current wait in the arena's queue.", r.age(r.queue.Since))
	m.Gauge("mail_outbox", "Mails in the outbox.", float64(r.accounts.Mails))
	m.Gauge("mail_lag_seconds", "Age of the oldest mail in the outbox.", r.age(r.accounts.MailWaiting))
	m.Gauge("event_lag_seconds", "Age of the oldest event that is not numbered for streams yet.", r.age(r.events))
	m.Gauge("reports_waiting", "Reported facts (runs, duels, sales) that are not reduced to points, boards and the "+
		"feed yet.", float64(r.reports.Reports))
	m.Gauge("report_lag_seconds", "Age of the oldest such fact; 0 when there is none.", r.age(r.reports.Oldest))
	m.Gauge("reports_refused", "Facts that could not be reduced and were set aside.", float64(r.reports.Refused))
	m.Gauge("board_changes_waiting", "Leaderboard changes that are not folded into their blocks yet.",
		float64(r.uncounted))
}

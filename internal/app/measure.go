package app

import (
	"context"
	"sync"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/metrics"
	"roshambo/internal/server/httpapi"
	"roshambo/internal/service/account"
	"roshambo/internal/service/arena"
	"roshambo/internal/service/duel"
	"roshambo/internal/service/score"
	"roshambo/internal/store"
)

// counted has metrics count requests.
type counted struct{ *metrics.Requests }

// Begin implements httpapi.Observer.
func (c counted) Begin(ctx context.Context, _ *httpapi.Arrival) context.Context {
	c.Requests.Begin()
	return ctx
}

// End implements httpapi.Observer.
func (c counted) End(_ context.Context, o httpapi.Outcome) {
	e := metrics.Ended{Operation: o.Operation, Status: o.Status, Code: o.Code, Took: o.Took, Waited: o.Waited, Reruns: o.Reruns}
	if o.Status == httpapi.StatusGone {
		e.Status = 0
	}
	c.Requests.End(e)
}

// measure has the metrics read what is kept anyway.
func (s *Service) measure() {
	s.metrics.Read(s.readNode)
	s.metrics.Read(s.readDatabase)
	s.metrics.Read(s.readService)
}

// readNode reads what this node has in memory.
func (s *Service) readNode(_ context.Context, m *metrics.Sample) {
	waiting := s.API.Waiting()
	m.Gauge("event_streams_open", "Streams of events that are open on this node.", float64(waiting.Streams))
	m.Gauge("holds_open", "Answers that this node holds until something happens.", float64(waiting.LongPolls))
	m.Gauge("password_queue", "Passwords that are being hashed or wait for it.", float64(s.Accounts.Hasher.Waiting()))
	draining := 0.0
	if s.draining.Load() {
		draining = 1
	}
	m.Gauge("draining", "1 once the node was told to stop.", draining)
}

// readDatabase reads what the database has done for this node.
func (s *Service) readDatabase(_ context.Context, m *metrics.Sample) {
	st := s.DB.Stats()
	m.Counter("db_views_total", "Reading transactions that have ended.", float64(st.Views))
	m.Counter("db_updates_total", "Use cases that write and have ended.", float64(st.Updates))
	m.Counter("db_unavailable_total", "Use cases whose outcome nobody knows, or that could not begin: answered 503.", float64(st.Unavailable))
	m.Counter("db_retries_total", "Use cases that were run again, as their commit was not stored or another got in between.", float64(st.Reruns))
	m.Histogram("db_commit_seconds", "How long commits took.", store.CommitBounds[:], st.CommitTimes[:], st.CommitTime.Seconds())
	m.Histogram("db_commit_updates", "How many use cases shared a commit.", store.BatchBounds[:], st.BatchSizes[:], float64(st.Batched))
	m.Gauge("db_commit_longest_seconds", "The longest commit since the start.", st.LongestCommit.Seconds())
	m.Counter("db_round_trips_total", "Messages to PostgreSQL that were answered before the next was sent.", float64(st.RoundTrips))
	m.Counter("db_checkpoints_total", "Times that SQLite's write-ahead log was moved into the file as a whole.", float64(st.Checkpoints))
	m.Gauge("db_queue", "Use cases that wait for their turn to write.", float64(st.Queue))
	m.Gauge("db_size_bytes", "The database on disk, its write-ahead log included.", float64(st.Bytes))
}

// reading is what operators watch of the whole service, as the database has it.
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

// readings keeps the last one for a while: several who ask cost the database no more
// than one.
type readings struct {
	mu   sync.Mutex // guards last, and is held by the one who reads
	last reading
}

const (
	// readingKept is how long a reading is given again.
	readingKept = 5 * time.Second
	// readingTime is how long one may take.
	readingTime = 5 * time.Second
)

// read returns what there is to be watched, from the database when it was last read too
// long ago.
func (s *Service) read(ctx context.Context) (reading, error) {
	s.readings.mu.Lock()
	defer s.readings.mu.Unlock()
	now := s.config.Now()
	if now.Sub(s.readings.last.at) < readingKept {
		return s.readings.last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	r := reading{at: now}
	err := s.DB.View(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if r.backlog, err = s.Ledger.Backlog(ctx, tx); err != nil {
			return err
		}
		if r.accounts, err = s.Accounts.Stats(ctx, tx); err != nil {
			return err
		}
		if r.queue, err = s.Arena.Stats(ctx, tx); err != nil {
			return err
		}
		if r.duels, err = s.Duels.Stats(ctx, tx); err != nil {
			return err
		}
		if r.runs, err = s.Runs.InPlay(ctx, tx); err != nil {
			return err
		}
		if r.uncounted, err = s.Score.Uncounted(ctx, tx); err != nil {
			return err
		}
		if r.reports, err = s.Score.Backlog(ctx, tx); err != nil {
			return err
		}
		r.events, err = s.Events.WaitingSince(ctx, tx)
		return err
	})
	if err != nil {
		return reading{}, err
	}
	s.readings.last = r
	return r, nil
}

// age returns how long ago something has begun, in seconds; 0 when nothing has.
func (r *reading) age(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(0, r.at.Sub(since).Seconds())
}

// readService reads what all nodes of the service see alike.
func (s *Service) readService(ctx context.Context, m *metrics.Sample) {
	r, err := s.read(ctx)
	if err != nil {
		s.log.Warn("reading for metrics", "error", err)
		m.Gauge("db_up", "1 while the database answers.", 0)
		return
	}
	m.Gauge("db_up", "1 while the database answers.", 1)
	m.Gauge("chain_height", "The height of the newest block.", float64(r.backlog.Height))
	m.Gauge("chain_pending_transactions", "Transactions that are in no block yet.", float64(r.backlog.Pending))
	m.Gauge("chain_block_age_seconds", "How long ago the newest block was sealed.", r.age(r.backlog.SealedAt))
	m.Gauge("chain_sealing_lag_seconds", "For how long the oldest transaction has waited for its block; 0 when none waits.", r.age(r.backlog.Oldest))
	m.Gauge("sessions", "Sessions that are stored.", float64(r.accounts.Sessions))
	m.Gauge("runs_in_play", "House runs that have begun and not ended.", float64(r.runs))
	m.Gauge("duels_under_way", "Duels that have not ended, those without an opponent included.", float64(r.duels.UnderWay))
	m.Gauge("duel_deadline_lag_seconds", "How long ago the first deadline passed that was not applied yet.", r.age(r.duels.Deadline))
	m.Gauge("arena_waiting", "Bots in the arena's queue.", float64(r.queue.Waiting))
	m.Gauge("arena_longest_wait_seconds", "For how long the bot has waited that has waited longest.", r.age(r.queue.Since))
	m.Gauge("mail_outbox", "Mails that wait to be sent.", float64(r.accounts.Mails))
	m.Gauge("mail_lag_seconds", "For how long the oldest of them has.", r.age(r.accounts.MailWaiting))
	m.Gauge("event_lag_seconds", "For how long the oldest event has waited to be told to streams.", r.age(r.events))
	m.Gauge("reports_waiting", "What was reported (runs, duels, sales) and nobody has reacted to with points, boards and the feed.", float64(r.reports.Reports))
	m.Gauge("report_lag_seconds", "For how long the oldest of it has waited; 0 when none waits.", r.age(r.reports.Oldest))
	m.Gauge("reports_refused", "Reports that could not be reacted to, and were put aside.", float64(r.reports.Refused))
	m.Gauge("board_changes_waiting", "Changes of places on leaderboards that are not folded into their blocks yet.", float64(r.uncounted))
}

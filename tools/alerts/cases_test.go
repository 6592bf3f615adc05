package alerts_test

import (
	"strings"
	"time"
)

const minute, second = time.Minute, time.Second

// alertCase describes the conditions under which an alert fires, and does not fire.
type alertCase struct {
	wrong []series
	after time.Duration // from the onset to the first evaluation that fires
	// brief is the longest duration of the fault without an alert. It is unused for alerts
	// without `for`, which fire at the first evaluation.
	brief time.Duration
	near  map[string][]series // conditions that may last without an alert
}

// series is a metric of one node with its value at a time, for a fault of a given length.
type series struct {
	of string // name and labels, as in PromQL
	at func(t, length time.Duration) float64
}

// gauge has one value normally and another one during the fault.
func gauge(of string, well, sick float64) series {
	return series{of, func(t, length time.Duration) float64 {
		if t >= onset && t < onset+length {
			return sick
		}
		return well
	}}
}

// counter increases by one rate per second normally and by another one during the fault.
func counter(of string, well, sick float64) series {
	return series{of, func(t, length time.Duration) float64 {
		ill := min(max(t-onset, 0), length)
		return well*(t-ill).Seconds() + sick*ill.Seconds()
	}}
}

// clock is the time of the last success, in Unix seconds.
func clock(of string) series {
	return series{of, func(t, length time.Duration) float64 {
		if t >= onset && t < onset+length {
			t = onset
		}
		return t.Seconds()
	}}
}

// nodes returns a metric of two nodes, one of which has no fault.
func nodes(metric string, well, sick float64) []series {
	open := "{"
	if name, labels, some := strings.Cut(metric, "{"); some {
		metric, open = name, "{"+strings.TrimSuffix(labels, "}")+","
	}
	return []series{gauge(metric+open+`instance="a"}`, well, well), gauge(metric+open+`instance="b"}`, well, sick)}
}

// requests returns 100 requests per second on two nodes; during the fault, the given number of
// them is of another class, evenly distributed.
func requests(bad string, sick float64) (list []series) {
	for _, node := range []string{"a", "b"} {
		list = append(list, counter(`roshambo_http_requests_total{class="2xx",operation="throw",instance="`+node+`"}`, 50,
			50-sick/2),
			counter(`roshambo_http_requests_total{class="`+bad+`",operation="throw",instance="`+node+`"}`, 0, sick/2))
	}
	return list
}

// refused returns the same requests, of which the given number is rejected with a code.
func refused(code string, sick float64) []series {
	list := requests("4xx", sick)
	for _, node := range []string{"a", "b"} {
		list = append(list, counter(`roshambo_http_errors_total{code="`+code+`",operation="throw",instance="`+node+`"}`, 0,
			sick/2))
	}
	return list
}

// durations returns a histogram of 100 requests per second of up to a quarter of a second; during
// the fault, a part of them takes up to half a second.
func durations(metric, labels string, part float64) []series {
	bucket := func(le string, well, sick float64) series {
		return counter(metric+`_bucket{`+labels+`,le="`+le+`"}`, well, sick)
	}
	return []series{bucket("0.1", 0, 0), bucket("0.25", 100, 100-100*part), bucket("0.5", 100, 100),
		bucket("+Inf", 100, 100)}
}

// throws returns such durations of an operation on two nodes, one of which has no fault.
func throws(operation string, part float64) []series {
	const metric = "roshambo_http_request_duration_seconds"
	return append(durations(metric, `operation="`+operation+`",instance="a"`, 0),
		durations(metric, `operation="`+operation+`",instance="b"`, 2*part)...)
}

// cases covers every alert of packaging/prometheus/alerts.yaml. Rates over five minutes delay an
// alert beyond its `for`, and keep a short fault in the rate.
var cases = map[string]alertCase{
	"RoshamboNodeDown": {
		wrong: nodes(`up{job="roshambo"}`, 1, 0), after: minute, brief: minute,
		near: map[string][]series{"another job": nodes(`up{job="other"}`, 1, 0)},
	},
	"RoshamboNotReady": {
		wrong: append(nodes("roshambo_ready", 1, 0), nodes("roshambo_draining", 0, 0)...), after: minute, brief: minute,
		near: map[string][]series{
			"a node that drains": append(nodes("roshambo_ready", 1, 0), nodes("roshambo_draining", 0, 1)...),
		},
	},
	"RoshamboDatabaseDown": {
		wrong: nodes("roshambo_db_up", 1, 0), after: minute, brief: minute,
		near: map[string][]series{"all is well": nodes("roshambo_db_up", 1, 1)},
	},
	"RoshamboErrors": {
		wrong: requests("5xx", 2), after: 7*minute + 30*second, brief: 5 * minute,
		near: map[string][]series{"one in a hundred": requests("5xx", 1), "faults of callers": requests("4xx", 100)},
	},
	"RoshamboThrowsSlow": {
		wrong: throws("throw", 0.02), after: 12*minute + 30*second, brief: 10 * minute,
		near: map[string][]series{
			"fewer than one in a hundred": throws("throw", 0.009),
			"another operation":           throws("login", 0.5),
		},
	},
	"RoshamboSealingStalled": {
		wrong: nodes("roshambo_chain_sealing_lag_seconds", 1, 30.1), after: minute, brief: minute,
		near: map[string][]series{"30 s": nodes("roshambo_chain_sealing_lag_seconds", 1, 30)},
	},
	"RoshamboLeaseHeldByNone": {
		wrong: []series{
			gauge(`roshambo_lease_held{lease="sealing",instance="a"}`, 1,
				0), gauge(`roshambo_lease_held{lease="sealing",instance="b"}`, 0, 0),
			gauge(`roshambo_lease_held{lease="boards",instance="b"}`, 1, 1),
		},
		after: minute, brief: minute,
		near: map[string][]series{"another takes it": {
			gauge(`roshambo_lease_held{lease="sealing",instance="a"}`, 1,
				0), gauge(`roshambo_lease_held{lease="sealing",instance="b"}`, 0, 1),
		}},
	},
	"RoshamboLeaseHeldTwice": {
		wrong: []series{
			gauge(`roshambo_lease_held{lease="sealing",instance="a"}`, 1,
				1), gauge(`roshambo_lease_held{lease="sealing",instance="b"}`, 0, 1),
		},
		after: minute, brief: minute,
		near: map[string][]series{"two leases": {
			gauge(`roshambo_lease_held{lease="sealing",instance="a"}`, 1,
				1), gauge(`roshambo_lease_held{lease="boards",instance="b"}`, 0, 1),
		}},
	},
	"RoshamboClockOff": {
		wrong: []series{gauge(`roshambo_clock_offset_seconds{instance="a"}`, 0, -6)},
		after: minute, brief: minute,
		near: map[string][]series{"some seconds": {gauge(`roshambo_clock_offset_seconds{instance="a"}`, 0, 4)}},
	},
	"RoshamboRedisDown": {
		wrong: nodes("roshambo_redis_down", 0, 1), after: minute, brief: minute,
		near: map[string][]series{"no Redis, or one that answers": nodes("roshambo_redis_down", 0, 0)},
	},
	"RoshamboLoopStalled": {
		wrong: []series{
			clock(`roshambo_loop_last_success_timestamp_seconds{loop="mails",instance="a"}`),
			gauge(`roshambo_loop_period_seconds{loop="mails",instance="a"}`, 10, 10),
		},
		after: 2*minute + 45*second, brief: 2*minute + 45*second, // 90 s and `for`, in steps of 15 s
		near: map[string][]series{
			"another node's goes well": {
				clock(`roshambo_loop_last_success_timestamp_seconds{loop="mails",instance="a"}`),
				counter(`roshambo_loop_last_success_timestamp_seconds{loop="mails",instance="b"}`, 1, 1),
				gauge(`roshambo_loop_period_seconds{loop="mails",instance="a"}`, 10, 10),
			},
			"a long period": {
				clock(`roshambo_loop_last_success_timestamp_seconds{loop="upkeep",instance="a"}`),
				gauge(`roshambo_loop_period_seconds{loop="upkeep",instance="a"}`, 3600, 3600),
			},
		},
	},
	"RoshamboDeadlinesLate": {
		wrong: nodes("roshambo_duel_deadline_lag_seconds", 0, 15.1), after: minute, brief: minute,
		near: map[string][]series{"15 s": nodes("roshambo_duel_deadline_lag_seconds", 0, 15)},
	},
	"RoshamboEventsLate": {
		wrong: nodes("roshambo_event_lag_seconds", 0, 10.1), after: minute, brief: minute,
		near: map[string][]series{"10 s": nodes("roshambo_event_lag_seconds", 0, 10)},
	},
	"RoshamboMailStuck": {
		wrong: nodes("roshambo_mail_lag_seconds", 0, 181),
		near:  map[string][]series{"3 minutes": nodes("roshambo_mail_lag_seconds", 0, 180)},
	},
	"RoshamboBackupOld": {
		wrong: append([]series{clock(`roshambo_backup_timestamp_seconds{instance="a"}`),
			gauge(`roshambo_backup_timestamp_seconds{instance="b"}`, 0, 0)},
			nodes("roshambo_backup_period_seconds", 60, 60)...),
		after: 17*minute + 15*second, brief: 17*minute + 15*second, // twice the schedule and `for`, in steps of 15 s
		near: map[string][]series{
			"twice the schedule": append([]series{{`roshambo_backup_timestamp_seconds{instance="a"}`,
				func(t, _ time.Duration) float64 { return t.Seconds() - 7200 }}},
				nodes("roshambo_backup_period_seconds", 3600, 3600)...),
			"no schedule": append(nodes("roshambo_backup_timestamp_seconds", 0, 0),
				nodes("roshambo_backup_period_seconds", 0, 0)...),
		},
	},
	"RoshamboReactionsLate": {
		wrong: nodes("roshambo_report_lag_seconds", 0, 10.1), after: minute, brief: minute,
		near: map[string][]series{"10 s": nodes("roshambo_report_lag_seconds", 0, 10)},
	},
	"RoshamboReportsRefused": {
		wrong: nodes("roshambo_reports_refused", 0, 1),
		near:  map[string][]series{"none": nodes("roshambo_reports_refused", 0, 0)},
	},
	"RoshamboBoardsBehind": {
		wrong: nodes("roshambo_board_changes_waiting", 50, 100_001), after: 5 * minute, brief: 5 * minute,
		near: map[string][]series{"100,000": nodes("roshambo_board_changes_waiting", 50, 100_000)},
	},
	"RoshamboOutcomesUnknown": {
		wrong: []series{counter(`roshambo_db_unavailable_total{instance="a"}`, 0, 1)}, after: interval,
		near: map[string][]series{"none": {counter(`roshambo_db_unavailable_total{instance="a"}`, 0, 0)}},
	},
	"RoshamboCommitsSlow": {
		wrong: durations("roshambo_db_commit_seconds", `instance="a"`, 0.02), after: 12*minute +
			30*second, brief: 10 * minute,
		near: map[string][]series{"fewer than one in a hundred": durations("roshambo_db_commit_seconds", `instance="a"`,
			0.009)},
	},
	"RoshamboWritesQueue": {
		wrong: nodes("roshambo_db_queue", 3, 501), after: 2 * minute, brief: 2 * minute,
		near: map[string][]series{"500": nodes("roshambo_db_queue", 3, 500), "500 on each": {
			gauge(`roshambo_db_queue{instance="a"}`, 3, 500), gauge(`roshambo_db_queue{instance="b"}`, 3, 500),
		}},
	},
	"RoshamboRetries": {
		wrong: []series{
			counter(`roshambo_db_retries_total{instance="a"}`, 0, 20), counter(`roshambo_db_updates_total{instance="a"}`, 50,
				50),
			counter(`roshambo_db_retries_total{instance="b"}`, 0, 21), counter(`roshambo_db_updates_total{instance="b"}`, 50,
				50),
		},
		after: 12*minute + 30*second, brief: 10 * minute,
		near: map[string][]series{"one in five": {
			counter(`roshambo_db_retries_total{instance="a"}`, 0, 20), counter(`roshambo_db_updates_total{instance="a"}`, 50,
				50),
			counter(`roshambo_db_retries_total{instance="b"}`, 0, 0), counter(`roshambo_db_updates_total{instance="b"}`, 50, 50),
		}},
	},
	"RoshamboPasswordsQueue": {
		wrong: nodes("roshambo_password_queue", 0, 201), after: 2 * minute, brief: 2 * minute,
		near: map[string][]series{"200": nodes("roshambo_password_queue", 0, 200)},
	},
	"RoshamboManyLimited": {
		wrong: refused("rate_limited", 40), after: 12*minute + 30*second, brief: 10 * minute,
		near: map[string][]series{"a fifth": refused("rate_limited", 20), "another code": refused("not_found", 100)},
	},
	"RoshamboStreamsFull": {
		wrong: nodes("roshambo_event_streams_open", 40, 18_001), after: 5 * minute, brief: 5 * minute,
		near: map[string][]series{"18,000": nodes("roshambo_event_streams_open", 40, 18_000)},
	},
	"RoshamboFilesOpen": {
		wrong: append(nodes(`process_open_fds{job="roshambo"}`, 50, 801),
			nodes(`process_max_fds{job="roshambo"}`, 1000, 1000)...),
		after: 5 * minute, brief: 5 * minute,
		near: map[string][]series{
			"four fifths": append(nodes(`process_open_fds{job="roshambo"}`, 50, 800),
				nodes(`process_max_fds{job="roshambo"}`, 1000, 1000)...),
			"another job": append(nodes(`process_open_fds{job="other"}`, 50, 999),
				nodes(`process_max_fds{job="other"}`, 1000, 1000)...),
		},
	},
}

package alerts_test

import (
	"log/slog"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

const (
	interval = 15 * time.Second // between scrapes, and between evaluations
	onset    = 30 * time.Minute // start of the fault
	watched  = 2 * time.Hour    // end of a test
	forEver  = watched          // a fault that does not end
	never    = time.Duration(-1)
)

// TestAlertsFire evaluates each alert with Prometheus' query engine on synthetic series. It must
// fire at the expected evaluation, must not fire if the fault ends just before, and must not fire
// under the conditions of near.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	rules := alertRules(t)
	for name := range cases {
		if _, there := rules[name]; !there {
			t.Errorf("%s is no alert", name)
		}
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, there := cases[name]
			if !there {
				t.Fatal("it is not in the table of cases")
			}
			if got := firstFires(t, rule, c.wrong, forEver); got != c.after {
				t.Errorf("it fires %v after the onset, want %v", got, c.after)
			}
			if rule.For > 0 {
				if got := firstFires(t, rule, c.wrong, c.brief); got != never {
					t.Errorf("it fires %v after the onset of what lasts %v, want never", got, c.brief)
				}
				if got := firstFires(t, rule, c.wrong, c.brief+interval); got == never {
					t.Errorf("it does not fire of what lasts %v, want it to", c.brief+interval)
				}
			}
			if len(c.near) == 0 {
				t.Error("nothing comes near it")
			}
			for what, scene := range c.near {
				if got := firstFires(t, rule, scene, forEver); got != never {
					t.Errorf("%s: it fires %v after the onset, want never", what, got)
				}
			}
		})
	}
}

// alertRules returns the alerts by name.
func alertRules(t *testing.T) map[string]rulefmt.Rule {
	t.Helper()
	file, problems := rulefmt.ParseFile(packaging+"prometheus/alerts.yaml", false, model.LegacyValidation,
		parser.NewParser(parser.Options{}), slog.Default())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rules := map[string]rulefmt.Rule{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.KeepFiringFor != 0 {
				t.Errorf("%s is kept firing, which these tests do not know", r.Alert)
			}
			rules[r.Alert] = r
		}
	}
	return rules
}

var labelOfTemplate = regexp.MustCompile(`\$labels\.(\w+)`)

// firstFires returns the time from the onset until a rule first fires for a fault of that length,
// or never. As in Prometheus, a rule fires for a set of labels once its expression has held at
// every evaluation for the time of `for`. The labels must include those that the annotations use.
func firstFires(t *testing.T, rule rulefmt.Rule, all []series, length time.Duration) time.Duration {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1_000_000, Timeout: time.Minute})
	query, err := engine.NewRangeQuery(t.Context(), scraped(t, all, length), nil, rule.Expr, time.Unix(0, 0),
		time.Unix(0, 0).Add(watched), interval)
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	matrix, err := query.Exec(t.Context()).Matrix()
	if err != nil {
		t.Fatal(err)
	}
	first := never
	for _, s := range matrix {
		var since, last int64
		for i, p := range s.Floats {
			if i == 0 || p.T-last > interval.Milliseconds() {
				since = p.T
			}
			last = p.T
			if p.T-since < time.Duration(rule.For).Milliseconds() {
				continue
			}
			at := time.Duration(p.T)*time.Millisecond - onset
			if at < 0 {
				t.Fatalf("it fires %v before the onset", -at)
			}
			if first == never || at < first {
				first = at
			}
			break
		}
		for _, text := range rule.Annotations {
			for _, m := range labelOfTemplate.FindAllStringSubmatch(text, -1) {
				if !s.Metric.Has(m[1]) {
					t.Errorf("%q speaks of a label that %v has not", text, s.Metric)
				}
			}
		}
	}
	return first
}

// scraped returns a store of the scraped samples of series.
func scraped(t *testing.T, all []series, length time.Duration) storage.Queryable {
	t.Helper()
	stored := make(seriesSet, len(all))
	for i, s := range all {
		metric, err := parser.NewParser(parser.Options{}).ParseMetric(s.of)
		if err != nil {
			t.Fatalf("%s: %v", s.of, err)
		}
		var samples []chunks.Sample
		for at := time.Duration(0); at <= watched; at += interval {
			samples = append(samples, sample{at.Milliseconds(), s.at(at, length)})
		}
		stored[i] = storage.NewListSeries(metric, samples)
	}
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			found := seriesSet{nil} // Next is called first
			for _, s := range stored {
				if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Labels().Get(m.Name)) }) {
					found = append(found, s)
				}
			}
			return &found
		},
	}}
}

// seriesSet is a storage.SeriesSet; it starts before the first element.
type seriesSet []storage.Series

func (s *seriesSet) Next() bool {
	*s = (*s)[1:]
	return len(*s) > 0
}
func (s *seriesSet) At() storage.Series              { return (*s)[0] }
func (*seriesSet) Err() error                        { return nil }
func (*seriesSet) Warnings() annotations.Annotations { return nil }

// sample is a chunks.Sample of a float.
type sample struct {
	ms    int64 // Unix time
	value float64
}

func (s sample) T() int64                    { return s.ms }
func (sample) ST() int64                     { return 0 }
func (s sample) F() float64                  { return s.value }
func (sample) H() *histogram.Histogram       { return nil }
func (sample) FH() *histogram.FloatHistogram { return nil }
func (sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample         { return s }

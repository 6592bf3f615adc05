package alerts_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

const packaging = "../../packaging/"

// TestRules parses the alert rules with Prometheus' parser: every field, expression, duration and
// template.
func TestRules(t *testing.T) {
	t.Parallel()
	rules, problems := rulefmt.ParseFile(packaging+"prometheus/alerts.yaml", false, model.LegacyValidation,
		parser.NewParser(parser.Options{}), slog.Default())
	for _, p := range problems {
		t.Error(p)
	}
	if rules == nil || len(rules.Groups) == 0 || len(rules.Groups[0].Rules) < 20 {
		t.Errorf("the rules are %+v", rules)
	}
}

// TestRulesAreRefused plants a mistake of each kind, so that TestRules cannot pass vacuously.
func TestRulesAreRefused(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(packaging + "prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, now := range map[string]string{
		"rate(": "rates(", "sum by (": "sum by", "[5m]": "", "for: 1m": "for: 1 minute", "labels:": "label:",
		"{{ $labels.instance }}": "{{ $label.instance }}", "{{ $value | humanize }}": "{{ $value | human }}",
	} {
		wrong := strings.Replace(string(text), old, now, 1)
		if wrong == string(text) {
			t.Errorf("the rules have no %q", old)
		}
		if _, problems := rulefmt.Parse([]byte(wrong), false, model.LegacyValidation, parser.NewParser(parser.Options{}),
			slog.Default()); len(problems) == 0 {
			t.Errorf("%q in place of %q is taken", now, old)
		}
	}
}

// TestDashboard parses every expression of the dashboard.
func TestDashboard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(packaging + "grafana/roshambo.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard any
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	list := expressions(dashboard)
	if len(list) < 40 {
		t.Errorf("only %d expressions were found", len(list))
	}
	p := parser.NewParser(parser.Options{})
	for _, expr := range list {
		if _, err := p.ParseExpr(expr); err != nil {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

// expressions returns every expr of a dashboard.
func expressions(v any) (list []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			list = append(list, expressions(e)...)
		}
	case map[string]any:
		if text, ok := v["expr"].(string); ok {
			list = append(list, text)
		}
		for _, e := range v {
			list = append(list, expressions(e)...)
		}
	}
	return list
}

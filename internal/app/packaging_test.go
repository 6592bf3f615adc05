package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// packaging is the folder of the files that are shipped beside the binary.
const packaging = "../../packaging/"

// ruleFile is a file of Prometheus alert rules.
type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert       string
			Expr        string
			For         string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
}

func alertRules(t *testing.T) ruleFile {
	t.Helper()
	f, err := os.Open(packaging + "prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // read only
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	var r ruleFile
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// textsNamed returns the texts of all members of a name in a value of JSON.
func textsNamed(v any, member string) (list []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			list = append(list, textsNamed(e, member)...)
		}
	case map[string]any:
		for name, e := range v {
			if text, ok := e.(string); ok && name == member {
				list = append(list, text)
			}
			list = append(list, textsNamed(e, member)...)
		}
	}
	return list
}

// metricName matches the metrics of an expression, except Prometheus' own.
var metricName = regexp.MustCompile(`\b(?:roshambo|process|go)_[a-z_]+`)

// labelled matches a metric with its label matchers, and picked one matcher with its value.
// Prometheus itself adds job and instance.
var (
	labelled = regexp.MustCompile(`\b((?:roshambo|process|go)_[a-z_]+)\{([^}]*)\}`)
	picked   = regexp.MustCompile(`([a-z_]+)=~?"([^"]*)"`)
)

// TestPackagedMetrics: the service exposes every metric that the dashboard and the alerts read,
// with the labels that they match. A missing one would be an empty chart, or an alert that never
// fires. tools/alerts tests the expressions themselves.
func TestPackagedMetrics(t *testing.T) {
	t.Parallel()
	var named []string
	add := func(where, expr string) {
		found := metricName.FindAllString(expr, -1)
		if len(found) == 0 && !strings.HasPrefix(expr, "up{") {
			t.Errorf("%s reads no metric: %s", where, expr)
		}
		for _, name := range found {
			named = append(named, name+"[ {]")
		}
		for _, m := range labelled.FindAllStringSubmatch(expr, -1) {
			for _, label := range picked.FindAllStringSubmatch(m[2], -1) {
				if label[1] == "instance" || label[1] == "job" {
					continue
				}
				// Any value, except that operations have the names of the API.
				value := `[^"]*`
				if label[1] == "operation" {
					value = label[2]
				}
				named = append(named, m[1]+`\{(?:.*,)?`+label[1]+`="`+value+`"`)
			}
		}
	}
	for _, g := range alertRules(t).Groups {
		for _, r := range g.Rules {
			add(r.Alert, r.Expr)
		}
	}
	text, err := os.ReadFile(packaging + "grafana/roshambo.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard any
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	all := textsNamed(dashboard, "expr")
	for _, e := range all {
		add("the dashboard", e)
	}
	if len(all) < 40 || len(named) < 60 {
		t.Fatalf("only %d expressions and %d names were found", len(all), len(named))
	}
	slices.Sort(named)
	named = slices.Compact(named)
	r := begin(t, config(t.TempDir()))
	ask(t, "GET", r.url+"/api/me") // an error, for the label code
	ask(t, "POST", r.url+"/api/runs/none/throw")
	var missing []string
	for deadline := time.Now().Add(testTimeout); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		_, shown := ask(t, "GET", r.admin+"/metrics")
		missing = nil
		for _, name := range named {
			if !regexp.MustCompile(`(?m)^` + name).MatchString(shown) {
				missing = append(missing, name)
			}
		}
		if len(missing) == 0 {
			return
		}
	}
	t.Errorf("no service shows %v", missing)
}

// TestAlertsAreDocumented: each alert has a severity, a summary, and an entry in the documentation.
func TestAlertsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range alertRules(t).Groups {
		for _, r := range g.Rules {
			n++
			if s := r.Labels["severity"]; s != "page" && s != "ticket" || r.Annotations["summary"] == "" {
				t.Errorf("%s has the severity %q, and says %q", r.Alert, s, r.Annotations["summary"])
			}
			if _, err := time.ParseDuration(r.For); r.For != "" && err != nil {
				t.Errorf("%s: %v", r.Alert, err)
			}
			if !strings.Contains(string(text), "| `"+r.Alert+"` |") {
				t.Errorf("docs/operations.md has no entry for %s", r.Alert)
			}
		}
	}
	if n == 0 {
		t.Error("there are no alerts")
	}
}

// TestProbesOutwaitReadiness: each probe that is shipped waits for longer than /readyz waits for the database, and the
// guide states that bound. A shorter one takes all nodes out at once when the database stalls.
func TestProbesOutwaitReadiness(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for path, pattern := range map[string]string{
		"packaging/proxy/haproxy.cfg":    `(?m)^\s+timeout check (\S+)$`,
		"packaging/proxy/Caddyfile":      `(?m)^\s+health_timeout (\S+)$`,
		"packaging/container/Dockerfile": `(?m)^HEALTHCHECK .*--timeout=(\S+) `,
		"cmd/roshambo/health.go":         `(?m)^\thealthTime = (\d+) \* time\.Second$`,
	} {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(read(path), -1)
		if len(found) != 1 {
			t.Errorf("%s has %d times %s, want one", path, len(found), pattern)
			continue
		}
		wait, err := time.ParseDuration(strings.TrimSuffix(found[0][1], "s") + "s")
		if err != nil || wait <= healthTimeout {
			t.Errorf("%s waits %v for an answer of /readyz, error %v, want more than %v", path, wait, err, healthTimeout)
		}
	}
	if strings.Contains(read("packaging/proxy/nginx.conf"), "health_check") {
		t.Error("nginx.conf has probes now: compare their timeout, too")
	}
	if row := fmt.Sprintf("| `/readyz` | %d s:", healthTimeout/time.Second); !strings.Contains(read("docs/operations.md"), row) {
		t.Errorf("docs/operations.md has no row %q", row)
	}
}

// TestUnit: systemd understands the unit, which confines the service.
func TestUnit(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(packaging + "roshambo.service")
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string][]string{}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			section = line
		case !ok || section == "":
			t.Errorf("%q is not a setting", line)
		default:
			settings[section+key] = append(settings[section+key], value)
		}
	}
	for _, want := range []string{
		"NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=", "User=roshambo", "UMask=0077",
		"StateDirectoryMode=0700",
		"ExecStart=/usr/local/bin/roshambo serve --config /etc/roshambo/roshambo.toml",
	} {
		key, value, _ := strings.Cut(want, "=")
		if got := settings["[Service]"+key]; len(got) != 1 || got[0] != value {
			t.Errorf("%s is %q, want %q", key, got, value)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if errors.Is(err, exec.ErrNotFound) {
		t.Log("Not asked: systemd-analyze, which is not here.")
		return
	}
	// systemd-analyze checks that the program exists, and it is not installed here: any other will
	// do.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "roshambo.service")
	if err := os.WriteFile(unit, []byte(strings.Replace(string(text), "/usr/local/bin/roshambo", self, 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"verify", unit},
		{"security", "--offline=true", "--threshold=20", "--no-pager", unit}, // 2.0 of 10
	} {
		if out, err := exec.CommandContext(t.Context(), analyze, args...).CombinedOutput(); err != nil {
			t.Errorf("systemd-analyze %v: %v\n%s", args[0], err, out)
		}
	}
}

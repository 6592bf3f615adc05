package postgres

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"roshambo/internal/store"
)

func TestMaskURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"postgres://u:secret@db:5432/x?sslmode=disable":        "postgres://u:xxxxx@db:5432/x?sslmode=disable",
		"postgres://u:sec#ret@db/x":                            "postgres://u:xxxxx@db/x",
		"postgres://u:sec?ret@db/x":                            "postgres://u:xxxxx@db/x",
		"postgresql://u:s%2Fcret@a,b/x":                        "postgresql://u:xxxxx@a,b/x",
		"postgres://u@db/x?password=secret&connect_timeout=3":  "postgres://u@db/x?password=xxxxx&connect_timeout=3",
		"postgres://u@db/x?sslmode=require&sslpassword=secret": "postgres://u@db/x?sslmode=require&sslpassword=xxxxx",
		"postgres:///x?host=/run/postgresql&user=u":            "postgres:///x?host=/run/postgresql&user=u",
		"postgres://u@db/x?p%61ssword=secret":                  "",
		"mysql://u:secret@db/x":                                "",
		"postgres://u:secret@db:port/x":                        "",
	} {
		if got := MaskURL(raw); got != want {
			t.Errorf("MaskURL(%s) = %q, want %q", raw, got, want)
		}
		if err := CheckURL(raw); err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error contains the password: %v", raw, err)
		}
	}
}

// TestStartupParameters checks that the startup message contains no parameter that a pooler may
// refuse or drop, even if the URL sets it; statements set these.
func TestStartupParameters(t *testing.T) {
	t.Parallel()
	const url = "postgres://u@a,b/x?lock_timeout=7s&application_name=one&options=-c%20geqo%3Doff"
	other, views, updates, err := connConfigs(store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*pgx.ConnConfig{"other": other, "views": views, "updates": updates} {
		want := map[string]string{"application_name": "one", "options": "-c geqo=off"}
		if diff := cmp.Diff(want, c.RuntimeParams); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if c.ValidateConnect == nil {
			t.Errorf("%s: no settings are applied", name)
		}
	}
	if n := countHosts(other); n != 2 {
		t.Errorf("got %d hosts, want 2", n)
	}
}

package db

import (
	"strings"
	"testing"
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
			t.Errorf("%s is shown as %q, want %q", raw, got, want)
		}
		if err := CheckURL(raw); err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells the password: %v", raw, err)
		}
	}
}

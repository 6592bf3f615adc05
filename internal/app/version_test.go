package app

import (
	"runtime/debug"
	"testing"

	"roshambo/internal/server/api"
)

// TestVersion: a build from a checkout names its commit and the day of it.
func TestVersion(t *testing.T) {
	t.Parallel()
	stamped := []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "0a1b2c"}, {Key: "vcs.time", Value: "2026-11-29T10:00:00Z"}}
	clean, changed := debug.BuildSetting{Key: "vcs.modified", Value: "false"},
		debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for want, settings := range map[string][]debug.BuildSetting{
		" 0a1b2c 2026-11-29 go1.26.8":              append(stamped[:4:4], clean),
		" 0a1b2c 2026-11-29 with changes go1.26.8": append(stamped[:4:4], changed),
		" go1.26.8": stamped[:1],
	} {
		if got := version(&debug.BuildInfo{GoVersion: "go1.26.8", Settings: settings}); got != api.Version+want {
			t.Errorf("%v give %q, want %q", settings, got, api.Version+want)
		}
	}
}

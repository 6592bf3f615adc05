package app

import (
	"runtime/debug"
	"strings"

	"roshambo/internal/server/api"
)

// Version returns the version of the program, its commit and the day of that, where the build recorded them, and the
// version of Go. Operators compare it with CHANGELOG.md and with other nodes.
func Version() string {
	info, known := debug.ReadBuildInfo()
	if !known {
		return api.Version
	}
	return version(info)
}

// version returns the version for a build.
func version(info *debug.BuildInfo) string {
	words := []string{api.Version}
	for _, s := range info.Settings { // in the order of the command go: commit, time, changes
		switch {
		case s.Key == "vcs.revision":
			words = append(words, s.Value)
		case s.Key == "vcs.time":
			day, _, _ := strings.Cut(s.Value, "T")
			words = append(words, day)
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "with changes")
		}
	}
	return strings.Join(append(words, info.GoVersion), " ")
}

package app

import (
	"runtime/debug"

	"roshambo/internal/server/api"
)

// Version returns the versions of the program, of its commit where the build recorded it, and of
// Go. Operators compare it with CHANGELOG.md and with other nodes.
func Version() string {
	text := api.Version
	info, known := debug.ReadBuildInfo()
	if !known {
		return text
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " with changes"
		}
	}
	return text + " " + info.GoVersion
}

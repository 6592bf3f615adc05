package app

import (
	"runtime/debug"

	"roshambo/internal/server/httpapi"
)

// Version is that of the program, the commit that it was built from where the build knows it,
// and Go's: what an operator compares with CHANGELOG.md and with other nodes.
func Version() string {
	text := httpapi.Version
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

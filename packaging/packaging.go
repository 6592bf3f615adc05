// Package packaging holds the files that are shipped beside the binary and that it writes for a machine.
package packaging

import _ "embed" // Unit

// Unit is the unit of systemd for `roshambo serve`, with the paths of a usual installation.
//
//go:embed roshambo.service
var Unit string

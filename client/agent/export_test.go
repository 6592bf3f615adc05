package agent

// Abort ends an agent as a kill does: rounds in play stop where they are.
func (a *Agent) Abort() { a.kill() }

// Hints are the codes with a hint.
func Hints() map[string]string { return hints }

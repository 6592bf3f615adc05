package httpapi

// SecurityEvents returns the operations that have a line in the log, with its name.
func SecurityEvents() map[string]string { return securityEvents }

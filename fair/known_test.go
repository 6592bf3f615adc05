package fair

const (
	knownCommitment = "1dd3b17c0ec5c307fa8d7c80be6fe9d4859f4d26539f97fe8ca96c5f19605ad1"
	knownSeed1      = "82bda0ba3934be7ce54d88d55b156bbfc773e0e9fb257c16a82affb1c4e22568"
)

var knownMoves = [...]string{"paper", "rock", "paper"}

// A tool of the tests: it needs the standard library alone, and nothing of the service needs
// it.
module roshambo/tools/mutate

go 1.26.0

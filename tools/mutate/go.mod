// A development tool on the standard library alone. The service does not depend on it.
module roshambo/tools/mutate

go 1.26.0

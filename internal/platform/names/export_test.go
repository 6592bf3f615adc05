package names

// Confusables is the table of look-alikes, for its test.
var Confusables = confusables

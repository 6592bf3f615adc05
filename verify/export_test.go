package verify

// Table is the table of shapes.
const Table = table

// Internals for the tests of values.json and the fuzz tests.
var (
	ReadJSON  = readJSON
	IsAddress = isAddress
)

// NoteBody returns the part of a signed note that is signed.
func NoteBody(note string) (string, error) {
	body, _, err := parseNote(note)
	return body, err
}

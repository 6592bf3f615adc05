package verify

// Table is the shapes.
const Table = table

// For the tests of values.json and of the meaning of a proof.
var (
	ReadJSON  = readJSON
	IsAddress = isAddress
)

// NoteBody returns what of a signed note is signed.
func NoteBody(note string) (string, error) {
	body, _, err := parseNote(note)
	return body, err
}

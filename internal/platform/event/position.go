package event

// Position is the progress of a reader: the number of the last event that it has read, and the
// identity of that event.
//
// The number alone is not enough. After a failover to a standby that was behind, the log continues
// from an earlier number, and other events get numbers that were given before. So each event
// carries its batch, a random number of the transaction that numbered it. Where the log has the
// same number with the same batch it also has everything before, because each such transaction
// builds on the one before it.
//
// The zero Position precedes the first event.
type Position struct {
	Seq   int64
	batch int64
	// given reports that batch has only its last batchBits bits, from an id that a client sent.
	given bool
}

// batchBits is the number of bits of the batch in an event's id. Ids stay below 2^53, which every
// JSON parser reads exactly, up to 2^41 events. An id of a lost history matches the present one
// with probability 1/4096.
const batchBits = 12

const batchMask = 1<<batchBits - 1

// ID returns the position as one number for clients, which grows with Seq.
func (p Position) ID() int64 { return p.Seq<<batchBits | p.batch&batchMask }

// ParseID returns the position of an id.
func ParseID(id int64) Position {
	return Position{Seq: id >> batchBits, batch: id & batchMask, given: true}
}

// ID returns the id of the event for clients.
func (e *Stored) ID() int64 { return e.position().ID() }

// position returns the position of a reader that has read up to the event.
func (e *Stored) position() Position { return Position{Seq: e.Seq, batch: e.batch} }

// matches reports whether p and q, which have the same number, are positions in the same history.
func (p Position) matches(q Position) bool {
	if p.given {
		return p.batch == q.batch&batchMask
	}
	return p.batch == q.batch
}

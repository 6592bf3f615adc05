package event

// Position is how far a reader has read: the number of the last event that it knows, and
// which event that was.
//
// The number alone does not say that. After a failover to a standby that was behind, the
// log goes on from an earlier number, and other events get the numbers that were given
// before. So each event carries a random number of the transaction that numbered it, its
// batch: where the log has the same number with the same batch, it has everything before
// it as well, because each such transaction follows the one before it.
//
// The zero Position is that before the first event.
type Position struct {
	Seq   int64
	batch int64
	// given says that batch holds its last bits alone, as a client has given them back.
	given bool
}

// batchBits is how many bits of an event's batch are in its id. Ids stay below 2^53, which
// every JSON parser reads exactly, up to 2^41 events. A client that comes back with an id
// of a lost history is taken for one that knows the present one in one case of 4096.
const batchBits = 12

const batchMask = 1<<batchBits - 1

// ID returns the position as one number that grows with Seq, for clients.
func (p Position) ID() int64 { return p.Seq<<batchBits | p.batch&batchMask }

// ParseID returns the position of an ID.
func ParseID(id int64) Position {
	return Position{Seq: id >> batchBits, batch: id & batchMask, given: true}
}

// ID returns the id of the event, for clients.
func (e *Stored) ID() int64 { return e.position().ID() }

// position returns the position of who has read up to the event.
func (e *Stored) position() Position { return Position{Seq: e.Seq, batch: e.batch} }

// knows reports whether p can be the position of who has read up to q, which has the same
// number.
func (p Position) knows(q Position) bool {
	if p.given {
		return p.batch == q.batch&batchMask
	}
	return p.batch == q.batch
}

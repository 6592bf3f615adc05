package operator

// HashOf returns the hash of an entry behind prev, as Append computes it.
func (l *Log) HashOf(e Entry, prev [32]byte) [32]byte { return l.hash(e, prev) }

//go:build nightly

package ledger

// Room makes a Loader store its blocks when the chunks of the next ones have n bytes more.
func (x *Loader) Room(n int) { x.size = loadBytes - n }

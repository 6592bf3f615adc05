package db

import "context"

// notifier is the engine of a database that other processes can have open, too.
type notifier interface {
	listen(ctx context.Context, channel string, ready func(), receive func(message string)) error
	notify(ctx context.Context, channel string, messages []string) error
}

// Listen calls receive, one call after the other, for each message that a process sends
// to a channel of this database, this process included, until ctx ends or the connection
// is lost; its error says which. ready is called once it hears all that is sent from then
// on. What is sent while nobody listens is gone. Where no other process can have the
// database open it hears nothing, and only waits.
func (d *DB) Listen(ctx context.Context, channel string, ready func(), receive func(message string)) error {
	n, ok := d.engine.(notifier)
	if !ok {
		ready()
		<-ctx.Done()
		return ctx.Err()
	}
	return n.listen(ctx, channel, ready, receive)
}

// Notify sends messages, each of less than 8000 bytes, to who listens to a channel. It
// belongs to no Update: tell of one from Tx.AfterCommit, and not on its goroutine. After
// an error some messages may have been sent.
func (d *DB) Notify(ctx context.Context, channel string, messages []string) error {
	n, ok := d.engine.(notifier)
	if !ok || len(messages) == 0 {
		return nil
	}
	return n.notify(ctx, channel, messages)
}

package store

import "context"

// Notifier sends messages to the listeners of a channel. It is not safe for concurrent use.
type Notifier interface {
	// Send sends messages, each of less than 8000 bytes. It is not part of an Update, whose commit the
	// server would serialize: call it from another goroutine after Tx.AfterCommit has fired. After an
	// error some messages may have been sent, and the Notifier is unusable.
	Send(ctx context.Context, messages []string) error
	Close() error
}

// notifierEngine is implemented by engines whose database several processes can open.
type notifierEngine interface {
	Listen(ctx context.Context, channel string, ready func(), receive func(message string)) error
	Notifier(ctx context.Context, channel string) (Notifier, error)
}

// Listen calls receive sequentially for each message that any process, this one included, sends
// to a channel of this database, until ctx ends, or the connection is lost or suspect, and returns that
// error within seconds. It calls ready once it receives every message sent from then on; messages sent while
// no process listens are lost. Where no other process can open the database, Listen receives
// nothing and waits for ctx.
func (d *DB) Listen(ctx context.Context, channel string, ready func(), receive func(message string)) error {
	s, ok := d.engine.(notifierEngine)
	if !ok {
		ready()
		<-ctx.Done()
		return ctx.Err()
	}
	return s.Listen(ctx, channel, ready, receive)
}

// Notifier returns a Notifier for a channel, which the caller closes. Where no other process
// can listen it discards its messages.
func (d *DB) Notifier(ctx context.Context, channel string) (Notifier, error) {
	s, ok := d.engine.(notifierEngine)
	if !ok {
		return noopNotifier{}, nil
	}
	return s.Notifier(ctx, channel)
}

// noopNotifier discards messages, for a database that one process alone has open.
type noopNotifier struct{}

func (noopNotifier) Send(context.Context, []string) error { return nil }
func (noopNotifier) Close() error                         { return nil }

package store

import "context"

// Notifier sends messages to who listens to a channel. One goroutine at a time uses it.
type Notifier interface {
	// Send sends messages, each of less than 8000 bytes. It belongs to no Update: tell of
	// one from Tx.AfterCommit, and not on its goroutine, or by Tx.Notify. After an error some messages may
	// have been sent, and the Notifier is of no more use.
	Send(ctx context.Context, messages []string) error
	Close() error
}

// notifierEngine is the engine of a database that other processes can have open, too.
type notifierEngine interface {
	listen(ctx context.Context, channel string, ready func(), receive func(message string)) error
	notifier(ctx context.Context, channel string) (Notifier, error)
}

// Listen calls receive, one call after the other, for each message that a process sends
// to a channel of this database, this process included, until ctx ends or the connection
// is lost; its error says which. ready is called once it hears all that is sent from then
// on. What is sent while nobody listens is gone. Where no other process can have the
// database open it hears nothing, and only waits.
func (d *DB) Listen(ctx context.Context, channel string, ready func(), receive func(message string)) error {
	s, ok := d.engine.(notifierEngine)
	if !ok {
		ready()
		<-ctx.Done()
		return ctx.Err()
	}
	return s.listen(ctx, channel, ready, receive)
}

// Notifier returns what sends messages to a channel, which the caller closes. Where
// nobody else can listen it sends none.
func (d *DB) Notifier(ctx context.Context, channel string) (Notifier, error) {
	s, ok := d.engine.(notifierEngine)
	if !ok {
		return noopNotifier{}, nil
	}
	return s.notifier(ctx, channel)
}

type noopNotifier struct{}

func (noopNotifier) Send(context.Context, []string) error { return nil }
func (noopNotifier) Close() error                         { return nil }

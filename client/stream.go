package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roshambo/client/api"
)

// Event is an event of the service (docs/events.md).
type Event struct {
	// Name is a member of api.Events, such as "matched". Expect others, too.
	Name string
	// ID grows within a stream; nil for an event that is not stored.
	ID *int64
	// Data is an object of the type of that member, in JSON.
	Data json.RawMessage
}

// Times of a stream. The service sends at least a comment every 15 seconds.
const (
	// silence is the time without a line after which a stream counts as lost.
	silence = 45 * time.Second
	// reconnect is the delay before another connection unless the service names one between the next two.
	reconnect    = 2 * time.Second
	minReconnect = 100 * time.Millisecond
	maxReconnect = time.Minute
	// longestPause is to which the delays between connections grow while no event arrives, unless the service names a
	// longer one.
	longestPause = 30 * time.Second
)

// How the reading of a stream ended.
var (
	errComplete = errors.New("client: the answer is complete")
	errBroken   = errors.New("client: the connection broke within an answer")
	errStopped  = errors.New("client: the caller has stopped")
)

// Events follows the events of the service:
//
//	for event, err := range c.Events(ctx, api.FollowEventsParams{}) {
//
// After a connection that breaks it connects again and goes on behind the last event with an id, so each stored event
// comes once; while no event comes, the delays between connections grow to half a minute. It ends after the event end,
// and with Follow false once the stored events have been sent. An error of a call, after which no repetition has
// helped, is yielded with a zero event and ends the iteration.
func (c *Client) Events(ctx context.Context, p api.FollowEventsParams) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		once := p.Follow != nil && !*p.Follow
		f := following{after: p.After, pause: reconnect, again: resume{calls: c.calls, longest: longestPause, budget: -1}}
		if p.LastEventID != nil {
			f.after = p.LastEventID
		}
		for {
			query := p // as each iteration begins where the caller said
			query.After, query.LastEventID = f.after, nil
			in, err := openLines(c.API.FollowEvents(ctx, &query))
			if err == nil {
				err = f.read(in, yield)
				in.close()
			}
			switch {
			case errors.Is(err, errStopped), errors.Is(err, errComplete) && once:
				return
			case errors.Is(err, errComplete), errors.Is(err, errBroken):
				err = f.again.wait(ctx, f.pause, err)
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
		}
	}
}

// following is the state of a stream of events over its connections (WHATWG HTML, 9.2.6).
type following struct {
	after *int64        // the id to go on behind; a comment may advance it without an event
	pause time.Duration // before another connection
	event Event         // as far as its lines have come
	again resume
}

// resume waits between the connections of one stream, for delays that grow until an item arrives.
type resume struct {
	calls *doer
	// longest is to which the delays grow, and budget the most of all delays since the last item; without end if it is
	// negative.
	longest, budget time.Duration
	waited, next    time.Duration
}

// progress notes that an item has arrived.
func (r *resume) progress() { r.waited, r.next = 0, 0 }

// wait waits before the next connection: at first for least, then for twice as long as before. It returns broken, the
// error of the last connection, in place of a wait that would exceed the budget, or the error of ctx.
func (r *resume) wait(ctx context.Context, least time.Duration, broken error) error {
	pause := max(least, min(r.next, r.longest))
	r.next = 2 * pause
	pause, err := r.calls.jitter(pause) // clients that were interrupted together do not return together
	if err != nil {
		return err
	}
	if r.waited += pause; r.budget >= 0 && r.waited > r.budget {
		return broken
	}
	return sleep(ctx, pause)
}

// read yields the events of one connection. It returns errStopped after the event end, or when the caller stops.
func (f *following) read(in *lineReader, yield func(Event, error) bool) error {
	f.event = Event{} // without the lines of an event that was cut off
	for {
		line, err := in.next()
		if err != nil {
			return err
		}
		event, whole := f.take(string(line))
		if whole {
			f.again.progress()
		}
		if whole && (!yield(event, nil) || event.Name == "end") {
			return errStopped
		}
		if len(f.event.Data) > maxResponse {
			return fmt.Errorf("read an event: it has more than %d bytes", maxResponse)
		}
	}
}

// take takes a line, and returns the event that it ends.
func (f *following) take(line string) (event Event, whole bool) {
	if line == "" {
		event, f.event = f.event, Event{}
		if event.ID != nil {
			f.after = event.ID
		}
		return event, event.Data != nil
	}
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	n, err := strconv.ParseInt(value, 10, 64)
	number := err == nil && n >= 0
	switch {
	case name == "event":
		f.event.Name = value
	case name == "data" && f.event.Data == nil:
		f.event.Data = json.RawMessage(value)
	case name == "data":
		f.event.Data = append(append(f.event.Data, '\n'), value...)
	case name == "id" && number:
		f.event.ID = &n
	case name == "retry" && number:
		f.pause = max(minReconnect, time.Duration(min(n, maxReconnect.Milliseconds()))*time.Millisecond)
	}
	return Event{}, false
}

// Lines iterates over the lines of the data in bulk (docs/data.md), each of which has a cursor. read reads the lines
// behind a cursor, nil for the first ones, and cursor returns the cursor of a line:
//
//	for line, err := range client.Lines(ctx,
//		func(ctx context.Context, after *string) (*api.Answer[[]byte], error) {
//			return c.API.DataDuels(ctx, &api.DataDuelsParams{After: after})
//		},
//		func(line *api.DuelLine) string { return line.Cursor },
//	) {
//
// After an answer or a connection that ends it goes on behind the last line, up to a whole answer without a line. An
// error is yielded with a zero line, and ends the iteration; so does a connection that breaks again and again without a
// line, once the delays exceed the client's RetryBudget. Errors: also ErrCursor.
func Lines[Line any](
	ctx context.Context, read func(ctx context.Context, after *string) (*api.Answer[[]byte], error),
	cursor func(*Line) string,
) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var after *string
		again := resume{longest: maxWait}
		for more := true; more; {
			more = false
			asked := after
			in, err := openLines(read(context.WithValue(ctx, streamKey{}, true), after))
			for err == nil {
				var line Line
				if line, err = nextLine[Line](in); err != nil {
					break
				}
				after, more = new(cursor(&line)), true
				again.progress()
				if asked != nil && *after == *asked {
					err = ErrCursor
				} else if !yield(line, nil) {
					err = errStopped
				}
			}
			if in != nil {
				in.close()
			}
			if errors.Is(err, errBroken) && in.calls != nil {
				more, again.calls, again.budget = true, in.calls, in.calls.retryBudget
				err = again.wait(ctx, firstWait, err)
			}
			switch {
			case errors.Is(err, errStopped):
				return
			case err != nil && !errors.Is(err, errComplete):
				var none Line
				yield(none, err)
				return
			}
		}
	}
}

// ErrCursor reports that a line has the cursor behind which it was read: reading on would bring it again without end.
var ErrCursor = errors.New("client: a line behind a cursor has this cursor itself")

// nextLine decodes the next line of an answer. Errors: as of next, and an invalid line.
func nextLine[Line any](in *lineReader) (line Line, err error) {
	text, err := in.next()
	if err == nil {
		if err = json.Unmarshal(text, &line); err != nil {
			err = fmt.Errorf("read a line: %w", err)
		}
	}
	return line, err
}

// streamKey is the key of the mark of calls in a context whose answers are read piece by piece.
type streamKey struct{}

// lineReader reads an answer that goes on, line by line.
type lineReader struct {
	body  io.ReadCloser
	in    *bufio.Scanner
	calls *doer // that has opened it; nil for an answer that was read whole
}

// openLines begins to read a 200 response. Any other status is returned as an *Error.
func openLines[T any](answer *api.Answer[T], err error) (*lineReader, error) {
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_, err := ReadText(answer, nil)
		return nil, err
	}
	l := &lineReader{body: answer.Body, in: bufio.NewScanner(answer.Body)}
	if s, ok := answer.Body.(*stream); ok {
		l.calls = s.calls
	}
	l.in.Buffer(nil, maxResponse)
	l.in.Split(wholeLines)
	return l, nil
}

// next returns the next line without its end, until the following call. Errors: errComplete, errBroken, and
// bufio.ErrTooLong.
func (l *lineReader) next() ([]byte, error) {
	lost := time.AfterFunc(silence, l.close)
	defer lost.Stop()
	if l.in.Scan() {
		return l.in.Bytes(), nil
	}
	switch err := l.in.Err(); {
	case err == nil:
		return nil, errComplete
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("read an answer: %w", err)
	default:
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
}

// close ends the connection.
func (l *lineReader) close() { _ = l.body.Close() }

// wholeLines is bufio.ScanLines without a last line that has no end: the connection has cut it off.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if atEOF && bytes.IndexByte(data, '\n') < 0 {
		return len(data), nil, nil
	}
	return bufio.ScanLines(data, atEOF)
}

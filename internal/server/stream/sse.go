package stream

import (
	"net/http"
	"strconv"
	"sync"

	"roshambo/contract"
)

// writer writes server-sent events (HTML, section 9.2). flush sends what the other methods add.
// The buffer comes from a pool, so that a waiting stream has none.
type writer struct {
	w   http.ResponseWriter
	buf *[]byte
}

// sseBuffers holds buffers of at most 64 KiB for reuse.
var sseBuffers = sync.Pool{New: func() any { return new([]byte) }}

// text adds a piece unchanged.
func (s *writer) text(piece string) {
	if s.buf == nil {
		s.buf = sseBuffers.Get().(*[]byte)
		*s.buf = (*s.buf)[:0]
	}
	*s.buf = append(*s.buf, piece...)
}

// id adds the reader's position. With an empty line after it and no event, it only sets the
// Last-Event-ID that the reader returns with.
func (s *writer) id(seq int64) {
	s.text("id: ")
	*s.buf = strconv.AppendInt(*s.buf, seq, 10)
	s.text("\n")
}

// event completes an event. body is JSON without line breaks.
func (s *writer) event(kind, body string) {
	s.text("event: ")
	s.text(kind)
	s.text("\ndata: ")
	s.text(body)
	s.text("\n\n")
}

// value completes an event with the JSON of body.
func (s *writer) value(kind string, body any) error {
	text, err := contract.Encode(body)
	if err != nil {
		return err
	}
	s.event(kind, string(text))
	return nil
}

// flush sends the added text. A client that does not read it is disconnected (the listener of package edge).
func (s *writer) flush() error {
	if s.buf == nil {
		return nil
	}
	_, err := s.w.Write(*s.buf)
	if cap(*s.buf) <= 64<<10 {
		sseBuffers.Put(s.buf)
	}
	s.buf = nil
	if err != nil {
		return err
	}
	return http.NewResponseController(s.w).Flush()
}

package httpapi

import (
	"net/http"
	"strconv"
	"sync"

	"roshambo/contract"
)

// sseWriter writes server-sent events (HTML, section 9.2). What is added is sent by
// flush. It borrows its buffer, so that a stream that waits has none.
type sseWriter struct {
	w   http.ResponseWriter
	buf *[]byte
}

var sseBuffers = sync.Pool{New: func() any { return new([]byte) }}

// text adds a piece as it is.
func (s *sseWriter) text(piece string) {
	if s.buf == nil {
		s.buf = sseBuffers.Get().(*[]byte)
		*s.buf = (*s.buf)[:0]
	}
	*s.buf = append(*s.buf, piece...)
}

// id says up to where the reader has read. By itself, and an empty line, it is no event
// to the reader's program, but what comes back as Last-Event-ID.
func (s *sseWriter) id(seq int64) {
	s.text("id: ")
	*s.buf = strconv.AppendInt(*s.buf, seq, 10)
	s.text("\n")
}

// event adds the rest of an event. The body is JSON on one line.
func (s *sseWriter) event(kind, body string) {
	s.text("event: ")
	s.text(kind)
	s.text("\ndata: ")
	s.text(body)
	s.text("\n\n")
}

// value adds the rest of an event whose body is yet to be written as JSON.
func (s *sseWriter) value(kind string, body any) error {
	text, err := contract.Encode(body)
	if err == nil {
		s.event(kind, string(text))
	}
	return err
}

// flush sends what was added. A client that does not take it is cut off (readListener).
func (s *sseWriter) flush() error {
	if s.buf == nil {
		return nil
	}
	_, err := s.w.Write(*s.buf)
	if cap(*s.buf) <= 64<<10 {
		sseBuffers.Put(s.buf)
	}
	s.buf = nil
	if err == nil {
		err = http.NewResponseController(s.w).Flush()
	}
	return err
}

package replay

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// spill is a part whose turn has not come: a file of what it was told.
type spill struct {
	file    io.ReadWriteCloser
	w       *bufio.Writer
	scratch []byte // for one record
	written int64  // bytes, to know a file that came back short
	err     error  // the first one of writing; said when the file is read
}

// spillBuffer is how many bytes go to and come from a file at once.
const spillBuffer = 64 << 10

func newSpill(file io.ReadWriteCloser) *spill {
	return &spill{file: file, w: bufio.NewWriterSize(file, spillBuffer)}
}

// tell tells to everything that was written down, in the same order.
func (s *spill) replayInto(to *state) error {
	if s.err == nil {
		s.err = s.w.Flush()
	}
	if s.err != nil {
		return s.err
	}
	if seeker, ok := s.file.(io.Seeker); ok {
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	r := bufio.NewReaderSize(s.file, spillBuffer)
	var head [recordHead]byte
	for left := s.written; left > 0; {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return short(err)
		}
		n := int64(binary.LittleEndian.Uint32(head[:]))
		if left -= recordHead + n; left < 0 {
			return errRecord
		}
		if int64(cap(s.scratch)) < n {
			s.scratch = make([]byte, n)
		}
		body := s.scratch[:n]
		if _, err := io.ReadFull(r, body); err != nil {
			return short(err)
		}
		if err := applyRecord(to, body); err != nil {
			return err
		}
	}
	return nil
}

// errRecord says that a file did not give back what was written to it.
var errRecord = errors.New("a record that was not written like this")

// short names a file that ended too early.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

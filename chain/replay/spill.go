package replay

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// spill is a part that Finish applies later: it records every call of the part interface in a
// file, in order.
type spill struct {
	file    io.ReadWriteCloser
	w       *bufio.Writer
	scratch []byte // memory for one record
	written int64  // bytes, to detect a truncated file
	err     error  // the first write error; replayInto returns it
}

// spillBuffer is the size of reads and writes, in bytes.
const spillBuffer = 64 << 10

// newSpill returns a part that records to file, which must be empty. The caller closes file.
func newSpill(file io.ReadWriteCloser) *spill {
	return &spill{file: file, w: bufio.NewWriterSize(file, spillBuffer)}
}

// replayInto applies the recorded calls to the state to, in order. Every failure is an error: a
// file that fails to write or read, is too short, or returns other bytes than were written.
func (s *spill) replayInto(to *state) error {
	if s.err != nil {
		return s.err
	}
	if s.err = s.w.Flush(); s.err != nil {
		return s.err
	}
	// A regular file is at its end after writing; a buffer in memory reads from its start.
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
		// The file may be damaged: never read or allocate beyond the bytes written.
		if left -= recordHead + n; left < 0 {
			return errRecord
		}
		if int64(cap(s.scratch)) < n {
			s.scratch = make([]byte, n)
		}
		// The fields are copied when they are decoded, so the memory of one record is enough.
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

// errRecord reports a spill file that returns other bytes than were written.
var errRecord = errors.New("malformed record")

// short turns io.EOF into io.ErrUnexpectedEOF: the file is shorter than written.
func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

package verify

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Each calls fn with each proof of a file, and with its line: 0 for the only proof of a file. There are several, one on
// each line that is not blank, if the first such line is JSON as Proof requires it and another one follows, as in the
// file of a cup's proofs. At most two proofs are in memory, and of a longer one than Proof reads its beginning, which
// Proof refuses. Errors: those of r and of fn.
func Each(r io.Reader, fn func(line int, proof []byte) error) error {
	b := bufio.NewReader(r)
	first, err := nextLine(b)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if _, notJSON := readJSON(first); notJSON != nil || len(first) > MaxSize {
		rest, err := io.ReadAll(io.LimitReader(b, int64(max(0, MaxSize+1-len(first)))))
		if err != nil {
			return err
		}
		return fn(0, append(first, rest...))
	}
	proof := first
	for line := 1; ; line++ {
		next, err := nextLine(b)
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return err
		}
		if last && line == 1 {
			return fn(0, proof)
		}
		if err := fn(line, proof); err != nil || last {
			return err
		}
		proof = next
	}
}

// blanks are the bytes of a blank line.
const blanks = " \t\n\v\f\r"

// nextLine returns the next line that is not blank, up to the first byte that makes it too long for a proof; it skips
// the rest of the line. Errors: io.EOF behind the last one.
func nextLine(b *bufio.Reader) ([]byte, error) {
	for {
		var line []byte
		for {
			part, err := b.ReadSlice('\n')
			line = append(line, part[:min(len(part), MaxSize+1-len(line))]...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if len(bytes.Trim(line, blanks)) > 0 && (err == nil || errors.Is(err, io.EOF)) {
				return line, nil
			}
			if err != nil {
				return nil, err
			}
			break
		}
	}
}

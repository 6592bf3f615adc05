package api

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// TestPackedOverAKilobyte: an answer is compressed from 1,025 bytes on.
func TestPackedOverAKilobyte(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]string{1024: "", 1025: "gzip"} {
		to := httptest.NewRecorder()
		o := &Response{ResponseWriter: to, packs: true}
		o.Header().Set("Content-Length", strconv.Itoa(length))
		o.WriteHeader(http.StatusOK)
		if _, err := o.Write([]byte(strings.Repeat("a", length))); err != nil {
			t.Fatal(err)
		}
		if got := to.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%d bytes: %q, want %q", length, got, want)
		}
	}
}

// TestPackedFile: the parts of a file are one text to the client, each readable before the next one is there, and a file
// without an end looks cut off.
func TestPackedFile(t *testing.T) {
	t.Parallel()
	parts := []string{strings.Repeat("first ", 1000), "", "second", strings.Repeat("a", 1<<20)}
	to := httptest.NewRecorder()
	f := (&Response{ResponseWriter: to, packs: true}).packedFile()
	text := ""
	for _, part := range parts {
		text += part
		if n, err := f.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("%d bytes of %d: %v", n, len(part), err)
		}
		if got, err := unzipped(to.Body.String()); got != text || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("so far %d bytes of %d, %v", len(got), len(text), err)
		}
	}
	f.Close()
	if got, err := unzipped(to.Body.String()); got != text || err != nil {
		t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
	}
	if to.Header().Get("Content-Encoding") != "gzip" || to.Body.Len() > len(text)/100 {
		t.Errorf("%d bytes with %v", to.Body.Len(), to.Header())
	}
}

// unzipped returns the text of a body with gzip, as far as it goes.
func unzipped(body string) (string, error) {
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	return string(text), err
}

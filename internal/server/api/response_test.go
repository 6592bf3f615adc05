package api

import (
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

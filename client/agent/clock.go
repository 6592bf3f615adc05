package agent

import (
	"net/http"
	"sync/atomic"
	"time"
)

// clock is a transport that estimates the service's time, to about a second, from the header Date of its answers:
// deadlines are times of the service, and the clock of this machine may be wrong.
type clock struct {
	next   http.RoundTripper
	offset atomic.Int64 // of the service's clock from this machine's, in nanoseconds
}

// RoundTrip sends a request, and compares the clocks when its answer arrives.
func (c *clock) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		// The header has whole seconds: on average half a second has passed since.
		c.offset.Store(int64(date.Add(time.Second / 2).Sub(localTime())))
	}
	return response, nil
}

// now returns the estimate.
func (c *clock) now() time.Time { return localTime().Add(time.Duration(c.offset.Load())) }

// localTime returns the time of this machine.
func localTime() time.Time { return time.Now() } //nolint:forbidigo // the clock that is corrected

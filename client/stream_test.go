package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roshambo/client"
	"roshambo/client/api"
)

// TestDelaysOfAStream: while a stream ends without an event, the delays between its connections grow to half a minute,
// and an event makes them short again.
func TestDelaysOfAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last time.Time
		var delays []time.Duration
		c := newClient(t, client.Options{URL: "http://host", RetryBudget: time.Second,
			Transport: connection(func(*http.Request) (*http.Response, error) {
				if !last.IsZero() {
					delays = append(delays, time.Since(last))
				}
				last = time.Now()
				text := ""
				switch len(delays) {
				case 7:
					text = "id: 1\nevent: feed\ndata: {}\n\n"
				case 9:
					cancel()
				}
				return respond("text/event-stream", io.NopCloser(strings.NewReader(text)))
			})})
		for _, err := range c.Events(ctx, api.FollowEventsParams{}) {
			if err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
		}
		for i, seconds := range []int{2, 4, 8, 16, 30, 30, 30, 2, 4} {
			least := time.Duration(seconds) * time.Second
			if delays[i] < least || delays[i] > least+least/4 {
				t.Errorf("delay %d is %v, want %v and a quarter more at most", i+1, delays[i], least)
			}
		}
	})
}

package main

import (
	"context"
	"io"
	"net/http"
	"os"
)

// profile writes a CPU profile of the server's next second to FILE.part and then sends the
// error. It is called at the start of each round of throws, so that the profile contains no
// work between rounds. `go tool pprof` merges the files of all rounds.
func (b *bench) profile(ctx context.Context, part string) <-chan error {
	done := make(chan error, 1)
	if b.Profile == "" {
		close(done)
		return done
	}
	go func() { done <- b.server.writeProfile(ctx, "profile?seconds=1", b.Profile+"."+part) }()
	return done
}

// heap writes a profile of the server's memory.
func (b *bench) heap(ctx context.Context) error {
	if b.Profile == "" {
		return nil
	}
	return b.server.writeProfile(ctx, "heap?debug=1", b.Profile+".heap")
}

// writeProfile downloads one profile of a server into a file.
func (c *child) writeProfile(ctx context.Context, what, file string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.admin+"/debug/pprof/"+what, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return &statusError{response.StatusCode, string(text)}
	}
	return os.WriteFile(file, text, 0o600)
}

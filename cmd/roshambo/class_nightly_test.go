//go:build nightly

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// classRecipe finds the options for a class in docs/identity.md.
var classRecipe = regexp.MustCompile("(?s)A class of (\\d+) behind one public address, `([0-9.]+)`" +
	"[^:`]*:\n\n```toml\n(.*?)```\n")

// TestRecipeForAClass follows the recipe of docs/identity.md: all pupils of a class behind one public address open
// accounts with free starts, play a run and make 60 calls a minute each, and no call is refused.
func TestRecipeForAClass(t *testing.T) {
	t.Parallel()
	recipe := classRecipe.FindStringSubmatch(readDocument(t, "docs/identity.md"))
	if recipe == nil {
		t.Fatal("docs/identity.md has no recipe for a class")
	}
	var pupils int
	if _, err := fmt.Sscan(recipe[1], &pupils); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "roshambo.toml")
	if err := os.WriteFile(file, []byte(recipe[3]), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := serve(t.Context(), t.TempDir(), "--config", file, "--trusted-proxies", "127.0.0.1/32",
		"--rate-limit", "240")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	for n := range pupils {
		p := &visitor{url: server.url, client: &http.Client{Transport: forwarded(recipe[2])}}
		if err := p.arrive(t.Context()); err != nil {
			t.Fatal(err)
		}
		call := func(method, path, body string) (start string) {
			t.Helper()
			var out struct{ Start string }
			if err := p.call(t.Context(), method, path, body, &out); err != nil {
				t.Fatalf("pupil %d, %s: %v", n+1, path, err)
			}
			return out.Start
		}
		if start := call("GET", "/api/me", ""); start != "free" {
			t.Fatalf("pupil %d has a %s start, want a free one", n+1, start)
		}
		call("POST", "/api/runs", `{"entry":"free","move":"rock","then":"claim"}`)
		for range 57 {
			call("GET", "/api/me", "")
		}
	}
}

// forwarded is a transport whose requests come through a proxy from an address.
type forwarded string

// RoundTrip implements http.RoundTripper.
func (f forwarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", string(f))
	return http.DefaultTransport.RoundTrip(r)
}

//go:build nightly

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// classRecipe finds the options for a class in docs/identity.md.
var classRecipe = regexp.MustCompile("(?s)\nA class of (\\d+) behind one public address, `([0-9.]+)`:\n\n```toml\n(.*?)```\n")

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
	server, err := serve(t.Context(), t.TempDir(), "--config", file, "--trusted-proxies", "127.0.0.1/32", "--rate-limit", "240")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	for n := range pupils {
		p := &pupil{url: server.url, address: recipe[2]}
		if p.client.Jar, err = cookiejar.New(nil); err != nil {
			t.Fatal(err)
		}
		var guest struct {
			CSRFToken string `json:"csrf_token"`
		}
		var me struct{ Start string }
		p.call(t, "POST", "/api/guest", "", &guest)
		p.csrf = guest.CSRFToken
		p.call(t, "GET", "/api/me", "", &me)
		if me.Start != "free" {
			t.Fatalf("pupil %d has a %s start, want a free one", n+1, me.Start)
		}
		p.call(t, "POST", "/api/runs", `{"entry":"free","move":"rock","then":"claim"}`, nil)
		for range 57 {
			p.call(t, "GET", "/api/me", "", nil)
		}
	}
}

// pupil is a guest whose calls come through a proxy from an address.
type pupil struct {
	url, address, csrf string
	client             http.Client
}

// call sends a call, which has to succeed, and decodes its answer into out, nil for none.
func (p *pupil) call(t *testing.T, method, path, body string, out any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", p.address)
	r.Header.Set("X-CSRF-Token", p.csrf)
	response, err := p.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %v, %s %s", method, path, err, response.Status, text)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
}

package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"roshambo/internal/server/edge"
)

// toolCall is the message that calls a tool of the server for agents.
func toolCall(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// say sends a message to the server for agents from an address, with headers in pairs.
func say(t *testing.T, s *stack, from, message string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, edge.AgentsPath, strings.NewReader(message))
	r.RemoteAddr = "[" + from + "]:1234"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.edge.ServeHTTP(w, r)
	return w
}

// toolText returns what the model reads of an answer, and whether it is the error of a tool.
func toolText(t *testing.T, w *httptest.ResponseRecorder) (text string, failed bool) {
	t.Helper()
	var out struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK || len(out.Result.Content) != 1 {
		t.Fatalf("status %d, %s, %v: want the answer of a tool", w.Code, w.Body, err)
	}
	return out.Result.Content[0].Text, out.Result.IsError
}

// TestAgentsCount: each message to the server for agents counts as a call of its address, and so does each call of its
// tool; no header makes it another address's.
func TestAgentsCount(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	list := toolCall("list_cups", "{}")
	for i := range crowdLimit / 2 {
		forged := fmt.Sprintf("192.0.2.%d", 200+i)
		if text, failed := toolText(t, say(t, c.stack, carrier, list, "X-Forwarded-For", forged)); failed {
			t.Fatalf("message %d: %s", i, text)
		}
	}
	if w := say(t, c.stack, carrier, list); w.Code != http.StatusTooManyRequests ||
		!strings.Contains(w.Body.String(), `"rate_limited"`) || w.Header().Get("Retry-After") == "" {
		t.Errorf("beyond the limit: %d %s", w.Code, w.Body)
	}
	if w := c.ask(t, carrier, http.MethodGet, "/api/tiers"); w.Code != http.StatusTooManyRequests {
		t.Errorf("another call of the address: %d, want that both share the limit", w.Code)
	}
	const other = "203.0.113.99"
	for range crowdLimit - 1 {
		c.ask(t, other, http.MethodGet, "/api/tiers")
	}
	text, failed := toolText(t, say(t, c.stack, other, list))
	if !failed || !strings.HasPrefix(text, "rate_limited (429)") {
		t.Errorf("a tool without a call left: %q", text)
	}
}

// TestAgentsAccess: a tool may what the key of its message may, and a page of another site needs a key.
func TestAgentsAccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	p := s.guest(t)
	all, reads := p.scopedKey(t, `["read","play"]`).Secret, p.scopedKey(t, `["read"]`).Secret
	status, resign := toolCall("status", "{}"), toolCall("resign", `{"duel":"`+p.open(t, 0).ID+`"}`)
	for _, c := range []struct {
		name, message, key string
		failed             bool
		want               string
	}{
		{"status", status, all, false, `"address":"` + p.address + `"`},
		{"status without a key", status, "", false, `"signed_in":false`},
		{"a key that is none", status, "rsk_" + strings.Repeat("A", 43), true, "unauthenticated (401)"},
		{"resigning without a key", resign, "", true, "Authorization"},
		{"resigning with a key that reads", resign, reads, true, "forbidden (403)"},
		{"resigning", resign, all, false, `"status":"cancelled"`},
		{"resigning again", resign, all, true, "(409)"},
	} {
		var header []string
		if c.key != "" {
			header = []string{"Authorization", "Bearer " + c.key}
		}
		text, failed := toolText(t, say(t, s, "127.0.0.1", c.message, header...))
		if failed != c.failed || !strings.Contains(text, c.want) || strings.Contains(text, "ROSHAMBO_KEY") {
			t.Errorf("%s: %v, %s, want %s", c.name, failed, text, c.want)
		}
	}
	cross := []string{"Origin", elsewhere, "Sec-Fetch-Site", "cross-site"}
	if w := say(t, s, "127.0.0.1", status, cross...); w.Code != http.StatusForbidden ||
		!strings.Contains(w.Body.String(), `"csrf_failed"`) {
		t.Errorf("a page of another site: %d %s", w.Code, w.Body)
	}
	w := say(t, s, "127.0.0.1", status, append(cross, "Authorization", "Bearer "+all)...)
	if text, failed := toolText(t, w); failed || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("a page of another site with a key: %s %v", text, w.Header())
	}
	// The cookie of a session is no key, wherever the message comes from.
	own := say(t, s, "127.0.0.1", status, "Cookie", "roshambo_session=x")
	if text, _ := toolText(t, own); !strings.Contains(text, `"signed_in":false`) {
		t.Errorf("with a cookie: %s", text)
	}
}

// TestAgentsRefuse: what is no message, and tools that need a secret of the player.
func TestAgentsRefuse(t *testing.T) {
	t.Parallel()
	s := start(t)
	status := toolCall("status", "{}")
	for _, c := range []struct {
		name, message string
		header        []string
		status        int
	}{
		{"a list of messages", "[" + status + "]", nil, 400},
		{"no JSON", "{", nil, 400},
		{"nothing", "", nil, 400},
		{"a message that is too long", toolCall("verify", `{"proof":"`+strings.Repeat("x", 64<<10)+`"}`), nil, 413},
		{"another type", status, []string{"Content-Type", "text/plain"}, 415},
		{"a version that does not exist", status, []string{"Mcp-Protocol-Version", "2020-01-01"}, 400},
	} {
		if w := say(t, s, "127.0.0.1", c.message, c.header...); w.Code != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.status)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, edge.AgentsPath, nil)
	w := httptest.NewRecorder()
	s.edge.ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodPost {
		t.Errorf("GET: %d %v", w.Code, w.Header())
	}
	for _, tool := range []string{"play", "wait_turn", "start_duel", "start_run", "throw"} {
		if w := say(t, s, "127.0.0.1", toolCall(tool, "{}")); !strings.Contains(w.Body.String(), "unknown tool") {
			t.Errorf("%s: %s", tool, w.Body)
		}
	}
}

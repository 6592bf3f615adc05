package api_test

import (
	"fmt"
	"strings"
	"testing"

	"roshambo/internal/server/api"
)

// entryLines writes entry options as "free 3; fee 50; burn no; daily 1".
func entryLines(options []api.EntryOption) string {
	var lines []string
	for _, o := range options {
		line := o.Entry
		if o.Left != nil {
			line += fmt.Sprintf(" left %d", *o.Left)
		}
		if o.Cost != 0 {
			line += fmt.Sprintf(" cost %d", o.Cost)
		}
		if o.TokenID != nil {
			line += fmt.Sprintf(" token %d", *o.TokenID)
		}
		if !o.Available {
			line += " no"
		}
		if o.Available != (o.Reason == nil) {
			line += " with the wrong reason"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// TestEntryOptions: GET /api/me always lists the four ways to start a run in order, with their
// costs.
func TestEntryOptions(t *testing.T) {
	t.Parallel()
	p := start(t).guest(t)
	want := func(when, want string) {
		t.Helper()
		if got := entryLines(p.me(t).EntryOptions); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	abandon := func(body string) {
		t.Helper()
		p.post(t, "/api/runs/"+p.start(t, body).ID+"/abandon", "").ok(t)
	}
	want("a new guest", "free left 3; fee cost 50; burn no; daily left 1")
	token := p.win(t)
	want("with a token", fmt.Sprintf("free left 2; fee cost 50; burn token %d; daily left 1", token.TokenID))
	abandon(`{"entry":"daily"}`)
	abandon(`{"entry":"free"}`)
	abandon(`{"entry":"free"}`)
	want("when the day is used up", fmt.Sprintf("free left 0 no; fee cost 50; burn token %d; daily left 0 no",
		token.TokenID))
	for range 20 {
		abandon(`{"entry":"fee"}`)
	}
	want("without coins", fmt.Sprintf("free left 0 no; fee cost 50 no; burn token %d; daily left 0 no", token.TokenID))
	abandon(fmt.Sprintf(`{"entry":"burn","token_id":%d}`, token.TokenID))
	want("with nothing", "free left 0 no; fee cost 50 no; burn no; daily left 0 no")
}

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roshambo/internal/service/account"
	"roshambo/internal/store"
)

// postAs sends a POST to the API of a service that does not listen.
func postAs(t *testing.T, s *Service, path, cookie, csrf string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil)
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Cookie", cookie)
	r.Header.Set("X-CSRF-Token", csrf)
	w := httptest.NewRecorder()
	s.Edge.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w
}

// guestThat opens a guest, which then calls path unless it is "", and returns its name.
func guestThat(t *testing.T, s *Service, path string) string {
	t.Helper()
	w := postAs(t, s, "/api/guest", "", "")
	var guest struct {
		Account   struct{ Username string }
		CSRFToken string `json:"csrf_token"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &guest); err != nil {
		t.Fatal(err)
	}
	if path != "" {
		cookie, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
		postAs(t, s, path, cookie, guest.CSRFToken)
	}
	return guest.Account.Username
}

// TestIdleGuests removes guests that never did anything after 30 days, and no others; the chain and
// all derived data stay consistent.
func TestIdleGuests(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)
	c := config(t.TempDir())
	c.Now = func() time.Time { return now }
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for what, path := range map[string]string{
		"nothing": "", "a run": "/api/runs", "a key": "/api/keys", "sparring": "/api/duels/spar",
	} {
		names[what] = guestThat(t, s, path)
	}
	remaining := func() (list []string) {
		t.Helper()
		if err := s.dropStale(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.dropIdleGuests(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := s.DB.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			list = nil
			for what, name := range names {
				if _, err := s.Accounts.ByName(ctx, tx, name); err == nil {
					list = append(list, what)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	now = now.Add(account.GuestIdle)
	if got := remaining(); len(got) != 4 {
		t.Errorf("after 30 days the guests with %v remain, want all", got)
	}
	now = now.Add(time.Hour)
	if got := remaining(); len(got) != 3 || strings.Contains(strings.Join(got, " "), "nothing") {
		t.Errorf("an hour later the guests with %v remain, want all but the idle one", got)
	}
	if _, err := s.Ledger.SealBlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	if n, err := Doctor(t.Context(), Store{Data: c.Data}, c.Now, &report); err != nil || n != 0 {
		t.Errorf("%d differences, error %v:\n%s", n, err, &report)
	}
}

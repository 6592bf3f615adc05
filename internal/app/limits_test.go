package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
)

// TestSharedAddresses checks which addresses the composed service takes for shared, and that the
// addresses in SharedAddresses have 16 times the new accounts.
func TestSharedAddresses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(c *Config)
		shared map[string]bool // by address
	}{
		"local": {func(*Config) {}, map[string]bool{"127.0.0.1": true, "10.1.2.3": true, "192.0.2.1": false}},
		"LimitPrivate": {func(c *Config) { c.LimitPrivate = true },
			map[string]bool{"127.0.0.1": false, "192.0.2.1": false}},
		"with a school": {func(c *Config) { c.SharedAddresses = []string{"192.0.2.0/24"} },
			map[string]bool{"192.0.2.1": true}},
		"public": {func(c *Config) {
			c.PublicURL, c.SharedAddresses = "https://example.org", []string{"192.0.2.0/24"}
		}, map[string]bool{"127.0.0.1": false, "192.0.2.1": true, "198.51.100.1": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t.TempDir())
			tt.change(&c)
			s, err := Build(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			send := func(method, path, address string) *httptest.ResponseRecorder {
				r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
				r.RemoteAddr = address + ":1"
				w := httptest.NewRecorder()
				s.Edge.ServeHTTP(w, r)
				return w
			}
			for address, want := range tt.shared {
				var got struct {
					Shared bool `json:"address_is_shared"`
				}
				if err := json.Unmarshal(send("GET", "/api/limits", address).Body.Bytes(), &got); err != nil || got.Shared != want {
					t.Errorf("%s is shared: %v (%v), want %v", address, got.Shared, err, want)
				}
			}
			accounts := 0
			for range 11 {
				if send("POST", "/api/guest", "192.0.2.1").Code == http.StatusOK {
					accounts++
				}
			}
			if want := map[bool]int{true: 11, false: 10}[tt.shared["192.0.2.1"]]; accounts != want {
				t.Errorf("%d accounts were opened, want %d", accounts, want)
			}
		})
	}
}

// TestFileLimits checks the limits on files of the composed service: ten for each call of the limit, and 256 MiB of the
// public log a minute.
func TestFileLimits(t *testing.T) {
	t.Parallel()
	c := config(t.TempDir())
	c.RateLimit = 240
	s, err := Build(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.RemoteAddr = "192.0.2.1:1"
		w := httptest.NewRecorder()
		s.Edge.ServeHTTP(w, r)
		return w
	}
	var got struct {
		Requests int64 `json:"requests_per_minute"`
		Files    int64 `json:"files_per_minute"`
		LogBytes int64 `json:"log_bytes_per_minute"`
	}
	if err := json.Unmarshal(get("/api/limits").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Requests != 240 || got.Files != 2400 || got.LogBytes != 256<<20 {
		t.Errorf("%+v, want 240 calls, 2400 files and 256 MiB of the log a minute", got)
	}
	policy := get("/log/checkpoint").Header()["RateLimit-Policy"] //nolint:staticcheck // as the draft spells it
	if !slices.Equal(policy, []string{`"files";q=2400;w=60`}) {
		t.Errorf("a file counts by %q", policy)
	}
}

// TestLimitPrivate checks the limit on new accounts of the composed service: 10 an hour for a public
// address, none for a loopback address by default, and the same limit for it with LimitPrivate.
// GET /api/limits reports which of the two applies.
func TestLimitPrivate(t *testing.T) {
	t.Parallel()
	for _, limited := range []bool{false, true} {
		t.Run("LimitPrivate "+strconv.FormatBool(limited), func(t *testing.T) {
			t.Parallel()
			c := config(t.TempDir())
			c.LimitPrivate, c.FreeStarts = limited, DefaultFreeStarts
			s, err := Build(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			send := func(method, path, address string) *httptest.ResponseRecorder {
				r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
				r.RemoteAddr = address
				w := httptest.NewRecorder()
				s.Edge.ServeHTTP(w, r)
				return w
			}
			for address, bounded := range map[string]bool{"127.0.0.1:1": limited, "192.0.2.1:1": true} {
				for i := range 12 {
					expected := http.StatusOK
					if bounded && i >= 10 {
						expected = http.StatusTooManyRequests
					}
					w := send("POST", "/api/guest", address)
					if w.Code != expected {
						t.Fatalf("account %d of %s: %d %s, expected %d", i, address, w.Code, w.Body, expected)
					}
					after, _ := strconv.Atoi(w.Header().Get("Retry-After")) // 0 for none
					if w.Code != http.StatusOK && (after < 1 || after > 3600) {
						t.Errorf("account %d of %s: Retry-After %d, expected up to an hour", i, address, after)
					}
				}
			}
			var limits struct {
				ConnectionsExemptPrivate bool `json:"connections_exempt_private"`
				Budgets                  []struct {
					Action        string
					PrivateExempt bool `json:"private_exempt"`
				}
			}
			if err := json.Unmarshal(send("GET", "/api/limits", "127.0.0.1:1").Body.Bytes(), &limits); err != nil {
				t.Fatal(err)
			}
			if limits.ConnectionsExemptPrivate == limited || len(limits.Budgets) != 14 {
				t.Errorf("%+v, expected fourteen budgets, and connections exempt: %v", limits, !limited)
			}
			for _, b := range limits.Budgets {
				exempt := []string{"new_accounts", "free_starts", "free_wins", "ranked_dailies", "new_listings", "new_duels",
					"new_cups", "chain_verification"}
				if b.PrivateExempt != (slices.Contains(exempt, b.Action) && !limited) {
					t.Errorf("%+v with LimitPrivate %v", b, limited)
				}
			}
		})
	}
}

package app

import (
	"net/http"
	"net/http/cookiejar"
	"sync/atomic"
	"testing"
	"time"
)

// balance reads the coins of the browser's account.
func (b *browser) balance(t *testing.T) int64 {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Balance int64 }
	b.send(t, r, &out)
	return out.Balance
}

// TestDuelsAreSwept: the stake of a duel without an opponent is returned although no client reads
// the duel again.
func TestDuelsAreSwept(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	c := config(t.TempDir())
	c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	url, log := serve(t, c)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{client: http.Client{Jar: jar}, url: url}
	b.csrf = b.post(t, "/api/guest", "").CSRFToken
	b.post(t, "/api/duels", `{"stake":100}`)
	if got := b.balance(t); got != 900 {
		t.Fatalf("after staking 100: %d coins, want 900", got)
	}
	ahead.Store(int64(11 * time.Minute))
	for deadline := time.Now().Add(testTimeout); b.balance(t) != 1000; {
		if time.Now().After(deadline) {
			t.Fatalf("the stake does not come back:\n%s", log())
		}
		<-time.After(20 * time.Millisecond)
	}
}

//go:build nightly && unix

package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"roshambo/internal/store/pgtest"
)

// TestSettingsKept checks that a connection is refused whose settings no longer hold, as behind a
// pooler that resets the session between two transactions.
func TestSettingsKept(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, map[string]string{"fsync": "off"})
	pg, err := pgconn.Connect(t.Context(), pgtest.URL("postgres", server))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pg.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if err := (settings{"lock_timeout": "7s"}).establish(nil, true)(t.Context(), pg); err != nil {
		t.Fatal(err)
	}
	if err := checkSettingsKept(t.Context(), pg); err != nil {
		t.Errorf("the settings hold: %v", err)
	}
	if _, err := pg.Exec(t.Context(), "RESET ALL").ReadAll(); err != nil {
		t.Fatal(err)
	}
	err = checkSettingsKept(t.Context(), pg)
	if !errors.Is(err, errPooling) || !strings.Contains(err.Error(), "lock_timeout") {
		t.Errorf("the setting is reset: error %v, want one that names lock_timeout", err)
	}
}

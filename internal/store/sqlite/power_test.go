package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"roshambo/internal/store"
)

// memory is what a power cut leaves: the log as of the last answer, and the Updates answered before.
type memory struct {
	mu     sync.Mutex
	path   string // of the log
	log    []byte // content when the last Update was answered
	stored []int  // ids of answered Updates
}

// TestPowerLoss cuts the power again and again while Updates and Views run: it opens a copy of the
// files with the log as it was when the last Update was answered, and one in which sectors written
// since have reached the disk in any order. All that was answered is stored, and each Update is stored completely or
// not at all. The log restarts in between.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	c := With(store.Config{Path: filepath.Join(t.TempDir(), "test.db")}).WithoutCheckpoints()
	m := &memory{path: c.Path + "-wal"}
	file, err := openFile(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	d := store.New(c.Config, file)
	defer closed(t, d)
	create(t, d)
	next := 1
	for round := range 12 {
		if round%3 == 2 { // the next commit restarts the log
			if err := moveLog(t.Context(), file); err != nil {
				t.Fatal(err)
			}
		}
		const callers, each = 6, 12
		cutAt := random.IntN(callers * each)
		var wg sync.WaitGroup
		for caller := range callers {
			wg.Go(func() {
				for i := range each {
					m.write(t, d, next+caller*each+i)
					read(t, d)
					if caller*each+i == cutAt {
						m.cut(t, c.Path, rand.New(rand.NewPCG(uint64(round), 2)))
					}
				}
			})
		}
		wg.Wait()
		next += callers * each
	}
	if got, err := os.ReadFile(m.path); err != nil || !bytes.Equal(got, m.log) {
		t.Errorf("when all is answered, the log has bytes that belong to no answer (%v)", err)
	}
}

// write inserts an id, and its negative in the same Update, and records the answer.
func (m *memory) write(t *testing.T, d *store.DB, id int) {
	err := d.Update(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO n (id) VALUES ($1), ($2)", id, -id)
		return err
	})
	if err != nil {
		t.Error(err)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stored = append(m.stored, id)
	if m.log, err = os.ReadFile(m.path); err != nil {
		t.Error(err)
	}
}

// read looks for the newest id. It may belong to an Update whose caller has not recorded the answer yet: SQLite
// shows a commit once it is synced.
func read(t *testing.T, d *store.DB) {
	err := d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		var id int
		return tx.QueryRowContext(ctx, "SELECT max(id) FROM n").Scan(&id)
	})
	if err != nil {
		t.Error(err)
	}
}

// cut checks what a power cut at this moment would leave.
func (m *memory) cut(t *testing.T, path string, random *rand.Rand) {
	m.mu.Lock()
	log, stored := m.log, append([]int(nil), m.stored...)
	later, err := os.ReadFile(path + "-wal")
	m.mu.Unlock()
	if err != nil {
		t.Error(err)
		return
	}
	const header, sector = 32, 512 // SQLite itself syncs the header of a log that restarts
	torn := append(make([]byte, 0, len(later)), later...)
	for at := header; at < len(torn); at += sector {
		if lost := torn[at:min(at+sector, len(torn))]; random.IntN(3) == 0 {
			clear(lost)
			copy(lost, log[min(at, len(log)):])
		}
	}
	for _, log := range [][]byte{log, torn} {
		copied := filepath.Join(t.TempDir(), "cut.db")
		body, err := os.ReadFile(path) // checkpoints run only between the rounds
		err = errors.Join(err, os.WriteFile(copied, body, 0o600), os.WriteFile(copied+"-wal", log, 0o600))
		if err != nil {
			t.Error(err)
			return
		}
		checkCut(t, copied, stored)
	}
}

// checkCut opens the database that a power cut has left and checks that it has the ids, and each
// id with its negative.
func checkCut(t *testing.T, path string, ids []int) {
	d, err := Open(t.Context(), store.Config{Path: path})
	if err != nil {
		t.Error(err)
		return
	}
	defer closed(t, d)
	err = d.View(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		var half int
		const unpaired = "SELECT count(*) FROM n AS a WHERE NOT EXISTS (SELECT 1 FROM n AS b WHERE b.id = -a.id)"
		if err := tx.QueryRowContext(ctx, unpaired).Scan(&half); err != nil || half != 0 {
			t.Errorf("after a power cut %d Updates are stored in part (%v)", half, err)
		}
		for _, id := range ids {
			var n int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM n WHERE id = $1", id).Scan(&n); err != nil {
				return err
			}
			if n == 0 {
				return fmt.Errorf("after a power cut %d is lost, which was answered", id)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// moveLog moves the log into the file while nothing else runs.
func moveLog(ctx context.Context, d *fileDB) error {
	conn, err := d.writer.aux.connect(ctx)
	if err != nil {
		return err
	}
	pages, moved, err := conn.checkpoint("PASSIVE")
	if err == nil && moved != pages {
		err = fmt.Errorf("%d of %d pages were moved", moved, pages)
	}
	return errors.Join(err, conn.Close())
}

package storetest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"roshambo/internal/store"
)

// These environment variables turn the test binary into the process to be killed, which works
// on the database that they name.
const (
	childPath = "ROSHAMBO_STORETEST_CHILD"
	childURL  = "ROSHAMBO_STORETEST_CHILD_URL"
)

const (
	crashes      = 20 // in a long run
	fewCrashes   = 3
	crashCallers = 8
	counter      = 0 // id of the entry that counts the others
)

// Main is the TestMain of packages that call Crash. In the child process it runs the workload.
func Main(m *testing.M) {
	c := store.Config{Path: os.Getenv(childPath), URL: os.Getenv(childURL)}
	if c.Path == "" && c.URL == "" {
		m.Run() // its result becomes the exit code
		return
	}
	fmt.Fprintln(os.Stderr, work(c))
}

// Crash repeatedly kills a process with SIGKILL while it updates a database from several
// goroutines. After each kill every acknowledged update is stored, and each other one is stored
// completely or not at all.
func Crash(t *testing.T) {
	place := New(t)
	d := fresh(t, Open, place)
	// The counter and the entries are written in the same Update: their numbers must agree.
	put(t, d, counter, "counter", 0)
	must(t, d.Close())
	count, times := int64(0), crashes
	if testing.Short() {
		times = fewCrashes
	}
	for n := range times {
		// Later rounds kill the process at a longer log.
		answers := killed(t, place, 20+n*40)
		AwaitDisconnect(t, place)
		// A read-only Open must recover from the crash as well.
		d := Open(t, At(place, store.Config{ReadOnly: n%2 == 0}))
		actual := stored(t, d)
		must(t, d.Close())
		// Durable: every acknowledged update is stored.
		for _, id := range answers {
			if actual[id] != id {
				t.Fatalf("crash %d: acknowledged update %d is lost", n, id)
			}
		}
		// Atomic: the counter equals the number of entries.
		last := actual[counter]
		delete(actual, counter)
		if int64(len(actual)) != last {
			t.Fatalf("crash %d: %d updates stored, counter is %d", n, len(actual), last)
		}
		// Each caller has at most one update without an answer when the process is killed.
		if unanswered := last - count - int64(len(answers)); unanswered < 0 || unanswered > crashCallers {
			t.Fatalf("crash %d: %d updates stored, %d acknowledged, with %d callers",
				n, last-count, len(answers), crashCallers)
		}
		count = last
	}
}

// killed starts the child process, kills it once it has acknowledged n updates, and returns the
// ids of all acknowledged updates.
func killed(t *testing.T, place store.Config, n int) (answers []int64) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childPath+"="+place.Path, childURL+"="+place.URL)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	// The pipe delivers lines that the process wrote before it was killed, so the list of
	// acknowledged updates may exceed n.
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		id, err := strconv.ParseInt(lines.Text(), 10, 64)
		must(t, err)
		answers = append(answers, id)
		if len(answers) == n {
			must(t, cmd.Process.Kill())
		}
	}
	if err := cmd.Wait(); err == nil || len(answers) < n {
		t.Fatalf("the process ended by itself after %d answers: %v\n%s", len(answers), err, &stderr)
	}
	return answers
}

// work is the workload of the child process: it prints the id of each acknowledged update, and
// returns only on failure.
func work(c store.Config) error {
	ctx := context.Background()
	d, err := TryOpen(ctx, c)
	if err != nil {
		return err
	}
	// Callers never stop by themselves: the parent kills the process.
	failed := make(chan error)
	for range crashCallers {
		go func() {
			for {
				id, err := countUp(ctx, d)
				if err != nil {
					failed <- err
					return
				}
				if _, err := fmt.Fprintln(os.Stdout, id); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

// countUp increments the counter and inserts an entry with that id.
func countUp(ctx context.Context, d *store.DB) (id int64, err error) {
	err = d.Update(ctx, func(ctx context.Context, tx *store.Tx) error {
		if id, err = add(ctx, tx, counter, 1); err != nil {
			return err
		}
		return insert(ctx, tx, id, strconv.FormatInt(id, 10), id)
	})
	return id, err
}

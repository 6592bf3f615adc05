// Package pgtest runs PostgreSQL clusters for tests of failures, and a proxy that injects faults
// between client and server. Each cluster has a temporary
// folder and a Unix socket, and is removed when its test ends.
//
//	primary := pgtest.Start(t, nil)
//	standby := primary.Standby(t) // synchronous
//	url := pgtest.URL("postgres", primary, standby)
//	…
//	primary.Kill(t)
//	standby.Promote(t)
//
// Clusters sync to disk as in production unless started with Fast. For tests that need a
// database only, storetest is faster.
package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL server and its data folder.
type Cluster struct {
	folder   string // contains the socket, the data and the log
	programs string // folder of PostgreSQL's binaries
	cmd      *exec.Cmd
	done     chan struct{} // closed when cmd has ended
}

// startTime bounds how long a server may take to start, stop or replicate. It only ends tests
// that hang.
const startTime = 3 * time.Minute

// Fast contains the settings of a cluster that never syncs and, if memory suffices, keeps its
// data there. Kill loses none of it, since the kernel keeps the writes of a killed process; a
// power failure would, and no test causes one.
var Fast = map[string]string{"fsync": "off"}

// Start creates a cluster and starts it with the given settings of postgresql.conf.
func Start(t testing.TB, settings map[string]string) *Cluster {
	t.Helper()
	parent := ""
	if settings["fsync"] == "off" {
		parent = memory()
	}
	c := newCluster(t, parent)
	c.Program(t, "initdb", "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
		"--data-checksums", "--no-sync") // as docs/operations.md creates it
	c.Set(t, map[string]string{
		"listen_addresses": "''", "unix_socket_directories": "'" + c.folder + "'",
		"shared_buffers": "32MB", "max_connections": "600", // ten nodes with many processors each
		"max_wal_senders": "4", "wal_keep_size": "256MB",
		// In the folder, which is removed: Kill would leave shared memory in /dev/shm.
		"dynamic_shared_memory_type": "mmap",
	})
	c.Set(t, settings)
	c.Run(t)
	return c
}

// Empty returns a cluster with a folder but neither data nor a server: the test puts data there
// before it calls Run.
func Empty(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, "")
}

// memory returns a folder in memory with room for clusters, or "" if there is none.
func memory() string {
	const folder, room = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room { // a size
		return ""
	}
	return folder
}

// newCluster creates the folder of a cluster in parent or, if that is "", in the default
// temporary folder.
func newCluster(t testing.TB, parent string) *Cluster {
	t.Helper()
	paths, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(paths) == 0 {
		path, err := exec.LookPath("initdb")
		if err != nil {
			t.Fatal("PostgreSQL is not installed: run tools/install-deps")
		}
		paths = []string{path}
	}
	newest := slices.MaxFunc(paths, func(a, b string) int { return version(a) - version(b) })
	folder, err := os.MkdirTemp(parent, "roshambo-pgtest-") //nolint:usetesting // the path of a socket must be short
	check(t, err)
	c := &Cluster{folder: folder, programs: filepath.Dir(newest)}
	if a := attributes(t); a.Credential != nil {
		check(t, os.Chown(folder, int(a.Credential.Uid), int(a.Credential.Gid)))
	}
	t.Cleanup(func() {
		c.kill(t)
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return c
}

// version returns the number in a path such as /usr/lib/postgresql/15/bin/initdb.
func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// attributes make a process run as the user postgres, since the server refuses to run as root.
func attributes(t testing.TB) *syscall.SysProcAttr {
	t.Helper()
	a := &syscall.SysProcAttr{}
	endWithTest(a)
	if os.Geteuid() != 0 {
		return a
	}
	u, err := user.Lookup("postgres")
	check(t, err)
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	check(t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	check(t, err)
	a.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return a
}

func (c *Cluster) data() string { return c.Path("data") }

// Path returns the path of a file in the cluster's folder. The data folder is "data".
func (c *Cluster) Path(name string) string { return filepath.Join(c.folder, name) }

// Programs returns the folder of PostgreSQL's binaries.
func (c *Cluster) Programs() string { return c.programs }

// Shell runs a shell script in the cluster's folder, with PostgreSQL's binaries in PATH and
// additional environment variables. It stops at the first failing command.
func (c *Cluster) Shell(t testing.TB, script string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
	cmd.Dir, cmd.SysProcAttr = c.folder, attributes(t)
	cmd.Env = append([]string{"PATH=" + c.programs + ":" + os.Getenv("PATH")}, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// Program runs one of PostgreSQL's binaries to its end.
func (c *Cluster) Program(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(c.programs, program), args...)
	cmd.Dir, cmd.SysProcAttr = c.folder, attributes(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// Set appends settings to postgresql.conf. They take effect with the next Run or Reload.
func (c *Cluster) Set(t testing.TB, settings map[string]string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	check(t, err)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		_, err := fmt.Fprintf(f, "%s = %s\n", name, settings[name])
		check(t, err)
	}
	check(t, f.Close())
}

// Reload makes the running server read its settings again.
func (c *Cluster) Reload(t testing.TB) {
	t.Helper()
	c.Exec(t, "postgres", "SELECT pg_reload_conf()")
}

// Run starts the server on its data, and returns once it answers queries.
func (c *Cluster) Run(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(c.folder, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(t, err)
	defer log.Close() //nolint:errcheck // the server has its own descriptor
	c.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(c.programs, "postgres"), "-D", c.data())
	c.cmd.Dir, c.cmd.SysProcAttr, c.cmd.Stdout, c.cmd.Stderr = c.folder, attributes(t), log, log
	check(t, c.cmd.Start())
	done := make(chan struct{})
	c.done = done
	go func() {
		_ = c.cmd.Wait() // Kill makes it fail
		close(done)
	}()
	c.await(t, "SELECT true")
}

// await waits until a boolean query returns true.
func (c *Cluster) await(t testing.TB, query string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	for {
		var is bool
		err := c.ask(ctx, query, &is)
		if err == nil && is {
			return
		}
		select {
		case <-c.done:
			t.Fatalf("the server has ended:\n%s", c.tail())
		case <-ctx.Done():
			t.Fatalf("%s: %v, error %v:\n%s", query, is, err, c.tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// ask scans the result of a query in the database postgres into answer.
func (c *Cluster) ask(ctx context.Context, query string, answer any) error {
	conn, err := c.connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the answer is there
	return conn.QueryRow(ctx, query).Scan(answer)
}

// connect connects to a database. It extends the timeout in URL, which suits services that
// retry, while a test has one attempt.
func (c *Cluster) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(URL(database, c))
	if err != nil {
		return nil, err
	}
	config.ConnectTimeout = startTime
	return pgx.ConnectConfig(ctx, config)
}

// tail returns the end of the server's log.
func (c *Cluster) tail() []byte {
	text, err := os.ReadFile(filepath.Join(c.folder, "log"))
	if err != nil {
		return []byte(err.Error())
	}
	return text[max(0, len(text)-4000):]
}

// Exec runs a statement in a database.
func (c *Cluster) Exec(t testing.TB, database, statement string) {
	t.Helper()
	conn, err := c.connect(t.Context(), database)
	check(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // it was done
	_, err = conn.Exec(t.Context(), statement)
	check(t, err)
}

// URL returns the URL of a database on whichever of the clusters is the primary.
func URL(database string, clusters ...*Cluster) string {
	var hosts []string
	for _, c := range clusters {
		hosts = append(hosts, c.folder)
	}
	q := url.Values{"host": {strings.Join(hosts, ",")}, "user": {"postgres"}, "connect_timeout": {"10"}}
	return (&url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: q.Encode()}).String()
}

// Kill ends all processes of the server with SIGKILL at once, as when its machine stops.
func (c *Cluster) Kill(t testing.TB) {
	t.Helper()
	c.kill(t)
}

// Destroy kills the server and deletes its data, as when its disk fails.
func (c *Cluster) Destroy(t testing.TB) {
	t.Helper()
	c.kill(t)
	check(t, os.RemoveAll(c.data()))
}

// kill ends all processes of the server, and waits until they have released their shared
// memory.
func (c *Cluster) kill(t testing.TB) {
	t.Helper()
	if c.cmd == nil || c.ended() {
		return
	}
	// A stopped process starts no children that the list would miss. It stops some time after the signal.
	_ = c.cmd.Process.Signal(syscall.SIGSTOP)
	awaitState(t, c.cmd.Process.Pid, stopped)
	pids := children(t, c.cmd.Process.Pid)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = c.cmd.Process.Kill()
	<-c.done
	// The next server refuses to start while one of them has the shared memory attached.
	for _, pid := range pids {
		awaitState(t, pid, dead)
	}
}

// The states of processes, as stat returns them.
const (
	stopped = "T"
	dead    = "ZX" // has released its resources
)

// awaitState waits until a process is in one of the states, or has gone.
func awaitState(t testing.TB, pid int, states string) {
	t.Helper()
	for began := time.Now(); ; <-time.After(time.Millisecond) {
		state, _, err := stat(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(states+dead, state) {
			return
		}
		if time.Since(began) > startTime {
			t.Fatalf("process %d is in state %s", pid, state)
		}
	}
}

// stat returns the state of a process and the id of its parent.
func stat(path string) (state string, parent int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", 0, err
	}
	// pid (name) state parent …; the name may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 {
		return "", 0, fmt.Errorf("%s is %q", path, text)
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return string(fields[0]), parent, err
}

// ended reports whether the server process has ended.
func (c *Cluster) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// children returns the process ids of a process's children.
func children(t testing.TB, parent int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	check(t, err)
	for _, path := range stats {
		if _, p, err := stat(path); err != nil || p != parent {
			continue // it has ended, or has another parent
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		check(t, err)
		pids = append(pids, pid)
	}
	return pids
}

// Stop shuts the server down cleanly and disconnects its clients.
func (c *Cluster) Stop(t testing.TB) {
	t.Helper()
	check(t, c.cmd.Process.Signal(syscall.SIGINT))
	select {
	case <-c.done:
	case <-time.After(startTime):
		t.Fatalf("the server does not stop:\n%s", c.tail())
	}
}

// Standby starts a synchronous standby, and returns once commits wait for it.
func (c *Cluster) Standby(t testing.TB) *Cluster {
	t.Helper()
	s := newCluster(t, filepath.Dir(c.folder))
	s.Program(t, "pg_basebackup", "-D", s.data(), "-h", c.folder, "-U", "postgres",
		"-R", "-X", "stream", "-c", "fast", "--no-sync")
	s.Set(t, map[string]string{"unix_socket_directories": "'" + s.folder + "'"})
	s.Run(t)
	c.Set(t, map[string]string{"synchronous_standby_names": "'*'"})
	c.Reload(t)
	c.await(t, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
	return s
}

// Asynchronous makes commits wait for no standby.
func (c *Cluster) Asynchronous(t testing.TB) {
	t.Helper()
	c.Set(t, map[string]string{"synchronous_standby_names": "''"})
	c.Reload(t)
	c.await(t, "SELECT NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
}

// StopReplication permanently disconnects a standby from its primary, and returns once it
// receives nothing more.
func (c *Cluster) StopReplication(t testing.TB) {
	t.Helper()
	c.Exec(t, "postgres", "ALTER SYSTEM SET primary_conninfo = ''")
	c.Reload(t)
	c.await(t, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
}

// QueryBool returns the result of a boolean query.
func (c *Cluster) QueryBool(t testing.TB, query string) (is bool) {
	t.Helper()
	check(t, c.ask(t.Context(), query, &is))
	return is
}

// QueryText returns the result of a text query.
func (c *Cluster) QueryText(t testing.TB, query string) (text string) {
	t.Helper()
	check(t, c.ask(t.Context(), query, &text))
	return text
}

// AwaitArchive sets archive_timeout, and returns once all earlier writes are archived. It sends
// no other write: archive_timeout itself must close the partial segment. It reads the current
// segment first, since an empty one is never closed.
func (c *Cluster) AwaitArchive(t testing.TB, timeout string) {
	t.Helper()
	last := c.QueryText(t, "SELECT pg_walfile_name(pg_current_wal_lsn())")
	c.Exec(t, "postgres", "ALTER SYSTEM SET archive_timeout = '"+timeout+"'")
	c.Reload(t)
	c.await(t, "SELECT coalesce(left(last_archived_wal, 24) >= '"+last+"', false) FROM pg_stat_archiver")
}

// Promote makes a standby the primary, which waits for no other, and returns when it is.
func (c *Cluster) Promote(t testing.TB) {
	t.Helper()
	c.await(t, "SELECT pg_promote(true, 60)")
	c.await(t, "SELECT NOT pg_is_in_recovery()")
}

// check fails the test on an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

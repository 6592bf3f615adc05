// Package pgtest runs PostgreSQL clusters for tests that pull the plug: each in a
// temporary folder, reached by a Unix socket, and gone when its test ends.
//
//	primary := pgtest.Start(t, nil)
//	standby := primary.Standby(t) // synchronous
//	url := pgtest.URL("postgres", primary, standby)
//	…
//	primary.Kill(t)
//	standby.Promote(t)
//
// Clusters wait for the disk as those of operators do, unless started with Fast. For tests
// that need a database and no more, storetest is quicker.
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

// Cluster is a server with its data.
type Cluster struct {
	folder   string // holds the socket, the data and the log
	programs string // folder of PostgreSQL's programs
	cmd      *exec.Cmd
	done     chan struct{} // closed when cmd has ended
}

// startTime bounds how long a server may take to start, to stop or to follow. It only ends
// tests that hang.
const startTime = 3 * time.Minute

// Fast holds the settings of a cluster that waits for no disk and, where memory has room,
// keeps its data there. Kill loses nothing of it: the kernel keeps what a killed process has
// written. Only a power failure would, and no test causes one.
var Fast = map[string]string{"fsync": "off"}

// Start makes a cluster and starts it with the given settings of postgresql.conf.
func Start(t testing.TB, settings map[string]string) *Cluster {
	t.Helper()
	parent := ""
	if settings["fsync"] == "off" {
		parent = memory()
	}
	c := newCluster(t, parent)
	c.Program(t, "initdb", "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	c.Set(t, map[string]string{
		"listen_addresses": "''", "unix_socket_directories": "'" + c.folder + "'",
		"shared_buffers": "32MB", "max_connections": "600", // ten nodes of many processors
		"max_wal_senders": "4", "wal_keep_size": "256MB",
		// In the folder, which is removed: Kill would leave it behind in /dev/shm.
		"dynamic_shared_memory_type": "mmap",
	})
	c.Set(t, settings)
	c.Run(t)
	return c
}

// Empty returns a cluster that has a folder, and neither data nor a server: some program is
// to put data there, before Run.
func Empty(t testing.TB) *Cluster {
	t.Helper()
	return newCluster(t, "")
}

// memory returns a folder in memory that has room for clusters, or "" for the usual
// temporary folder if there is none.
func memory() string {
	const folder, room = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room { //nolint:gosec // a size
		return ""
	}
	return folder
}

// newCluster makes the folder of a cluster, in parent or, if that is "", in the usual
// temporary folder.
func newCluster(t testing.TB, parent string) *Cluster {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		path, err := exec.LookPath("initdb")
		if err != nil {
			t.Fatal("PostgreSQL is not installed: run tools/install-deps")
		}
		found = []string{path}
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
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

// version is the number in /usr/lib/postgresql/15/bin/initdb.
func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// attributes make a program run as the user postgres, as the server refuses to be root.
func attributes(t testing.TB) *syscall.SysProcAttr {
	t.Helper()
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
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

// Path returns where a file in the folder of a cluster lies. The data are in "data".
func (c *Cluster) Path(name string) string { return filepath.Join(c.folder, name) }

// Shell runs a script of the shell, in the folder, with PostgreSQL's programs at hand and
// with more in its environment. It ends at the first command that fails.
func (c *Cluster) Shell(t testing.TB, script string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", script)
	cmd.Dir, cmd.SysProcAttr = c.folder, attributes(t)
	cmd.Env = append([]string{"PATH=" + c.programs + ":" + os.Getenv("PATH")}, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// Program runs one of PostgreSQL's programs to its end.
func (c *Cluster) Program(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(c.programs, program), args...)
	cmd.Dir, cmd.SysProcAttr = c.folder, attributes(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// Set writes settings into postgresql.conf. They count from the next Run, or Reload.
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

// Reload has the running server read its settings again.
func (c *Cluster) Reload(t testing.TB) {
	t.Helper()
	c.Exec(t, "postgres", "SELECT pg_reload_conf()")
}

// Run starts the server on its data, and returns when it answers.
func (c *Cluster) Run(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(c.folder, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(t, err)
	defer log.Close() //nolint:errcheck // the server has it open by itself
	c.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(c.programs, "postgres"), "-D", c.data())
	c.cmd.Dir, c.cmd.SysProcAttr, c.cmd.Stdout, c.cmd.Stderr = c.folder, attributes(t), log, log
	check(t, c.cmd.Start())
	done := make(chan struct{})
	c.done = done
	go func() {
		_ = c.cmd.Wait() // however it ends
		close(done)
	}()
	c.await(t, "SELECT true")
}

// await waits until a query says true.
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

func (c *Cluster) ask(ctx context.Context, query string, answer any) error {
	conn, err := c.connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the answer is there
	return conn.QueryRow(ctx, query).Scan(answer)
}

// connect connects to a database. The time that URL gives a connection is for services,
// which try again; a test has one try.
func (c *Cluster) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(URL(database, c))
	if err != nil {
		return nil, err
	}
	config.ConnectTimeout = startTime
	return pgx.ConnectConfig(ctx, config)
}

// tail is the end of the server's log.
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

// URL returns the URL of a database that is found on whichever of the clusters is the
// primary.
func URL(database string, clusters ...*Cluster) string {
	var hosts []string
	for _, c := range clusters {
		hosts = append(hosts, c.folder)
	}
	q := url.Values{"host": {strings.Join(hosts, ",")}, "user": {"postgres"}, "connect_timeout": {"10"}}
	return (&url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: q.Encode()}).String()
}

// Kill ends the server with SIGKILL, all its processes at once, as when its machine
// stops.
func (c *Cluster) Kill(t testing.TB) {
	t.Helper()
	c.kill(t)
}

// Lose kills the server and takes its data with it, as when its disk is gone.
func (c *Cluster) Destroy(t testing.TB) {
	t.Helper()
	c.kill(t)
	check(t, os.RemoveAll(c.data()))
}

func (c *Cluster) kill(t testing.TB) {
	t.Helper()
	if c.cmd == nil || c.ended() {
		return
	}
	// Stopped, it starts no process that would be missed.
	_ = c.cmd.Process.Signal(syscall.SIGSTOP)
	pids := children(t, c.cmd.Process.Pid)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = c.cmd.Process.Kill()
	<-c.done
	// The next server refuses to start while one of them has the shared memory.
	for _, pid := range pids {
		for began := time.Now(); lives(pid); <-time.After(time.Millisecond) {
			if time.Since(began) > startTime {
				t.Fatalf("process %d does not end", pid)
			}
		}
	}
}

// lives says whether a process has not ended, or has not given back what it had.
func lives(pid int) bool {
	state, _, err := stat(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && state != "Z" && state != "X"
}

// stat reads the state of a process and which one has started it.
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

func (c *Cluster) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// children returns the processes that a process has started.
func children(t testing.TB, parent int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	check(t, err)
	for _, path := range stats {
		if _, p, err := stat(path); err != nil || p != parent {
			continue // it has ended, or is another's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		check(t, err)
		pids = append(pids, pid)
	}
	return pids
}

// Stop shuts the server down in order, and cuts off who is connected.
func (c *Cluster) Stop(t testing.TB) {
	t.Helper()
	check(t, c.cmd.Process.Signal(syscall.SIGINT))
	select {
	case <-c.done:
	case <-time.After(startTime):
		t.Fatalf("the server does not stop:\n%s", c.tail())
	}
}

// Standby starts a standby that confirms every commit before it is answered, and returns
// when it does.
func (c *Cluster) Standby(t testing.TB) *Cluster {
	t.Helper()
	s := newCluster(t, filepath.Dir(c.folder))
	s.Program(t, "pg_basebackup", "-D", s.data(), "-h", c.folder, "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync")
	s.Set(t, map[string]string{"unix_socket_directories": "'" + s.folder + "'"})
	s.Run(t)
	c.Set(t, map[string]string{"synchronous_standby_names": "'*'"})
	c.Reload(t)
	c.await(t, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
	return s
}

// CutOff ends what a standby gets from its primary, for good, and returns when it gets
// nothing more.
func (c *Cluster) StopReplication(t testing.TB) {
	t.Helper()
	c.Exec(t, "postgres", "ALTER SYSTEM SET primary_conninfo = ''")
	c.Reload(t)
	c.await(t, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
}

// Is returns what the server answers to a query that says true or false.
func (c *Cluster) QueryBool(t testing.TB, query string) (is bool) {
	t.Helper()
	check(t, c.ask(t.Context(), query, &is))
	return is
}

// Says returns the text that the server answers to a query.
func (c *Cluster) QueryText(t testing.TB, query string) (text string) {
	t.Helper()
	check(t, c.ask(t.Context(), query, &text))
	return text
}

// Archived sets archive_timeout, and returns when what was written before is archived.
// Nothing else is asked of the server: that a segment is closed that nobody fills is the
// work of that setting. Which segment it is is asked first, as an empty one is never closed.
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package app

import (
	"io/fs"
	"log/slog"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
)

func TestGroupLimit(t *testing.T) {
	t.Parallel()
	const none = math.MaxInt64
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups": {nil, none},
		"version 2": {map[string]string{"proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "67108864\n"}, 64 << 20},
		"an outer group": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/memory.max": "1000\n"}, 1000},
		"no limit": {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"},
			none},
		"in a container": {map[string]string{"proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/memory.max": "2000\n"},
			2000},
		"version 1": {map[string]string{"proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "3000\n"}, 3000},
		"version 1, no limit": {map[string]string{"proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, none},
		"both": {map[string]string{"proc/self/cgroup": "4:memory:/\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "5000\n", "sys/fs/cgroup/memory.max": "4000"}, 4000},
		"what has no sense": {map[string]string{"proc/self/cgroup": "nothing\n0::/\n\n",
			"sys/fs/cgroup/memory.max": "-5\n"}, none},
		"another's controller": {map[string]string{"proc/self/cgroup": "4:hugememory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "5000\n"}, none},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := groupLimit(root); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

// TestLimitMemory: the control group's limit, less SQLite's share, becomes the memory limit of the
// process, unless GOMEMLIMIT has set one. It is not parallel, because it sets a limit of the process.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	root := fstest.MapFS{
		"proc/self/cgroup":           {Data: []byte("0::/\n")},
		"sys/fs/cgroup/memory.max":   {Data: []byte("1000000000\n")},
		"unlimited/proc/self/cgroup": {Data: []byte("0::/\n")},
	}
	unlimited, err := root.Sub("unlimited")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMEMLIMIT", "3GiB") // the runtime has read the variable when the process started
	debug.SetMemoryLimit(3 << 30)
	for _, c := range []struct {
		variable string
		root     fs.FS
		want     int64
	}{
		{"3GiB", root, 3 << 30},
		{"", unlimited, 3 << 30},
		{"", root, 800_000_000},
	} {
		t.Setenv("GOMEMLIMIT", c.variable)
		got := limitMemory(c.root)
		if set := debug.SetMemoryLimit(-1); got != c.want || set != c.want {
			t.Errorf("GOMEMLIMIT=%q: returned %d, the process has %d, want %d", c.variable, got, set, c.want)
		}
	}
}

// TestPasswordsAtOnce: the number of concurrent password hashes fits into memory, and is at least
// one and at most half of the number of processors.
func TestPasswordsAtOnce(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct {
		limit, used int64
		processors  int
		want        int
		tight       bool
	}{
		{math.MaxInt64, 30 * mib, 64, 32, false},
		{math.MaxInt64, 30 * mib, 1, 1, false},
		{64 * mib, 30 * mib, 64, 1, true},
		{16 * mib, 30 * mib, 64, 1, true},
		{128 * mib, 30 * mib, 64, 4, true},
		{1024 * mib, 30 * mib, 64, 32, false},
		{512 * mib, 30 * mib, 64, 24, false},
	} {
		if n, tight := passwordsAtOnce(c.limit, c.used, c.processors); n != c.want || tight != c.tight {
			t.Errorf("%+v: got %d, %v", c, n, tight)
		}
	}
}

// TestHasherKeepsToMemory: a service with little memory hashes one password at a time, releases the
// memory of each hash, and logs its limit. It is not parallel, because it sets limits of the process.
func TestHasherKeepsToMemory(t *testing.T) { //nolint:paralleltest // see above
	processors, limit := runtime.GOMAXPROCS(64), debug.SetMemoryLimit(1<<20)
	log := new(safeBuffer)
	s := &Service{log: slog.New(slog.NewTextHandler(log, nil)), config: config(t.TempDir())}
	hasher, err := s.newHasher()
	runtime.GOMAXPROCS(processors)
	debug.SetMemoryLimit(limit)
	if err != nil {
		t.Fatal(err)
	}
	if hasher.Freed == nil {
		t.Error("the memory of a hash stays allocated until the next collection")
	}
	text := log.String()
	if !strings.Contains(text, `limit="1 MiB"`) || !strings.Contains(text, "passwords_at_once=1\n") {
		t.Errorf("the log is %s, want a limit of 1 MiB and one password at once", text)
	}
}

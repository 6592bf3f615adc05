package app

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

	"roshambo/internal/service/account"
)

// heapShare is the percentage of a control group's memory that Go may use: SQLite allocates its
// page cache outside of Go's heap.
const heapShare = 80

// LimitMemory sets Go's memory limit from the control groups of the process, unless GOMEMLIMIT is
// set, and returns the limit in bytes; math.MaxInt64 for none.
func LimitMemory() int64 { return limitMemory(os.DirFS("/")) }

// limitMemory is LimitMemory for the root of a file system.
func limitMemory(root fs.FS) int64 {
	if os.Getenv("GOMEMLIMIT") == "" {
		if group := groupLimit(root); group < math.MaxInt64 {
			debug.SetMemoryLimit(group / 100 * heapShare)
		}
	}
	return debug.SetMemoryLimit(-1)
}

// groupLimit returns the lowest memory limit of the process's control groups, versions 1 and 2, in
// bytes; math.MaxInt64 for none. root is the root of the file system. See
// https://docs.kernel.org/admin-guide/cgroup-v2.html and cgroup-v1/memory.html.
func groupLimit(root fs.FS) int64 {
	limit := int64(math.MaxInt64)
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return limit
	}
	for line := range strings.Lines(string(groups)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":") // hierarchy:controllers:path
		controllers, group, ok := strings.Cut(rest, ":")
		switch {
		case !ok:
		case controllers == "":
			limit = min(limit, leastLimit(root, "sys/fs/cgroup", group, "memory.max"))
		case strings.Contains(","+controllers+",", ",memory,"):
			limit = min(limit, leastLimit(root, "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"))
		}
	}
	return limit
}

// leastLimit returns the lowest limit of a group and its parents. A file that cannot be read sets
// no limit: inside a container the path differs.
func leastLimit(root fs.FS, mount, group, file string) int64 {
	limit := int64(math.MaxInt64)
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		text, err := fs.ReadFile(root, path.Join(mount, at, file))
		n, errNumber := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" means none
		// Version 1 stores a page count near 2^63 for no limit.
		if errors.Join(err, errNumber) == nil && n > 0 && n < math.MaxInt64/2 {
			limit = min(limit, n)
		}
		if at == "/" {
			return limit
		}
	}
}

const (
	// requestBytes is the memory that password hashing leaves to requests.
	requestBytes = 8 << 20
	// tightHashes is how many concurrent hashes must fit for their memory to be collected as usual.
	tightHashes = 8
)

// passwordsAtOnce returns how many passwords may be hashed concurrently, at least 1, and whether
// the memory of each hash must be released before the next. limit and used are bytes. It uses at
// most half of the processors: login attempts must not stop the games.
func passwordsAtOnce(limit, used int64, processors int) (n int, tight bool) {
	fit := (limit - used - requestBytes) / (int64(account.Recommended.KiB) << 10)
	return int(max(1, min(fit, int64(processors)/2))), fit < tightHashes
}

// newHasher returns a password hasher that keeps to the memory limit.
func (s *Service) newHasher() (*account.Hasher, error) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	limit, used := debug.SetMemoryLimit(-1), int64(sample[0].Value.Uint64()-sample[1].Value.Uint64())
	n, tight := passwordsAtOnce(limit, used, runtime.GOMAXPROCS(0))
	cost := account.Recommended
	if s.config.Overrides.PasswordCost != nil {
		cost = *s.config.Overrides.PasswordCost
	}
	hasher, err := account.NewHasher(cost, n)
	if err != nil {
		return nil, err
	}
	hasher.Networks = hashNetworks
	if tight {
		hasher.Freed = debug.FreeOSMemory
	}
	shown := "none"
	if limit < math.MaxInt64 {
		shown = strconv.FormatInt(limit>>20, 10) + " MiB"
	}
	s.log.Info("memory", "limit", shown, "in_use", strconv.FormatInt(used>>20, 10)+" MiB", "passwords_at_once", n)
	return hasher, nil
}

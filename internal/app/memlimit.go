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

// heapShare is how much of a control group's memory Go may take, in percent: SQLite keeps
// its pages outside of what Go counts.
const heapShare = 80

// LimitMemory has Go keep to the memory that the control groups of the process allow, unless
// GOMEMLIMIT says otherwise, and returns the limit; math.MaxInt64 for none.
func LimitMemory() int64 {
	if os.Getenv("GOMEMLIMIT") == "" {
		if group := groupLimit(os.DirFS("/")); group < math.MaxInt64 {
			debug.SetMemoryLimit(group / 100 * heapShare)
		}
	}
	return debug.SetMemoryLimit(-1)
}

// groupLimit returns the least memory that the control groups of the process allow, of
// either version; math.MaxInt64 for no limit. Root is the root of the file system. See
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

// leastLimit returns the least limit of a group and of those that it is in. What cannot be
// read, as the path is another one within a container, sets none.
func leastLimit(root fs.FS, mount, group, file string) int64 {
	limit := int64(math.MaxInt64)
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		text, err := fs.ReadFile(root, path.Join(mount, at, file))
		n, errNumber := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is none
		// Version 1 has a number of pages near 2^63 for no limit.
		if errors.Join(err, errNumber) == nil && n > 0 && n < math.MaxInt64/2 {
			limit = min(limit, n)
		}
		if at == "/" {
			return limit
		}
	}
}

const (
	// requestBytes is what is left for requests when passwords are hashed.
	requestBytes = 8 << 20
	// tightHashes is how many hashes must fit at least for garbage to wait for its turn.
	tightHashes = 8
)

// passwordsAtOnce returns how many passwords may be hashed at a time within a limit of
// memory of which some is in use, and whether the memory of each must be given back before
// the next. Half of the processors at most: whoever tries passwords must not stop the games.
func passwordsAtOnce(limit, used int64, processors int) (n int, tight bool) {
	fit := (limit - used - requestBytes) / (int64(account.Recommended.KiB) << 10)
	return int(max(1, min(fit, int64(processors)/2))), fit < tightHashes
}

// newHasher returns a hasher of passwords that keeps to the limit of memory.
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

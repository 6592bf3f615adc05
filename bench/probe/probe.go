// Package probe runs servers in processes of their own and measures them from outside: memory,
// processor time, and what else the machine does.
package probe

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is a server process that listens on loopback.
type Server struct {
	// Cmd is the process; nil for a server that another process has started.
	Cmd *exec.Cmd
	// URL is the base URL, for example http://127.0.0.1:8080.
	URL string
	// Admin is the host:port of its profiles; "" if it has none.
	Admin string
}

// Start runs the binary, which must log in JSON to standard error, and returns when a log
// line contains its URL. The process ends with ctx.
func Start(ctx context.Context, binary string, args ...string) (*Server, error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	// SIGTERM instead of SIGKILL lets the service drain when the bench is interrupted.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	output, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s, last := &Server{Cmd: cmd}, ""
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		var line struct {
			URL   string `json:"url"`
			Admin string `json:"admin"`
		}
		last = lines.Text()
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue // not a log line
		}
		s.Admin = cmp.Or(line.Admin, s.Admin)
		if line.URL != "" {
			s.URL = line.URL
			go func() { _, _ = io.Copy(io.Discard, output) }() // a full pipe would block the process
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s ended before it listened: %w: %s", binary, cmd.Wait(), last)
}

// Address returns the host:port.
func (s *Server) Address() string { return strings.TrimPrefix(s.URL, "http://") }

// Stop ends the process and ignores its exit status: the measurements are complete.
func (s *Server) Stop() {
	_ = s.Cmd.Process.Signal(syscall.SIGTERM)
	_ = s.Cmd.Wait()
}

// Profile downloads a profile of the server, such as heap or profile?seconds=1, into a file.
func (s *Server) Profile(ctx context.Context, what, file string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Admin+"/debug/pprof/"+what, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("profile: status %d: %s", response.StatusCode, text)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// Memory returns the current and the peak resident memory of the process, in bytes.
func (s *Server) Memory() (now, peak int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	bytes := func(name string) int64 { // the file has kB
		_, rest, _ := strings.Cut(string(text), name)
		kb, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
		return kb << 10
	}
	return bytes("VmRSS:"), bytes("VmHWM:"), nil
}

// CPU returns the processor time of the process, in user and kernel mode.
func (s *Server) CPU() (time.Duration, error) {
	p, err := readStat(s.Cmd.Process.Pid)
	return p.used, err
}

// stat holds values of /proc/PID/stat.
type stat struct {
	name   string
	parent int
	used   time.Duration // in user and kernel mode
	reaped time.Duration // of children that have ended
}

// readStat reads /proc/PID/stat.
func readStat(pid int) (s stat, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, err
	}
	// proc_pid_stat(5): the program's name, in parentheses, may contain anything. After it
	// follow, counted from 0, the parent at 1 and utime, stime, cutime and cstime from 11
	// on.
	name, rest, _ := strings.Cut(string(text), ") ")
	_, s.name, _ = strings.Cut(name, "(")
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return s, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	var numbers [4]int64
	for i := range numbers {
		if numbers[i], err = strconv.ParseInt(fields[11+i], 10, 64); err != nil {
			return s, err
		}
	}
	s.parent, err = strconv.Atoi(fields[1])
	// A tick is a hundredth of a second on every Linux that Go supports (USER_HZ).
	const tick = time.Second / 100
	s.used, s.reaped = time.Duration(numbers[0]+numbers[1])*tick, time.Duration(numbers[2]+numbers[3])*tick
	return s, err
}

// Cluster is the main process of a PostgreSQL server on this machine. A nil cluster uses no
// time.
type Cluster struct{ pid int }

// ClusterOf returns the cluster with a backend of that number; nil if it is on another machine.
func ClusterOf(backend int) *Cluster {
	s, err := readStat(backend)
	if main, errMain := readStat(s.parent); err != nil || errMain != nil || !strings.HasPrefix(main.name, "postgres") {
		return nil
	}
	return &Cluster{s.parent}
}

// CPU returns the processor time of the cluster: its main process and all children,
// including those that have ended.
func (c *Cluster) CPU() (time.Duration, error) {
	if c == nil {
		return 0, nil
	}
	main, err := readStat(c.pid)
	if err != nil {
		return 0, err
	}
	sum := main.used + main.reaped
	folders, err := filepath.Glob("/proc/[0-9]*")
	for _, f := range folders {
		pid, _ := strconv.Atoi(filepath.Base(f))
		if s, err := readStat(pid); err == nil && s.parent == c.pid { // processes end at any time
			sum += s.used
		}
	}
	return sum, err
}

// Load returns how many threads of this machine run or wait for a processor, less the one that
// counts: the mean of half a second. Unlike the load average it forgets a measurement at once.
func Load() (float64, error) {
	const samples = 50
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	sum := 0
	for range samples {
		<-tick.C
		text, err := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 1/80 11206
		if err != nil {
			return 0, err
		}
		running, _, _ := strings.Cut(strings.Fields(string(text))[3], "/")
		n, err := strconv.Atoi(running)
		if err != nil {
			return 0, err
		}
		sum += n - 1
	}
	return float64(sum) / samples, nil
}

// Quantile sorts latencies and returns the one that a share q of them did not exceed; 0 of none.
func Quantile(latencies []time.Duration, q float64) time.Duration {
	if len(latencies) == 0 {
		return 0
	}
	slices.Sort(latencies)
	return latencies[min(int(q*float64(len(latencies))), len(latencies)-1)]
}

// Millis returns a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

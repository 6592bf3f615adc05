package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// child is a server process that listens on loopback.
type child struct {
	cmd *exec.Cmd
	// url is the base URL, for example http://127.0.0.1:8080.
	url string
	// admin is the host:port of its profiles; "" if it has none.
	admin string
}

// logLine has the members of a server's log lines that contain its addresses.
type logLine struct {
	URL   string `json:"url"`
	Admin string `json:"admin"`
}

// start runs the binary, which must log in JSON to standard error, and returns when a log
// line contains its URL. The process ends with ctx.
func start(ctx context.Context, binary string, args ...string) (*child, error) {
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
	c := &child{cmd: cmd}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		var line logLine
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue // not a log line
		}
		c.admin = cmp.Or(line.Admin, c.admin)
		if line.URL != "" {
			c.url = line.URL
			go func() {
				for lines.Scan() { // a full pipe would block the process
				}
			}()
			return c, nil
		}
	}
	return nil, fmt.Errorf("%s %s ended before it listened: %w", binary, strings.Join(args, " "), cmd.Wait())
}

// stop ends the process and ignores its exit status: the measurements are complete.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.cmd.Wait()
}

// memory returns the current and the peak resident memory of the process, in bytes.
func (c *child) memory() (now, peak int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	return statusBytes(string(text), "VmRSS:"), statusBytes(string(text), "VmHWM:"), nil
}

// cpu returns the processor time of the process, in user and kernel mode.
func (c *child) cpu() (time.Duration, error) {
	s, err := readStat(c.cmd.Process.Pid)
	return s.used, err
}

// stat holds values of /proc/PID/stat.
type stat struct {
	parent int
	// used is the processor time in user and kernel mode.
	used time.Duration
	// reaped is the processor time of children that have ended.
	reaped time.Duration
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
	_, rest, _ := strings.Cut(string(text), ") ")
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

// statusBytes returns a value of /proc/PID/status, which is in kB, in bytes; 0 if it is
// absent.
func statusBytes(status, name string) int64 {
	_, rest, ok := strings.Cut(status, name)
	if !ok {
		return 0
	}
	fields := strings.Fields(rest)
	kb, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}

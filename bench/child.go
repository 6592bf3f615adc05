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

// child is a process that listens on loopback.
type child struct {
	cmd   *exec.Cmd
	url   string
	admin string // host:port of its profiles; "" without
}

// logLine holds the members of a server's log line that say where it listens.
type logLine struct {
	URL   string `json:"url"`
	Admin string `json:"admin"`
}

// start runs the binary, which logs in JSON, and waits until it says where it listens.
func start(ctx context.Context, binary string, args ...string) (*child, error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	// The service must be able to drain when the bench is interrupted.
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
			continue // not of the log
		}
		c.admin = cmp.Or(line.Admin, c.admin)
		if line.URL != "" {
			c.url = line.URL
			go func() {
				for lines.Scan() { // so that the child never waits for a reader
				}
			}()
			return c, nil
		}
	}
	return nil, fmt.Errorf("%s %s ended before it listened: %w", binary, strings.Join(args, " "), cmd.Wait())
}

// stop ends the process; the bench has what it wanted, so how it ends is not looked at.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.cmd.Wait()
}

// memory returns the resident memory of the process and the most it ever was, in
// bytes.
func (c *child) memory() (now, peak int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	return statusBytes(string(text), "VmRSS:"), statusBytes(string(text), "VmHWM:"), nil
}

// cpu returns the processor time that the process has used, in user and kernel mode.
func (c *child) cpu() (time.Duration, error) {
	s, err := readStat(c.cmd.Process.Pid)
	return s.used, err
}

// stat is what /proc says of a process.
type stat struct {
	parent int
	used   time.Duration // in user and kernel mode
	reaped time.Duration // by children that have ended
}

func readStat(pid int) (s stat, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, err
	}
	// proc_pid_stat(5): the name of the program, in brackets, may hold anything; behind
	// it come, counted from 0, at 1 the parent and from 11 on utime, stime, cutime, cstime.
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
	// A tick is a hundredth of a second on every Linux that Go runs on (USER_HZ).
	const tick = time.Second / 100
	s.used, s.reaped = time.Duration(numbers[0]+numbers[1])*tick, time.Duration(numbers[2]+numbers[3])*tick
	return s, err
}

// statusBytes reads a line of /proc/PID/status in kB.
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

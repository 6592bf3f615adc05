//go:build nightly && linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"roshambo/internal/server/api"
	"roshambo/packaging/buildtest"
)

// startTime bounds the wait for a service. It only ends a test that would hang.
const startTime = 2 * time.Minute

// TestPackage builds the packages of this program and of a later one whose schema has a table more, and by dpkg
// installs, upgrades and removes them in a root of its own, in which the scripts of the packages run. The service runs
// there by the command of the installed unit, as its user and with nothing else in sight.
func TestPackage(t *testing.T) {
	t.Chdir("../..") // packages are made at the root of the sources
	first := packages(t, buildtest.Program(t, "."), api.Version)
	later := packages(t, buildtest.Later(t, "."), buildtest.LaterVersion)
	checkRPM(t, first[1])
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Log("Not installed: dpkg is not here, as this is not Debian.")
		return
	}
	accounts := machineAccounts(t)
	r := newRoot(t)
	r.dpkg(t, "--install", first[0])
	config := r.path("etc/roshambo/roshambo.toml")
	text, err := os.ReadFile(config)
	check(t, err)
	text = append(text, "\nlisten = \""+address+"\"\nhouse-bots = false\n"...)
	check(t, os.WriteFile(config, text, 0o644)) // the service, another user, reads it
	r.has(t, "usr/share/man/man1/roshambo.1", ".SH NAME")
	r.has(t, "usr/share/doc/roshambo/CHANGELOG.md", api.Version)
	s := r.start(t)
	jar, err := cookiejar.New(nil)
	check(t, err)
	guest := &http.Client{Jar: jar}
	account := ask(t, guest, http.MethodPost, "/api/guest")

	r.dpkg(t, "--install", later[0]) // while the service runs
	s.stop(t)
	r.has(t, "etc/roshambo/roshambo.toml", address) // what the operator has written stays
	if out := r.roshambo(t, "--version"); !strings.Contains(out, buildtest.LaterVersion) {
		t.Errorf("after the upgrade the version is %s", out)
	}
	s = r.start(t)
	s.await(t, buildtest.Migration)
	if again := ask(t, guest, http.MethodGet, "/api/me"); again != account {
		t.Errorf("after the upgrade the account is %q, want %q", again, account)
	}
	s.stop(t)
	r.roshambo(t, "doctor", "--data", "/var/lib/roshambo")

	r.dpkg(t, "--remove", "roshambo")
	r.has(t, "etc/roshambo/roshambo.toml", address)
	r.dpkg(t, "--purge", "roshambo")
	for _, name := range []string{"usr/bin/roshambo", "usr/lib/systemd/system/roshambo.service",
		"etc/roshambo/roshambo.toml"} {
		if _, err := os.Stat(r.path(name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after the removal of the package %s is there: error %v", name, err)
		}
	}
	r.has(t, "var/lib/roshambo/keys.json", "verifier_key") // the chain may go on
	if now := machineAccounts(t); now != accounts {
		t.Errorf("the accounts of this machine were\n%s\nand are\n%s", accounts, now)
	}
}

// address is the address of the service, on which nothing else listens.
const address = "127.84.73.2:8080"

// packages makes the packages of a program, twice with the same bytes, and returns the paths of the .deb and the .rpm.
func packages(t *testing.T, program, version string) []string {
	t.Helper()
	var made [2][]string
	for i := range made {
		s := &stage{folder: t.TempDir(), version: version, publisher: "releases.example.org", epoch: "1764374400"}
		check(t, s.prepare(t.Context()))
		folder := t.TempDir()
		names, err := s.pack(t.Context(), program, runtime.GOARCH, folder)
		check(t, err)
		for _, name := range names {
			made[i] = append(made[i], filepath.Join(folder, name))
		}
	}
	for i := range made[0] {
		one, err := sum(made[0][i])
		check(t, err)
		two, err := sum(made[1][i])
		check(t, err)
		if one != two {
			t.Errorf("%s: two builds gave %v and %v", filepath.Base(made[0][i]), one, two)
		}
	}
	return made[0]
}

// checkRPM lets rpm read a package, where it is there.
func checkRPM(t *testing.T, file string) {
	t.Helper()
	rpm, err := exec.LookPath("rpm")
	if err != nil {
		t.Log("Not read: rpm is not here.")
		return
	}
	for want, args := range map[string][]string{
		"/usr/lib/systemd/system/roshambo.service": {"--query", "--list"},
		"/etc/roshambo/roshambo.toml":              {"--query", "--configfiles"},
		"useradd --system":                         {"--query", "--scripts"},
		"shadow-utils":                             {"--query", "--requires"},
	} {
		out := command(t, exec.CommandContext(t.Context(), rpm, append(args, "--package", file)...))
		if !strings.Contains(out, want) {
			t.Errorf("rpm %v does not show %q:\n%s", args, want, out)
		}
	}
	command(t, exec.CommandContext(t.Context(), rpm, "--checksig", "--nosignature", file))
}

// machineAccounts returns the users and groups of this machine.
func machineAccounts(t *testing.T) string {
	t.Helper()
	var all []byte
	for _, name := range []string{"/etc/passwd", "/etc/group"} {
		text, err := os.ReadFile(name)
		check(t, err)
		all = append(all, text...)
	}
	return string(all)
}

// root is a folder with the lists of accounts and of packages that are installed below it.
type root struct{ folder string }

// newRoot returns a root in which the package passwd counts as installed: its programs come from this machine, as
// scripts run outside of the root and find it by DPKG_ROOT.
func newRoot(t *testing.T) *root {
	t.Helper()
	r := &root{t.TempDir()}
	for _, folder := range []string{"etc", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		check(t, os.MkdirAll(r.path(folder), 0o755)) // as on any machine
	}
	status := command(t, exec.CommandContext(t.Context(), "dpkg-query", "--status", "passwd"))
	for name, text := range map[string]string{
		"etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "etc/shadow": "root:*:20000:0:99999:7:::\n",
		"etc/group": "root:x:0:\n", "etc/gshadow": "root:*::\n", "var/lib/dpkg/status": status + "\n",
	} {
		check(t, os.WriteFile(r.path(name), []byte(text), 0o600))
	}
	return r
}

// path returns the path of a file in the root.
func (r *root) path(name string) string { return filepath.Join(r.folder, name) }

// has requires that a file contains a text.
func (r *root) has(t *testing.T, name, text string) {
	t.Helper()
	if content, err := os.ReadFile(r.path(name)); err != nil || !bytes.Contains(content, []byte(text)) {
		t.Errorf("%s has not %q, error %v", name, text, err)
	}
}

// asRoot makes a command run as root: of this machine, or of a namespace in which root owns what this user owns.
func asRoot() *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}}
}

// dpkg runs dpkg on the root. It has no terminal, so a question would end it.
func (r *root) dpkg(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"--root=" + r.folder, "--force-script-chrootless", "--force-unsafe-io"}, args...)
	c := exec.CommandContext(t.Context(), "dpkg", args...)
	c.SysProcAttr = asRoot()
	t.Log(command(t, c))
}

// roshambo runs the installed program in the root to its end, and returns its output.
func (r *root) roshambo(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "/usr/bin/roshambo", args...)
	c.Dir, c.Env, c.SysProcAttr = "/", []string{"PATH=/usr/bin"}, asRoot()
	c.SysProcAttr.Chroot = r.folder
	return command(t, c)
}

// service is a running command of a unit.
type service struct {
	cmd   *exec.Cmd
	log   string     // path of a file
	ended chan error // gets the end of cmd
}

// start runs the installed unit as systemd does: its command, with its environment and its folder, as its user. A user
// of this machine other than root starts it as root of the namespace.
func (r *root) start(t *testing.T) *service {
	t.Helper()
	unit, err := os.ReadFile(r.path("usr/lib/systemd/system/roshambo.service"))
	check(t, err)
	setting := func(key string) string {
		found := regexp.MustCompile(`(?m)^` + key + `=(.*)$`).FindSubmatch(unit)
		if found == nil {
			t.Fatalf("the unit has no %s", key)
		}
		return string(found[1])
	}
	uid, gid := r.user(t, setting("User"))
	attributes := asRoot()
	attributes.Chroot = r.folder
	state := r.path(filepath.Join("var/lib", setting("StateDirectory")))
	check(t, os.MkdirAll(state, 0o700))
	if os.Geteuid() == 0 {
		check(t, os.Chown(state, int(uid), int(gid)))
		attributes.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	fields := strings.Fields(setting("ExecStart"))
	s := &service{log: filepath.Join(t.TempDir(), "log"), ended: make(chan error, 1),
		cmd: exec.CommandContext(context.WithoutCancel(t.Context()), fields[0], fields[1:]...)}
	log, err := os.Create(s.log)
	check(t, err)
	defer log.Close() //nolint:errcheck // the service has its own descriptor
	s.cmd.Dir, s.cmd.Env, s.cmd.SysProcAttr, s.cmd.Stderr = "/", []string{setting("Environment")}, attributes, log
	check(t, s.cmd.Start())
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // unless it has ended
	s.await(t, "roshambo is up")
	return s
}

// user returns the ids of a user in the root.
func (r *root) user(t *testing.T, name string) (uid, gid uint32) {
	t.Helper()
	text, err := os.ReadFile(r.path("etc/passwd"))
	check(t, err)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, ":"); fields[0] == name && len(fields) == 7 {
			check(t, json.Unmarshal([]byte("["+fields[2]+","+fields[3]+"]"), &[]*uint32{&uid, &gid}))
			if uid == 0 || strings.TrimSpace(fields[6]) != "/usr/sbin/nologin" || fields[5] != "/var/lib/roshambo" {
				t.Errorf("the user is %q", line)
			}
			return uid, gid
		}
	}
	t.Fatalf("the package has made no user %s:\n%s", name, text)
	return 0, 0
}

// await waits until the log of the service contains a text.
func (s *service) await(t *testing.T, text string) {
	t.Helper()
	for began := time.Now(); ; {
		log, err := os.ReadFile(s.log)
		check(t, err)
		if bytes.Contains(log, []byte(text)) {
			return
		}
		select {
		case err := <-s.ended:
			t.Fatalf("the service ended with %v:\n%s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Since(began) > startTime {
			t.Fatalf("the service does not log %q:\n%s", text, log)
		}
	}
}

// stop ends the service as systemd does, and requires that it ends well.
func (s *service) stop(t *testing.T) {
	t.Helper()
	check(t, s.cmd.Process.Signal(syscall.SIGTERM))
	if err := <-s.ended; err != nil {
		log, _ := os.ReadFile(s.log) // it adds to the error
		t.Errorf("the service ended with %v:\n%s", err, log)
	}
}

// ask makes a request and returns the address of the account in its answer.
func ask(t *testing.T, client *http.Client, method, path string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, nil)
	check(t, err)
	response, err := client.Do(r)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	found := regexp.MustCompile(`"address":"([^"]+)"`).FindSubmatch(text)
	if response.StatusCode != http.StatusOK || found == nil {
		t.Fatalf("%s %s: %s %s", method, path, response.Status, text)
	}
	return string(found[1])
}

// command runs a command to its end, and returns its output.
func command(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
	return string(out)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

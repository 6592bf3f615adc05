//go:build nightly

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"roshambo/internal/store/pgtest"
)

const (
	guide = "docs/operations.md"
	// guideTime bounds each part of TestOperationsDocument. It only ends tests that hang.
	guideTime = 10 * time.Minute
)

// standIns are what a test has in place of the programs that need root, systemd or another machine: the service runs
// in the background of the shell, a second node in a folder beside it, and the editor writes the options that an
// operator would write into secrets.env.
const standIns = `
sudo() { [ "$1" != -u ] || shift 2; "$@"; }
systemd-run() {
  while [[ $1 == --* ]]; do
    shift
  done
  "$@"
}
install() {
  local kept=()
  while [ $# -gt 0 ]; do
    case $1 in
      -o | -g) shift 2 ;;
      *) kept+=("$1"); shift ;;
    esac
  done
  command install "${kept[@]}"
}
chown() { :; }
systemctl() {
  case $1 in
    start)
      roshambo serve --data "$DATA" --listen "$ADDRESS" --house-bots=false $OPTIONS >>"$LOG" 2>&1 &
      service=$!
      until curl -s -f -o /dev/null "http://$ADDRESS/api/chain/head"; do
        kill -0 "$service" 2>/dev/null || return 1
        sleep 0.1
      done ;;
    stop) kill "$service" && wait "$service" ;;
  esac
}
scp() { mkdir -p "$NODE2" && cp "$1" "$NODE2/"; }
ssh() {
  local first=$service
  shift
  DATA=$NODE2 ADDRESS=$ADDRESS2 "$@" || return
  service2=$service service=$first
}
edit() { OPTIONS="--database $DATABASE"; }
EDITOR=edit OPTIONS=
`

// desk is a terminal at which the commands of docs/operations.md are typed, with folders of the test in place of those
// of a machine.
type desk struct {
	*terminal

	t      *testing.T
	ctx    context.Context // of one part of the test
	folder string
	url    string // of the service
	other  string // of the second node
	paths  *strings.Replacer
}

// openDesk opens a terminal in a new folder. further are texts of the document with what stands for them.
func openDesk(ctx context.Context, t *testing.T, further ...string) *desk {
	t.Helper()
	folder, address, second := t.TempDir(), freeAddress(t), freeAddress(t)
	d := &desk{terminal: openTerminal(ctx, t, folder), t: t, ctx: ctx, folder: folder, url: "http://" + address,
		other: "http://" + second, paths: strings.NewReplacer(append(further,
			"/var/lib/roshambo", filepath.Join(folder, "data"), "/etc/roshambo", filepath.Join(folder, "etc"),
			"/backup/", filepath.Join(folder, "backup")+"/", "/somewhere/else/", filepath.Join(folder, "else")+"/",
			"2026-11-22", "$(date +%F)")...)}
	for _, name := range []string{"data", "backup", "else"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d.types(t, fmt.Sprintf("DATA=%s NODE2=%s LOG=%s ADDRESS=%s ADDRESS2=%s\n%s", filepath.Join(folder, "data"),
		filepath.Join(folder, "node-2"), filepath.Join(folder, "log"), address, second, standIns))
	return d
}

// does types each line of a script.
func (d *desk) does(script string) {
	d.t.Helper()
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" {
			d.types(d.t, d.paths.Replace(line))
		}
	}
}

// logged waits until the log of the service matches, and returns the submatches.
func (d *desk) logged(pattern string) []string {
	d.t.Helper()
	for {
		text, err := os.ReadFile(filepath.Join(d.folder, "log"))
		if found := regexp.MustCompile(pattern).FindStringSubmatch(string(text)); found != nil {
			return found
		}
		d.pause(fmt.Sprintf("the log, error %v: %s", err, text))
	}
}

// pause waits a moment for what a loop asks for.
func (d *desk) pause(what string) {
	d.t.Helper()
	select {
	case <-d.ctx.Done():
		d.t.Fatalf("not in time: %s", what)
	case <-time.After(100 * time.Millisecond):
	}
}

// guest opens an account and waits until its block is sealed, so that nothing is pending.
func (d *desk) guest() *visitor {
	d.t.Helper()
	v, err := newVisitor(d.ctx, d.url)
	if err != nil {
		d.t.Fatal(err)
	}
	sealed := regexp.MustCompile(`"height":\d`)
	for {
		text, err := fetch(d.ctx, d.url+"/api/chain/address/"+v.address)
		if err == nil && sealed.Match(text) && !strings.Contains(string(text), `"height":null`) {
			return v
		}
		d.pause(fmt.Sprintf("the account, error %v: %s", err, text))
	}
}

// knows requires that a service knows the session of an account.
func (d *desk) knows(url string, v *visitor) {
	d.t.Helper()
	v.url = url
	if err := v.call(d.ctx, "GET", "/api/me", "", &struct{}{}); err != nil {
		d.t.Errorf("%s: %v", url, err)
	}
}

// TestOperationsDocument types the commands of docs/operations.md that need neither root nor another machine: the first
// start, two nodes from empty machines, backups and restores, the loss of signed blocks, and the move to PostgreSQL and
// back.
func TestOperationsDocument(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]func(context.Context, *testing.T){
		"first start": typeFirstStart, "SQLite": typeBackups, "schedule": typeSchedule, "PostgreSQL": typeMove,
		"two nodes": typeTwoNodes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), guideTime)
			defer cancel()
			part(ctx, t)
		})
	}
}

func typeFirstStart(ctx context.Context, t *testing.T) {
	t.Helper()
	d := openDesk(ctx, t)
	for line := range strings.Lines(documented(t, guide, "As a service of systemd")[0]) {
		if strings.HasPrefix(line, "sudo roshambo init ") {
			d.does(line)
		}
	}
	for _, name := range []string{"roshambo.toml", "roshambo.service"} {
		if _, err := os.Stat(filepath.Join(d.folder, "etc", name)); err != nil {
			t.Error(err)
		}
	}
	d.does("export ROSHAMBO_LISTEN=$ADDRESS")
	d.starts(t, documented(t, guide, "First start")[0])
	for {
		if _, err := fetch(ctx, d.url+"/api/chain/head"); err == nil {
			break
		}
		d.pause("the service says " + d.said())
	}
	if _, err := os.Stat(filepath.Join(d.folder, "roshambo-data", "keys.json")); err != nil {
		t.Error(err)
	}
}

func typeBackups(ctx context.Context, t *testing.T) {
	t.Helper()
	d := openDesk(ctx, t)
	blocks := documented(t, guide, "SQLite")
	d.does("systemctl start roshambo")
	v := d.guest()
	d.does(blocks[0])
	d.does(blocks[1])
	d.knows(d.url, v)

	d.does("systemctl stop roshambo")
	d.does(documented(t, guide, "What a restore does to games")[0])
	d.does("systemctl start roshambo")
	text, err := fetch(ctx, d.url+"/log/recoveries/2")
	if err != nil || !strings.Contains(string(text), "A disk failed.") {
		t.Errorf("the reason of the recovery: error %v, %s", err, text)
	}
	d.knows(d.url, v)

	// The backup lacks blocks that are signed by now.
	for line := range strings.Lines(blocks[1]) {
		switch {
		case strings.Contains(line, " doctor "): // it names what is lost, and fails
		case strings.HasPrefix(line, "systemctl start "):
			if out, status := d.answers(t, line); status == 0 {
				t.Fatalf("the service starts behind its log: %s", out)
			}
		default:
			d.does(line)
		}
	}
	size := d.logged(`roshambo accept-rollback --size (\d+)`)[1]
	d.does(strings.ReplaceAll(documented(t, guide, "What a restore means for the log")[0], "1234", size))
	d.does("systemctl start roshambo")
	d.knows(d.url, v)
}

func typeSchedule(ctx context.Context, t *testing.T) {
	t.Helper()
	bucket := startBucket(t)
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	d := openDesk(ctx, t, "/run/", t.TempDir()+"/")
	if err := os.WriteFile(filepath.Join(d.folder, "backup-key.txt"), []byte(key.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range bucket.env {
		d.does("export " + variable)
	}
	d.does("systemctl start roshambo")
	v := d.guest()
	d.does("systemctl stop roshambo")
	d.does("OPTIONS='--backup-every 24h --backup-to s3://backups/roshambo --backup-recipient " +
		key.Recipient().String() + "'")
	d.does("systemctl start roshambo")
	d.logged(`msg="backup made"`)
	d.does(documented(t, guide, "On a schedule")[0])
	d.knows(d.url, v)
}

func typeMove(ctx context.Context, t *testing.T) {
	t.Helper()
	cluster := pgtest.Start(t, pgtest.Fast)
	database := func(name string) string {
		return "'" + strings.Replace(pgtest.URL(name, cluster), "user=postgres", "user=roshambo", 1) + "'"
	}
	d := openDesk(ctx, t, "'postgres://roshambo@db-1:5432/roshambo?sslmode=verify-full'", database("roshambo"),
		"postgres://roshambo@host/roshambo_again", database("roshambo_again"))
	d.does("export PGUSER=postgres PGHOST=" + cluster.Path("") + " PATH=" + cluster.Programs() + ":$PATH")
	there := documented(t, guide, "From SQLite to PostgreSQL, and back")
	d.does("systemctl start roshambo")
	v := d.guest()
	d.does(there[0])
	d.knows(d.url, v)
	d.knows(d.other, v)

	d.does("systemctl stop roshambo\nkill $service2 && wait $service2\nROSHAMBO_DATABASE=$DATABASE")
	d.does(documented(t, guide, "PostgreSQL")[0])
	d.does(there[1])
	d.does("OPTIONS=\nsystemctl start roshambo")
	d.knows(d.url, v)
}

// freshMachines are what typeTwoNodes has in place of programs that need root: packages are installed, and the unit is
// started with its file of secrets and its configuration. HAProxy reads its configuration and does not run.
const freshMachines = `
apt() { :; }
scp() { cp "$@"; }
systemctl() {
  case "$*" in
    'enable --now roshambo')
      (set -a && . etc/secrets.env && exec roshambo serve --config etc/roshambo.toml --data data --house-bots=false) \
        >>log 2>&1 & ;;
    'restart haproxy')
      sed "s|/etc/haproxy/roshambo|$PWD/etc/roshambo|" etc/haproxy.cfg >checked.cfg &&
        PATH=$PATH:/usr/sbin haproxy -c -f checked.cfg ;;
  esac
}
`

// typeTwoNodes types what an operator types on four empty machines.
func typeTwoNodes(ctx context.Context, t *testing.T) {
	t.Helper()
	const section = "Two nodes behind HAProxy, step by step"
	blocks := documented(t, guide, section)
	if len(blocks) != 5 {
		t.Fatalf("%d blocks of commands, want those of the database, both nodes, the first, the second and the proxy", len(blocks))
	}
	_, config, _ := strings.Cut(readDocument(t, guide), "# "+section+"\n")
	_, config, _ = strings.Cut(config, "```toml\n")
	config, _, _ = strings.Cut(config, "```")
	cluster := pgtest.Start(t, pgtest.Fast)
	url := strings.Replace(pgtest.URL("roshambo", cluster), "user=postgres", "user=roshambo", 1)
	home := t.TempDir() // of root on the second node
	machine := func(further ...string) *desk {
		d := openDesk(ctx, t, append(further, "root@10.44.0.12:/root", home, "/root", home,
			"/etc/haproxy/", "etc/", "root@10.44.0.11:/usr/share/doc/roshambo", filepath.Join(root(t), "packaging"),
			"/etc/postgresql/*/main/", "etc/", "/etc/postgresql-common/", "etc/",
			"postgres://roshambo:PASSWORD@10.44.0.20/roshambo?sslmode=require", url)...)
		if err := os.Mkdir(filepath.Join(d.folder, "etc"), 0o700); err != nil {
			t.Fatal(err)
		}
		d.types(t, freshMachines)
		return d
	}
	database := machine()
	database.does("export PGUSER=postgres PGHOST=" + cluster.Path("") + " PATH=" + cluster.Programs() + ":$PATH")
	database.does(blocks[0])
	if text, err := os.ReadFile(filepath.Join(database.folder, "etc", "createcluster.conf")); err != nil ||
		!strings.Contains(string(text), "initdb_options = '--data-checksums'") {
		t.Errorf("the options of new clusters: error %v, %s", err, text)
	}
	for i, own := range []string{blocks[2], blocks[3]} {
		host, _, _ := strings.Cut(ownAddress(), ":")
		node := machine("roshambo health", "roshambo health --address "+host+":9091", "10.44.0.11:8080", host+":8080",
			`":9091"`, `"`+host+`:9091"`, "127.0.0.1:9090", host+":9090")
		options := []byte(node.paths.Replace(config))
		if err := os.WriteFile(filepath.Join(node.folder, "etc", "roshambo.toml"), options, 0o600); err != nil {
			t.Fatal(err)
		}
		node.does(blocks[1])
		node.does(own)
		if _, err := fetch(ctx, "http://"+host+":8080/api/chain/head"); err != nil {
			t.Errorf("node %d: %v", i+1, err)
		}
	}
	proxy := machine()
	certificate(t, proxy.folder)
	proxy.types(t, "mv cert.pem fullchain.pem")
	proxy.types(t, "cp /etc/haproxy/haproxy.cfg etc/") // of Debian's package
	proxy.does(blocks[4])
}

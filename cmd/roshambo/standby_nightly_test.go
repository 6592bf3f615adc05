//go:build nightly

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"roshambo/internal/store/pgtest"
)

// TestStandbyBehind promotes, under load (guests that arrive at both nodes), an asynchronous standby that
// lacks signed blocks and the first throw of thirty runs. The players have seen the house's hands and repeat
// their throws at both nodes: none counts again, whether the nodes wait for an operator or recover by
// themselves.
func TestStandbyBehind(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"wait", "recover"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			promoteBehind(t, policy)
		})
	}
}

// repeater is a player who has seen the house's answer to a throw.
type repeater struct {
	*visitor
	run  runView // as started
	seen throwView
}

// beating is the move that wins against the house's.
var beating = map[string]string{"rock": "p", "paper": "s", "scissors": "r", "r": "p", "p": "s", "s": "r"}

func promoteBehind(t *testing.T, policy string) {
	primary := pgtest.Start(t, nil)
	standby := primary.Standby(t)
	f := newFleet(t, pgtest.URL("postgres", primary, standby), 2, "--on-rollback="+policy)
	r := &killedService{}
	var players []*repeater
	for i := range 30 {
		players = append(players, newRepeater(t, f.nodes[i%2].url))
	}
	r.grow(t, f.nodes[0], 2)
	primary.Asynchronous(t)
	standby.StopReplication(t)
	kept := r.tree.N
	for _, p := range players {
		p.throw(t)
	}
	r.grow(t, f.nodes[1], kept+3)
	for _, n := range f.nodes {
		n.awaitStored(t, kept+3)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wait sync.WaitGroup
	for _, url := range f.urls() {
		wait.Go(func() {
			for ctx.Err() == nil {
				_, _ = newVisitor(ctx, url) // most are refused after the promotion
			}
		})
	}
	primary.Kill(t)
	standby.Promote(t)
	f.nodes = append(f.nodes, nil)
	f.start(t, 2) // in an empty folder: it asks the others before it believes the database
	newcomer, err := newVisitor(t.Context(), f.nodes[2].url)
	if refused, ok := errors.AsType[*statusError](err); policy == "wait" && (!ok || refused.code != "recovering") {
		t.Errorf("the new node believes the database: guest %+v, %v", newcomer, err)
	}
	repeated := 0
	for _, url := range f.urls() {
		for _, p := range players {
			if p.repeats(t, url) {
				repeated++
			}
		}
	}
	if repeated > 0 {
		t.Errorf("%d of %d throws repeated", repeated, len(f.nodes)*len(players))
	}
	if policy == "recover" {
		checkRecovered(t, f, players)
	} else {
		checkWaiting(t, f, players)
	}
	cancel()
	wait.Wait()
	f.stop(t)
	if policy == "recover" {
		command(t, "doctor", "--data", f.nodes[0].data(), "--database", f.url)
	}
}

// TestRecoverByItselfPostgres is TestRecoverByItself on PostgreSQL: a dump that is older than the signed log
// takes the database's place. Another node reports a larger lost tree while the start waits.
func TestRecoverByItselfPostgres(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t, pgtest.Fast)
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo")
	url := pgtest.URL("roshambo", cluster)
	data := t.TempDir()
	played(t, data, 2, "--database", url)
	cluster.Program(t, "pg_dump", "--format=custom", "--file=roshambo.dump", url)
	r := played(t, data, 4, "--database", url)
	cluster.Exec(t, "postgres", "DROP DATABASE roshambo WITH (FORCE)")
	cluster.Exec(t, "postgres", "CREATE DATABASE roshambo ENCODING 'UTF8' TEMPLATE template0")
	cluster.Program(t, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+url, "roshambo.dump")
	if size := refused(t, data, url); size != fmt.Sprint(r.tree.N) {
		t.Errorf("a start that waits reports %s blocks, want %d", size, r.tree.N)
	}
	lost := tlog.Tree{N: r.tree.N + 3, Hash: tlog.Hash{9}}
	report := fmt.Sprint(lost.N, " ", lost.Hash, " 2")
	cluster.Exec(t, "roshambo", "UPDATE meta SET value = '"+report+"' WHERE name = 'recovering'")
	if size := refused(t, data, url); size != fmt.Sprint(lost.N) {
		t.Errorf("after another node's report, a start that waits reports %s blocks, want %d", size, lost.N)
	}
	cluster.Exec(t, "roshambo", "DELETE FROM meta WHERE name = 'recovering'")
	reported := make(chan error, 1)
	go func() { reported <- reportLost(t.Context(), url, report) }()
	for _, policy := range []string{"recover", "wait"} { // the second start needs no decision
		server, err := serve(t.Context(), data, "--database", url, "--on-rollback="+policy)
		if err != nil {
			t.Fatal(err)
		}
		after := &killedService{logWatch: logWatch{key: r.key}}
		after.grow(t, server, r.tree.N+1)
		text, err := fetch(t.Context(), server.url+"/log/checkpoint")
		if line := declaration(lost, 2); err != nil || !bytes.Contains(text, []byte("\n"+line+"\n\n")) {
			t.Errorf("the checkpoint is %s, %v", text, err)
		}
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	}
	if err := <-reported; err != nil {
		t.Error(err)
	}
	command(t, "doctor", "--data", data, "--database", url)
}

// reportLost stores the report of a larger lost tree one second after another node has reported one.
func reportLost(ctx context.Context, url, report string) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the report is stored
	for stored := false; !stored; pause(ctx, 20*time.Millisecond) {
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM meta WHERE name = 'recovering')").Scan(&stored); err != nil {
			return err
		}
	}
	pause(ctx, time.Second)
	_, err = conn.Exec(ctx, "UPDATE meta SET value = $1 WHERE name = 'recovering'", report)
	return err
}

// newRepeater starts a run that pays the fee.
func newRepeater(t *testing.T, url string) *repeater {
	t.Helper()
	v, err := newVisitor(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Run runView }
	if err := v.call(t.Context(), "POST", "/api/runs", `{"entry":"fee","client_seed":"ab"}`, &out); err != nil {
		t.Fatal(err)
	}
	return &repeater{visitor: v, run: out.Run}
}

// throw makes the throw that will be lost.
func (p *repeater) throw(t *testing.T) {
	t.Helper()
	var out struct{ Run runView }
	err := p.call(t.Context(), "POST", "/api/runs/"+p.run.ID+"/throw", `{"move":"r","entropy":"cd"}`, &out)
	if err != nil {
		t.Fatal(err)
	}
	p.seen = out.Run.Throws[0]
}

// repeats throws again at a node, with the move that beats the hand seen, until the node has an answer, and
// reports whether the throw counts.
func (p *repeater) repeats(t *testing.T, url string) bool {
	t.Helper()
	again := &visitor{url: url, client: p.client, cookie: p.cookie, csrf: p.csrf}
	body := fmt.Sprintf(`{"move":%q,"entropy":"cd"}`, beating[p.seen.House])
	err := again.answered(t, "POST", "/api/runs/"+p.run.ID+"/throw", body, nil)
	refused, ok := errors.AsType[*statusError](err)
	if err != nil && (!ok || refused.code != "recovering" && refused.status != http.StatusConflict) {
		t.Errorf("a repeated throw: %v", err)
	}
	return err == nil
}

// answered makes a request until it is answered by a database.
func (v *visitor) answered(t *testing.T, method, path, body string, out any) error {
	t.Helper()
	if out == nil {
		out = new(any)
	}
	for began := time.Now(); ; pause(t.Context(), 20*time.Millisecond) {
		err := v.call(t.Context(), method, path, body, out)
		refused, ok := errors.AsType[*statusError](err)
		if err == nil || ok && (refused.status < 500 || refused.code == "recovering") {
			return err
		}
		if time.Since(began) > answerTime {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
}

// checkWaiting checks that each node refuses all writes, says what to type, and answers reads.
func checkWaiting(t *testing.T, f *fleet, players []*repeater) {
	t.Helper()
	for i, n := range f.nodes {
		if _, err := n.await(regexp.MustCompile(`roshambo accept-rollback --size \d+`)); err != nil {
			t.Errorf("node %d does not say what to type: %v", i, err)
		}
		p := *players[i].visitor
		p.url = n.url
		guest := &visitor{url: n.url, client: p.client}
		for write, err := range map[string]error{
			"guest": guest.answered(t, "POST", "/api/guest", "", nil),
			"throw": p.answered(t, "POST", "/api/runs/"+players[i].run.ID+"/throw", `{"move":"p"}`, nil),
			"start": p.answered(t, "POST", "/api/runs", `{"entry":"fee","client_seed":"ef"}`, nil),
		} {
			if refused, ok := errors.AsType[*statusError](err); !ok || refused.code != "recovering" {
				t.Errorf("node %d, %s: %v", i, write, err)
			}
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", n.url+"/api/runs/"+players[i].run.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Roshambo-Recovering") != "1" {
			t.Errorf("node %d, a read: %s %v", i, answer.Status, answer.Header)
		}
	}
}

// checkRecovered waits until a node writes, and checks that the runs are void and their commitments gone.
func checkRecovered(t *testing.T, f *fleet, players []*repeater) {
	t.Helper()
	for began := time.Now(); ; pause(t.Context(), 50*time.Millisecond) {
		_, err := newVisitor(t.Context(), f.nodes[0].url)
		if err == nil {
			break
		}
		if time.Since(began) > answerTime {
			t.Fatalf("no recovery: %v\n%s", err, f.nodes[0].logged())
		}
	}
	for i, p := range players {
		if p.repeats(t, f.nodes[(i+1)%2].url) {
			t.Errorf("player %d repeats the throw after the recovery", i)
		}
		var out struct{ Run runView }
		if err := p.answered(t, "GET", "/api/runs/"+p.run.ID, "", &out); err != nil || out.Run.Status != "void" {
			t.Errorf("player %d: the run is %s, %v", i, out.Run.Status, err)
		}
	}
}

// data returns the data folder of a process.
func (p *process) data() string { return p.cmd.Args[slices.Index(p.cmd.Args, "--data")+1] }

// awaitStored waits until the node remembers that the database has stored that many blocks.
func (p *process) awaitStored(t *testing.T, blocks int64) {
	t.Helper()
	for began := time.Now(); ; pause(t.Context(), 20*time.Millisecond) {
		var head struct{ Stored struct{ Size int64 } }
		text, err := os.ReadFile(filepath.Join(p.data(), "log-head.json"))
		if err == nil && json.Unmarshal(text, &head) == nil && head.Stored.Size >= blocks {
			return
		}
		if time.Since(began) > answerTime {
			t.Fatalf("the node remembers %d blocks, %v", head.Stored.Size, err)
		}
	}
}

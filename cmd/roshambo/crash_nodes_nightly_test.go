//go:build nightly

package main

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"
)

// killed is how many nodes nodeCrashes kills.
const killed = 2

// nodeCrashes kills, of two nodes under load, the one that seals blocks, with
// SIGKILL and over and over. The other one goes on playing, and soon seals; whatever was
// answered by either is there, the chain is valid, and the log goes on.
func nodeCrashes(t *testing.T, url string) {
	f := newFleet(t, url, 2, "--rate-limit", "0")
	w := newWorld(t).withPairs()
	rounds := killed
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		victim := f.sealer(t)
		w.loadAll(t, f.urls(), 60, func(ctx context.Context) {
			if err := f.nodes[victim].kill(); err != nil {
				t.Error(err)
			}
			awaitBlock(ctx, t, f.nodes[1-victim])
		})
		f.start(t, victim)
		w.look(t, f.nodes[victim].url, w.fresh())
	}
	w.look(t, f.nodes[f.sealer(t)].url, w.facts)
	for _, p := range w.pairs {
		p.finish(t, f.nodes[0].url)
	}
	f.stop(t)
	t.Logf("%d answers over %d crashes, %d blocks", len(w.facts), rounds, w.tree.N)
}

// blockTime is how long the first block after a crash may take here. It takes five
// seconds at most on a machine that has nothing else to do; tools/bench measures it.
const blockTime = time.Minute

// awaitBlock waits until a node, whose other has just been killed, knows of a block that
// was sealed since.
func awaitBlock(ctx context.Context, t *testing.T, n *process) {
	t.Helper()
	v := &visitor{url: n.url, client: http.DefaultClient}
	height := func() int64 {
		var out struct{ Head struct{ Height int64 } }
		if err := v.call(ctx, "GET", "/api/chain/head", "", &out); err != nil {
			t.Error(err)
		}
		return out.Head.Height
	}
	began, before := time.Now(), height()
	for height() <= before && !t.Failed() {
		if time.Since(began) > blockTime {
			t.Errorf("no block for %v after the sealer was killed:\n%s", blockTime, n.logged())
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// loadAll lets everybody play, by turns on each of the nodes, until so many answers have
// come; then it has the disaster happen, and lets them play on until as many more have.
// Who plays on a node that is gone is out.
func (w *world) loadAll(t *testing.T, urls []string, answers int, disaster func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := len(w.soFar())
	var wait sync.WaitGroup
	for i, g := range w.gamblers {
		wait.Go(func() { g.play(ctx, urls[i%len(urls)]) })
	}
	for i, p := range w.pairs {
		wait.Go(func() { p.play(ctx, urls[i%len(urls)]) })
	}
	for i, tr := range w.traders {
		wait.Go(func() { tr.play(ctx, urls[i%len(urls)]) })
	}
	for _, url := range urls {
		wait.Go(func() { w.followLog(ctx, url) })
	}
	w.answers(t, nil, before+answers)
	disaster(ctx)
	w.answers(t, nil, len(w.soFar())+answers)
	cancel()
	wait.Wait()
	w.rest(t)
}

// answerTime bounds how long a test waits for answers. It only ends tests that hang.
const answerTime = 2 * time.Minute

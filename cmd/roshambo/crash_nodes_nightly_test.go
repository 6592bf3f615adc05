//go:build nightly

package main

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"
)

// killed is the number of nodes that nodeCrashes kills.
const killed = 2

// nodeCrashes repeatedly kills the sealing node of two with SIGKILL, under load. The other node
// continues and seals soon after; every answer of either is in the database, the chain is valid,
// and the log is consistent.
func nodeCrashes(t *testing.T, url string) {
	f := newFleet(t, url, 2)
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
		w.checkFacts(t, f.nodes[victim].url, w.fresh())
	}
	w.checkFacts(t, f.nodes[f.sealer(t)].url, w.facts)
	for _, p := range w.pairs {
		p.finish(t, f.nodes[0].url)
	}
	f.stop(t)
	t.Logf("%d answers over %d crashes, %d blocks", len(w.facts), rounds, w.tree.N)
}

// blockTime bounds the time to the first block after a crash. On an idle machine it is at most
// five seconds.
const blockTime = time.Minute

// awaitBlock waits until a node has a block that was sealed after the call.
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

// loadAll runs the load on all nodes, player by player in turn, until there are n answers; then
// it causes the disaster and continues until there are as many more. Players on a killed node
// stop.
func (w *world) loadAll(t *testing.T, urls []string, answers int, disaster func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := len(w.factsSoFar())
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
	w.awaitAnswers(t, nil, before+answers)
	disaster(ctx)
	w.awaitAnswers(t, nil, len(w.factsSoFar())+answers)
	cancel()
	wait.Wait()
	w.stopPlayers(t)
}

// answerTime bounds the wait for answers. It only ends tests that would hang.
const answerTime = 2 * time.Minute

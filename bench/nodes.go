package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	nodeStreams = 100 // streams on the other node
	nodeSteps   = 200 // of duels, for each of which an answer is held
	takeovers   = 5   // times that the node that seals is killed
)

// nodes measures two nodes on one database: how long it takes until what happens on one
// is heard on the other, and, with SIGKILL for the one that seals, until the other does.
// It leaves another server than it has found.
func (b *bench) nodes(ctx context.Context) error {
	if b.Database == "" {
		b.report.row("nodes", "one: more need PostgreSQL (--database)")
		return nil
	}
	other, err := start(ctx, b.Binary, b.serve...)
	if err != nil {
		return err
	}
	err = b.heardAcross(ctx, other)
	if err == nil {
		err = b.blocksAcross(ctx, other)
	}
	var m measurement
	for i := 0; i < takeovers && err == nil; i++ {
		var took time.Duration
		if took, err = b.takeover(ctx, other); err == nil {
			m.latencies = append(m.latencies, took)
			b.server = other
			other, err = start(ctx, b.Binary, b.serve...)
		}
	}
	if err != nil {
		return err
	}
	m.merge(nil)
	b.report.row("kill -9 of the node that seals, until a block of the other", "%.1f s at most, %.1f s in the middle, of %d times",
		m.quantile(1).Seconds(), m.quantile(0.5).Seconds(), takeovers)
	other.stop()
	return nil
}

// heardAcross has an answer held on the other node for each step of a duel on this one.
func (b *bench) heardAcross(ctx context.Context, other *child) error {
	var m measurement
	here, there := newWorker(), newWorker()
	for range nodeSteps {
		took, err := b.heardOnce(ctx, other, here, there)
		if err != nil {
			return err
		}
		m.latencies = append(m.latencies, took)
	}
	m.merge(nil)
	b.report.row("a step of a duel on one node, until an answer held on another", "p50 %s, p99 %s, max %s from when the step was sent; %d times",
		millis(m.quantile(0.5)), millis(m.quantile(0.99)), millis(m.quantile(1)), nodeSteps)
	return nil
}

func (b *bench) heardOnce(ctx context.Context, other *child, here, there *worker) (time.Duration, error) {
	a, err := here.guest(ctx, b.server)
	if err != nil {
		return 0, err
	}
	c, err := here.guest(ctx, b.server)
	if err != nil {
		return 0, err
	}
	var out struct {
		Duel struct {
			ID      string
			Version int64
		}
	}
	if err := here.call(ctx, request{to: b.server, method: "POST", path: "/api/duels", by: a, in: map[string]int{"stake": 0}}, &out); err != nil {
		return 0, err
	}
	path, known := "/api/duels/"+out.Duel.ID, out.Duel.Version
	type heard struct {
		at  time.Time
		err error
	}
	woken := make(chan heard, 1)
	go func() {
		var now = out
		err := there.call(ctx, request{to: other, method: "GET", path: fmt.Sprintf("%s?version=%d", path, known), prefer: "wait=20"}, &now)
		if err == nil && now.Duel.Version == known {
			err = errors.New("the step was not heard of")
		}
		woken <- heard{time.Now(), err}
	}()
	<-time.After(20 * time.Millisecond) // until it is held
	sent := time.Now()
	if err := here.call(ctx, request{to: b.server, method: "POST", path: path + "/join", by: c}, nil); err != nil {
		return 0, err
	}
	h := <-woken
	return h.at.Sub(sent), h.err
}

// blocksAcross has streams on the other node hear of blocks.
func (b *bench) blocksAcross(ctx context.Context, other *child) error {
	there := *b
	there.server, there.Streams = other, nodeStreams
	streams, _, err := there.listeners(ctx, "/api/events?topics=blocks")
	defer hangUp(streams)
	if err != nil {
		return err
	}
	err = there.receive(ctx, "a block's time until it is received on another node", streams, publishing{b.makeBlocks, blockTime})
	b.report = there.report // with what was there before
	return err
}

// takeover kills this server, which has sealed so far, and returns how long it took until
// the other did.
func (b *bench) takeover(ctx context.Context, other *child) (time.Duration, error) {
	w := newWorker()
	defer w.client.CloseIdleConnections()
	height := func() (int64, error) {
		var out struct{ Head struct{ Height int64 } }
		err := w.call(ctx, request{to: other, method: "GET", path: "/api/chain/head"}, &out)
		return out.Head.Height, err
	}
	killed := time.Now()
	if err := b.server.cmd.Process.Kill(); err != nil {
		return 0, err
	}
	_ = b.server.cmd.Wait() // it was killed
	before, err := height()
	for err == nil {
		var now int64
		if _, err = w.guest(ctx, other); err != nil {
			break
		}
		if now, err = height(); err != nil || now > before {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	return time.Since(killed), err
}

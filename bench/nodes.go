package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	nodeStreams = 100 // streams on the other node
	nodeSteps   = 200 // long polls, one for each step of a duel
	takeovers   = 5   // kills of the sealing node
)

// nodes measures two nodes on one database: the latency from a change on one node to its
// event on the other, and the time after SIGKILL of the sealing node until the other node
// seals. It replaces b.server.
func (b *bench) nodes(ctx context.Context) error {
	if b.Database == "" {
		b.report.row("nodes", "one: more need PostgreSQL (--database)")
		return nil
	}
	other, err := start(ctx, b.Binary, b.serve...)
	if err != nil {
		return err
	}
	if err := b.longPollsAcross(ctx, other); err != nil {
		return err
	}
	if err := b.blocksAcross(ctx, other); err != nil {
		return err
	}
	var m measurement
	for range takeovers {
		elapsed, err := b.takeover(ctx, other)
		if err != nil {
			return err
		}
		m.latencies = append(m.latencies, elapsed)
		b.server = other
		if other, err = start(ctx, b.Binary, b.serve...); err != nil {
			return err
		}
	}
	m.merge(nil)
	b.report.row("kill -9 of the node that seals, until a block of the other",
		"%.1f s at most, %.1f s in the middle, of %d times",
		m.quantile(1).Seconds(), m.quantile(0.5).Seconds(), takeovers)
	other.stop()
	return nil
}

// longPollsAcross measures long polls on the other node for steps of duels on this one.
func (b *bench) longPollsAcross(ctx context.Context, other *child) error {
	var m measurement
	here, there := newWorker(), newWorker()
	for range nodeSteps {
		elapsed, err := b.longPollAcross(ctx, other, here, there)
		if err != nil {
			return err
		}
		m.latencies = append(m.latencies, elapsed)
	}
	m.merge(nil)
	b.report.row("a step of a duel on one node, until an answer held on another",
		"p50 %s, p99 %s, max %s from when the step was sent; %d times",
		millis(m.quantile(0.5)), millis(m.quantile(0.99)), millis(m.quantile(1)), nodeSteps)
	return nil
}

// longPollAcross opens a duel on this node, waits for its change on the other node, and
// joins it on this node. It returns the time from the request to the end of the long poll.
func (b *bench) longPollAcross(ctx context.Context, other *child, here, there *worker) (time.Duration, error) {
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
	if err := here.call(ctx, request{to: b.server, method: "POST", path: "/api/duels", by: a,
		in: map[string]int{"stake": 0}}, &out); err != nil {
		return 0, err
	}
	path, known := "/api/duels/"+out.Duel.ID, out.Duel.Version
	type wakeup struct {
		at  time.Time
		err error
	}
	woken := make(chan wakeup, 1)
	go func() {
		var now = out
		err := there.call(ctx, request{to: other, method: "GET", path: fmt.Sprintf("%s?version=%d", path, known),
			prefer: "wait=20"}, &now)
		if err == nil && now.Duel.Version == known {
			err = errors.New("the long poll ended without the step")
		}
		woken <- wakeup{time.Now(), err}
	}()
	<-time.After(20 * time.Millisecond) // until the server holds it
	sent := time.Now()
	if err := here.call(ctx, request{to: b.server, method: "POST", path: path + "/join", by: c}, nil); err != nil {
		return 0, err
	}
	h := <-woken
	return h.at.Sub(sent), h.err
}

// blocksAcross measures events about blocks in streams on the other node.
func (b *bench) blocksAcross(ctx context.Context, other *child) error {
	there := *b
	there.server, there.Streams = other, nodeStreams
	streams, _, err := there.listeners(ctx, "/api/events?topics=blocks")
	defer hangUp(streams)
	if err != nil {
		return err
	}
	err = there.receive(ctx, "a block's time until it is received on another node", streams,
		publishing{b.makeBlocks, blockTime})
	b.report = there.report // including earlier rows
	return err
}

// takeover kills b.server, which is the sealing node, and returns the time until the other
// node has sealed a block.
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
	_ = b.server.cmd.Wait() // killed on purpose
	before, err := height()
	if err != nil {
		return 0, err
	}
	for {
		if _, err := w.guest(ctx, other); err != nil {
			return 0, err
		}
		now, err := height()
		if err != nil {
			return 0, err
		}
		if now > before {
			return time.Since(killed), nil
		}
		<-time.After(10 * time.Millisecond)
	}
}

package presence_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"roshambo/internal/platform/presence"
)

// cluster is some nodes with one clock and a log of the changes on each.
type cluster struct {
	now     time.Time
	nodes   []*presence.Tracker
	changed []map[string]int
	down    map[int]bool // nodes whose messages are lost
	sent    int
}

func newCluster(n int) *cluster {
	c := &cluster{now: time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC), down: map[int]bool{}}
	for i := range n {
		seen := map[string]int{}
		c.changed = append(c.changed, seen)
		c.nodes = append(c.nodes, presence.New(&presence.Tracker{
			Now: func() time.Time { return c.now }, Changed: func(key string) { seen[key]++ },
			Publish: func(message string) {
				c.sent++
				for j, other := range c.nodes {
					if j != i && !c.down[i] {
						other.Receive(message)
					}
				}
			},
		}))
	}
	return c
}

func (c *cluster) pass(d time.Duration) {
	for end := c.now.Add(d); c.now.Before(end); {
		c.now = c.now.Add(time.Second)
		for _, n := range c.nodes {
			n.Beat()
		}
	}
}

// want checks the presence of a key on all nodes.
func (c *cluster) want(t *testing.T, when, key string, present bool, since time.Time) {
	t.Helper()
	for i, n := range c.nodes {
		if got := n.State(key); got.Present != present || !got.Since.Equal(since) {
			t.Errorf("%s: node %d says %+v, want present %v since %v", when, i, got, present, since)
		}
	}
}

// TestAcrossNodes checks that all nodes agree while requests wait on one or two of them, through
// the pause between two requests of a polling client, and after the last one.
func TestAcrossNodes(t *testing.T) {
	t.Parallel()
	c := newCluster(2)
	c.want(t, "unknown", "k", false, time.Time{})
	first := c.nodes[0].Enter("k")
	c.want(t, "entered", "k", true, time.Time{})
	c.pass(time.Minute)
	c.want(t, "waits for a minute", "k", true, time.Time{})
	second := c.nodes[1].Enter("k") // a second tab, on the other node
	first()
	c.pass(2 * presence.Grace)
	c.want(t, "the second tab is left", "k", true, time.Time{})
	second()
	second() // has no effect
	c.pass(presence.Grace - time.Second)
	c.want(t, "between two polls", "k", true, time.Time{})
	leave := c.nodes[0].Enter("k")
	leave()
	left := c.now
	c.pass(presence.Grace)
	if got := c.nodes[0].State("k"); got.Present || !got.Since.Equal(left) {
		t.Errorf("after the last request: %+v, want gone since %v", got, left)
	}
	if c.nodes[1].State("k").Present {
		t.Error("the other node does not notice")
	}
	for i, seen := range c.changed {
		if want := map[string]int{"k": 2}; !maps.Equal(seen, want) {
			t.Errorf("node %d reported %v, want %v", i, seen, want)
		}
	}
	before := c.sent
	c.pass(time.Hour)
	if c.sent != before {
		t.Errorf("%d messages of a key that has gone", c.sent-before)
	}
}

// TestReturn checks that whoever has seen a key go hears that it has come back, also when both lie between two beats.
func TestReturn(t *testing.T) {
	t.Parallel()
	c := newCluster(1)
	tracker, seen := c.nodes[0], c.changed[0]
	tracker.Enter("k")()
	c.now = c.now.Add(presence.Grace)
	before, state := seen["k"], tracker.State("k")
	tracker.Enter("k")
	if again := tracker.State("k"); again != state && seen["k"] == before {
		t.Errorf("%+v became %+v without a report", state, again)
	}
	c.pass(time.Minute)
	c.want(t, "after it came back", "k", true, time.Time{})
}

// TestLostNode checks that the keys of a node that dies expire on the others.
func TestLostNode(t *testing.T) {
	t.Parallel()
	c := newCluster(3)
	c.nodes[0].Enter("k")
	c.down[0] = true
	c.pass(20 * time.Second)
	if !c.nodes[1].State("k").Present {
		t.Error("dropped after 20 s of silence")
	}
	c.pass(10 * time.Second)
	if c.nodes[1].State("k").Present || c.changed[2]["k"] != 2 {
		t.Error("kept after 30 s of silence")
	}
}

// TestMalformed checks that messages of another form have no effect.
func TestMalformed(t *testing.T) {
	t.Parallel()
	c := newCluster(1)
	for _, message := range []string{"", " ", "+", "+ k", "*node k", "+node"} {
		c.nodes[0].Receive(message)
	}
	if keys := slices.Collect(maps.Keys(c.changed[0])); len(keys) != 0 || c.nodes[0].State("k").Present {
		t.Errorf("malformed messages changed %v", keys)
	}
}

package event

import (
	"slices"
	"strings"
	"testing"
)

// TestRelayMessageSize fills messages up to the last byte that the database accepts; no topic is
// lost or split.
func TestRelayMessageSize(t *testing.T) {
	t.Parallel()
	const first = 100
	for over, want := range map[int]int{-1: 1, 0: 1, 1: 2} {
		r := NewRelay(RelayConfig{Hub: &Hub{}})
		rest := maxMessage + over - len(r.node) - len("\n") - first - len("\n")
		topics := []string{strings.Repeat("a", first), strings.Repeat("b", rest)}
		for _, topic := range append(topics, topics...) { // published twice, sent once
			r.Publish(topic)
		}
		messages := r.takeBatch()
		if len(messages) != want {
			t.Errorf("%d bytes more than fit: %d messages, want %d", over, len(messages), want)
		}
		var sent []string
		for _, m := range messages {
			if len(m) > maxMessage {
				t.Errorf("a message of %d bytes, more than %d", len(m), maxMessage)
			}
			node, rest, _ := strings.Cut(m, "\n")
			if node != r.node {
				t.Errorf("a message of %q, want %q", node, r.node)
			}
			sent = append(sent, strings.Split(rest, "\n")...)
		}
		if !slices.Equal(sent, topics) {
			t.Errorf("%d topics sent, want the two in their order", len(sent))
		}
		if again := r.takeBatch(); len(again) != 0 {
			t.Errorf("sent again: %d messages", len(again))
		}
	}
}

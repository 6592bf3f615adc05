package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"roshambo/internal/ledger"
	"roshambo/internal/platform/event"
)

const (
	// askTime is how long a node waits for the answers of the others: longer than a lease outlives its holder.
	askTime = 5 * time.Second
	// askAgain is how often it repeats the question, which nodes that reconnect meanwhile have missed.
	askAgain = 250 * time.Millisecond
)

// askBeforeBelieving has the witnesses and the other nodes compare the database with what they know, for a
// node whose folder has no record of the signed log. From a difference on, this node writes nothing.
func (s *Service) askBeforeBelieving(ctx context.Context) error {
	cosigned, err := s.askWitnesses(ctx)
	if err != nil {
		s.log.Warn("a witness does not say what it has cosigned: a loss of data since stays unknown here", "error", err)
	}
	if err := s.Ledger.NoteCosigned(ctx, cosigned); err != nil {
		return err
	}
	holders, err := s.leases.Holders(ctx)
	if err != nil {
		return err
	}
	size, _, err := ledger.StoredCheckpoint(ctx, s.DB)
	if err != nil {
		return err
	}
	if silent := s.askNodes(ctx, holders, askTime); len(silent) > 0 {
		s.log.Warn("other nodes do not say whether the database lacks signed blocks: a loss of data stays unknown here "+
			"until one of them does", "nodes", silent)
	}
	if len(holders) == 0 && len(s.config.Witnesses) == 0 && size > 1 { // a new chain has nothing to lose
		s.log.Warn("this node has no record of the signed log, and no witness and no other node to ask: it believes the " +
			"database")
	}
	return s.Ledger.UpdateHeadFile(ctx) // reads what the others have stored
}

// askNodes asks the other nodes to compare the database with the log that they know, and waits until those
// named have answered, which they do once they have stored a difference (followHead). It returns the
// nodes that did not answer in time: they have died, or do not reach the database.
func (s *Service) askNodes(ctx context.Context, nodes []string, within time.Duration) (silent []string) {
	if len(nodes) == 0 {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, within)
	name := s.leases.Holder()
	answers := make(chan string)
	relay := event.NewRelay(event.RelayConfig{DB: s.DB, Hub: new(event.Hub), Logger: s.log,
		Handlers: map[string]func(string){relayCompared: func(rest string) {
			asker, node, _ := strings.Cut(rest, " ")
			if asker != name {
				return
			}
			select {
			case answers <- node:
			case <-ctx.Done():
			}
		}}})
	ended := make(chan struct{})
	go func() {
		relay.Run(ctx)
		close(ended)
	}()
	defer func() { stop(); <-ended }()
	ticker := time.NewTicker(askAgain)
	defer ticker.Stop()
	silent = slices.Clone(nodes)
	for len(silent) > 0 {
		relay.Publish(relayCompare + ":" + name)
		select {
		case node := <-answers:
			silent = slices.DeleteFunc(silent, func(one string) bool { return one == node })
		case <-ticker.C:
		case <-ctx.Done():
			return silent
		}
	}
	return nil
}

// maxAskers bounds the questions that wait for followHead; the asking node repeats those beyond it.
const maxAskers = 16

// noteAsker handles the question of another node.
func (s *Service) noteAsker(name string) {
	select {
	case s.askers <- name:
	default:
	}
}

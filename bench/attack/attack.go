// Package attack measures what abuse of the service yields, compared with an honest player.
//
// Attacks on the economy and on ranks take days. They run against the whole service in this process,
// with a clock of their own that all limits follow, and from network addresses of their own. Attacks on
// availability run against the shipped binary, in real time, from addresses of the loopback network, to
// which --limit-private applies the limits. The suite fails when an attack on the economy or on ranks
// exceeds its goal. It only reports times, as they depend on the machine.
package attack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Options select the attacks.
type Options struct {
	Binary        string        // of the service, for floods
	Only          []string      // names of attacks; all of them if empty
	Duration      time.Duration // of each flood
	Out, Progress io.Writer
}

// Goals of the suite.
const (
	goalSteady   = 25.0 // times the steady daily income of an honest player
	goalNewcomer = 4.0  // times the first day of an honest newcomer
)

// finding is the result of one attack.
type finding struct {
	attack   string
	gain     string // what the attacker gets
	honest   string // what an honest player gets in the same time
	verdict  string
	exceeded bool // the goal is missed, which fails the suite
}

// attacks is one run of the suite.
type attacks struct {
	Options

	findings []finding
}

// attack is one attack, named as in --only.
type attack struct {
	name string
	do   func(context.Context) error
}

// Run runs the selected attacks and writes the table.
func Run(ctx context.Context, o Options) error {
	s := &attacks{Options: o}
	list := []attack{
		{"throwaway coins", s.throwawayCoins}, {"wash trades", s.washTrades},
		{"burn ladder", s.burnLadder}, {"daily by many guests", s.dailyByMany},
		{"rating by alts", s.ratingByAlts}, {"stooge bots", s.stoogeBots},
		{"ipv6 spread", s.ipv6Spread}, {"team of throwaways", s.teamOfThrowaways}, {"floods", s.floods},
	}
	for _, name := range o.Only {
		if !slices.ContainsFunc(list, func(a attack) bool { return a.name == name }) {
			return fmt.Errorf("attacks: unknown attack %q", name)
		}
	}
	for _, a := range list {
		if len(o.Only) > 0 && !slices.Contains(o.Only, a.name) {
			continue
		}
		fmt.Fprintf(o.Progress, "%s …\n", a.name)
		if err := a.do(ctx); err != nil {
			return fmt.Errorf("attacks: %s: %w", a.name, err)
		}
	}
	lines := []string{"| attack | the attacker gets | an honest player | verdict |", "|---|---|---|---|"}
	var exceeded []string
	for _, f := range s.findings {
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %s |", f.attack, f.gain, f.honest, f.verdict))
		if f.exceeded {
			exceeded = append(exceeded, f.attack)
		}
	}
	if _, err := fmt.Fprintln(o.Out, strings.Join(lines, "\n")); err != nil {
		return err
	}
	if len(exceeded) > 0 {
		return errors.New("attacks beyond their goal: " + strings.Join(exceeded, ", "))
	}
	return nil
}

// add records a finding with a goal.
func (s *attacks) add(f finding) {
	if f.verdict == "" {
		f.verdict = "within the goal"
		if f.exceeded {
			f.verdict = "**beyond the goal**"
		}
	}
	s.findings = append(s.findings, f)
}

// inWorld runs f in a new world, which it removes afterwards.
func (s *attacks) inWorld(ctx context.Context, f func(*world) error) (err error) {
	folder, err := os.MkdirTemp("", "roshambo-attack-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	w, err := newWorld(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.service.Close()) }()
	return f(w)
}

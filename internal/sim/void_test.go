package sim

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"roshambo/internal/app"
)

// Operators declare results void while everything else goes on. A result is void once, for the reason
// of the one declaration that succeeded, and no coin or token moves: ratings, points and the chain are
// compared by doctor and the audit.

// result is a result that an operator has tried to declare void.
type result struct {
	game, id string // the kind and the id, as the operators' API names them
	reasons  []string
	void     bool // a declaration has succeeded
	maybe    bool // the outcome of one is unknown
}

// voidTarget chooses the result of a finished duel of the arena or of a daily run, sometimes one that
// cannot be void, or is void already.
func (s *sim) voidTarget() *result {
	var game, id string
	if s.rng.IntN(2) == 0 {
		game = "run"
		var list []string
		for _, p := range s.players {
			list = append(list, p.dailies...)
		}
		id = pick(s.rng, list)
	} else {
		game = "duel"
		var list []string
		for _, m := range s.matches {
			if m.Status == "finished" && (m.Kind == "ranked" || s.rng.IntN(10) == 0) {
				list = append(list, m.ID)
			}
		}
		id = pick(s.rng, list)
	}
	if id == "" {
		return nil
	}
	for _, r := range s.results {
		if r.id == id {
			return r
		}
	}
	r := &result{game: game, id: id}
	s.results = append(s.results, r)
	return r
}

// startVoid declares a result void on one node, once or twice at once, and returns a function that waits
// for the answers.
func (s *sim) startVoid() (end func()) {
	l := s.nodes[s.rng.IntN(len(s.nodes))].current()
	r, times := s.voidTarget(), 1+s.rng.IntN(2)
	if r == nil || l == nil {
		return func() {}
	}
	reason := s.newWord("reason ")
	r.reasons = append(r.reasons, reason)
	s.note("operator: void %s %s ×%d", r.game, r.id, times)
	token, err := app.ReadOperatorToken(s.folder, "")
	if err != nil {
		s.t.Fatal(err)
	}
	call := app.OperatorCall{Address: l.admin, Token: token, Operator: "ann", Method: http.MethodPost, Path: "void",
		Body: map[string]string{r.game: r.id, "reason": reason}}
	errs := make([]error, times)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { _, errs[i] = call.Do(s.ctx) })
	}
	return func() {
		wait.Wait()
		s.hearVoids(r, errs)
	}
}

// hearVoids records the answers to declarations.
func (s *sim) hearVoids(r *result, errs []error) {
	already := false
	for _, err := range errs {
		switch {
		case err == nil && r.void:
			s.fail("%s %s was declared void twice", r.game, r.id)
		case err == nil:
			r.void = true
		case strings.HasPrefix(err.Error(), "409") && strings.Contains(err.Error(), "already"):
			already = true
		case strings.HasPrefix(err.Error(), "409"), strings.HasPrefix(err.Error(), "400"):
		case strings.HasPrefix(err.Error(), "500"):
			s.fail("void %s %s: %v", r.game, r.id, err)
		default: // 503, or no answer
			r.maybe = true
		}
	}
	if already && !r.void && !r.maybe {
		s.fail("%s %s is void already, and no declaration was heard", r.game, r.id)
	}
}

// checkVoids requires that every result shows whether it is void, and why.
func (s *sim) checkVoids() {
	for _, r := range s.results {
		c := s.ask(get(nil, "read", fmt.Sprintf("/api/%ss/%s", r.game, r.id)))
		type voided struct{ Voided *struct{ Reason string } }
		answer := decode[struct {
			voided
			Duel voided
		}](s, c)
		v := cmp.Or(answer.Voided, answer.Duel.Voided)
		switch {
		case v == nil && r.void:
			s.fail("%s %s was declared void, and is not: %v", r.game, r.id, c)
		case v != nil && !r.void && !r.maybe:
			s.fail("%s %s is void, and nothing declared it: %v", r.game, r.id, c)
		case v != nil && !slices.Contains(r.reasons, v.Reason):
			s.fail("%s %s is void for another reason than %v: %v", r.game, r.id, r.reasons, c)
		}
		r.void, r.maybe = v != nil, false
	}
}

// compareVoids requires that the chain declares void what the service shows as void, and nothing else.
func (s *sim) compareVoids() (problems []string) {
	shown := 0
	for _, r := range s.results {
		if !r.void {
			continue
		}
		shown++
		if !s.audit.once["void "+r.game+":"+r.id] {
			problems = append(problems, fmt.Sprintf("%s %s is void, and not on the chain", r.game, r.id))
		}
	}
	if shown != s.audit.voids {
		problems = append(problems, fmt.Sprintf("%d results are void, and %d on the chain", shown, s.audit.voids))
	}
	return problems
}

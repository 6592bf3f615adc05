package sim

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"roshambo/internal/app"
)

// Operators declare results void and restore them while everything else goes on. A result is void once, for the
// reason of the one declaration that succeeded, and is restored at most once, which is final. No coin or token
// moves: ratings, points and the chain are compared by doctor and the audit.

// result is a result that an operator has tried to declare void.
type result struct {
	game, id string // the kind and the id, as the operators' API names them
	reasons  []string
	void     bool // a declaration has succeeded, and no restore after it
	restored bool
	maybe    bool // the outcome of an act of this step is unknown
}

// resultsThat returns the results of which is is true.
func (s *sim) resultsThat(is func(*result) bool) (list []*result) {
	for _, r := range s.results {
		if is(r) {
			list = append(list, r)
		}
	}
	return list
}

// voidTarget chooses a void result, or the result of a finished duel of the arena or of a daily run, sometimes
// one that cannot be void, or is void already.
func (s *sim) voidTarget() *result {
	if void := s.resultsThat(func(r *result) bool { return r.void }); len(void) > 0 && s.rng.IntN(2) == 0 {
		return pick(s.rng, void)
	}
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

// startVoid declares a result void on one node, once or twice at once, or restores it if it is void, and returns a
// function that waits for the answers. An act that is wrong for the state of its result is tried, too.
func (s *sim) startVoid() (end func()) {
	l := s.nodes[s.rng.IntN(len(s.nodes))].current()
	r, times := s.voidTarget(), 1+s.rng.IntN(2)
	if r == nil || l == nil {
		return func() {}
	}
	reason := s.newWord("reason ")
	r.reasons = append(r.reasons, reason)
	path := "void"
	if r.void != (s.rng.IntN(8) == 0) {
		path = "restore-result"
	}
	s.note("operator: %s %s %s ×%d", path, r.game, r.id, times)
	token, err := app.ReadOperatorToken(s.folder, "")
	if err != nil {
		s.t.Fatal(err)
	}
	call := app.OperatorCall{Address: l.admin, Token: token, Operator: "ann", Method: http.MethodPost, Path: path,
		Body: map[string]string{r.game: r.id, "reason": reason}}
	errs := make([]error, times)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = s.confirmed(call) })
	}
	return func() {
		wait.Wait()
		s.hearVoids(r, path, errs)
	}
}

// shownName matches the first name of what an act hits.
var shownName = regexp.MustCompile(`"username": "([^"]+)"`)

// confirmed makes a call like an operator that types a name from the service's question.
func (s *sim) confirmed(call app.OperatorCall) error {
	_, err := call.Do(s.ctx)
	if err == nil {
		s.fail("%s of %v succeeded without its confirmation", call.Path, call.Body)
	}
	name := shownName.FindStringSubmatch(err.Error())
	if name == nil {
		return err
	}
	body := maps.Clone(call.Body)
	body["confirm"] = name[1]
	call.Body = body
	_, err = call.Do(s.ctx)
	return err
}

// hearVoids records the answers to declarations, or to restores.
func (s *sim) hearVoids(r *result, path string, errs []error) {
	restore, already := path == "restore-result", false
	for _, err := range errs {
		switch {
		case err == nil && (r.restored || r.void != restore):
			s.fail("%s of %s %s succeeded, void %v, restored %v", path, r.game, r.id, r.void, r.restored)
		case err == nil:
			r.void, r.restored = !restore, restore
		case strings.HasPrefix(err.Error(), "409") && strings.Contains(err.Error(), "already"):
			already = true
		case strings.HasPrefix(err.Error(), "409"), strings.HasPrefix(err.Error(), "400"):
		case strings.HasPrefix(err.Error(), "500"):
			s.fail("%s %s %s: %v", path, r.game, r.id, err)
		default: // 503, or no answer
			r.maybe = true
		}
	}
	if already && !r.void && !r.restored && !r.maybe {
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
		case v == nil && r.void && !r.maybe:
			s.fail("%s %s was declared void, and is not: %v", r.game, r.id, c)
		case v != nil && !r.void && !r.maybe:
			s.fail("%s %s is void, and nothing declared it: %v", r.game, r.id, c)
		case v != nil && !slices.Contains(r.reasons, v.Reason):
			s.fail("%s %s is void for another reason than %v: %v", r.game, r.id, r.reasons, c)
		}
		r.restored = r.restored || r.void && v == nil // by an act whose outcome was unknown
		r.void, r.maybe = v != nil, false
	}
}

// compareVoids requires that the chain has as void what the service shows as void, and as restored every
// restored result, and nothing else.
func (s *sim) compareVoids() (problems []string) {
	shown := 0
	for _, r := range s.results {
		game := r.game + ":" + r.id
		if void, restored := s.audit.voids[game], s.audit.once["restore "+game]; void != r.void || restored != r.restored {
			problems = append(problems, fmt.Sprintf("%s is void %v, restored %v, and on the chain void %v, restored %v", game,
				r.void, r.restored, void, restored))
		}
		if r.void {
			shown++
		}
	}
	if shown != len(s.audit.voids) {
		problems = append(problems, fmt.Sprintf("%d results are void, and %d on the chain", shown, len(s.audit.voids)))
	}
	return problems
}

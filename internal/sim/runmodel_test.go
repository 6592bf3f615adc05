package sim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"roshambo/fair"
)

// The sequential model of house runs, written from api/openapi.yaml and section 1 of
// docs/protocol.md alone. It models one account, which has one unfinished run at a time; each run uses
// the commitment that the previous one published.

// runState is the state of an account's runs, a plain value.
type runState struct {
	id, seed, commitment string // of the last run; id is "" before the first
	entry, status        string
	first, cleared       int
	throws               int
	transcript           string
	acted                int64  // the earliest time of the player's last step
	nextThrow            int64  // when the next throw is possible; 0 when unknown
	next                 string // the outstanding commitment; "" when unknown
	past                 string // earlier runs, one per line in the format of show
	uses                 string // of free and daily entries: their days, one per line
}

func (r runState) over() bool { return r.status != "active" && r.status != "deciding" }

// show returns what a reader may see of a run.
func (r *runState) show() string {
	return fmt.Sprintf("%s %s %s from %d %s %d:%s", r.id, r.entry, r.commitment, r.first, r.status, r.cleared,
		r.transcript)
}

func showView(v *runView) string {
	r := runState{id: v.ID, entry: v.Entry, commitment: v.Commitment, first: v.FirstTier, status: v.Status,
		cleared: v.Cleared}
	for _, t := range v.Throws {
		r.transcript += showThrow(t)
	}
	return r.show()
}

func showThrow(t throwView) string {
	return fmt.Sprintf(" %d %s %s %s %s %s;", t.N, t.Move, t.EntropyHash, t.House, t.Outcome, t.Seed)
}

var beats = map[string]string{"rock": "paper", "paper": "scissors", "scissors": "rock"} // the move that beats it

// textHash returns SHA-256 of a player's text in hex, as runs show it to every reader.
func textHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// houseMove returns the house's move of a throw, as docs/protocol.md defines it. The texts are given by
// their hashes in hex.
func houseMove(seed fair.Seed, n int, clientSeed, entropy string) string {
	message := []byte("roshambo/move/v1")
	message = binary.BigEndian.AppendUint32(message, uint32(n))
	for _, hash := range []string{clientSeed, entropy} {
		digest, err := hex.DecodeString(hash)
		if err != nil {
			panic(err)
		}
		message = append(message, digest...)
	}
	for {
		mac := hmac.New(sha256.New, seed[:])
		mac.Write(message)
		message = mac.Sum(nil)
		for _, b := range message {
			if b < 255 {
				return moves[b%3]
			}
		}
	}
}

// topTier is claimed automatically, and mostThrows ends every run.
const (
	topTier    = 16
	mostThrows = 256
	spacing    = 250
)

// throw applies a throw.
func (r runState) throw(book *seedBook, move, entropy string, from int64) (runState, bool) {
	seed, ok := book.seed(r.commitment, r.throws+1)
	if !ok || r.status != "active" {
		return r, false
	}
	r.throws++
	house := houseMove(seed, r.throws, r.seed, entropy)
	outcome := "loss"
	switch {
	case move == house:
		outcome = "tie"
	case beats[house] == move:
		outcome = "win"
		r.cleared++
		if r.status = "deciding"; r.cleared == topTier {
			r.status = "claimed"
		}
	default:
		r.status = "lost"
	}
	r.transcript += showThrow(throwView{
		N: r.throws, Move: move, EntropyHash: entropy, House: house, Outcome: outcome, Seed: hex.EncodeToString(seed[:]),
	})
	r.acted, r.nextThrow = from, 0
	return r, true
}

// leftAlone is how long a run may be idle, in milliseconds.
const leftAlone = int64(24 * time.Hour / time.Millisecond)

// expired returns the run after it was idle for too long by any clock.
func (r runState) expired(latest int64) (runState, bool) {
	if r.id == "" || r.over() || latest-leftAlone < r.acted {
		return r, false
	}
	if r.status == "deciding" {
		r.status = "claimed"
	} else {
		r.status = "abandoned"
	}
	return r, true
}

// runModel returns the model of a player's runs.
func (s *sim) runModel(p *player) porcupine.NondeterministicModel {
	return porcupine.NondeterministicModel{
		Init: func() []any { return []any{runState{}} },
		Step: func(state, input, _ any) (next []any) {
			r, e := state.(runState), input.(*event)
			if by, ok := r.step(s, p, e); ok {
				next = append(next, by...)
			}
			if gone, ok := r.expired(e.latest); ok {
				if by, ok := gone.step(s, p, e); ok {
					next = append(next, by...)
				}
			}
			return next
		},
		Equal: func(a, b any) bool { return a == b },
	}
}

// step returns the states after an event that is possible in r.
func (r runState) step(s *sim, p *player, e *event) ([]any, bool) {
	if e.maybe {
		states := []any{r}
		if e.what == "start" {
			for _, v := range s.started[e.action.run.clientSeed] {
				if after, ok := r.start(e, v); ok {
					states = append(states, after)
				}
			}
		} else if after, ok := r.act(s, p, e); ok {
			states = append(states, after)
		}
		return states, true
	}
	if e.by != p && e.method == "POST" || e.status == 401 {
		return []any{r}, !e.ok() // another player's run, or an anonymous call
	}
	if !e.ok() {
		return []any{r}, r.refuses(e)
	}
	after, ok := r.act(s, p, e)
	return []any{after}, ok && after.shows(s, e, r)
}

// act returns the state after a request.
func (r runState) act(s *sim, p *player, e *event) (runState, bool) {
	d := e.action.run
	mine := d.id == r.id && r.id != "" && e.by == p
	switch e.what {
	case "start":
		return r.start(e, decode[struct{ Run *runView }](s, e.call).Run)
	case "throw":
		if !mine {
			return r, false
		}
		return r.throw(s.book, d.move, d.entropy, e.from)
	case "continue":
		if !mine || r.status != "deciding" {
			return r, false
		}
		r.status, r.acted = "active", e.from
	case "claim":
		if !mine || r.status != "deciding" {
			return r, false
		}
		r.status, r.acted = "claimed", e.from
	case "abandon":
		if !mine || r.over() {
			return r, false
		}
		r.status, r.acted = "abandoned", e.from
	}
	return r, true // other actions only read
}

// start begins a run with its known start: from the answer or, without one, from the player's list
// of runs at the end.
func (r runState) start(e *event, v *runView) (runState, bool) {
	if v == nil || v.SeedHash != e.action.run.clientSeed || r.statusOf(v.ID) != "" || r.id != "" && !r.over() ||
		r.next != "" && r.next != v.Commitment {
		return r, false
	}
	wanted := e.action.run.entry
	use, limit := fmt.Sprintf("%s %s\n", v.Entry, v.StartedAt.UTC().Format(time.DateOnly)),
		map[string]int{"free": 3, "daily": 1}[v.Entry]
	free := fmt.Sprintf("free %s\n", v.StartedAt.UTC().Format(time.DateOnly))
	switch {
	case wanted != "auto" && wanted != v.Entry, wanted == "auto" && v.Entry != "free" && v.Entry != "fee":
		return r, false
	case wanted == "auto" && v.Entry == "fee" && strings.Count(r.uses, free) < 3:
		return r, false
	case limit > 0 && strings.Count(r.uses, use) >= limit:
		return r, false
	}
	n := runState{
		id: v.ID, seed: v.SeedHash, commitment: v.Commitment, entry: v.Entry, status: "active",
		first: v.FirstTier, cleared: v.FirstTier, acted: e.from, past: r.past, uses: r.uses,
	}
	if r.id != "" {
		n.past += r.show() + "\n"
	}
	if limit > 0 {
		n.uses += use
	}
	return n, true
}

// shows reports whether the answer shows the state, and records what else it reveals.
func (r *runState) shows(s *sim, e *event, before runState) bool {
	out := decode[struct {
		Run            *runView
		NextCommitment *struct{ Commitment string } `json:"next_commitment"`
	}](s, e.call)
	if e.what == "active" {
		if r.id == "" || r.over() {
			return out.Run == nil
		}
		return out.Run != nil && showView(out.Run) == r.show()
	}
	if out.Run == nil {
		return false
	}
	if e.what == "start" && out.NextCommitment != nil {
		r.next = out.NextCommitment.Commitment
	}
	if at := out.Run.NextThrowAt; e.what == "throw" && at != nil {
		if r.nextThrow = at.UnixMilli(); r.nextThrow < before.nextThrow+spacing {
			return false
		}
	}
	show := showView(out.Run)
	return show == r.show() || e.what == "run" && strings.Contains("\n"+r.past, "\n"+show+"\n")
}

// refuses reports whether the refusal is justified in this state.
func (r *runState) refuses(e *event) bool {
	status := r.statusOf(e.action.run.id)
	switch e.code {
	case "run_active":
		return e.what == "start" && r.id != "" && !r.over()
	case "limit_reached":
		return strings.Count(r.uses, "free") >= 3 || strings.Contains(r.uses, "daily")
	case "too_fast":
		return status == "active"
	case "already_claimed":
		return e.what == "claim" && status == "claimed"
	case "run_state":
		could := map[string]string{"throw": "active", "continue": "deciding", "claim": "deciding",
			"abandon": "active deciding"}[e.what]
		return status != "" && !strings.Contains(could, status) && strings.Contains(string(e.answer), `"status":"`+status+`"`)
	case "insufficient_funds", "no_token", "not_owner", "already_listed", "conflict", "idempotency_in_flight", "too_high",
		"idempotency_key_reused":
		return true // depends on market, faucet and duels, which are not in this model
	}
	return false
}

// statusOf returns the status of the current or an earlier run.
func (r *runState) statusOf(id string) string {
	if id == r.id {
		return r.status
	}
	for line := range strings.SplitSeq(r.past, "\n") {
		if parts := strings.Fields(line); len(parts) > 5 && parts[0] == id {
			return parts[5]
		}
	}
	return ""
}

var e=`// Command bot is a bot for the arena of Roshambo, in Go's standard library.
//
//	ROSHAMBO_KEY=rsb_… go run . http://127.0.0.1:8080 3
//
// plays three ranked duels with the key of a bot. Change choose; the rest is the protocol:
// both sides commit to a move, then both reveal it, each in less than 15 seconds.
package main

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

type duel struct {
	ID, Status, You, Winner string
	Version                 int
	Rounds                  []struct {
		Round       int
		Committed   map[string]bool
		YouRevealed bool   \`json:"you_revealed"\`
		CommitmentA string \`json:"commitment_a"\`
		CommitmentB string \`json:"commitment_b"\`
		MoveA       string \`json:"move_a"\`
		MoveB       string \`json:"move_b"\`
	}
}

var moves = []string{"rock", "paper", "scissors"}

// choose returns the next move. theirs are the opponent's moves, oldest first: it beats the
// most frequent of the last ten, and plays at random one time in five.
func choose(theirs []string) string {
	if len(theirs) == 0 || mathrand.IntN(5) == 0 {
		return moves[mathrand.IntN(3)]
	}
	recent := strings.Join(theirs[max(0, len(theirs)-10):], " ")
	most := slices.MaxFunc(moves, func(a, b string) int { return strings.Count(recent, a) - strings.Count(recent, b) })
	return moves[(slices.Index(moves, most)+1)%3]
}

// covered says whether a third of the request limit is left, enough to begin a duel; spacing is the delay of a step.
var covered, spacing = true, time.Duration(0)

// pace spaces out requests when less than half of the limit of q in w seconds is left: the r that are left are
// spread over a whole window, as other bots may use them too. It delays no step by more than three seconds, since each
// has a deadline, and a read by twice as much.
func pace(header http.Header) {
	var q, w, r int
	_, most, _ := strings.Cut(header.Get("RateLimit-Policy"), ";")
	_, left, _ := strings.Cut(header.Get("RateLimit"), ";")
	_, _ = fmt.Sscanf(most, "q=%d;w=%d", &q, &w) // 0 without a limit
	_, _ = fmt.Sscanf(left, "r=%d", &r)
	if covered, spacing = 3*r >= q, 0; 2*r < q {
		spacing = min(3*time.Second, time.Duration(w)*time.Second/time.Duration(r+1))
	}
}

// delay returns the time until another attempt: Retry-After is a number of seconds or a date. It is five
// seconds at most, as a refusal costs nothing, and a missed deadline a round.
func delay(header http.Header) time.Duration {
	seconds, _ := strconv.Atoi(header.Get("Retry-After"))
	wait := max(time.Second, time.Duration(seconds)*time.Second)
	if date, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		wait = max(wait, time.Until(date))
	}
	return min(wait, 5*time.Second)
}

// signed is the newest of the house's receipts.
var signed string

// keep keeps receipts: evidence if the duel's proof differs (roshambo verify --receipts).
func keep(list []json.RawMessage) {
	for _, r := range list {
		signed = string(r)
		f, err := os.OpenFile("receipts.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := fmt.Fprintln(f, signed); err != nil || f.Close() != nil {
			log.Fatal("receipts.jsonl: ", err)
		}
	}
}

// call sends a request until there is a response, which the service holds for up to wait seconds, and returns its duel
// or nil. An attempt without one is given up well before the deadline of 15 seconds.
func call(method, path, body string, wait int) *duel {
	c := http.Client{Timeout: time.Duration(wait+4) * time.Second}
	for pause := time.Second; ; time.Sleep(pause) {
		time.Sleep(map[string]time.Duration{"GET": 2 * spacing, "POST": spacing}[method])
		request, err := http.NewRequest(method, os.Args[1]+path, strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		request.Header = http.Header{"Authorization": {"Bearer " + os.Getenv("ROSHAMBO_KEY")},
			"Content-Type": {"application/json"}, "Prefer": {fmt.Sprint("receipt, wait=", wait)}}
		response, err := c.Do(request)
		if err != nil {
			continue
		}
		var out struct {
			Duel     *duel
			Duels    []duel
			Receipts []json.RawMessage
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		pace(response.Header)
		pause = delay(response.Header)
		switch code := response.StatusCode; {
		case err == nil && code == 200 && json.Unmarshal(text, &out) == nil:
			keep(out.Receipts)
			if len(out.Duels) > 0 { // of a list, which omits their rounds
				return call("GET", "/api/duels/"+out.Duels[0].ID, "", 0)
			}
			return out.Duel
		case code == 409 && strings.Contains(body, "round"): // the duel has changed: read it again
			return call("GET", path[:strings.LastIndex(path, "/")], "", 0)
		case code != 200 && code != 408 && code != 409 && code != 429 && code < 500:
			log.Fatalf("%s %s: %s %s", method, path, response.Status, text)
		}
	}
}

// step commits, reveals or waits, and returns the new state of the duel.
func step(d *duel, theirs []string, hands map[int][2]string) *duel {
	path, now := "/api/duels/"+d.ID, d.Rounds[len(d.Rounds)-1]
	h, dealt := hands[now.Round]
	if !now.Committed[d.You] {
		if !dealt {
			h = [2]string{choose(theirs), rand.Text()} // a move and its salt
			hands[now.Round] = h
		}
		digest := sha256.Sum256([]byte(h[0] + ":" + h[1]))
		return call("POST", path+"/commit", fmt.Sprintf(\`{"commitment":"%x","round":%d}\`, digest, now.Round), 5)
	}
	if now.Committed["a"] && now.Committed["b"] && !now.YouRevealed && dealt {
		both := fmt.Sprintf(\`\\"commitment_a\\":\\"%s\\",\\"commitment_b\\":\\"%s\\"\`, now.CommitmentA, now.CommitmentB)
		if !strings.Contains(signed, both) {
			call("GET", path, "", 0)
		}
		if !strings.Contains(signed, both) {
			log.Fatal("The house has not signed both commitments. It could exchange one after a reveal.")
		}
		return call("POST", path+"/reveal", fmt.Sprintf(\`{"move":%q,"salt":%q,"round":%d}\`, h[0], h[1], now.Round), 5)
	}
	return call("GET", fmt.Sprint(path, "?version=", d.Version), "", 5)
}

func main() {
	if len(os.Args) < 2 || os.Getenv("ROSHAMBO_KEY") == "" {
		log.Fatal("usage: ROSHAMBO_KEY=rsb_… bot URL [DUELS]")
	}
	duels := 1
	_, _ = fmt.Sscan(strings.Join(os.Args[2:], ""), &duels) // 1 by default
	for ; duels > 0; duels-- {
		var d *duel
		for d == nil {
			if covered {
				d = call("POST", "/api/arena/queue", "{}", 5)
			} else if d = call("GET", "/api/duels?mine=true&status=active", "", 0); d == nil { // one of a cup
				time.Sleep(5 * time.Second)
			}
		}
		for hands := map[int][2]string{}; d.Status == "active"; {
			var theirs []string
			for _, r := range d.Rounds {
				if move := map[string]string{"a": r.MoveB, "b": r.MoveA}[d.You]; move != "" {
					theirs = append(theirs, move)
				}
			}
			d = step(d, theirs, hands)
		}
		result := map[string]string{"": "drawn", d.You: "won"}[d.Winner]
		fmt.Printf("%s, %s/d/%s\\n", cmp.Or(result, "lost"), os.Args[1], d.ID)
	}
}
`;export{e as default};
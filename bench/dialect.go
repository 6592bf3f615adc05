package main

import (
	"fmt"
	"strconv"
	"time"
)

// dialect is how a measured service is called. Each method makes one call, unless it says
// otherwise.
type dialect interface {
	// guest opens an account.
	guest(w *wire) (*caller, error)
	// read reads the caller's account.
	read(w *wire, by *caller) error
	// write makes a call that only writes to the ledger.
	write(w *wire, by *caller) error
	// throw makes a throw, which starts a game unless the last throw was a tie, and reports
	// whether the game is over and whether the caller has won.
	throw(w *wire, by *caller) (over, won bool, err error)
	// board reads the top 20 of the leaderboard into out, unless it is nil.
	board(w *wire, by *caller, out *boardResponse) error
	// settle waits until what a game leaves for later is done, with any number of calls.
	settle(w *wire) error
}

// boardResponse has the rows of a leaderboard, here and at Nakama.
type boardResponse struct{ Rows, Records []struct{} }

// roshambo calls this service.
type roshambo struct{}

// first is the body of a whole game in one call: start, throw, and the token if the throw wins.
var first = []byte(`{"move":"rock","then":"claim"}`)

// runResponse has the members of responses about runs that the bench reads.
type runResponse struct {
	Run struct{ ID, Status string }
}

func (roshambo) guest(w *wire) (*caller, error) {
	var out struct {
		CSRFToken string `json:"csrf_token"`
	}
	err := w.ask(stranger, "POST", "/api/guest", nil, &out)
	return &caller{header: "Cookie: " + w.cookie + "\r\nX-CSRF-Token: " + out.CSRFToken + "\r\n"}, err
}

func (roshambo) read(w *wire, by *caller) error { return w.ask(by, "GET", "/api/me", nil, nil) }

// write starts a run or gives it up, in turn.
func (roshambo) write(w *wire, by *caller) error {
	if by.run != "" {
		id := by.run
		by.run = ""
		return w.ask(by, "POST", "/api/runs/"+id+"/abandon", nil, nil)
	}
	var out runResponse
	err := w.ask(by, "POST", "/api/runs", []byte(`{}`), &out)
	by.run = out.Run.ID
	return err
}

func (roshambo) throw(w *wire, by *caller) (over, won bool, err error) {
	<-time.After(time.Until(by.throwAt))
	path := "/api/runs"
	if by.run != "" {
		path += "/" + by.run + "/throw"
	}
	var out runResponse
	if err := w.ask(by, "POST", path, first, &out); err != nil {
		return false, false, err
	}
	if by.run = ""; out.Run.Status == "active" {
		by.run, by.throwAt = out.Run.ID, time.Now().Add(throwPause)
	}
	return by.run == "", out.Run.Status == "claimed", nil
}

func (roshambo) board(w *wire, by *caller, out *boardResponse) error {
	if out == nil {
		return w.ask(by, "GET", "/api/leaderboard?limit=20", nil, nil)
	}
	return w.ask(by, "GET", "/api/leaderboard?limit=20", nil, out)
}

// settle waits until every transaction is in a block.
func (roshambo) settle(w *wire) error {
	for {
		var out struct{ Head struct{ Pending int64 } }
		if err := w.ask(stranger, "GET", "/api/chain/head", nil, &out); err != nil || out.Head.Pending == 0 {
			return err
		}
		<-time.After(20 * time.Millisecond)
	}
}

// nakama calls Nakama with the module in bench/nakama.
type nakama struct{}

// nakamaKey is the default server key, "defaultkey", as a user without a password.
var nakamaKey = &caller{header: "Authorization: Basic ZGVmYXVsdGtleTo=\r\n"}

func (nakama) guest(w *wire) (*caller, error) {
	var out struct{ Token string }
	// Number and time make the device unique.
	device := fmt.Appendf(nil, `{"id":"bench-%p-%d-%d"}`, w, len(w.latencies), time.Now().UnixNano())
	err := w.ask(nakamaKey, "POST", "/v2/account/authenticate/device?create=true", device, &out)
	return &caller{header: "Authorization: Bearer " + out.Token + "\r\n"}, err
}

func (nakama) read(w *wire, by *caller) error { return w.ask(by, "GET", "/v2/account", nil, nil) }

func (nakama) write(w *wire, by *caller) error {
	return w.ask(by, "POST", "/v2/rpc/wallet?unwrap", nil, nil)
}

func (nakama) throw(w *wire, by *caller) (over, won bool, err error) {
	var out struct{ Status string }
	err = w.ask(by, "POST", "/v2/rpc/throw?unwrap", nil, &out)
	return out.Status != "active", out.Status == "claimed", err
}

func (nakama) board(w *wire, by *caller, out *boardResponse) error {
	if out == nil {
		return w.ask(by, "GET", "/v2/leaderboard/rps?limit=20", nil, nil)
	}
	return w.ask(by, "GET", "/v2/leaderboard/rps?limit=20", nil, out)
}

func (nakama) settle(*wire) error { return nil }

// crowdNakama puts n more accounts onto the leaderboard of Nakama, which counts them when it starts.
func (r *rival) crowdNakama(n int) error {
	w, err := dial(r.address)
	if err != nil {
		return err
	}
	defer w.close()
	by, err := r.guest(w)
	for from := 0; from < n && err == nil; from += 10_000 { // as many as the module adds at once
		err = w.ask(by, "POST", "/v2/rpc/crowd?unwrap", strconv.AppendInt(nil, int64(from), 10), nil)
	}
	return err
}

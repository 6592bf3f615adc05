package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// dialect is how a service under comparison is called. Each method makes one call, unless it says
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
	// board reads the top 20 of the leaderboard and returns the number of rows, which it counts
	// only if asked to.
	board(w *wire, by *caller, count bool) (rows int, err error)
	// settle waits until what a game leaves for later is done, with any number of calls.
	settle(w *wire) error
}

// caller is an account with its credentials.
type caller struct {
	header string
	run    string // of Roshambo: the unfinished run; "" for none
	// throwAt is the earliest time of the next throw.
	throwAt time.Time
}

// decode decodes the body of a response with status 200 into out; nil for none.
func decode(status int, body []byte, out any) error {
	if status != http.StatusOK {
		return &statusError{status, string(body)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(body, out)
}

// roshambo calls this service.
type roshambo struct{}

// first is the body of a whole game in one call: start, throw, and the token if the throw wins.
var first = []byte(`{"move":"rock","then":"claim"}`)

func (roshambo) guest(w *wire) (*caller, error) {
	status, body, err := w.call("POST", "/api/guest", "", nil)
	if err != nil {
		return nil, err
	}
	var out struct {
		CSRFToken string `json:"csrf_token"`
	}
	if err := decode(status, body, &out); err != nil {
		return nil, err
	}
	return &caller{header: "Cookie: " + w.cookie + "\r\nX-CSRF-Token: " + out.CSRFToken + "\r\n"}, nil
}

func (roshambo) read(w *wire, by *caller) error {
	status, body, err := w.call("GET", "/api/me", by.header, nil)
	if err != nil {
		return err
	}
	return decode(status, body, nil)
}

// write starts a run or gives it up, in turn.
func (roshambo) write(w *wire, by *caller) error {
	if by.run != "" {
		status, body, err := w.call("POST", "/api/runs/"+by.run+"/abandon", by.header, nil)
		by.run = ""
		if err != nil {
			return err
		}
		return decode(status, body, nil)
	}
	status, body, err := w.call("POST", "/api/runs", by.header, []byte(`{}`))
	if err != nil {
		return err
	}
	var out runResponse
	err = decode(status, body, &out)
	by.run = out.Run.ID
	return err
}

func (roshambo) throw(w *wire, by *caller) (over, won bool, err error) {
	if wait := time.Until(by.throwAt); wait > 0 {
		timer := time.NewTimer(wait)
		<-timer.C
	}
	path := "/api/runs"
	if by.run != "" {
		path = "/api/runs/" + by.run + "/throw"
	}
	status, body, err := w.call("POST", path, by.header, first)
	if err != nil {
		return false, false, err
	}
	var out runResponse
	if err := decode(status, body, &out); err != nil {
		return false, false, err
	}
	by.run = out.Run.ID
	if out.Run.Status == "active" {
		by.throwAt = time.Now().Add(250 * time.Millisecond)
		return false, false, nil
	}
	by.run = ""
	return true, out.Run.Status == "claimed", nil
}

func (roshambo) board(w *wire, by *caller, count bool) (int, error) {
	status, body, err := w.call("GET", "/api/leaderboard?limit=20", by.header, nil)
	if err != nil {
		return 0, err
	}
	if !count {
		return 0, decode(status, body, nil)
	}
	var out struct {
		Rows []struct{} `json:"rows"`
	}
	err = decode(status, body, &out)
	return len(out.Rows), err
}

// settle waits until every transaction is in a block.
func (roshambo) settle(w *wire) error {
	for {
		status, body, err := w.call("GET", "/api/chain/head", "", nil)
		if err != nil {
			return err
		}
		var out headResponse
		if err := decode(status, body, &out); err != nil || out.Head.Pending == 0 {
			return err
		}
		timer := time.NewTimer(20 * time.Millisecond)
		<-timer.C
	}
}

// nakama calls Nakama with the module in bench/nakama.
type nakama struct{}

// device is the request of a new device's account: number and time make it unique.
func device(w *wire) []byte {
	return fmt.Appendf(nil, `{"id":"bench-%p-%d-%d"}`, w, len(w.latencies), time.Now().UnixNano())
}

func (nakama) guest(w *wire) (*caller, error) {
	// The user is the default server key, "defaultkey", without a password.
	const key = "Authorization: Basic ZGVmYXVsdGtleTo=\r\n"
	status, body, err := w.call("POST", "/v2/account/authenticate/device?create=true", key, device(w))
	if err != nil {
		return nil, err
	}
	var out struct {
		Token string `json:"token"`
	}
	err = decode(status, body, &out)
	return &caller{header: "Authorization: Bearer " + out.Token + "\r\n"}, err
}

func (nakama) read(w *wire, by *caller) error {
	status, body, err := w.call("GET", "/v2/account", by.header, nil)
	if err != nil {
		return err
	}
	return decode(status, body, nil)
}

func (nakama) write(w *wire, by *caller) error {
	status, body, err := w.call("POST", "/v2/rpc/wallet?unwrap", by.header, nil)
	if err != nil {
		return err
	}
	return decode(status, body, nil)
}

func (nakama) throw(w *wire, by *caller) (over, won bool, err error) {
	status, body, err := w.call("POST", "/v2/rpc/throw?unwrap", by.header, nil)
	if err != nil {
		return false, false, err
	}
	var out struct {
		Status string `json:"status"`
	}
	err = decode(status, body, &out)
	return out.Status != "active", out.Status == "claimed", err
}

func (nakama) board(w *wire, by *caller, count bool) (int, error) {
	status, body, err := w.call("GET", "/v2/leaderboard/rps?limit=20", by.header, nil)
	if err != nil {
		return 0, err
	}
	if !count {
		return 0, decode(status, body, nil)
	}
	var out struct {
		Records []struct{} `json:"records"`
	}
	err = decode(status, body, &out)
	return len(out.Records), err
}

func (nakama) settle(*wire) error { return nil }

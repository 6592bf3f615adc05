package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// bareResponse has the size of the response to a throw.
type bareResponse struct {
	Outcome string            `json:"outcome"`
	Seed    string            `json:"seed"`
	Throw   map[string]string `json:"throw"`
	Run     bareRun           `json:"run"`
}

// bareRun is the run in a bareResponse.
type bareRun struct {
	ID         string              `json:"id"`
	Account    string              `json:"account"`
	Status     string              `json:"status"`
	Cleared    int64               `json:"cleared"`
	Commitment string              `json:"commitment"`
	Throws     []map[string]string `json:"throws"`
	CommitTx   string              `json:"commit_tx"`
	StartTx    string              `json:"start_tx"`
}

// serveBare runs the reference server until ctx is done: a handler that decodes a throw and
// encodes a response with net/http and encoding/json, and stores nothing. It writes its URL
// to log in the form of the service's log, so that start finds it.
func serveBare(ctx context.Context, log io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	hash := strings.Repeat("0a", 32)
	throw := map[string]string{"move": "rock", "house_move": "paper", "outcome": "loss", "seed": hash, "entropy": ""}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Move string `json:"move"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(bareResponse{
			Outcome: "loss", Seed: hash, Throw: throw,
			Run: bareRun{ID: hash[:36], Account: hash[:42], Status: "active", Cleared: 1, Commitment: hash,
				Throws: []map[string]string{throw}, CommitTx: hash, StartTx: hash},
		})
	})}
	if _, err := fmt.Fprintf(log, "{\"url\":\"http://%s\"}\n", listener.Addr()); err != nil {
		return err
	}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

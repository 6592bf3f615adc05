package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// healthCommand asks a running node, as a supervisor or a container engine does.
type healthCommand struct {
	Address string `help:"Address of the node's probes, as its --probe-listen; without a host, on this machine." default:"127.0.0.1:9091" env:"ROSHAMBO_PROBE_LISTEN"`
	Live    bool   `help:"Ask only whether the process is alive, to decide on a restart."`
}

const (
	// healthTime bounds the question.
	healthTime = 3 * time.Second
	// maxHealth bounds the answer, in bytes.
	maxHealth = 64 << 10
)

// Run asks, and prints the answer. The exit status is 0 for a node that is ready, or alive with --live, and 1 for
// another, or for none.
func (c *healthCommand) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1" // where a node listens on all addresses, this is one of them
	}
	path, word := "/readyz", "ready"
	if c.Live {
		path, word = "/livez", "alive"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path, nil)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	client := &http.Client{Transport: &http.Transport{}} // without the proxy of the environment
	response, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	defer response.Body.Close()
	var answer struct {
		OK      *bool
		Reasons []string
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxHealth)).Decode(&answer)
	if err != nil || answer.OK == nil {
		return errors.New("health: no node answers at " + c.Address)
	}
	text := word
	if len(answer.Reasons) > 0 {
		text += fmt.Sprintf(", %q", answer.Reasons)
	}
	if !*answer.OK {
		return errors.New("health: not " + text)
	}
	_, err = fmt.Println(text)
	return err
}

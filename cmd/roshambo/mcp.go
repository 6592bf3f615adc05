package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"roshambo/client/agent"
	"roshambo/internal/app"
)

// mcpCommand lets an AI agent play: a server of the Model Context Protocol, over standard input and output or HTTP.
type mcpCommand struct {
	URL     string `name:"url" help:"Base URL of the service." default:"http://127.0.0.1:8080" env:"ROSHAMBO_URL"`
	Key     string `help:"The key of a bot, rsb_…, or a player, rsk_…; prefer the environment, which other users cannot read. Without a key the agent reads and verifies only." env:"ROSHAMBO_KEY"`
	KeyFile string `help:"A file with the key, in place of --key." type:"path" env:"ROSHAMBO_KEY_FILE" placeholder:"FILE"`
	State   string `help:"Folder of hands in play, texts of runs and receipts, so that a restart loses nothing; one for each key. By default in the user's configuration folder." type:"path" placeholder:"FOLDER"`
	Listen  string `help:"Serve over HTTP at this address of this machine, such as 127.0.0.1:7400, in place of standard input and output. Every program that reaches it plays with the key." placeholder:"ADDRESS"`
	Measure string `help:"Append a line of JSON for each round played and each proof verified: moves, times, verdicts." type:"path" placeholder:"FILE"`
	LogKey  string `help:"The verifier key of the service's log, from a source you trust; by default the one that the service states." placeholder:"KEY"`
	Verbose bool   `short:"v" help:"Log progress to standard error."`
}

// Run serves until the client closes standard input or a signal arrives. The exit status is 2 for invalid options.
func (c *mcpCommand) Run(ctx context.Context, code *int) error {
	a, err := c.agent()
	if err == nil && c.Listen != "" {
		err = checkLoopback(c.Listen)
	}
	if err != nil {
		*code = 2
		return err
	}
	if c.Listen == "" {
		return a.Stdio(ctx)
	}
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "roshambo mcp serves http://%s/mcp\n", listener.Addr())
	return a.Serve(ctx, listener)
}

// agent returns the agent of the options.
func (c *mcpCommand) agent() (*agent.Agent, error) {
	key, err := c.key()
	state := c.State
	if err == nil && state == "" {
		state, err = defaultState(c.URL, key)
	}
	if err != nil {
		return nil, err
	}
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelDebug
	}
	o := agent.Options{
		URL: c.URL, Key: key, Folder: state, VerifierKey: c.LogKey, Version: app.Version(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	}
	if c.Measure != "" {
		// It is open until the process ends.
		if o.Measures, err = os.OpenFile(c.Measure, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return nil, fmt.Errorf("--measure: %w", err)
		}
	}
	return agent.New(o)
}

// checkLoopback returns an error unless an address is of this machine alone.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen: %q is no loopback address, and every caller would play with the key", host)
	}
	return nil
}

// key returns the key of the options or of the file, "" for none.
func (c *mcpCommand) key() (string, error) {
	if c.KeyFile == "" {
		return c.Key, nil
	}
	if c.Key != "" {
		return "", errors.New("--key and --key-file are both set, or their variables")
	}
	text, err := os.ReadFile(c.KeyFile)
	if err != nil {
		return "", fmt.Errorf("--key-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// defaultState returns the folder of a key at a service. Its name has a hash of both, of which the key has 256 random
// bits.
func defaultState(url, key string) (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("name a folder with --state: %w", err)
	}
	sum := sha256.Sum256([]byte(url + "\n" + key))
	return filepath.Join(folder, "roshambo", "agent-"+hex.EncodeToString(sum[:8])), nil
}

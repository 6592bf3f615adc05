package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"roshambo/client/agent"
	"roshambo/internal/app"
)

// mcpCommand lets an AI agent play: a server of the Model Context Protocol over standard input and output.
type mcpCommand struct {
	URL     string `name:"url" help:"Base URL of the service." default:"http://127.0.0.1:8080" env:"ROSHAMBO_URL"`
	Key     string `help:"The key of a bot, rsb_…, or a player, rsk_…; prefer the environment, which other users cannot read. Without a key the agent reads and verifies only." env:"ROSHAMBO_KEY"`
	KeyFile string `help:"A file with the key, in place of --key." type:"path" env:"ROSHAMBO_KEY_FILE" placeholder:"FILE"`
	State   string `help:"Folder of hands in play, texts of runs and receipts, so that a restart loses nothing; one for each key. By default in the user's configuration folder." type:"path" placeholder:"FOLDER"`
	LogKey  string `help:"The verifier key of the service's log, from a source you trust; by default the one that the service states." placeholder:"KEY"`
	Verbose bool   `short:"v" help:"Log progress to standard error."`
}

// Run serves until the client closes standard input or a signal arrives. The exit status is 2 for invalid options.
func (c *mcpCommand) Run(ctx context.Context, code *int) error {
	key, err := c.key()
	state := c.State
	if err == nil && state == "" {
		state, err = defaultState(c.URL, key)
	}
	if err != nil {
		*code = 2
		return err
	}
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelDebug
	}
	a, err := agent.New(agent.Options{
		URL: c.URL, Key: key, Folder: state, VerifierKey: c.LogKey, Version: app.Version(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		*code = 2
		return err
	}
	return a.Stdio(ctx)
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

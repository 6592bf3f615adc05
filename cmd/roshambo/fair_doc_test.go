package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFairDocument types the three commands of docs/fair.md with which a newspaper checks a house, one after the other:
// the first two end by themselves, and the third when it is told to.
func TestFairDocument(t *testing.T) {
	t.Parallel()
	folder := likeRoot(t)
	server, err := serve(t.Context(), filepath.Join(folder, "roshambo-data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	var chain struct {
		Head struct {
			Key string `json:"verifier_key"`
		}
	}
	answer, err := fetch(t.Context(), server.url+"/api/chain/head")
	if err == nil {
		err = json.Unmarshal(answer, &chain)
	}
	if err != nil || chain.Head.Key == "" {
		t.Fatalf("the head of the chain is %s, %v", answer, err)
	}
	text := strings.ReplaceAll(readDocument(t, "docs/fair.md"), "https://the-house.example", server.url)
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(text)
	if block == nil {
		t.Fatal("docs/fair.md has no commands")
	}
	lines := strings.Split(strings.TrimSpace(block[1]), "\n")
	if len(lines) != 3 {
		t.Fatalf("docs/fair.md has the commands %q, want three", lines)
	}
	env := []string{"KEY=" + chain.Head.Key}
	shell(t, folder, env, lines[0])
	if figures := shell(t, folder, env, lines[1]); !strings.Contains(figures, "runs") {
		t.Errorf("the record of the house is %q", figures)
	}
	key := witnessOf(t, folder, env, lines[2])
	if !strings.Contains(key, "+") {
		t.Errorf("the witness prints the key %q", key)
	}
}

// witnessOf types the command of a witness, on a free port, until it prints its key, and ends it as Ctrl-C does.
func witnessOf(t *testing.T, folder string, env []string, line string) (key string) {
	t.Helper()
	line = "exec " + strings.Replace(line, "roshambo witness", "roshambo witness --listen 127.0.0.1:0", 1)
	cmd := bash(t, folder, env, line)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	printed := regexp.MustCompile(`verifier_key="?([^" ]+)`)
	var log bytes.Buffer
	for s := bufio.NewScanner(stderr); key == "" && s.Scan(); {
		log.WriteString(s.Text() + "\n")
		if m := printed.FindStringSubmatch(s.Text()); m != nil {
			key = m[1]
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Errorf("%v\n%s", err, log.Bytes())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the witness ends with %v\n%s", err, log.Bytes())
	}
	return key
}

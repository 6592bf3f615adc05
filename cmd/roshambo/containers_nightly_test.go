//go:build nightly

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"roshambo/packaging/buildtest"
)

// containers runs the program of a container engine.
type containers struct {
	*testing.T

	program string
}

// engine returns an engine that answers; without a program there is none.
func engine(t *testing.T) containers {
	t.Helper()
	for _, name := range []string{"docker", "podman"} {
		if err := exec.CommandContext(t.Context(), name, "info").Run(); err == nil {
			return containers{t, name}
		}
	}
	t.Log("Not built: no container engine answers. TestContainers has read the files.")
	return containers{t, ""}
}

// run runs a command of the engine, also while the test cleans up, and returns its output.
func (e containers) run(args ...string) string {
	e.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(e.Context()), e.program, args...).CombinedOutput()
	if err != nil {
		e.Fatalf("%s %v: %v\n%s", e.program, args, err, out)
	}
	return string(out)
}

// build builds the image of this program under a name, until the test ends.
func (e containers) build(name string) {
	e.Helper()
	folder := e.TempDir()
	program, err := os.ReadFile(buildtest.Program(e, root(e.T)))
	if err != nil {
		e.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "roshambo-linux-"+runtime.GOARCH), program, 0o755); err != nil {
		e.Fatal(err)
	}
	args := []string{"build", "--file", filepath.Join(root(e.T), "packaging/container/Dockerfile"), "--tag", name}
	if e.program == "podman" {
		args = append(args, "--format", "docker") // its own format has no health checks
	}
	e.run(append(args, folder)...)
	e.Cleanup(func() { e.run("rmi", name) })
}

// TestContainerRuns builds the image and runs it as the Dockerfile says, twice on one volume: it is healthy by its own
// program, runs without rights, ends well, and its keys outlive it.
func TestContainerRuns(t *testing.T) {
	t.Parallel()
	e := engine(t)
	if e.program == "" {
		return
	}
	name := fmt.Sprintf("roshambo-test-%d", os.Getpid())
	e.build(name)
	e.run("volume", "create", name)
	t.Cleanup(func() { e.run("volume", "rm", name) })
	t.Cleanup(func() { // after a failure
		_ = exec.CommandContext(context.WithoutCancel(t.Context()), e.program, "rm", "--force", name).Run()
	})
	if out := e.run("inspect", "--type", "image", name); !strings.Contains(out, `"health"`) {
		t.Errorf("the image has no health check:\n%s", out)
	}
	keys := ""
	for range 2 {
		e.run("run", "--detach", "--name", name, "--read-only", "--cap-drop", "ALL", "--network", "none",
			"--volume", name+":/data", name)
		for began := time.Now(); ; <-time.After(100 * time.Millisecond) {
			err := exec.CommandContext(t.Context(), e.program, "exec", name, "/roshambo", "health").Run()
			if err == nil {
				break
			}
			if time.Since(began) > answerTime {
				t.Fatalf("the container does not get healthy: %v\n%s", err, e.run("logs", name))
			}
		}
		made := filepath.Join(t.TempDir(), "keys.json")
		e.run("cp", name+":/data/keys.json", made)
		text, err := os.ReadFile(made)
		if err != nil || keys != "" && string(text) != keys {
			t.Errorf("another container has other keys, error %v", err)
		}
		keys = string(text)
		e.run("stop", "--time", "60", name)
		if out := e.run("inspect", "--format", "{{.State.ExitCode}}", name); strings.TrimSpace(out) != "0" {
			t.Errorf("the container ended with %s:\n%s", out, e.run("logs", name))
		}
		e.run("rm", name)
	}
}

// TestCompose starts compose.yaml by the steps of docs/operations.md, with other ports: the images of PostgreSQL, Redis
// and HAProxy come from the engine's registry.
func TestCompose(t *testing.T) {
	t.Parallel()
	e := engine(t)
	if e.program != "docker" || exec.CommandContext(t.Context(), "docker", "compose", "version").Run() != nil {
		t.Log("Not started: there is no docker compose. TestContainers has read the files.")
		return
	}
	e.build("roshambo")
	folder := t.TempDir()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: certificate(t, folder)}}
	for name, text := range map[string]string{
		".env": "PUBLIC_HOST=example.com\nPOSTGRES_PASSWORD=secret1\n",
		"here.yaml": "services:\n  haproxy:\n    ports: !override [\"127.0.0.1:18443:443\"]\n    volumes:\n" +
			"      - " + filepath.Join(folder, "both.pem") + ":/etc/haproxy/roshambo.pem:ro\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The user of the container reads it.
	if err := os.Chmod(filepath.Join(folder, "both.pem"), 0o644); err != nil {
		t.Fatal(err)
	}
	compose := func(args ...string) {
		e.run(append([]string{"compose", "--project-name", "roshambo-test",
			"--env-file", filepath.Join(folder, ".env"), "--file", filepath.Join(root(t), "packaging/container/compose.yaml"),
			"--file", filepath.Join(folder, "here.yaml")}, args...)...)
	}
	t.Cleanup(func() { compose("down", "--volumes") })
	compose("up", "--detach", "--wait", "node-1")
	compose("cp", "node-1:/data/keys.json", filepath.Join(folder, "keys.json"))
	keys, err := os.ReadFile(filepath.Join(folder, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	env := "PUBLIC_HOST=example.com\nPOSTGRES_PASSWORD=secret1\nROSHAMBO_KEYS='" +
		strings.ReplaceAll(string(keys), "\n", "") + "'\n"
	if err := os.WriteFile(filepath.Join(folder, ".env"), []byte(env), 0o600); err != nil {
		t.Fatal(err)
	}
	compose("up", "--detach", "--wait")
	v := &visitor{url: "https://127.0.0.1:18443", client: client}
	if err := v.arrive(t.Context()); err != nil {
		t.Error(err)
	}
	compose("stop", "node-1")
	if err := v.call(t.Context(), http.MethodGet, "/api/me", "", &struct{}{}); err != nil {
		t.Errorf("with one node: %v", err)
	}
}

package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPythonSDK lets the example of a bot of sdk/python play ranked duels on a real service, from its sources.
func TestPythonSDK(t *testing.T) {
	t.Parallel()
	server, err := serve(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.kill() })
	source := "PYTHONPATH=" + filepath.Join(root(t), "sdk/python/src")
	testStarter(t, server.url, []string{"env", source, pythonWithHTTPX(t),
		filepath.Join(root(t), "sdk/python/examples/bot.py")})
}

// pythonWithHTTPX returns a Python that has httpx: the first one, or Debian's if another one is before it on the path.
func pythonWithHTTPX(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import httpx").Run() == nil {
			return name
		}
	}
	t.Fatal("no Python here has httpx: install the Debian package python3-httpx (tools/install-deps does)")
	return ""
}

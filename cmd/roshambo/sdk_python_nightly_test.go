//go:build nightly

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pythonApp is a folder with an environment in which the package in Python is installed from its wheel, and with the
// examples and the programs of the README.
type pythonApp struct {
	folder string
	python string // of the environment
}

// installPython builds wheel and sdist from a copy of sdk/python, installs the wheel without a network into a fresh
// environment, which takes httpx from the system, and checks the types of the examples against it, strictly.
func installPython(t *testing.T) pythonApp {
	t.Helper()
	folder := t.TempDir()
	app := pythonApp{folder, filepath.Join(folder, "env/bin/python")}
	shell(t, folder, []string{"ROOT=" + root(t), "PYTHON=" + pythonWithHTTPX(t)}, `
cp -r $ROOT/sdk/python copy
pyproject-build --no-isolation --outdir dist copy >build.txt
tar --list --file dist/roshambo-*.tar.gz | grep /src/roshambo/py.typed >/dev/null # not -q, which ends before tar
$PYTHON -m venv --system-site-packages env
env/bin/python -m pip install --quiet --no-index dist/roshambo-*.whl
mkdir app
cp $ROOT/sdk/python/examples/*.py $ROOT/starter/sdk/bot.py app
`)
	for i, text := range pythonBlocks(t) {
		name := filepath.Join(folder, "app", "readme"+string(rune('a'+i))+".py")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shell(t, folder, nil, `
for program in app/*.py; do mypy --strict --python-executable env/bin/python $program; done
`)
	return app
}

// pythonBlocks returns the programs in the README of the package.
func pythonBlocks(t *testing.T) []string {
	t.Helper()
	var blocks []string
	for _, block := range regexp.MustCompile("(?s)\n```python\n(.*?)```\n").FindAllStringSubmatch(
		readDocument(t, "sdk/python/README.md"), -1) {
		blocks = append(blocks, block[1])
	}
	if len(blocks) == 0 {
		t.Fatal("the README has no programs")
	}
	return blocks
}

// program returns the command that runs a program of the folder.
func (a pythonApp) program(name string) []string {
	return []string{a.python, filepath.Join(a.folder, "app", name)}
}

// bot returns the starter on the client, with the installed package.
func (a pythonApp) bot() starter {
	return starter{"sdk/bot.py", "python3", func(*testing.T, string, string) []string {
		return a.program("bot.py")
	}}
}

// TestPythonSDKInstalled uses the package in Python as its users do: installed from its wheel, against a real service.
func TestPythonSDKInstalled(t *testing.T) {
	t.Parallel()
	app := installPython(t)
	t.Run("a bot", func(t *testing.T) {
		t.Parallel()
		testStarter(t, startService(t), app.program("bot.py"))
	})
	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		m := newMatch(t, app.bot())
		m.play(t)
		m.check(t)
		testRefused(t, m.command)
	})
	t.Run("programs", func(t *testing.T) {
		t.Parallel()
		testPythonPrograms(t, app)
	})
	t.Run("the sources have these types", func(t *testing.T) {
		t.Parallel()
		shell(t, filepath.Join(root(t), "sdk/python"), nil, "mypy --cache-dir "+t.TempDir()+" src/roshambo driver.py")
	})
}

// testPythonPrograms runs the other examples and the programs in the README.
func testPythonPrograms(t *testing.T, app pythonApp) {
	t.Helper()
	const stated = "http://127.0.0.1:8080"
	service := startService(t, "--house-bots")
	keys := mustBot(t, service, "async-one") + " " + mustBot(t, service, "async-two")
	env := []string{"ROSHAMBO_KEYS=" + keys, "URL=" + service}
	line := `(won|lost|drawn), ` + regexp.QuoteMeta(service) + `/d/[0-9A-Z]{8}\n`
	for _, c := range []struct{ name, want string }{
		{"guest.py", `^my-bot-\d+ plays\n` + line + `$`},
		{"bot_async.py", `^` + line + line + `$`},
		{"house.py", `(?m)^pass  receipts[^$]*\nVALID$`},
		{"data.py", `^\{'rock': \d+, 'paper': \d+, 'scissors': \d+\}\n$`},
	} {
		command := strings.Join(app.program(c.name), " ")
		if out := shell(t, t.TempDir(), env, command+" $URL"); !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("%s prints %q, want %s", c.name, out, c.want)
		}
	}
	// The stream starts now, and a run makes its block.
	both := strings.Join(app.program("events.py"), " ") + " $URL & " + strings.Join(app.program("house.py"), " ") +
		" $URL >house.txt\nwait $!"
	if out := shell(t, t.TempDir(), env, both); !strings.Contains(out, "\nblock {") ||
		strings.Count(out, " transactions\n") != 5 {
		t.Errorf("events.py prints %q, want a block, and a list of five", out)
	}
	for i, text := range pythonBlocks(t) {
		name := filepath.Join(t.TempDir(), "readme"+string(rune('a'+i))+".py")
		if err := os.WriteFile(name, []byte(replaceAt(t, text, stated, service)), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s", shell(t, t.TempDir(), env, app.python+" "+name))
	}
}

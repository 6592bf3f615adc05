package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// task is a line of a driver's input.
type task struct {
	ID        int      `json:"id"`
	URL       string   `json:"url"`
	Key       string   `json:"key"`
	Folder    string   `json:"folder"`
	Budget    float64  `json:"budget"` // seconds
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// outcome is a line of a driver's output.
type outcome struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *failure        `json:"error,omitempty"`
}

// failure is an error that a driver reports.
type failure struct {
	Type       string   `json:"type"`
	Status     int      `json:"status,omitempty"`
	Code       string   `json:"code,omitempty"`
	RequestID  string   `json:"request_id,omitempty"`
	RetryAfter *float64 `json:"retry_after,omitempty"` // seconds
}

// String returns the failure as a driver prints it.
func (f *failure) String() string {
	text, _ := json.Marshal(f) // of texts and numbers
	return string(text)
}

// driver is a client that plays the table.
type driver struct {
	name    string
	command func(t *testing.T) *exec.Cmd
}

// drivers are the clients of all languages, in both forms where there are two.
var drivers = []driver{
	{golang, func(t *testing.T) *exec.Cmd {
		t.Helper()
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0]) // start ends it
		cmd.Env = append(os.Environ(), actAsDriver+"=go")
		return cmd
	}},
	{"python", func(t *testing.T) *exec.Cmd {
		t.Helper()
		return inPython(t, "../python/driver.py")
	}},
	{"python, asyncio", func(t *testing.T) *exec.Cmd {
		t.Helper()
		return inPython(t, "../python/driver.py", "--async")
	}},
	{"typescript", inNode},
}

// golang is the driver of package client, which has no sessions.
const golang = "go"

// inPython returns a command that runs a script with the package and httpx.
func inPython(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	source, err := filepath.Abs("../python/src")
	if err != nil {
		t.Fatal(err)
	}
	// Its owner ends it: the test's context is done before the test's last functions are called.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), python(t), append([]string{script}, args...)...)
	cmd.Env = append(withoutProxies(), "PYTHONPATH="+source)
	return cmd
}

// inNode compiles the package in TypeScript into a folder and returns a command that runs its driver there.
func inNode(t *testing.T) *exec.Cmd {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"driver.mjs", "package.json"} {
		text, err := os.ReadFile(filepath.Join("../typescript", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The compiler is the page's, which tools/install-deps installs.
	compile := exec.CommandContext(t.Context(), "node", "../../web/node_modules/typescript/bin/tsc", "--project",
		"../typescript", "--outDir", filepath.Join(folder, "dist"))
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v (tools/install-deps installs Node.js and the compiler)\n%s", compile.Args, err, out)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "node", filepath.Join(folder, "driver.mjs"))
	cmd.Env = withoutProxies()
	return cmd
}

// python returns a Python that has httpx: the first one, or Debian's if another one is before it on the path.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import httpx").Run() == nil {
			return name
		}
	}
	t.Fatal("no Python here has httpx: install the Debian package python3-httpx (tools/install-deps does)")
	return ""
}

// withoutProxies returns the environment without the proxies through which a client would call.
func withoutProxies() []string {
	var list []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasSuffix(strings.ToLower(name), "_proxy") {
			list = append(list, v)
		}
	}
	return list
}

// process is a running driver.
type process struct {
	name string
	done chan struct{} // closed when its output has ended

	mu      sync.Mutex // guards the fields below, and writing
	input   io.Writer
	last    int
	waiting map[int]chan outcome
}

// start starts a driver, which ends with the test and must end well.
func start(t *testing.T, d driver) *process {
	t.Helper()
	cmd := d.command(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{name: d.name, done: make(chan struct{}), input: in, waiting: map[int]chan outcome{}}
	go p.listen(out)
	t.Cleanup(func() {
		_ = in.Close() // the driver ends then
		<-p.done
		if err := cmd.Wait(); err != nil {
			t.Errorf("the driver ends with %v:\n%s", err, said.String())
		}
	})
	return p
}

// listen hands each line of the output to the test that waits for it.
func (p *process) listen(out io.Reader) {
	defer close(p.done)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one outcome
		if json.Unmarshal(lines.Bytes(), &one) != nil {
			continue // the test that waits for it sees the end
		}
		p.mu.Lock()
		if answer := p.waiting[one.ID]; answer != nil {
			answer <- one
			delete(p.waiting, one.ID)
		}
		p.mu.Unlock()
	}
}

// do lets the driver do a task and returns its outcome.
func (p *process) do(t *testing.T, k task) outcome {
	t.Helper()
	answer := make(chan outcome, 1)
	if k.Arguments == nil {
		k.Arguments = []string{}
	}
	p.mu.Lock()
	p.last++
	k.ID = p.last
	p.waiting[k.ID] = answer
	err := json.NewEncoder(p.input).Encode(k)
	p.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	select {
	case one := <-answer:
		return one
	case <-p.done:
		t.Fatal("the driver has ended")
	case <-t.Context().Done():
		t.Fatal("the test is over")
	}
	return outcome{}
}

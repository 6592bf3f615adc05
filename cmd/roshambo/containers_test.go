package main

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// composeFile holds the tested fields of packaging/container/compose.yaml.
type composeFile struct {
	Services map[string]struct {
		Image       string
		Environment map[string]string
		Volumes     []string
		ReadOnly    bool   `yaml:"read_only"`
		StopGrace   string `yaml:"stop_grace_period"`
		Networks    yaml.Node
	}
	Networks map[string]struct {
		IPAM struct{ Config []struct{ Subnet string } }
	}
}

// address returns the address of a service in the file's network.
func (c *composeFile) address(t *testing.T, service string) netip.Addr {
	t.Helper()
	var in map[string]struct {
		Address netip.Addr `yaml:"ipv4_address"`
	}
	networks := c.Services[service].Networks
	if err := networks.Decode(&in); err != nil {
		t.Fatalf("%s: %v", service, err)
	}
	return in["inner"].Address
}

// readContainer returns the instructions of the Dockerfile, by name in the order of the file, and the file of compose.
func readContainer(t *testing.T) (instructions map[string][]string, c composeFile) {
	t.Helper()
	folder := filepath.Join(root(t), "packaging/container")
	text, err := os.ReadFile(filepath.Join(folder, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	instructions = map[string][]string{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "" && !strings.HasPrefix(name, "#") {
			instructions[name] = append(instructions[name], rest)
		}
	}
	if text, err = os.ReadFile(filepath.Join(folder, "compose.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return instructions, c
}

// TestContainers: the image has the program alone, for a user without rights, and the nodes of compose.yaml start with
// options that this program has, at the addresses that HAProxy knows. The nightly run builds and starts both where a
// container engine answers.
func TestContainers(t *testing.T) {
	t.Parallel()
	image, compose := readContainer(t)
	for name, want := range map[string][]string{
		"FROM": {"scratch"}, "USER": {"65532:65532"}, "ENTRYPOINT": {`["/roshambo"]`}, "CMD": {`["serve"]`},
		"COPY": {"roshambo-linux-${TARGETARCH} /roshambo"}, "WORKDIR": {"/data"}, "VOLUME": {"/data"},
	} {
		if got := image[name]; !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if check := image["HEALTHCHECK"]; len(check) != 1 || !strings.HasSuffix(check[0], ` CMD ["/roshambo", "health"]`) {
		t.Errorf("the health check is %q", check)
	}
	knows, err := os.ReadFile(filepath.Join(root(t), "packaging/proxy/haproxy.cfg"))
	if err != nil {
		t.Fatal(err)
	}
	subnet := netip.MustParsePrefix(compose.Networks["inner"].IPAM.Config[0].Subnet)
	sample := strings.NewReplacer("${PUBLIC_HOST:?is the name of the service in browsers}", "game.example.org",
		"${POSTGRES_PASSWORD:?is a new random text of letters and digits}", "secret1", "${ROSHAMBO_KEYS:-}", "")
	for _, name := range []string{"node-1", "node-2"} {
		node, address := compose.Services[name], compose.address(t, name)
		if node.Image != "roshambo" || !node.ReadOnly || node.StopGrace != "60s" ||
			!slices.Equal(node.Volumes, []string{name + ":/data"}) || !subnet.Contains(address) ||
			!strings.Contains(string(knows), "server "+name+" "+address.String()+":8080\n") {
			t.Errorf("%s is %+v", name, node)
		}
		if got := node.Environment["ROSHAMBO_TRUSTED_PROXIES"]; got != compose.address(t, "haproxy").String() {
			t.Errorf("%s trusts %s", name, got)
		}
		c := exec.CommandContext(t.Context(), "roshambo", "serve", "--print-config")
		c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, strings.Fields(strings.Join(image["ENV"], " "))...)
		for variable, value := range node.Environment {
			c.Env = append(c.Env, variable+"="+sample.Replace(value))
		}
		out, err := c.CombinedOutput()
		if err != nil || strings.Contains(string(out), "is not an option") || strings.Contains(string(out), "$") {
			t.Errorf("the options of %s: %v\n%s", name, err, out)
		}
		for _, want := range []string{`drain-delay = "5s"`, `probe-listen = ":9091"`, `listen = ":8080"`, `data = "/data"`,
			`public-url = "https://game.example.org"`} {
			if !strings.Contains(string(out), want) {
				t.Errorf("the options of %s lack %s:\n%s", name, want, out)
			}
		}
	}
	if args := compose.Services["postgres"].Environment["POSTGRES_INITDB_ARGS"]; args != "--data-checksums" {
		t.Errorf("PostgreSQL's data is created with %q, want checksums of its pages", args)
	}
	for name, s := range compose.Services {
		if _, tag, found := strings.Cut(s.Image, ":"); found == (s.Image == "roshambo") || tag == "latest" {
			t.Errorf("%s has the image %s, which names no version", name, s.Image)
		}
	}
}

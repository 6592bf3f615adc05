package release_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"roshambo/internal/platform/release"
)

// key returns a key that follows from its name.
func key(t *testing.T, name string) (note.Signer, string) {
	t.Helper()
	private, public, err := note.GenerateKey(strings.NewReader(strings.Repeat(name, 32)), name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer, public
}

// sample returns a list of one file.
func sample(t *testing.T) *release.Release {
	t.Helper()
	d, err := release.Sum(strings.NewReader("a program"))
	if err != nil {
		t.Fatal(err)
	}
	return &release.Release{
		Version: "0.1.0", Commit: strings.Repeat("0f", 20), Go: "go1.26.8",
		Files: []release.File{{Name: "roshambo-linux-amd64", Digest: d}},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	signer, public := key(t, "releases.example.org")
	want := sample(t)
	signed, err := release.Sign(want, signer)
	if err != nil {
		t.Fatal(err)
	}
	got, err := release.Open(signed, public)
	if err != nil || got.Version != want.Version || got.Commit != want.Commit || got.Go != want.Go {
		t.Fatalf("%+v, %v", got, err)
	}
	if name, found := got.Find(want.Files[0].Digest); !found || name != "roshambo-linux-amd64" {
		t.Errorf("found %q, %v", name, found)
	}
	if name, found := got.Find(release.Digest{1}); found {
		t.Errorf("a digest that is not listed: %q", name)
	}
}

// TestPage checks that a list names the files of the page apart.
func TestPage(t *testing.T) {
	t.Parallel()
	signer, public := key(t, "releases.example.org")
	list := sample(t)
	for i, name := range []string{"page/index.html", "page/assets/first-CNhcXXtk.js", "page/docs/adr/0001-a.md",
		"page/docs/pictures/a.svg"} {
		list.Files = append(list.Files, release.File{Name: name, Digest: release.Digest{byte(i + 1)}})
	}
	signed, err := release.Sign(list, signer)
	if err != nil {
		t.Fatal(err)
	}
	got, err := release.Open(signed, public)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]release.Digest{"index.html": {1}, "assets/first-CNhcXXtk.js": {2}, "docs/adr/0001-a.md": {3},
		"docs/pictures/a.svg": {4}}
	if !maps.Equal(got.Page(), want) {
		t.Errorf("got %v, want %v", got.Page(), want)
	}
}

// TestOpenRefuses tries lists that another key signed, that were altered, and that say nothing.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	signer, public := key(t, "releases.example.org")
	other, otherKey := key(t, "releases.example.net")
	signed, err := release.Sign(sample(t), signer)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(text string) []byte {
		b, err := note.Sign(&note.Note{Text: text}, signer)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	text, _, _ := strings.Cut(string(signed), "\n\n")
	cases := map[string]struct {
		signed []byte
		key    string
		want   error
	}{
		"another key": {signed, otherKey, release.ErrSignature},
		"no key":      {signed, "", release.ErrKey},
		"altered":     {[]byte(strings.Replace(string(signed), "0.1.0", "0.1.1", 1)), public, release.ErrSignature},
		"nothing":     {nil, public, release.ErrSignature},
		"no file":     {sign(strings.Join(strings.Split(text, "\n")[:3], "\n") + "\n"), public, release.ErrMalformed},
		"a name twice": {sign(text + "\n" + strings.Replace(strings.Split(text, "\n")[3], "7", "8", 1) + "\n"), public,
			release.ErrMalformed},
		"another document": {sign("an origin\n7\nroot\nline\n"), public, release.ErrMalformed},
		"a path below the page": {sign(strings.Replace(text, "roshambo-linux", "page/assets/../x", 1) + "\n"), public,
			release.ErrMalformed},
		"a path": {sign(strings.Replace(text, "roshambo-linux", "../roshambo", 1) + "\n"), public,
			release.ErrMalformed},
	}
	for name, c := range cases {
		if _, err := release.Open(c.signed, c.key); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	bad := sample(t)
	bad.Files = append(bad.Files, bad.Files[0])
	if _, err := release.Sign(bad, other); !errors.Is(err, release.ErrMalformed) {
		t.Errorf("a list that names a file twice is signed: %v", err)
	}
}

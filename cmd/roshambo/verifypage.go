package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"roshambo/internal/platform/release"
	"roshambo/internal/server/pagecheck"
)

// verifyPageCommand compares the page of a service with a build.
type verifyPageCommand struct {
	URL     string `arg:"" help:"The service, for example https://roshambo.example.org."`
	Release string `help:"The signed list of a release, whose page the service must serve; - for standard input. Without it and --build, the page in this program." placeholder:"FILE"`
	Key     string `help:"The verifier key of those who publish the releases, from a source you trust." placeholder:"KEY"`
	Build   string `help:"A folder with a build of the page, such as web/dist, instead." placeholder:"FOLDER"`
}

// Run compares, and sets the exit status: 0 for the page of the build, 1 for another page, a service that does
// not answer and a list that the key has not signed, 2 for wrong usage.
func (c *verifyPageCommand) Run(ctx context.Context, code *int) error {
	build, of, err := c.build(code)
	if err != nil {
		return err
	}
	report, err := pagecheck.Check(ctx, http.DefaultClient, c.URL, build)
	if err != nil {
		return err
	}
	for _, problem := range report.Problems {
		fmt.Println("problem  " + problem)
	}
	if len(report.Problems) > 0 {
		*code = 1
		_, err = fmt.Println("NOT VERIFIED: the page is not that of " + of)
		return err
	}
	_, err = fmt.Printf("VERIFIED: %d documents and %d files are those of %s\n", report.Documents, report.Files, of)
	return err
}

// build returns the build to compare with, and its name. An error of usage sets the exit status.
func (c *verifyPageCommand) build(code *int) (build pagecheck.Build, of string, err error) {
	web := strings.HasPrefix(c.URL, "http://") || strings.HasPrefix(c.URL, "https://")
	switch {
	case !web:
		err = fmt.Errorf("verify-page: %q is not a URL such as https://roshambo.example.org", c.URL)
	case (c.Release == "") != (c.Key == ""):
		err = errors.New("verify-page: --release needs --key, and --key needs --release")
	case c.Release != "" && c.Build != "":
		err = errors.New("verify-page: --release and --build exclude each other")
	case c.Build != "":
		of = "the build in " + c.Build
		build, err = pagecheck.Folder(c.Build)
	case c.Release == "":
		return pagecheck.Embedded(), "this program", nil
	default:
		return c.released(code)
	}
	if err != nil {
		*code = 2
	}
	return build, of, err
}

// released returns the build that a signed list names.
func (c *verifyPageCommand) released(code *int) (pagecheck.Build, string, error) {
	signed, err := readList(c.Release)
	if err != nil {
		*code = 2
		return nil, "", err
	}
	list, err := release.Open(signed, c.Key)
	if errors.Is(err, release.ErrKey) {
		*code = 2
	}
	if err != nil {
		return nil, "", err
	}
	build := pagecheck.Build{}
	for name, digest := range list.Page() {
		build[name] = digest
	}
	if len(build) == 0 {
		*code = 2
		return nil, "", fmt.Errorf("release %s lists no file of a page", list.Version)
	}
	return build, fmt.Sprintf("release %s, built from commit %s", list.Version, list.Commit), nil
}

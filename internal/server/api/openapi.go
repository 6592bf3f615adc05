package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"roshambo/contract"
)

// documentOperation registers the document, which the page renders for people.
func (a *API) documentOperation() {
	addStream(a, contract.Operation{
		ID: "getOpenAPI", Method: "GET", Path: "/api/openapi.json", Tag: "Documentation", Summary: "This document",
		Description: "The contract as OpenAPI 3.1, or with `tags` a part of it, for programs to which the whole is too long.",
	}, "application/json", (*call).getOpenAPI)
}

// documentIn selects a part of the document.
type documentIn struct {
	Tags *string `query:"tags" maxLength:"300" example:"Runs,Duels" doc:"Names of tags between commas: the operations with one of them, and the schemas that they use. By default all."`
}

// getOpenAPI sends the document or a part of it.
func (a *call) getOpenAPI(_ context.Context, in *documentIn) (contract.Stream, error) {
	d := &a.openapi
	if in.Tags != nil {
		tags, err := documentTags(*in.Tags)
		if err != nil {
			return nil, err
		}
		if d, err = a.parts.of(a.Contract, tags); err != nil {
			return nil, err
		}
	}
	return func(_ context.Context, w http.ResponseWriter) { d.send(w, a.r) }, nil
}

// documentTags returns the tags that a text names between commas, in the order of the document. Errors:
// *contract.ValidationError for an unknown one.
func documentTags(text string) (tags []string, err error) {
	asked := strings.Split(text, ",")
	var known []string
	for _, t := range common().Tags {
		known = append(known, t.Name)
		if slices.Contains(asked, t.Name) {
			tags = append(tags, t.Name)
		}
	}
	if slices.ContainsFunc(asked, func(name string) bool { return !slices.Contains(known, name) }) {
		return nil, contract.InvalidValue([]any{"query", "tags"},
			"the tags are "+strings.Join(known, ", "), text)
	}
	return tags, nil
}

package httpapi

import (
	"net/http"

	"roshambo/internal/contract"
)

// documentOperations serves the contract itself, for programs; docs.go does for people.
func (a *API) documentOperations() {
	a.contract.AddRaw(contract.Operation{
		ID: "getOpenAPI", Method: "GET", Path: "/api/openapi.json", Tag: "Documentation", Summary: "This document",
	}, "application/json", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(a.openapi) // the caller has gone away; nobody is left to tell
	}))
}

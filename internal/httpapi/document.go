package httpapi

import (
	"net/http"

	"github.com/swaggest/swgui"
	swg "github.com/swaggest/swgui/v5emb"

	"roshambo/internal/contract"
)

const docsPath = "/api/docs"

// documentOperations serves the contract itself, for programs and for people.
func (a *API) documentOperations() {
	a.contract.AddRaw(contract.Operation{
		ID: "getOpenAPI", Method: "GET", Path: "/api/openapi.json", Tag: "Documentation", Summary: "This document",
	}, "application/json", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(a.openapi) // the caller has gone away; nobody is left to tell
	}))
	page := swg.NewHandlerWithConfig(swgui.Config{
		Title: "Roshambo API", SwaggerJSON: "/api/openapi.json", BasePath: docsPath, HideCurl: false,
	})
	a.docs = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The page's assets are its own; its one inline script starts it.
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'")
		page.ServeHTTP(w, r)
	})
}

package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"roshambo/contract"
)

// documentOperations registers the contract itself, for programs; docs.go serves it to people.
func (a *API) documentOperations() {
	a.contract.AddRaw(contract.Operation{
		ID: "getOpenAPI", Method: "GET", Path: "/api/openapi.json", Tag: "Documentation", Summary: "This document",
	}, "application/json", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", etag(a.openapi))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.openapi))
	}))
}

// etag returns an entity tag derived from the content, so that clients with the same content get
// 304.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}
